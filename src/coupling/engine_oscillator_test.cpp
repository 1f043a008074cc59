#include <gtest/gtest.h>

#include <cmath>

#include "support/coupled_subsystems.hpp"

/// Two masses and a spring between them, the linear oscillator of [lim2021] case 1: m = 1 kg each, k₁ = 10, k₂ = 1000,
/// kc = 100 N/m, v₁ = 100, v₂ = −100 m/s. Undamped, so the exact energy is 10000 J for all time and the largest
/// |E − 10000 J| at the points of the slow side over 10 s tells the error of the coupling.
namespace ergon {
namespace {

using namespace testing;

constexpr double kc = 100.0;

MassParameters left() {
  MassParameters p;
  p.k_N_m = 10.0;
  p.v0_m_s = 100.0;
  p.kc_N_m = kc;
  return p;
}
MassParameters right() {
  MassParameters p;
  p.k_N_m = 1000.0;
  p.v0_m_s = -100.0;
  p.kc_N_m = kc;
  return p;
}

struct OscillatorSetting {
  const char* arrangement;
  const char* scheme;
  bool multi_rate;
  int degree;
  FeedthroughMode feedthrough = FeedthroughMode::stale;
  EvaluateAt evaluate = EvaluateAt::sources;
};

void add_bond(Simulation& sim, const char* name, BondEnd a, BondEnd b) {
  BondSpec spec;
  spec.name = name;
  spec.a = std::move(a);
  spec.b = std::move(b);
  sim.graph.bond(std::move(spec));
}

Simulation oscillator(const OscillatorSetting& s) {
  Simulation sim;
  sim.options.scheme = s.scheme;
  sim.options.degree = s.degree;
  sim.options.feedthrough = s.feedthrough;
  const Rational H(1, 1000);
  const Rational h = s.multi_rate ? Rational(1, 10000) : H;
  const std::string arrangement = s.arrangement;
  if (arrangement == "f-f") {
    sim.graph.add("left", std::make_unique<ForcedMass>(left()), H);
  } else {
    sim.graph.add("left", std::make_unique<SpringMass>(left()), H);
  }
  if (arrangement == "s-s") {
    sim.graph.add("right", std::make_unique<SpringMass>(right()), h);
    sim.connect("left.position", "right.position_in");
    sim.connect("left.velocity", "right.velocity_in");
    sim.connect("right.position", "left.position_in");
    sim.connect("right.velocity", "left.velocity_in");
    return sim;
  }
  sim.graph.add("right", std::make_unique<ForcedMass>(right()), h);
  if (arrangement == "f-s") {
    add_bond(sim, "coupling", {{"left.force"}, {"left.velocity_in"}, {"left.position_in"}},
             {{"right.force"}, {"right.velocity"}, {"right.position"}});
    return sim;
  }
  sim.graph.add_element("spring", std::make_unique<SpringLaw>(kc), s.evaluate);
  add_bond(sim, "b1", {{"spring.f1"}, {"spring.v1"}, {"spring.x1"}},
           {{"left.force"}, {"left.velocity"}, {"left.position"}});
  add_bond(sim, "b2", {{"spring.f2"}, {"spring.v2"}, {"spring.x2"}},
           {{"right.force"}, {"right.velocity"}, {"right.position"}});
  return sim;
}

struct Result {
  double max_energy_error_J = 0.0;
  std::vector<double> x2;  ///< at the points of the slow side
};

double energy(double x1, double v1, double x2, double v2) {
  return 0.5 * v1 * v1 + 0.5 * v2 * v2 + 5.0 * x1 * x1 + 500.0 * x2 * x2 + 0.5 * kc * (x1 - x2) * (x1 - x2);
}

Result run(const OscillatorSetting& setting) {
  Simulation sim = oscillator(setting);
  sim.start("10");
  const Index x1 = *sim.system->find_output("left.position");
  const Index v1 = *sim.system->find_output("left.velocity");
  const Index x2 = *sim.system->find_output("right.position");
  const Index v2 = *sim.system->find_output("right.velocity");
  const Tick every = setting.multi_rate ? 10 : 1;
  Result result;
  while (sim.advance()) {
    const StepRecord& r = sim.engine->record();
    if (r.tick() % every != 0) continue;
    const double e = energy(r.output(x1), r.output(v1), r.output(x2), r.output(v2));
    result.max_energy_error_J = std::max(result.max_energy_error_J, std::abs(e - 10000.0));
    result.x2.push_back(r.output(x2));
  }
  return result;
}

/// The same arithmetic in one loop.
std::vector<double> monolithic() {
  double x1 = 0.0, v1 = 100.0, x2 = 0.0, v2 = -100.0;
  std::vector<double> positions;
  for (int k = 0; k < 10000; ++k) {
    const double f = kc * (x1 - x2);
    v1 += 1e-3 * (-10.0 * x1 - f) / 1.0;
    v2 += 1e-3 * (-1000.0 * x2 + f) / 1.0;
    x1 += 1e-3 * v1;
    x2 += 1e-3 * v2;
    positions.push_back(x2);
  }
  return positions;
}

void expect_four_digits(double value, double expected) {
  EXPECT_NEAR(value, expected, 0.5 * std::pow(10.0, std::floor(std::log10(expected)) - 3.0));
}

TEST(Oscillator, SingleRateJacobiReachesThePublishedErrors) {
  expect_four_digits(run({"f-s", "jacobi", false, 0}).max_energy_error_J, 10340.0);
  expect_four_digits(run({"s-s", "jacobi", false, 0}).max_energy_error_J, 121.4);
}

// With Jacobi and hold both masses see the positions at the start of the step, as one loop would.
TEST(Oscillator, SingleRateJacobiIsTheMonolithicLoopBitForBit) {
  const auto reference = monolithic();
  EXPECT_EQ(run({"s-s", "jacobi", false, 0}).x2, reference);
  EXPECT_EQ(run({"f-f", "jacobi", false, 0}).x2, reference);
  EXPECT_EQ(run({"f-f", "jacobi", false, 0, FeedthroughMode::stale, EvaluateAt::receiver}).x2, reference);
  EXPECT_EQ(run({"f-s", "jacobi", false, 0, FeedthroughMode::refresh}).x2, reference);
  EXPECT_NE(run({"f-s", "jacobi", false, 0, FeedthroughMode::stale}).x2, reference);
}

TEST(Oscillator, MultiRateJacobiReachesThePublishedErrors) {
  expect_four_digits(run({"f-s", "jacobi", true, 0}).max_energy_error_J, 20200.0);
  expect_four_digits(run({"f-s", "jacobi", true, 1}).max_energy_error_J, 10180.0);
  expect_four_digits(run({"f-f", "jacobi", true, 0}).max_energy_error_J, 3626.0);
  expect_four_digits(run({"f-f", "jacobi", true, 1}).max_energy_error_J, 43.19);
  expect_four_digits(run({"s-s", "jacobi", true, 0}).max_energy_error_J, 138.5);
  expect_four_digits(run({"s-s", "jacobi", true, 1}).max_energy_error_J, 41.15);
}

// A law recomputed at the receiver's points from extrapolated positions is what the receiver itself would compute.
TEST(Oscillator, LawAtTheReceiverIsTheArrangementWithTheSpringInside) {
  for (const int degree : {0, 1}) {
    EXPECT_EQ(run({"f-f", "jacobi", true, degree, FeedthroughMode::stale, EvaluateAt::receiver}).x2,
              run({"s-s", "jacobi", true, degree}).x2);
  }
}

// Whoever comes second sees the first one's new position: all three arrangements are then the same arithmetic.
TEST(Oscillator, SingleRateGaussSeidelIsTheSameInAllArrangements) {
  const Result fs = run({"f-s", "gauss-seidel", false, 0});
  expect_four_digits(fs.max_energy_error_J, 261.2);
  EXPECT_EQ(run({"s-s", "gauss-seidel", false, 0}).x2, fs.x2);
  EXPECT_EQ(run({"f-f", "gauss-seidel", false, 0}).x2, fs.x2);
  EXPECT_EQ(run({"f-f", "gauss-seidel", false, 0, FeedthroughMode::stale, EvaluateAt::receiver}).x2, fs.x2);
}

// Refresh acts at a subsystem's own points; in single-rate Gauss–Seidel with hold the others have used the sample by then.
TEST(Oscillator, RefreshChangesNothingInSingleRateGaussSeidelWithHold) {
  EXPECT_EQ(run({"f-s", "gauss-seidel", false, 0, FeedthroughMode::refresh}).x2,
            run({"f-s", "gauss-seidel", false, 0}).x2);
}

TEST(Oscillator, PredictionIsNearlyAsGoodAsRefresh) {
  const double predicted = run({"f-s", "jacobi", false, 0, FeedthroughMode::predict}).max_energy_error_J;
  EXPECT_LT(predicted, 200.0);
}

}  // namespace
}  // namespace ergon
