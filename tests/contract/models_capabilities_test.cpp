// Which capabilities each model of the registry declares, so that losing one is noticed; and what belongs to no single
// step: start conditions, failed steps, the energies and momenta of an account.

#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "contract/models_support.hpp"
#include "ergon/core/capability_names.hpp"

namespace ergon::contract {
namespace {

using Names = std::set<std::string>;

Names with(Names names, const Names& more) {
  names.insert(more.begin(), more.end());
  return names;
}

/// Model → its capabilities, whatever the integrator.
std::map<std::string, Names> expected_capabilities() {
  const Names stateless = {"save/restore", "checkpoint", "state derivative"};
  const Names signal = with(stateless, {"time signal"});
  const Names every_native = {"save/restore", "checkpoint", "output Jacobian", "energy account"};
  const Names unconstrained = with(every_native, {"directional derivatives", "state derivative"});
  const Names with_inertia = with(unconstrained, {"interface inertia"});
  const Names bodies = with(with_inertia, {"geometry"});
  const Names constrained = with(every_native, {"geometry"});
  const Names equations = {"save/restore", "checkpoint", "output Jacobian", "directional derivatives",
                           "state derivative"};
  return {
      {"oscillator.mass", with_inertia},
      {"oscillator.displacement_driven", with_inertia},
      {"oscillator.force_output", with_inertia},
      {"oscillator.chain", with_inertia},
      {"multibody.rigid_body", bodies},
      {"multibody.planar_link", bodies},
      {"multibody.planar_crane", bodies},
      {"multibody.ground", stateless},
      {"multibody.pendulum", constrained},
      {"multibody.pendulum_force_output", constrained},
      {"multibody.rod", constrained},
      {"multibody.natural_crane", with(constrained, {"state derivative"})},
      {"multibody.nonsmooth", with(constrained, {"state derivative", "interface inertia"})},
      {"cable.ancf", with(constrained, {"start condition"})},
      {"electric.rc_series", unconstrained},
      {"electric.rc_parallel", unconstrained},
      {"electric.rlc_series", with_inertia},
      {"electric.rlc_parallel", with_inertia},
      {"hydraulics.cylinder", with(unconstrained, {"start condition"})},
      {"hydraulics.crane", with(unconstrained, {"start condition", "geometry"})},
      {"source.constant", with(signal, {"tunable parameters"})},
      {"source.step", signal},
      {"source.ramp", signal},
      {"source.sine", with(signal, {"tunable parameters"})},
      {"source.sine_burst", signal},
      {"source.table", signal},
      {"source.noise", signal},
      {"control.velocity", {"save/restore", "checkpoint", "output Jacobian", "state derivative"}},
      {"control.pid", equations},
      {"control.integrator", equations},
      {"control.rate_limit", stateless},
      {"control.delay", stateless},
      {"control.hysteresis", with(stateless, {"output Jacobian"})},
      {"control.sample_hold", with(stateless, {"output Jacobian"})},
      {"equations.expression", with_inertia},
      {"equations.state_space", equations},
      {"equations.mechanical", with_inertia},
      {"equations.transfer_function", equations},
      {"logic.counter", with(stateless, {"discrete ports"})},
      {"logic.clock", with(stateless, {"discrete ports"})},
      {"logic.state_machine", with(stateless, {"discrete ports"})},
      {"translational.mass", with_inertia},
      {"rotational.inertia", with_inertia},
      {"rotational.clutch", unconstrained},
      {"rotational.brake", unconstrained},
      {"vehicle.road", with(every_native, {"directional derivatives"})},
      {"electric.rl_series", with_inertia},
      {"electric.branch", with_inertia},
      {"electric.dc_motor", with_inertia},
      {"electric.battery", unconstrained},
      {"electric.switch", unconstrained},
      {"electric.heater", unconstrained},
      {"thermal.capacity", unconstrained},
      {"hydraulics.tank", unconstrained},
      {"hydraulics.accumulator", unconstrained},
      {"hydraulics.pipe", unconstrained},
  };
}

/// Examples whose equations or sample time make them offer something else.
std::map<std::string, Names> capabilities_of_examples() {
  const Names sampled = {"save/restore", "checkpoint", "output Jacobian", "state derivative"};
  const Names equations = with(sampled, {"directional derivatives"});
  return {{"control.pid, sampled", sampled},
          {"equations.expression, level", equations},
          {"equations.state_space, oscillator", with(equations, {"interface inertia"})},
          {"equations.state_space, sampled", sampled},
          {"equations.transfer_function, second order", with(equations, {"interface inertia"})}};
}

TEST(ModelCapabilities, AreThoseThatAreExpected) {
  const auto of_examples = capabilities_of_examples();
  const auto expected = expected_capabilities();
  EXPECT_EQ(expected.size(), models().size());
  for (const Pairing& pairing : pairings()) {
    for (const Variant& variant : variants_of(pairing)) {
      SCOPED_TRACE(name_of(variant));
      const auto found = expected.find(variant.info->name);
      ASSERT_NE(found, expected.end()) << "say here what a new model offers";
      const auto example = of_examples.find(variant.info->name + ", " +
                                            example_of(variant.info->examples, variant.example).name);
      const auto names = capability_names(*make(variant));
      EXPECT_EQ(Names(names.begin(), names.end()),
                example == of_examples.end() ? found->second : example->second);
    }
  }
}

// Sources and the ground are never in motion, and say so by naming no state; a burst's mean is one that never changes.
TEST(ModelCapabilities, WhoIsNotIntegratedHasNoRates) {
  for (const ModelInfo& info : models()) {
    if (info.integrated) continue;
    const auto subsystem = make({&info, info.examples.empty() ? -1 : 0});
    const StateDerivative* states = subsystem->state_derivative();
    const std::vector<double> u(scalars(subsystem->describe().inputs), 0.0);
    std::vector<double> rates(states->state_names().size(), std::nan(""));
    EXPECT_TRUE(states->derivative(0.0, u.data(), rates.data())) << info.name;
    EXPECT_EQ(rates, std::vector<double>(info.initial.size(), 0.0)) << info.name;
  }
}

// A signal between samples is what the outputs would be there, bit for bit, however often and in whatever order it is read.
TEST(ModelCapabilities, ATimeSignalIsWhatTheOutputsAre) {
  int signals = 0;
  for (const ModelInfo& info : models()) {
    for (int example = -1; example < static_cast<int>(info.examples.size()); ++example) {
      const auto subsystem = make({&info, example});
      const TimeSignal* signal = subsystem->time_signal();
      if (signal == nullptr) continue;
      ++signals;
      SCOPED_TRACE(info.name + " " + std::to_string(example));
      std::vector<double> y(scalars(subsystem->describe().outputs));
      std::vector<double> between = y;
      for (const double t : {0.7, 0.0, 2.5, 0.3, 1.1}) {
        subsystem->outputs(t, nullptr, y.data());
        signal->signal(t, between.data());
        EXPECT_EQ(between, y) << t;
      }
    }
  }
  EXPECT_GE(signals, 6);
}

// A start condition of a model with a prescribed path holds for the inputs at which its outputs start, and for no others.
TEST(ModelCapabilities, AStartConditionIsMetByOneSetOfInputs) {
  bool any = false;
  for (const ModelInfo& info : models()) {
    for (int example = -1; example < static_cast<int>(info.examples.size()); ++example) {
      const auto subsystem = make({&info, example});
      const StartCondition* condition = subsystem->start_condition();
      if (condition == nullptr || !info.has_prescribed_paths) continue;
      any = true;
      SCOPED_TRACE(info.name + " " + std::to_string(example));
      // Where the cable is: its first and last node.
      const Description description = subsystem->describe();
      const std::size_t inputs = scalars(description.inputs);
      const std::vector<double> y = outputs(*subsystem, std::vector<double>(inputs, 0.0));
      std::vector<double> u(y.begin() + 6, y.begin() + 9);
      if (inputs == 6) u.insert(u.end(), y.end() - 3, y.end());
      EXPECT_EQ(condition->inconsistency_at_start(u.data()), "");
      for (std::size_t i = 0; i < inputs; ++i) {
        for (const double moved : {u[i] + 0.1, u[i] - 0.1, std::nan("")}) {
          std::vector<double> other = u;
          other[i] = moved;
          EXPECT_NE(condition->inconsistency_at_start(other.data()), "") << i;
        }
      }
      // Asked after steps, it is still about t₀.
      ASSERT_TRUE(step_held(*subsystem, 1e-3, u).ok);
      EXPECT_EQ(condition->inconsistency_at_start(u.data()), "");
    }
  }
  EXPECT_TRUE(any);
}

class FailedStep : public ::testing::TestWithParam<Pairing> {};

/// Whether a model must be able to fail a step: by its integrator, or because it holds within limits.
bool must_fail_somewhere(const Pairing& pairing) {
  const std::string& method = pairing.integrator->name;
  return pairing.info->integrated &&
         (method == "newmark" || pairing.integrator->variable_step ||
          pairing.info->name.starts_with("hydraulics.") || !pairing.info->integrators.empty());
}

TEST_P(FailedStep, LeavesTheStateAsItWas) {
  int failures = 0;
  for (const Variant& variant : variants_of(GetParam())) {
    SCOPED_TRACE(name_of(variant));
    const auto subsystem = make(variant);
    const auto twin = make(variant);
    const Description description = subsystem->describe();
    const std::size_t inputs = scalars(description.inputs);
    RandomInputs random(description.inputs, 11);
    const auto try_step = [&](double length, const std::vector<double>& coefficients, int degree) {
      const auto before = checkpoint_of(*subsystem);
      const StepStatus status = step_with(*subsystem, 0.0, length, coefficients, inputs, degree);
      if (status.ok) {
        ASSERT_TRUE(go_on_from(*subsystem, before));
        return;
      }
      ++failures;
      EXPECT_STRNE(status.reason, "");
      EXPECT_EQ(checkpoint_of(*subsystem), before) << status.reason;
    };
    for (int i = 0; i < 3; ++i) {
      const auto coefficients = random.polynomial(i % 3);
      ASSERT_TRUE(step_with(*subsystem, 0.0, h, coefficients, inputs, i % 3).ok);
      ASSERT_TRUE(step_with(*twin, 0.0, h, coefficients, inputs, i % 3).ok);
      for (std::size_t k = 0; k < inputs; ++k) {
        auto wrong = random.polynomial(2);
        wrong[k] = std::numeric_limits<double>::quiet_NaN();  // no number from the start on
        try_step(h, wrong, 0);
        wrong = random.polynomial(2);
        wrong[inputs + k] = std::numeric_limits<double>::infinity();  // on the way
        try_step(h, wrong, 2);
        if (GetParam().integrator->variable_step) continue;  // would take very many steps
        wrong[inputs + k] = 1e6 / h;                         // out of all limits, on the way
        try_step(h, wrong, 2);
      }
      if (variant.integrator.step_s) try_step(1e10, random.polynomial(0), 0);  // more than 1e9 internal steps
    }
    // Failures leave no other trace either.
    const auto coefficients = random.polynomial(1);
    ASSERT_TRUE(step_with(*subsystem, 0.0, h, coefficients, inputs, 1).ok);
    ASSERT_TRUE(step_with(*twin, 0.0, h, coefficients, inputs, 1).ok);
    EXPECT_EQ(checkpoint_of(*subsystem), checkpoint_of(*twin));
  }
  if (must_fail_somewhere(GetParam())) {
    EXPECT_GT(failures, 0) << "no failure was provoked";
  }
}

INSTANTIATE_TEST_SUITE_P(All, FailedStep, ::testing::ValuesIn(pairings()),
                         [](const auto& test) { return test_name(test.param); });

// Kinetic energy is at least that of all mass moving with the centre of mass, p²/2m, and a part of what is stored: what
// is left does not depend on velocities. Every account fills all that it is given.
TEST(ModelAccounts, KineticEnergyAndMomentumBelongTogether) {
  for (const Pairing& pairing : pairings()) {
    for (const Variant& variant : variants_of(pairing)) {
      SCOPED_TRACE(name_of(variant));
      const auto subsystem = make(variant);
      if (subsystem->energy_account() == nullptr) continue;
      const Description description = subsystem->describe();
      const std::size_t inputs = scalars(description.inputs);
      RandomInputs random(description.inputs, 12);
      for (int i = 0; i < 5; ++i) {
        const auto coefficients = random.polynomial(i % 3);
        ASSERT_TRUE(step_with(*subsystem, 0.0, h, coefficients, inputs, i % 3).ok);
        std::vector<double> received;
        const auto u = random.values();
        const AccountSample sample = account_of(*subsystem, u, received);
        for (const double work : received) EXPECT_TRUE(std::isfinite(work));
        EXPECT_GE(sample.kinetic_J, 0.0);
        if (!sample.has_momentum) continue;
        double square = 0.0;
        for (const double p : sample.momentum.momentum_kg_m_s) square += p * p;
        EXPECT_GT(sample.momentum.mass_kg, 0.0);
        EXPECT_GE(sample.kinetic_J * (1.0 + 1e-12), 0.5 * square / sample.momentum.mass_kg);
      }
    }
  }
}

}  // namespace
}  // namespace ergon::contract
