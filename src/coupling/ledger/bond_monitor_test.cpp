#include "ergon/coupling/ledger/bond_monitor.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/force_giver.hpp"

namespace ergon {
namespace {

using namespace testing;

struct MonitorSetting {
  FeedthroughMode mode = FeedthroughMode::stale;
  InputSampling sampling = InputSampling::start;
  bool swapped = false;  ///< sides a and b exchanged
  double scale = 1.0;
};

/// The two masses of [rodriguez2022] case 1: k₁ = 10, kc = 100, k₂ = 1000 N/m, 1 kg each, v₁ = 100, v₂ = −100 m/s.
Simulation two_masses(const MonitorSetting& s) {
  MassParameters left;
  left.k_N_m = 10.0;
  left.kc_N_m = 100.0;
  left.v0_m_s = 100.0;
  left.sampling = s.sampling;
  MassParameters right;
  right.k_N_m = 1000.0;
  right.v0_m_s = -100.0;
  right.sampling = s.sampling;
  Simulation sim;
  sim.options.feedthrough = s.mode;
  sim.graph.add("left", std::make_unique<SpringMass>(left), milliseconds(1));
  sim.graph.add("right", std::make_unique<ForcedMass>(right), milliseconds(1));
  BondSpec bond;
  bond.name = "coupling";
  bond.a = {{"left.force"}, {"left.velocity_in"}, {"left.position_in"}};
  bond.b = {{"right.force"}, {"right.velocity"}, {"right.position"}};
  if (s.swapped) std::swap(bond.a, bond.b);
  if (s.scale != 1.0) bond.scale = s.scale;
  sim.graph.bond(bond);
  sim.start("0.010");
  return sim;
}

// By hand, H = 1 ms, f the force on the right mass, evaluated with the input of the step:
//   k = 0: f = 0
//   k = 1: v₁ = 100, x₁ = 0.1;  v₂ = −100, x₂ = −0.1;  f = 100·(0.1 − 0) = 10
//   k = 2: v₁ = 100 + 1e-3(−1 − 100·(0.1 + 0.1)) = 99.979,  x₁ = 0.199979,  f = 100·(0.199979 + 0.1) = 29.9979
//          v₂ = −100 + 1e-3(100 + 10) = −99.89
//   (1) dP = f_prev·v₂ − f·v₂_prev:         0·(−100) + 10·100 = 1000;   10·(−99.89) + 29.9979·100 = 2000.89
//   (2) f·v₂ − f·v₂_prev (samples at start):  10·(−100) + 10·100 = 0;   29.9979·(−99.89 + 100) = 3.299769
// (The 2000.94 W in print are those of a corrected run: 5 N more in the second step make v₂ = −99.885.)
TEST(BondMonitor, ResidualsOfTheFirstTwoStepsByHand) {
  Simulation sim = two_masses({});
  const auto bond = [&] { return sim.engine->record().bonds()[0]; };
  EXPECT_EQ(bond().residual_power_W, 0.0);
  sim.advance();
  EXPECT_NEAR(sim.output("left.force"), 10.0, 1e-12);
  EXPECT_NEAR(bond().residual_power_W, 1000.0, 1e-9);
  EXPECT_NEAR(bond().interface_power_W, 0.0, 1e-9);
  EXPECT_NEAR(bond().power_into_b_W, -1000.0, 1e-9);
  sim.advance();
  EXPECT_NEAR(sim.output("left.force"), 29.9979, 1e-10);
  EXPECT_NEAR(bond().residual_power_W, 2000.89, 1e-8);
  EXPECT_NEAR(bond().interface_power_W, 3.299769, 1e-8);
  EXPECT_NEAR(bond().power_into_b_W, 29.9979 * -99.89, 1e-8);
  EXPECT_EQ(bond().last_point, 2);
  // Energies: the powers, each for 1 ms.
  EXPECT_NEAR(bond().residual_energy_J, 3.00089, 1e-11);
  EXPECT_NEAR(bond().interface_energy_J, 3.299769e-3, 1e-11);
  EXPECT_NEAR(bond().exchanged_energy_J, 1e-3 * (1000.0 + 29.9979 * 99.89), 1e-11);
}

// A receiver that follows its input was given the held 10 N up to the end: (2) is then 10·(−99.89) + 29.9979·100.
TEST(BondMonitor, InterfacePowerTakesWhatAContinuousReceiverWasGiven) {
  Simulation sim = two_masses({.sampling = InputSampling::continuous});
  sim.advance();
  sim.advance();
  EXPECT_NEAR(sim.engine->record().bonds()[0].interface_power_W, 2000.89, 1e-8);
}

// Refreshed, the force is evaluated with the very flow that is sampled: f̃ = f and, sampled at the start, ẽ = e.
TEST(BondMonitor, InterfacePowerVanishesWithRefresh) {
  Simulation sim = two_masses({.mode = FeedthroughMode::refresh});
  while (sim.advance()) EXPECT_EQ(sim.engine->record().bonds()[0].interface_power_W, 0.0);
  EXPECT_GT(sim.engine->record().bonds()[0].residual_power_W, 1000.0) << "(1) does not notice";
}

// Power is positive into b; what the interface injects has no side.
TEST(BondMonitor, ExchangingTheSidesTurnsThePowerOnly) {
  Simulation sim = two_masses({});
  Simulation swapped = two_masses({.swapped = true});
  for (int k = 0; k < 5; ++k) {
    sim.advance();
    swapped.advance();
    const BondRecord& a = sim.engine->record().bonds()[0];
    const BondRecord& b = swapped.engine->record().bonds()[0];
    EXPECT_EQ(a.power_into_b_W, -b.power_into_b_W);
    EXPECT_EQ(a.residual_power_W, b.residual_power_W);
    EXPECT_EQ(a.interface_power_W, b.interface_power_W);
  }
}

TEST(BondMonitor, ScaleMultipliesEveryPower) {
  Simulation sim = two_masses({});
  Simulation half = two_masses({.scale = 0.5});
  for (int k = 0; k < 2; ++k) {
    sim.advance();
    half.advance();
  }
  const BondRecord& a = sim.engine->record().bonds()[0];
  const BondRecord& b = half.engine->record().bonds()[0];
  EXPECT_DOUBLE_EQ(b.power_into_b_W, 0.5 * a.power_into_b_W);
  EXPECT_DOUBLE_EQ(b.residual_energy_J, 0.5 * a.residual_energy_J);
  EXPECT_DOUBLE_EQ(b.interface_energy_J, 0.5 * a.interface_energy_J);
  EXPECT_DOUBLE_EQ(b.exchanged_energy_J, 0.5 * a.exchanged_energy_J);
}

// ── When ──

/// 2 N at the start, and then along a line.
std::unique_ptr<ForceGiver> rising_effort(double slope_N_s = 1000.0) {
  return std::make_unique<ForceGiver>([slope_N_s](double t) { return 2.0 + slope_N_s * t; });
}

Simulation two_rates(int effort_ms, int flow_ms, const char* scheme,
                     InputSampling receiver = InputSampling::continuous) {
  Simulation sim;
  sim.options.scheme = scheme;
  sim.graph.add("e", rising_effort(), milliseconds(effort_ms));
  sim.graph.add("f",
                std::make_unique<Motion>([](double t) { return t; },
                                         [](double t) { return 3.0 - 1000.0 * t; }, receiver),
                milliseconds(flow_ms));
  BondSpec bond;
  bond.name = "b";
  bond.a = {{"e.force"}, {"e.velocity_in"}, {}};
  bond.b = {{"f.force"}, {"f.velocity"}, {}};
  sim.graph.bond(bond);
  sim.start("0.012");
  return sim;
}

// The points of a bond are those of its slower end, whichever it is. With t in ms: e = 2 + t, f = 3 − t,
//   dP = e(t₀)f(t₁) − e(t₁)f(t₀) = −5 (t₁ − t₀)     from simultaneous samples
TEST(BondMonitor, ABondHasThePointsOfItsSlowerEnd) {
  for (const char* scheme : {"jacobi", "gauss-seidel"}) {
    for (const auto& [effort_ms, flow_ms] : {std::pair{1, 4}, {4, 1}, {4, 4}}) {
      Simulation sim = two_rates(effort_ms, flow_ms, scheme);
      while (sim.advance()) {
        const BondRecord& bond = sim.engine->record().bonds()[0];
        const Tick period =
            sim.engine->period(0) > sim.engine->period(1) ? sim.engine->period(0) : sim.engine->period(1);
        const Tick k = sim.engine->record().tick();
        EXPECT_EQ(bond.last_point, k / period * period) << scheme << ' ' << effort_ms << ' ' << flow_ms;
        if (bond.last_point == 0) continue;
        EXPECT_NEAR(bond.residual_power_W, -20.0, 1e-12);
        EXPECT_NEAR(bond.residual_energy_J, -20.0 * 0.004 * static_cast<double>(k / period), 1e-12);
      }
    }
  }
}

// The receiver takes four steps of 1 ms, each with the 2 N sampled at 0, and the effort is 6 N at 4 ms. What it used last
// was meant for 3 ms; carried on along the slope of the samples, 1 N per ms, it is 3 N at the end. With f₁ = −1 and the
// held f̃ = 3 of the effort's side:  (2) = 3·(−1) − 6·3 = −21.
TEST(BondMonitor, InterfacePowerOfAFastReceiverThatSamplesAtTheStart) {
  Simulation sim = two_rates(4, 1, "jacobi", InputSampling::start);
  for (int k = 0; k < 4; ++k) sim.advance();
  EXPECT_NEAR(sim.engine->record().bonds()[0].interface_power_W, -21.0, 1e-12);
}

// Gauss–Seidel with one rate, the effort first: the receiver has used the new 6 N. (2) = 6·(−1) − 6·3 = −24.
TEST(BondMonitor, InterfacePowerInGaussSeidelTakesTheNewEffort) {
  Simulation sim = two_rates(4, 4, "gauss-seidel", InputSampling::start);
  sim.advance();
  EXPECT_NEAR(sim.engine->record().bonds()[0].interface_power_W, -24.0, 1e-12);
}

// 2 ms and 3 ms: at 3 ms the newest effort is that of 2 ms. e = 2, 4, 8 at the points 0, 3, 6 ms and f = 3, 0, −3:
//   dP(3) = 2·0 − 4·3 = −12,  dP(6) = 4·(−3) − 8·0 = −12
TEST(BondMonitor, IncommensurateEndsUseTheNewestSampleOfThePast) {
  Simulation sim = two_rates(2, 3, "jacobi");
  std::vector<double> residuals;
  while (sim.advance()) {
    const BondRecord& bond = sim.engine->record().bonds()[0];
    if (bond.last_point == sim.engine->record().tick()) residuals.push_back(bond.residual_power_W);
  }
  ASSERT_EQ(residuals.size(), 4U);
  EXPECT_NEAR(residuals[0], -12.0, 1e-12);
  EXPECT_NEAR(residuals[1], -12.0, 1e-12);
}

// A last step cut short is a point of the bond like any other.
TEST(BondMonitor, TheClampedLastStepIsBookedWithItsOwnLength) {
  Simulation sim = two_rates(5, 5, "jacobi");
  while (sim.advance()) {
  }
  const BondRecord& bond = sim.engine->record().bonds()[0];
  EXPECT_EQ(bond.last_point, sim.engine->grid().end());
  EXPECT_NEAR(bond.residual_power_W, -10.0, 1e-12);  // −5·(12 − 10)
  EXPECT_NEAR(bond.residual_energy_J, -25.0 * 0.010 - 10.0 * 0.002, 1e-12);
}

// ── Which ──

// Only the position is sent: the flow of the books is its backward difference, in SI.
TEST(BondMonitor, FlowByDifferentiation) {
  Simulation sim;
  sim.graph.add("e", rising_effort(), milliseconds(1));
  sim.graph.add("f",
                std::make_unique<Motion>([](double t) { return 1e6 * t * t; }, [](double) { return 0.0; }),
                milliseconds(1));
  BondSpec bond;
  bond.name = "b";
  bond.a = {{"e.force"}, {"e.velocity_in"}, {"e.position_in"}};
  bond.b = {{"f.force"}, {}, {"f.position"}};
  sim.graph.bond(bond);
  sim.start("0.010");
  // x = k² at k ms: the rate is (2k − 1)·1000 m/s; e = 2 + k.
  for (int k = 1; sim.advance(); ++k) {
    const double rate = 1000.0 * (2 * k - 1);
    const double before = k == 1 ? 0.0 : rate - 2000.0;
    const BondRecord& record = sim.engine->record().bonds()[0];
    EXPECT_NEAR(record.power_into_b_W, (2.0 + k) * rate, 1e-6) << k;
    EXPECT_NEAR(record.residual_power_W, (1.0 + k) * rate - (2.0 + k) * before, 1e-6) << k;
  }
}

// Two efforts push at one input; each bond books its own. Held over the step the receiver was given e(t₀), so that with
// constant flow f: (2) = (e(t₀) − e(t₁))·f = −slope·f for ramps of 1 … 4 N per ms. Two such receivers in one stage, so
// that the second's terms do not come first.
TEST(BondMonitor, BondsThatShareAnInputBookTheirOwnTerm) {
  Simulation sim;
  const std::pair<const char*, double> receivers[] = {{"d", 1.0}, {"f", 4.0}};
  int slope = 0;
  for (const auto& [receiver, flow] : receivers) {
    const std::string to = receiver;
    sim.graph.add(to, std::make_unique<Motion>([](double t) { return t; }, [v = flow](double) { return v; }),
                  milliseconds(1));
    for (const char* suffix : {"1", "2"}) {
      const std::string from = to + suffix;
      sim.graph.add(from, rising_effort(1000.0 * ++slope), milliseconds(1));
      BondSpec bond;
      bond.name = from;
      bond.a = {{from + ".force"}, {from + ".velocity_in"}, {}};
      bond.b = {{to + ".force"}, {to + ".velocity"}, {}};
      sim.graph.bond(bond);
    }
  }
  sim.start("0.005");
  while (sim.advance()) {
    const double expected[] = {-1.0, -2.0, -12.0, -16.0};  // bonds d1, d2, f1, f2
    for (std::size_t b = 0; b < 4; ++b) {
      EXPECT_NEAR(sim.engine->record().bonds()[b].interface_power_W, expected[b], 1e-12);
    }
  }
  EXPECT_EQ(sim.engine->record().applied_input(*sim.system->find_input("f.force")), 14.0 + 18.0);
}

/// Arrays a fixed work per step and input, from an account that does not start at zero.
class Booked final : public Subsystem, public EnergyAccount {
 public:
  Booked(Description description, std::vector<double> work_per_step_J)
      : description_(std::move(description)), work_(std::move(work_per_step_J)) {}
  [[nodiscard]] Description describe() const override { return description_; }
  StepStatus initialize(const Experiment& /*experiment*/) override { return {}; }
  StepStatus step(double /*t*/, double /*h*/, const InputView& /*u*/) override {
    ++steps_;
    return {};
  }
  void outputs(double /*t*/, const double* /*u*/, double* y) override {
    std::fill_n(y, description_.outputs.size(), 1.0);
  }
  [[nodiscard]] const EnergyAccount* energy_account() const override { return this; }
  void sample(const AccountInputs& inputs, AccountSample& sample) const override {
    sample.stored_J = inputs.used[0];
    sample.synchronised_J = inputs.newest[0];
    sample.dissipated_J = 10.0 * steps_;
    for (std::size_t i = 0; i < work_.size(); ++i) sample.received_J[i] = 7.0 + work_[i] * steps_;
  }

