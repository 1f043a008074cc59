// Corrections in an engine: where they act, when, and in which unit.
#include "ergon/coupling/correctors/corrected_receiver.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/accounted_body.hpp"

namespace ergon {
namespace {

using namespace testing;

constexpr double receiver_H = 1e-3;

/// The two masses of [rodriguez2022] case 1.
struct ReceiverPair {
  BodyParameters left{.k_N_m = 10.0, .kc_N_m = 100.0, .v0_m_s = {100.0}};
  BodyParameters right{.k_N_m = 1000.0, .v0_m_s = {-100.0}};
  Rational left_step = milliseconds(1);
  Rational right_step = milliseconds(1);
  std::optional<double> scale{};
  FeedthroughMode mode = FeedthroughMode::stale;
  int degree = 0;

  [[nodiscard]] Simulation with(const std::string& method, const Settings& settings = {}) const {
    Simulation sim;
    sim.options.feedthrough = mode;
    sim.options.degree = degree;
    sim.graph.add("left", std::make_unique<Body>(left), left_step);
    sim.graph.add("right", std::make_unique<Body>(right), right_step);
    BondSpec bond = spring_bond("spring", "left", "right");
    bond.scale = scale;
    sim.graph.bond(bond);
    sim.options.corrections = {correction("spring", method, settings)};
    return sim;
  }
};

double force_felt(const Simulation& sim, const std::string& input = "right.force_in") {
  return sim.engine->record().applied_input(sim.system->find_input(input).value());
}

// By hand: f = 10 N and dP = 1000 W after the first step, hence 5 N on a mass that moves with −100 m/s. They make it
// −99.885 m/s after the second, when f = 29.9979 N: dP = 10·(−99.885) + 29.9979·100 = 2000.94 W, f_c = 10.016 N.
TEST(CorrectedReceiver, FirstStepsOfTheResidualPowerCorrectionByHand) {
  Simulation sim = ReceiverPair{}.with("residual-power", {{"variant", "published"}});
  sim.start("0.01");
  sim.advance();
  EXPECT_EQ(force_felt(sim), 0.0) << "nothing is known yet";
  sim.advance();
  const auto bond = [&] { return sim.engine->record().bonds()[0]; };
  EXPECT_TRUE(bond().corrected);
  EXPECT_NEAR(force_felt(sim), 10.0 + 5.0, 1e-10);
  EXPECT_NEAR(bond().residual_power_W, 2000.94, 1e-8);
  sim.advance();
  EXPECT_NEAR(force_felt(sim), 29.9979 + 0.5 * 2000.94 / 99.885, 1e-8);
  EXPECT_NEAR(bond().correction, -0.5 * 2000.94 / 99.885, 1e-8) << "the sign is that of its power";
}

// The uncorrected samples go into histories, residuals and outputs: nobody but the receiver sees the correction.
TEST(CorrectedReceiver, AddsToTheInputAndToNothingElse) {
  Simulation sim = ReceiverPair{}.with("residual-power");
  sim.start("0.01");
  for (int k = 0; k < 5; ++k) {
    const double given = sim.output("left.force");
    sim.advance();
    const double added = force_felt(sim) - given;
    if (k > 0) {
      EXPECT_GT(std::abs(added), 1.0);
    }
    EXPECT_NEAR(
        sim.output("left.force"),
        100.0 * (sim.output("left.position") -
                 sim.engine->record().applied_input(sim.system->find_input("left.position_in").value())),
        1e-12);
  }
}

/// f_c of every step, in newtons, and the last position of the receiver.
struct Traced {
  std::vector<double> correction_N;
  double position_m = 0.0;
};

Traced trace(const ReceiverPair& pair, const std::string& method, const Settings& settings) {
  Simulation sim = pair.with(method, settings);
  sim.start("0.05");
  Traced t;
  double held = sim.output("left.force");
  while (sim.advance()) {
    t.correction_N.push_back((force_felt(sim) - held) * pair.right.effort_unit_N);
    held = sim.output("left.force");
  }
  t.position_m = sim.output("right.position");
  return t;
}

// Efforts in kilonewtons without a unit, made a power by `scale`: the mass must feel the same newtons.
TEST(CorrectedReceiver, ScaleDoesNotChangeThePhysicalCorrection) {
  ReceiverPair plain;
  ReceiverPair scaled;
  scaled.left.effort_unit_N = scaled.right.effort_unit_N = 1000.0;
  scaled.scale = 1000.0;
  const std::pair<std::string, std::pair<Settings, Settings>> cases[] = {
      {"residual-power", {{}, {}}},
      {"residual-power", {{{"variant", "by-parts"}}, {{"variant", "by-parts"}}}},
      {"residual-power", {{{"variant", "published"}, {"nu", 0.2}}, {{"variant", "published"}, {"nu", 0.2}}}},
      {"residual-power", {{{"limit_absolute", 7.0}}, {{"limit_absolute", 0.007}}}},
      {"energy-leak", {{}, {}}},
      {"energy-leak", {{{"rate_limit", 900.0}}, {{"rate_limit", 0.9}}}},
      {"passivity", {{}, {}}},
  };
  for (const auto& [method, settings] : cases) {
    const Traced a = trace(plain, method, settings.first);
    const Traced b = trace(scaled, method, settings.second);
    ASSERT_EQ(a.correction_N.size(), b.correction_N.size());
    double largest = 0.0;
    for (std::size_t k = 0; k < a.correction_N.size(); ++k) {
      EXPECT_NEAR(b.correction_N[k], a.correction_N[k], 1e-8) << method << " " << k;
      largest = std::max(largest, std::abs(a.correction_N[k]));
    }
    EXPECT_GT(largest, 1.0) << method << ": nothing was corrected";
    EXPECT_NEAR(b.position_m, a.position_m, 1e-11) << method;
  }
}

// Turned by an angle, the same motion gets the same correction, turned. In the plane it is a bond of two components.
TEST(CorrectedReceiver, AVectorBondDoesNotKnowItsAxes) {
  const double c = std::cos(0.7);
  const double s = std::sin(0.7);
  for (const auto& [method, settings] :
       std::vector<std::pair<std::string, Settings>>{{"residual-power", {}},
                                                     {"residual-power", {{"variant", "by-parts"}}},
                                                     {"residual-power", {{"variant", "published"}}},
                                                     {"energy-leak", {}},
                                                     {"energy-leak", {{"limit_absolute", 5.0}}},
                                                     {"passivity", {}}}) {
    ReceiverPair line;
    Simulation straight = line.with(method, settings);
    ReceiverPair plane;
    plane.left.v0_m_s = {100.0 * c, 100.0 * s};
    plane.right.v0_m_s = {-100.0 * c, -100.0 * s};
    Simulation turned = plane.with(method, settings);
    straight.start("0.05");
    turned.start("0.05");
    double corrected_J = 0.0;
    while (straight.advance()) {
      ASSERT_TRUE(turned.advance());
      const double f = force_felt(straight);
      EXPECT_NEAR(force_felt(turned, "right.force_in[0]"), c * f, 1e-7) << method;
      EXPECT_NEAR(force_felt(turned, "right.force_in[1]"), s * f, 1e-7) << method;
      corrected_J = straight.engine->record().bonds()[0].correction_energy_J;
      EXPECT_NEAR(turned.engine->record().bonds()[0].correction_energy_J, corrected_J, 1e-7) << method;
    }
    EXPECT_NE(corrected_J, 0.0) << method;
  }
}

/// `slow` and `fast` hold springs to `hub`.
Simulation hub_with_two(const std::string& method, int degree) {
  Simulation sim;
  sim.options.feedthrough = FeedthroughMode::stale;
  sim.options.degree = degree;
  sim.graph.add("slow", std::make_unique<Body>(BodyParameters{.kc_N_m = 100.0, .v0_m_s = {50.0}}),
                milliseconds(1));
  sim.graph.add("fast", std::make_unique<Body>(BodyParameters{.kc_N_m = 300.0, .v0_m_s = {20.0}}),
                Rational(1, 10000));
  sim.graph.add("hub", std::make_unique<Body>(BodyParameters{.k_N_m = 500.0, .v0_m_s = {-100.0}}),
                milliseconds(1));
  sim.graph.bond(spring_bond("a", "slow", "hub"));
  sim.graph.bond(spring_bond("b", "fast", "hub"));
  sim.options.corrections = {correction("a", method, {{"variant", "published"}}),
                             correction("b", method, {{"variant", "published"}})};
  return sim;
}

// Each sender counts with its own μ, here ½ and ½·0.1; the receiver gets one correction for both.
TEST(CorrectedReceiver, SeveralGiversCountWithTheirOwnFactors) {
  Simulation sim = hub_with_two("residual-power", 1);
  sim.start("0.02");
  std::span<const BondRecord> bonds;
  const auto common_point = [&] {
    for (int k = 0; k < 10; ++k) ASSERT_TRUE(sim.advance());
    bonds = sim.engine->record().bonds();
  };
  common_point();
  double energy_a = bonds[0].residual_energy_J;
  double energy_b = bonds[1].residual_energy_J;
  double zeta = 0.5 * energy_a + 0.05 * energy_b;
  for (int k = 0; k < 10; ++k) {
    const double efforts = sim.output("slow.force") + sim.output("fast.force");
    // Against the motion: its power is negative.
    const double expected =
        -std::min(std::abs(zeta / (sim.output("hub.velocity") * receiver_H)), std::abs(efforts));
    EXPECT_GT(zeta, 0.0);
    common_point();
    EXPECT_NEAR(bonds[0].correction + bonds[1].correction, expected, 1e-9 * std::abs(efforts)) << k;
    EXPECT_DOUBLE_EQ(bonds[0].correction, bonds[1].correction) << "booked in equal shares";
    zeta = 0.5 * (bonds[0].residual_energy_J - energy_a) + 0.05 * (bonds[1].residual_energy_J - energy_b);
    energy_a = bonds[0].residual_energy_J;
    energy_b = bonds[1].residual_energy_J;
  }
}

// Limits do not add up over bonds: the effort that a limit refers to is the sum.
TEST(CorrectedReceiver, OneLimitHoldsForAllThatPush) {
  Simulation sim = hub_with_two("energy-leak", 0);
  for (CorrectionRequest& request : sim.options.corrections) {
    request.settings.clear();
    request.settings["limit_absolute"] = {3.0, {}};
  }
  sim.start("0.02");
  double largest = 0.0;
  while (sim.advance()) {
    const std::span<const BondRecord> bonds = sim.engine->record().bonds();
    largest = std::max(largest, std::abs(bonds[0].correction + bonds[1].correction));
  }
  EXPECT_NEAR(largest, 3.0, 1e-9);
}

// With 2 ms and 3 ms both ends meet every 6 ms; in between the correction stays as it is.
TEST(CorrectedReceiver, IsDueWhereAllItsEndsMeet) {
  ReceiverPair pair;
  pair.left_step = milliseconds(2);
  pair.right_step = milliseconds(3);
  Simulation sim = pair.with("residual-power");
  sim.start("0.06");
  int changes = 0;
  double last = 0.0;
  double held = 0.0;
  while (sim.advance()) {
    const double t = sim.engine->record().time_s();
    const bool arrived = std::lround(t * 1e3) % 3 == 0;
    if (arrived) {
      const double added = force_felt(sim) - held;
      // Steps of the receiver that start at 6, 12, … ms have a new correction, those at 9, 15, … ms the same one.
      const bool new_one = std::lround(t * 1e3) % 6 == 3;
      if (std::abs(added - last) > 1e-9) {
        EXPECT_TRUE(new_one) << t;
        ++changes;
      }
      last = added;
      held = sim.output("left.force");
    }
  }
  EXPECT_EQ(changes, 9) << "all of 60 ms but the first 6";
}

TEST(CorrectedReceiver, ASecondRunFromTheStartIsTheSame) {
  for (const CorrectorInfo& info : correctors()) {
    ReceiverPair pair;
    pair.right_step = Rational(1, 10000);
    Simulation sim = pair.with(std::string(info.name));
    std::vector<double> first;
    for (int run = 0; run < 2; ++run) {
      if (run == 0) {
        sim.start("0.02");
      } else {
        ASSERT_FALSE(sim.engine->initialize(sim.problems));
      }
      std::vector<double> positions;
      while (sim.advance()) positions.push_back(sim.output("right.position"));
      if (run == 0) {
        first = positions;
      } else {
        EXPECT_EQ(positions, first) << info.name;
      }
    }
  }
}

}  // namespace
}  // namespace ergon
