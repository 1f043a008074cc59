#include "ergon/coupling/step_control/step_control.hpp"
#include "support/fake_step_record.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ergon {
namespace {

/// A point in time with one bond.
class Point final : public StepRecord {
 public:
  [[nodiscard]] Tick tick() const override { return 0; }
  [[nodiscard]] double time_s() const override { return time; }
  [[nodiscard]] double output(Index) const override { return 0.0; }
  [[nodiscard]] double applied_input(Index) const override { return 0.0; }
  [[nodiscard]] std::span<const BondRecord> bonds() const override { return {&bond, 1}; }
  [[nodiscard]] const BondFigures& bond_figures() const override { return figures_of(bonds(), figures); }
  [[nodiscard]] double imbalance_J(Index) const override { return imbalance; }
  [[nodiscard]] const EnergyRecord& energy(Index) const override { return books; }

  double time = 0.0;
  BondRecord bond;
  mutable BondFigures figures;
  double imbalance = 0.0;
  EnergyRecord books;
};

EstimatorContext context() {
  static const CoupledSystem system = [] {
    CoupledSystem one;
    one.bonds.resize(1);
    return one;
  }();
  return {system, 0, 1.0};
}

/// The error is whatever the test says.
class Scripted final : public ErrorEstimator {
 public:
  explicit Scripted(const double& ratio) : ratio_(ratio) {}
  void start(const StepRecord&) override {}
  [[nodiscard]] double measure(const StepRecord&) const override { return ratio_; }
  void accept(const StepRecord&) override {}
  void archive(Archive&) override {}

 private:
  const double& ratio_;
};

struct Controlled {
  double ratio = 1.0;
  Point point;
  StepControl control;
  explicit Controlled(Tick nominal = 100, Tick most = 1000)
      : control({.subdivisions = nominal}, std::make_unique<Scripted>(ratio), 2, most, false) {
    control.start(point);
  }
  bool judge(double measured, bool may_repeat = true) {
    ratio = measured;
    return control.judge(point, 1e-3, may_repeat);
  }
};

TEST(StepControl, RepeatsAWindowWhoseErrorIsTooLargeWithASmallerOne) {
  Controlled c;
  EXPECT_FALSE(c.judge(4.0));
  // 0.9 · 4^(−1/2) of 100
  EXPECT_EQ(c.control.factor(), 45);
  EXPECT_EQ(c.control.record().rejected, 1U);
  EXPECT_TRUE(c.judge(0.5));
  EXPECT_LE(c.control.factor(), 45) << "a window must not grow right after a rejection";
  EXPECT_EQ(c.control.record().accepted, 1U);
}

TEST(StepControl, GrowsAtMostTwiceAndNotBeyondTheLargestWindow) {
  Controlled c;
  EXPECT_TRUE(c.judge(0.0));
  EXPECT_EQ(c.control.factor(), 200);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(c.judge(0.0));
  EXPECT_EQ(c.control.factor(), 1000);
}

TEST(StepControl, FromTheSmallestWindowItGrowsAgain) {
  Controlled c(1);
  EXPECT_TRUE(c.judge(1e-3));
  EXPECT_EQ(c.control.factor(), 2);
}

TEST(StepControl, TheSmallestWindowIsAcceptedAndSaysSo) {
  Controlled c(2);
  EXPECT_FALSE(c.judge(1e6));
  EXPECT_EQ(c.control.factor(), 1);
  EXPECT_TRUE(c.judge(1e6));
  EXPECT_EQ(c.control.record().forced, 1U);
  EXPECT_EQ(c.control.record().error, 1e6);
}

TEST(StepControl, WhatCannotBeSetBackIsAcceptedAndFollowedByASmallerWindow) {
  Controlled c;
  EXPECT_TRUE(c.judge(100.0, false));
  EXPECT_EQ(c.control.record().rejected, 0U);
  EXPECT_EQ(c.control.record().forced, 1U);
  EXPECT_LT(c.control.factor(), 50);
}

TEST(StepControl, AnErrorThatIsNoNumberIsTooLarge) {
  Controlled c;
  EXPECT_FALSE(c.judge(std::numeric_limits<double>::quiet_NaN()));
  EXPECT_FALSE(c.judge(std::numeric_limits<double>::infinity()));
  EXPECT_EQ(c.control.factor(), 4);
}

TEST(StepControl, AFailedWindowIsTriedAgainUntilItIsTheSmallest) {
  Controlled c(10);
  EXPECT_TRUE(c.control.retry_after_failure());
  EXPECT_EQ(c.control.factor(), 2);
  EXPECT_TRUE(c.control.retry_after_failure());
  EXPECT_FALSE(c.control.retry_after_failure());
}

TEST(StepControl, SettlesJustBelowTheTolerance) {
  // Error of one window ∝ n²: 1 at n = 300.
  Controlled c(10, 100000);
  for (int i = 0; i < 60; ++i) {
    const double n = static_cast<double>(c.control.factor());
    c.judge(std::pow(n / 300.0, 2.0));
  }
  // At rest 0.9 · r^((−0.7 + 0.4)/2) = 1, so r = 0.9^(1/0.15) = 0.495.
  EXPECT_NEAR(static_cast<double>(c.control.factor()), 300.0 * std::sqrt(std::pow(0.9, 1.0 / 0.15)), 3.0);
}

TEST(InterfacePower, ComparesInventedEnergyWithTheSwingOfTheEnergyExchanged) {
  const auto estimator = make_interface_power_estimator({.rtol = 0.1, .atol = 1.0}, context());
  Point point;
  point.bond.power_into_b_W = 0.0;
  estimator->start(point);
  // ½ · 100 W · 2 s = 100 J went through, 5.5 J were invented: 5.5/(1 + 0.1 · 100)
  point.time = 2.0;
  point.bond.power_into_b_W = 100.0;
  point.bond.interface_energy_J = -5.5;
  EXPECT_NEAR(estimator->measure(point), 0.5, 1e-12);
  estimator->accept(point);
  EXPECT_EQ(estimator->measure(point), 0.0) << "nothing new was invented";
  // The energy comes back: the swing stays what it was.
  point.time = 4.0;
  point.bond.power_into_b_W = -200.0;
  point.bond.interface_energy_J = 5.5;
  EXPECT_NEAR(estimator->measure(point), 1.0, 1e-12);
}

TEST(InterfacePower, TheExactImbalanceIsBelievedWhereItExists) {
  const auto estimator = make_interface_power_estimator({.rtol = 1.0, .atol = 1.0}, context());
  Point point;
  point.bond.has_imbalance = true;
  estimator->start(point);
  point.time = 1.0;
  point.bond.interface_energy_J = 1000.0;
  point.imbalance = 0.25;
  EXPECT_NEAR(estimator->measure(point), 0.25, 1e-12);
}

}  // namespace
}  // namespace ergon
