#include "ergon/verdict/verdict_monitor.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <numbers>

#include "ergon/verdict/verdict_limits.hpp"
#include "support/fake_step_record.hpp"

namespace ergon {
namespace {

constexpr double two_pi = 2.0 * std::numbers::pi;

/// A communication point without an engine: one bond between two nodes.
class FakePoint final : public StepRecord {
 public:
  [[nodiscard]] Tick tick() const override { return now; }
  [[nodiscard]] double time_s() const override { return time; }
  [[nodiscard]] double output(Index /*output*/) const override { return 0.0; }
  [[nodiscard]] double applied_input(Index /*input*/) const override { return 0.0; }
  [[nodiscard]] std::span<const BondRecord> bonds() const override { return records; }
  [[nodiscard]] const BondFigures& bond_figures() const override { return figures_of(records, figures); }
  [[nodiscard]] double imbalance_J(Index /*bond*/) const override { return imbalance; }
  [[nodiscard]] bool is_at_point(Index node) const override { return node != amid_step; }
  [[nodiscard]] const EnergyRecord& energy(Index node) const override {
    if (node == 0) ++energy_calls;
    return books[node];
  }
  [[nodiscard]] const ImplicitRecord* implicit_steps() const override {
    return implicit ? &*implicit : nullptr;
  }

