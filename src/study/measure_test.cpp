#include "ergon/study/measure.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "ergon/core/problem.hpp"

namespace ergon::study {
namespace {

/// Two outputs: x and y.
struct Record final : OutputRecord {
  double x = 0.0, y = 0.0;
  [[nodiscard]] double output(Index output) const override { return output == 0 ? x : y; }
  [[nodiscard]] double applied_input(Index) const override { return 0.0; }
};

/// Of x(t), y(t) at 1001 points in [0, 1].
double measured(
    const std::string& text, double (*x)(double), double (*y)(double) = [](double) { return 0.0; }) {
  CoupledSystem system;
  for (const char* name : {"a.x", "a.force[1]"}) {
    SignalName signal;
    signal.text = name;
    system.outputs.push_back(signal);
  }
  const std::vector<Measure> measures = {Measure::parse(text, "--measure")};
  MeasureSet set(measures, system);
  Record record;
  for (int k = 0; k <= 1000; ++k) {
    const double t = 1e-3 * k;
    record.x = x(t);
    record.y = y(t);
    set.inspect(t, record);
  }
  return set.values().at(0);
}

double wave(double t) {
  return 3.0 * std::sin(2.0 * std::numbers::pi * t) + 1.0;
}
double ramp(double t) {
  return 2.0 * t;
}
/// Rises to 1 with an overshoot of exp(−1) at t = 0.1 and decays with a time constant of 0.1 s.
double decay(double t) {
  return 1.0 - std::exp(-10.0 * t) * std::cos(10.0 * std::numbers::pi * t);
}

TEST(Measures, AreWhatTheirNamesSay) {
  EXPECT_NEAR(measured("max(a.x)", wave), 4.0, 1e-5);
  EXPECT_NEAR(measured("min(a.x)", wave), -2.0, 1e-5);
  EXPECT_NEAR(measured("range(a.x)", wave), 6.0, 1e-4);
  EXPECT_NEAR(measured("mean(a.x)", wave), 1.0, 1e-9);
  EXPECT_NEAR(measured("rms(a.x - 1)", wave), 3.0 / std::numbers::sqrt2, 1e-4);
  EXPECT_NEAR(measured("integral(a.x)", ramp), 1.0, 1e-12);
  EXPECT_EQ(measured("initial(a.x)", wave), 1.0);
  EXPECT_EQ(measured("final(a.x)", ramp), 2.0);
  EXPECT_NEAR(measured("value(a.x, t=0.3335)", ramp), 0.667, 1e-12);
  EXPECT_NEAR(measured("value(a.x, t=1/4)", ramp), 0.5, 1e-12);
  EXPECT_NEAR(measured("first(a.x > 1)", ramp), 0.501, 1e-12);
  EXPECT_NEAR(measured("last(a.x < 1)", ramp), 0.499, 1e-12);
  EXPECT_NEAR(measured("duration(a.x > 1 and a.x <= 1.5)", ramp), 0.25, 2e-3);
}

// |e^{−10 t} cos 10πt| ≤ 0.05 for good after its last extremum above that, or within it: t = 0.2933 (cos = −0.94…); overshoot e^{-1}.
TEST(Measures, KnowWhenSomethingSettles) {
  double last = 0.0;
  for (int k = 0; k <= 1000; ++k) {
    const double t = 1e-3 * k;
    if (std::abs(decay(t) - decay(1.0)) > 0.05 * std::abs(decay(1.0) - decay(0.0))) last = t;
  }
  EXPECT_NEAR(measured("settling(a.x, band=0.05)", decay), last, 1e-12);
  double highest = 0.0;
  for (int k = 0; k <= 1000; ++k) highest = std::max(highest, decay(1e-3 * k));
  EXPECT_NEAR(measured("overshoot(a.x)", decay), (highest - decay(1.0)) / decay(1.0), 1e-12);
  EXPECT_NEAR(measured("overshoot(a.x)", decay), std::exp(-1.0), 0.03);
}

TEST(Measures, TakeFormulasOfSeveralOutputs) {
  EXPECT_NEAR(measured("max(abs(a.x - a.force[1]))", ramp, [](double t) { return -t; }), 3.0, 1e-12);
  EXPECT_NEAR(measured("final('a.x' + 2*'a.force[1]')", ramp, [](double t) { return t; }), 4.0, 1e-12);
  EXPECT_NEAR(measured("max(min(a.x, 0.5) * 1e3)", ramp), 500.0, 1e-9);
}

TEST(Measures, HaveNoValueWhereThereIsNone) {
  EXPECT_TRUE(std::isnan(measured("first(a.x > 10)", ramp)));
  EXPECT_TRUE(std::isnan(measured("value(a.x, t=2)", ramp)));
  EXPECT_TRUE(std::isnan(measured("max(a.x)", [](double t) { return t == 0.5 ? std::nan("") : 0.0; })));
  EXPECT_TRUE(std::isnan(measured("mean(a.x)", [](double t) { return t == 0.5 ? std::nan("") : 0.0; })));
}

TEST(Measures, RefuseWhatCannotBeComputed) {
  for (const char* text :
       {"peak", "max", "max(", "largest(a.x)", "max(a.x", "max(a.x +)", "max(a.x > 1)", "value(a.x)",
        "max(a.x, t=3)", "settling(a.x, band=wide)", "max('a.x)", "max(a.x $ 2)"})
    EXPECT_THROW((void)Measure::parse(text, "--measure"), InputError) << text;
  CoupledSystem empty;
  const std::vector<Measure> measures = {Measure::parse("max(a.x)", "--measure")};
  EXPECT_THROW(MeasureSet(measures, empty), InputError);
  EXPECT_EQ(Measure::parse("peak = max(a.x)", "").name, "peak");
  EXPECT_EQ(Measure::parse("first(a.x == 1)", "").name, "first(a.x == 1)");
}

}  // namespace
}  // namespace ergon::study