 private:
  Description description_;
  std::vector<double> work_;
  int steps_ = 0;
};

Simulation booked(bool second_bond, bool account_at_flow) {
  Simulation sim;
  Description giver;
  giver.inputs = {scalar("elsewhere"), scalar("position_in", "m"), scalar("velocity_in", "m/s")};
  giver.outputs = {scalar("force", "N")};
  Description mover;
  mover.inputs = {scalar("force", "N"), scalar("elsewhere")};
  mover.outputs = {scalar("position", "m"), scalar("velocity", "m/s")};
  sim.graph.add("e", std::make_unique<Booked>(giver, std::vector<double>{100.0, 1.0, 3.0}), milliseconds(1));
  if (account_at_flow) {
    sim.graph.add("f", std::make_unique<Booked>(mover, std::vector<double>{-2.5, 100.0}), milliseconds(1));
  } else {
    sim.graph.add("f", std::make_unique<Motion>([](double t) { return t; }, [](double) { return 1.0; }),
                  milliseconds(1));
  }
  BondSpec bond;
  bond.name = "b";
  bond.a = {{"e.force"}, {"e.velocity_in"}, {"e.position_in"}};
  bond.b = {{"f.force"}, {"f.velocity"}, {"f.position"}};
  sim.graph.bond(bond);
  if (second_bond) {
    sim.graph.add("e2", std::make_unique<Booked>(giver, std::vector<double>{0.0, 0.0, 0.0}), milliseconds(1));
    bond.name = "b2";
    bond.a = {{"e2.force"}, {"e2.velocity_in"}, {"e2.position_in"}};
    sim.graph.bond(bond);
  }
  sim.start("0.004");
  return sim;
}

// (3) = what both ends have received through the inputs of this bond since t₀: 1 + 3 − 2.5 J a step.
TEST(BondMonitor, ImbalanceIsTheSumOfBothAccounts) {
  Simulation sim = booked(false, true);
  EXPECT_TRUE(sim.engine->record().bonds()[0].has_imbalance);
  for (int k = 1; sim.advance(); ++k) EXPECT_NEAR(sim.engine->record().imbalance_J(0), 1.5 * k, 1e-12);
}

TEST(BondMonitor, ThereIsNoImbalanceWithoutBothAccountsOrWithASharedInput) {
  EXPECT_FALSE(booked(false, false).engine->record().bonds()[0].has_imbalance);
  Simulation shared = booked(true, true);
  EXPECT_FALSE(shared.engine->record().bonds()[0].has_imbalance);
  EXPECT_FALSE(shared.engine->record().bonds()[1].has_imbalance);
}

TEST(StepRecord, EnergiesComeFromTheAccounts) {
  Simulation sim = booked(false, true);
  sim.advance();
  sim.advance();
  std::vector<EnergyRecord> energies(sim.system->nodes.size());
  sim.engine->record().energies(energies);
  const EnergyRecord& f = energies[*sim.system->find_node("f")];
  EXPECT_TRUE(f.available);
  EXPECT_EQ(f.stored_J, 1.0) << "asked with its input, the force of 1 N";
  EXPECT_EQ(f.dissipated_J, 20.0);
}

}  // namespace
}  // namespace ergon