  std::optional<ImplicitRecord> implicit;
  Tick now = 0;
  double time = 0.0;
  std::vector<BondRecord> records = std::vector<BondRecord>(1);
  double imbalance = 0.0;
  std::vector<EnergyRecord> books = std::vector<EnergyRecord>(2);
  std::optional<Index> amid_step;
  mutable int energy_calls = 0;
  mutable BondFigures figures;
};

/// Keeps an energy account, of which nobody asks more than whether it is there.
class Keeper final : public Subsystem, public EnergyAccount {
 public:
  [[nodiscard]] Description describe() const override { return {}; }
  StepStatus initialize(const Experiment& /*experiment*/) override { return {}; }
  StepStatus step(double /*t*/, double /*h*/, const InputView& /*u*/) override { return {}; }
  void outputs(double /*t*/, const double* /*u*/, double* /*y*/) override {}
  [[nodiscard]] const EnergyAccount* energy_account() const override { return this; }
  void sample(const AccountInputs& /*inputs*/, AccountSample& /*sample*/) const override {}
};

CoupledSystem two_nodes(bool first_keeps_account = false, bool second_keeps_account = false) {
  CoupledSystem system;
  system.nodes.resize(2);
  system.nodes[0].name = "boom";
  system.nodes[1].name = "cylinder";
  if (first_keeps_account) system.nodes[0].subsystem = std::make_unique<Keeper>();
  if (second_keeps_account) system.nodes[1].subsystem = std::make_unique<Keeper>();
  system.bonds.resize(1);
  system.bonds[0].name = "boom-cylinder";
  system.bonds[0].flow_node = 1;
  return system;
}

/// What the bond does at time t.
struct Signals {
  std::function<double(double)> power_W = [](double t) { return 500.0 * std::sin(two_pi * 4.0 * t); };
  std::function<double(double)> residual_W = [](double) { return 0.0; };
  bool limited = false;
};

constexpr double step_s = 0.01;

/// Ten seconds of them, unless stopped.
double feed(VerdictMonitor& monitor, FakePoint& point, const Signals& signals, double duration_s = 10.0) {
  point.records[0].correction_capped = signals.limited;
  monitor.inspect(point);
  const auto steps = static_cast<Tick>(std::lround(duration_s / step_s));
  for (Tick k = 1; k <= steps; ++k) {
    point.now = 7 * k;  // ticks are finer than steps
    point.time = step_s * static_cast<double>(k);
    BondRecord& bond = point.records[0];
    bond.last_point = point.now;
    bond.power_into_b_W = signals.power_W(point.time);
    bond.exchanged_energy_J += std::abs(bond.power_into_b_W) * step_s;
    bond.interface_power_W = signals.residual_W(point.time);
    bond.interface_energy_J += bond.interface_power_W * step_s;
    bond.correction_capped = signals.limited;
    monitor.inspect(point);
    if (monitor.unreliable_so_far()) return point.time;
  }
  monitor.finish(point, true);
  return point.time;
}

Verdict judge(const Signals& signals, const VerdictOptions& options = {}) {
  const CoupledSystem system = two_nodes();
  VerdictMonitor monitor(system, options);
  FakePoint point;
  feed(monitor, point, signals);
  return monitor.verdict();
}

const VerdictReason* find(const Verdict& verdict, ReasonKind kind) {
  for (const VerdictReason& reason : verdict.reasons) {
    if (reason.kind == kind) return &reason;
  }
  return nullptr;
}

/// The residual power of the hydraulic crane with steps that are a little too long: 12 W, and in the midst of it a
/// spurious oscillation that comes and goes (60 kW at 3.75 s, 240 W at 2 s and at 5.5 s), which is exchanged as well.
Signals crane() {
  const auto envelope = [](double t) { return 6e4 * std::exp(-(t - 3.75) * (t - 3.75) / 0.55); };
  Signals signals;
  signals.power_W = [=](double t) {
    return 500.0 * std::sin(two_pi * 2.0 * t) + 0.5 * envelope(t) * std::sin(two_pi * 17.0 * t);
  };
  signals.residual_W = [=](double t) {
    return 12.0 * std::sin(two_pi * 2.0 * t) + envelope(t) * (0.5 + std::sin(two_pi * 17.0 * t));
  };
  return signals;
}

/// A run without any residual power, in which the coupling variables differ from the outputs by so much in one of so many steps.
Verdict judge_coupling_residual(double residual, int one_in) {
  const CoupledSystem system = two_nodes();
  VerdictMonitor monitor(system);
  FakePoint point;
  for (int k = 0; k <= 1000; ++k) {
    point.now = k;
    point.time = step_s * k;
    point.implicit.emplace();
    point.implicit->steps = static_cast<std::uint64_t>(k);
    point.implicit->residual = k % one_in == 0 ? residual : 1e-9;
    BondRecord& bond = point.records[0];
    bond.last_point = point.now;
    bond.power_into_b_W = 500.0 * std::sin(two_pi * 4.0 * point.time);
    bond.exchanged_energy_J += std::abs(bond.power_into_b_W) * step_s;
    monitor.inspect(point);
  }
  monitor.finish(point, true);
  return monitor.verdict();
}

// The residual of the coupling variables was not looked at: 9998 times their size, and the run was reliable.
TEST(Verdict, CouplingVariablesThatDidNotConvergeAreNotReliable) {
  EXPECT_EQ(judge_coupling_residual(1e-3, 1).value, VerdictValue::consistent);
  EXPECT_EQ(judge_coupling_residual(0.1, 1).value, VerdictValue::doubtful);
  EXPECT_EQ(judge_coupling_residual(9998.0, 1).value, VerdictValue::unreliable);
  EXPECT_EQ(judge_coupling_residual(std::nan(""), 1).value, VerdictValue::unreliable);
  const Verdict verdict = judge_coupling_residual(9998.0, 50);
  EXPECT_EQ(verdict.value, VerdictValue::unreliable);
  const VerdictReason* reason = find(verdict, ReasonKind::coupling_residual);
  ASSERT_NE(reason, nullptr);
  EXPECT_TRUE(reason->bond.empty());
  EXPECT_NE(reason->what.find("1e+04"), std::string::npos) << reason->what;
  // A contact closes once: that is no judgement about all steps.
  EXPECT_EQ(judge_coupling_residual(9998.0, 500).value, VerdictValue::consistent);
}

TEST(Verdict, ASpikeOfTheResidualIsUnreliableAndHasItsInterval) {
  const Verdict verdict = judge(crane());
  EXPECT_EQ(verdict.value, VerdictValue::unreliable);
  ASSERT_FALSE(verdict.reasons.empty());
  const VerdictReason& reason = verdict.reasons.front();
  EXPECT_EQ(reason.kind, ReasonKind::sudden_change);
  EXPECT_EQ(reason.bond, "boom-cylinder");
  EXPECT_GT(reason.from_s, 2.0);
  EXPECT_LT(reason.from_s, 3.0);
  EXPECT_GT(reason.to_s, 5.0);
  EXPECT_LT(reason.to_s, 6.0);
  EXPECT_GT(*reason.ratio, 400.0);
  EXPECT_NE(reason.what.find("interface power of bond 'boom-cylinder' is "), std::string::npos);
  EXPECT_NE(reason.what.find(" × its usual level in 2."), std::string::npos) << reason.what;
  // All that blames the run blames this time.
  for (const VerdictReason& other : verdict.reasons) {
    if (other.says != VerdictValue::unreliable) continue;
    EXPECT_GT(other.from_s, 2.0) << other.what;
    EXPECT_LT(other.to_s, 6.0) << other.what;
  }
}

TEST(Verdict, TheSpikeIsNoticedWhileItLasts) {
  const CoupledSystem system = two_nodes();
  VerdictMonitor monitor(system, {.watch = true});
  FakePoint point;
  const double stopped_s = feed(monitor, point, crane());
  EXPECT_GT(stopped_s, 2.5);
  EXPECT_LT(stopped_s, 4.5);
  EXPECT_EQ(monitor.verdict().value, VerdictValue::unreliable);
  VerdictMonitor unwatched(system);  // not asked to watch
  FakePoint again;
  EXPECT_EQ(feed(unwatched, again, crane()), 10.0);
}

TEST(Verdict, TwoSpikesHaveTwoIntervals) {
  Signals signals;
  signals.residual_W = [](double t) {
    return (t > 2.0 && t < 3.0) || (t > 7.0 && t < 8.0) ? 1000.0 * std::cos(two_pi * 10.0 * t) : 1.0;
  };
  const Verdict verdict = judge(signals);
  EXPECT_EQ(verdict.value, VerdictValue::unreliable);
  ASSERT_GE(verdict.reasons.size(), 2U);
  EXPECT_NEAR(verdict.reasons[0].from_s, 2.0, 0.1);
  EXPECT_NEAR(verdict.reasons[0].to_s, 3.0, 0.1);
  EXPECT_NEAR(verdict.reasons[1].from_s, 7.0, 0.1);
  EXPECT_NEAR(verdict.reasons[1].to_s, 8.0, 0.1);
}

// The residual is 3 % of the power all the time. That the machine works harder for a second is no fault of the interface,
// nor is a free decay to a millionth.
TEST(Verdict, ResidualsThatFollowThePowerAreNoSuddenChange) {
  for (const auto& level :
       {std::function<double(double)>([](double t) { return t > 4.0 && t < 5.0 ? 1e3 : 1.0; }),
        std::function<double(double)>([](double t) { return std::exp(-1.4 * t); })}) {
    Signals signals;
    signals.power_W = [=](double t) { return 500.0 * level(t) * std::sin(two_pi * 4.0 * t); };
    signals.residual_W = [=](double t) { return 15.0 * level(t) * std::cos(two_pi * 4.0 * t); };
    const Verdict verdict = judge(signals);
    EXPECT_EQ(find(verdict, ReasonKind::sudden_change), nullptr);
    EXPECT_EQ(verdict.value, VerdictValue::consistent) << verdict.reasons.front().what;
  }
}

// One odd step, as after a jump of an input: far above the usual level, but without energy.
TEST(Verdict, ASingleOddStepIsForgiven) {
  Signals signals;
  signals.residual_W = [](double t) { return std::abs(t - 5.0) < 0.001 ? 100.0 : 0.01; };
  EXPECT_EQ(judge(signals).value, VerdictValue::consistent);
}

// 500 W at 4 Hz pass ±20 J to and fro: a swing of 40 J. 0.5 W for 10 s are 5 J.
TEST(Verdict, InterfaceEnergyIsComparedWithWhatWasPassedOn) {
  Signals signals;
  signals.residual_W = [](double) { return 0.5; };
  const Verdict doubtful = judge(signals);
  EXPECT_EQ(doubtful.value, VerdictValue::doubtful);
  ASSERT_EQ(doubtful.reasons.front().kind, ReasonKind::interface_energy);
  EXPECT_NEAR(*doubtful.reasons.front().ratio, 5.0 / 39.8, 0.01);
  signals.residual_W = [](double) { return 0.05; };
  EXPECT_EQ(judge(signals).value, VerdictValue::consistent);
}

// 20 W for 10 s are 200 J, five times the swing; but the exchange is as it was, so the energy has gone somewhere.
TEST(Verdict, MuchInterfaceEnergyInASteadyExchangeIsDoubtful) {
  Signals signals;
  signals.residual_W = [](double) { return 20.0; };
  EXPECT_EQ(judge(signals).value, VerdictValue::doubtful);
}

// e^(0.5 t): exchange and residual grow together.
TEST(Verdict, GrowthToWhichTheInterfaceAddsIsUnreliable) {
  Signals signals;
  signals.power_W = [](double t) { return 500.0 * std::exp(0.5 * t) * std::sin(two_pi * 4.0 * t); };
  EXPECT_EQ(judge(signals).value, VerdictValue::consistent) << "a machine may start to work";
  signals.residual_W = [](double t) { return 20.0 * std::exp(0.5 * t); };
  const Verdict verdict = judge(signals);
  EXPECT_EQ(verdict.value, VerdictValue::unreliable);
  EXPECT_NE(find(verdict, ReasonKind::growth), nullptr);
}

TEST(Verdict, StaleEffortsWithoutAccountsAreNeverReliable) {
  const Verdict verdict = judge({}, {.stale_bonds = {true}});
  EXPECT_EQ(verdict.value, VerdictValue::doubtful);
  EXPECT_EQ(verdict.reasons.front().kind, ReasonKind::stale_efforts);
}

TEST(Verdict, ACorrectionAtItsLimitIsDoubtfulWhereNoAccountKnowsBetter) {
  Signals signals;
  signals.limited = true;
  const Verdict verdict = judge(signals);
  EXPECT_EQ(verdict.value, VerdictValue::doubtful);
  EXPECT_EQ(verdict.reasons.front().kind, ReasonKind::correction_limited);
  EXPECT_EQ(*verdict.reasons.front().ratio, 1.0);
}

TEST(Verdict, InterfacePowerSaysNothingUnderGaussSeidel) {
  const Verdict verdict = judge(crane(), {.sequential = true});
  EXPECT_EQ(verdict.value, VerdictValue::not_monitored);
  ASSERT_EQ(verdict.reasons.size(), 1U);
  EXPECT_EQ(verdict.reasons[0].bond, "boom-cylinder");
}

TEST(Verdict, NoBondNoVerdict) {
  CoupledSystem system;
  system.nodes.resize(1);
  VerdictMonitor monitor(system);
  FakePoint point;
  point.records.clear();
  monitor.inspect(point);
  monitor.finish(point, true);
  const Verdict verdict = monitor.verdict();
  EXPECT_EQ(verdict.value, VerdictValue::not_monitored);
  EXPECT_EQ(verdict.reasons.size(), 1U);
}

TEST(Verdict, AFailedRunIsUnreliable) {
  const CoupledSystem system = two_nodes();
  VerdictMonitor monitor(system);
  const Verdict verdict =
      monitor.verdict(Failure{"boom", "x", 3.5, "output 'x' is nan"});  // at the very start
  EXPECT_EQ(verdict.value, VerdictValue::unreliable);
  ASSERT_EQ(verdict.reasons.size(), 1U);
  EXPECT_EQ(verdict.reasons[0].kind, ReasonKind::failure);
  EXPECT_EQ(verdict.reasons[0].subsystems, std::vector<std::string>{"boom"});
  EXPECT_EQ(verdict.reasons[0].from_s, 3.5);
}

TEST(Verdict, AnOverflowIsUnreliable) {
  Signals signals;
  signals.residual_W = [](double t) { return std::pow(10.0, 40.0 * t); };
  const Verdict verdict = judge(signals);
  EXPECT_EQ(verdict.value, VerdictValue::unreliable);
  EXPECT_NE(find(verdict, ReasonKind::not_finite), nullptr);
}

// ── Accounts ──

/// The stored energy of both, from 100 J on, with nothing lost.
Verdict judge_energies(const std::function<double(double)>& stored_J, FakePoint& point,
                       bool sequential = false) {
  const CoupledSystem system = two_nodes(true, true);
  VerdictMonitor monitor(system, {.sequential = sequential});
  for (Tick k = 0; k <= 1000; ++k) {
    point.now = k;
    point.time = step_s * static_cast<double>(k);
    point.records[0].last_point = k;
    point.books[0] = energy_record(true, 0.0, 0.0, 0.25 * stored_J(point.time));
    point.books[1] = energy_record(true, 0.0, 0.0, 0.75 * stored_J(point.time));
    monitor.inspect(point);
  }
  monitor.finish(point, true);
  return monitor.verdict();
}

TEST(Verdict, TheBalanceOfTheAccountsIsBelieved) {
  FakePoint point;
  point.records[0].interface_energy_J = 1e6;  // whatever (2) says
  EXPECT_EQ(judge_energies([](double) { return 100.0; }, point).value, VerdictValue::consistent);
  EXPECT_LE(point.energy_calls, 1000 / verdict_limits::points_between_samples + 2 +
                                    static_cast<int>(verdict_limits::dense_samples));
  EXPECT_EQ(judge_energies([](double t) { return 100.0 + 0.8 * t; }, point).value, VerdictValue::doubtful);
  for (const bool sequential : {false, true}) {
    const Verdict verdict = judge_energies([](double t) { return 100.0 + 4.0 * t; }, point, sequential);
    EXPECT_EQ(verdict.value, VerdictValue::unreliable);
    const VerdictReason& reason = verdict.reasons.front();
    EXPECT_EQ(reason.kind, ReasonKind::energy_balance);
    EXPECT_EQ(reason.subsystems, (std::vector<std::string>{"boom", "cylinder"}));
    EXPECT_NEAR(*reason.ratio, 0.4, 1e-12);
    EXPECT_NEAR(reason.from_s, 0.15 / 0.04, 0.2) << "when it had passed 15 %";
    EXPECT_EQ(reason.to_s, 10.0);
  }
}

// A last sample that comes only at the end is looked at.
TEST(Verdict, TheEndIsSampled) {
  FakePoint point;
  EXPECT_EQ(judge_energies([](double t) { return t > 9.995 ? 150.0 : 100.0; }, point).value,
            VerdictValue::unreliable);
}

// The two ends reach a common point at every third point only.
TEST(Verdict, EnergiesOfDifferentInstantsAreNotAdded) {
  const CoupledSystem system = two_nodes(true, true);
  VerdictMonitor monitor(system);
  FakePoint point;
  for (Tick k = 0; k <= 999; ++k) {
    point.now = k;
    point.time = step_s * static_cast<double>(k);
    point.records[0].last_point = k;
    const bool common = k % 3 == 0;
    point.books[0] = energy_record(true, 0.0, 0.0, 50.0);
    point.books[1] = energy_record(true, 0.0, 0.0, common ? 50.0 : 500.0);
    point.amid_step = common ? std::nullopt : std::optional<Index>(1);
    monitor.inspect(point);
  }
  monitor.finish(point, true);
  EXPECT_EQ(monitor.verdict().value, VerdictValue::consistent);
  EXPECT_GT(point.energy_calls, 50);
  EXPECT_LT(point.energy_calls, 250);
}

// One end keeps no account, but the bond has its imbalance all the same (its own end's and another's).
TEST(Verdict, TheImbalanceOfABondIsBelievedWhereThereIsNoBalance) {
  const CoupledSystem system = two_nodes(true, false);
  VerdictMonitor monitor(system, {.sequential = true});
  FakePoint point;
  point.records[0].has_imbalance = true;
  for (Tick k = 0; k <= 1000; ++k) {
    point.now = k;
    point.time = step_s * static_cast<double>(k);
    point.records[0].last_point = k;
    point.imbalance = -3.0 * point.time;
    point.books[0] = energy_record(true, 0.0, 0.0, 100.0 - 3.0 * point.time);
    monitor.inspect(point);
  }
  monitor.finish(point, true);
  const Verdict verdict = monitor.verdict();
  EXPECT_EQ(verdict.value, VerdictValue::unreliable);
  EXPECT_EQ(verdict.reasons.front().kind, ReasonKind::bond_imbalance);
  EXPECT_NE(verdict.reasons.front().what.find("destroyed 30 J"), std::string::npos);
}

}  // namespace
}  // namespace ergon
