// What every native model of the registry must keep, whatever it is. A new model runs through all of this
// with its defaults and its examples, under every integrator, without a line here. Energy: models_energy_test.cpp;
// elements and the registries as a whole: registries_contract_test.cpp.

#include <cmath>
#include <limits>

#include "contract/declared_ports.hpp"
#include "ergon/core/grouped_steps.hpp"

namespace ergon::contract {
namespace {

/// ∂y/∂u once more, as directional derivatives; and along zero nothing changes.
void expect_directional_derivatives(const DirectionalDerivatives& derivatives,
                                    const Differentiable& differentiable, const std::vector<double>& u,
                                    std::size_t output_count) {
  std::vector<double> jacobian(output_count * u.size(), std::nan(""));
  differentiable.output_jacobian(0.0, u.data(), jacobian.data());
  const std::vector<double> no_states(derivatives.state_count(), 0.0);
  std::vector<double> rates(derivatives.state_count());
  std::vector<double> change(output_count);
  for (std::size_t i = 0; i < u.size(); ++i) {
    std::vector<double> direction(u.size(), 0.0);
    direction[i] = 1.0;
    derivatives.directional_derivative(0.0, u.data(), no_states.data(), direction.data(), rates.data(),
                                       change.data());
    for (std::size_t o = 0; o < output_count; ++o) {
      const double expected = jacobian[o * u.size() + i];
      EXPECT_NEAR(change[o], expected, 1e-5 * (1.0 + std::abs(expected))) << o << ", " << i;
    }
    for (const double rate : rates) EXPECT_TRUE(std::isfinite(rate));
  }
  const std::vector<double> nothing(u.size(), 0.0);
  derivatives.directional_derivative(0.0, u.data(), no_states.data(), nothing.data(), rates.data(),
                                     change.data());
  for (const double rate : rates) EXPECT_EQ(rate, 0.0);
  for (const double c : change) EXPECT_EQ(c, 0.0);
}

/// One variant, made and ready.
struct Tested {
  explicit Tested(const Variant& which) : variant(which), subsystem(make(which)) {
    if (subsystem == nullptr) return;
    description = subsystem->describe();
    inputs = scalars(description.inputs);
  }
  /// Some steps with random polynomials of degree 0, 1, 2.
  void warm_up(RandomInputs& random) const {
    for (int i = 0; i < 6; ++i) {
      const auto coefficients = random.polynomial(i % 3);
      ASSERT_TRUE(step_with(*subsystem, i * h, h, coefficients, inputs, i % 3).ok);
    }
  }
  [[nodiscard]] std::vector<double> evaluate(const std::vector<double>& u) const {
    return outputs(*subsystem, u, 6 * h);
  }

  Variant variant;
  std::unique_ptr<Subsystem> subsystem;
  Description description;
  std::size_t inputs = 0;
};

class ModelContract : public ::testing::TestWithParam<Pairing> {
 protected:
  /// Runs `check` on every variant of the pairing.
  template <typename Check>
  void on_every_variant(Check check) {
    for (const Variant& variant : variants_of(GetParam())) {
      SCOPED_TRACE(name_of(variant));
      const Tested tested(variant);
      ASSERT_NE(tested.subsystem, nullptr);
      check(tested);
    }
  }
};

TEST_P(ModelContract, PortsAreNamedOnceAndNativeModelsEvaluateAgain) {
  on_every_variant([](const Tested& x) {
    std::set<std::string> names;
    for (const auto* ports : {&x.description.inputs, &x.description.outputs}) {
      for (const Port& port : *ports) {
        EXPECT_TRUE(names.insert(port.name).second) << port.name;
        EXPECT_GE(port.size, 1U) << port.name;
        EXPECT_FALSE(port.description.empty()) << port.name;
      }
    }
    EXPECT_FALSE(x.description.outputs.empty());
    EXPECT_FALSE(x.description.algebraic);
    EXPECT_TRUE(x.description.reevaluates_outputs);
  });
}

TEST_P(ModelContract, ARestoredStepRepeatsBitForBit) {
  on_every_variant([](const Tested& x) {
    if (x.subsystem->rewindable() == nullptr) return;
    RandomInputs random(x.description.inputs, 1);
    x.warm_up(random);
    const auto before = saved(*x.subsystem);
    for (int degree = 0; degree <= 2; ++degree) {
      const auto coefficients = random.polynomial(degree);
      const auto disturbing = random.polynomial(2);
      const auto u = random.values();
      ASSERT_TRUE(step_with(*x.subsystem, 6 * h, h, coefficients, x.inputs, degree).ok);
      const auto after = checkpoint_of(*x.subsystem);
      const auto y = outputs(*x.subsystem, u, 7 * h);
      // Something else in between must leave no trace.
      ASSERT_TRUE(step_with(*x.subsystem, 7 * h, 1.7 * h, disturbing, x.inputs, 2).ok);
      x.subsystem->rewindable()->restore(*before);
      ASSERT_TRUE(step_with(*x.subsystem, 6 * h, h, coefficients, x.inputs, degree).ok);
      EXPECT_EQ(checkpoint_of(*x.subsystem), after) << "degree " << degree;
      EXPECT_TRUE(same_bits(outputs(*x.subsystem, u, 7 * h), y)) << "degree " << degree;
      x.subsystem->rewindable()->restore(*before);
    }
  });
}

TEST_P(ModelContract, StepsInOneCallAreTheSameSteps) {
  on_every_variant([](const Tested& x) {
    const auto [together, self] = x.subsystem->grouped_steps();
    if (together == nullptr) return;
    const Tested other(x.variant);
    ASSERT_EQ(other.subsystem->grouped_steps().steps, together);
    EXPECT_EQ(x.description.samples_input, InputSampling::start);
    const std::size_t outputs_of_one = scalars(x.description.outputs);
    RandomInputs random(x.description.inputs, 7);
    RandomInputs again(x.description.inputs, 7);
    x.warm_up(random);
    other.warm_up(again);
    for (int i = 6; i < 12; ++i) {
      const auto u = random.polynomial(0);
      std::vector<double> y(2 * outputs_of_one);
      const GroupedSteps::Member alone{self, 0, static_cast<std::uint32_t>(outputs_of_one)};
      std::size_t next = 0;
      ASSERT_TRUE(together->run({&alone, 1}, next, {i * h, h, (i + 1) * h}, u.data(), y.data()).ok);
      EXPECT_EQ(next, 1U);
      ASSERT_TRUE(step_with(*other.subsystem, i * h, h, u, x.inputs, 0).ok);
      const std::vector<double> mine(y.begin() + static_cast<std::ptrdiff_t>(outputs_of_one), y.end());
      EXPECT_TRUE(same_bits(outputs(*other.subsystem, u, (i + 1) * h), mine));
      EXPECT_EQ(checkpoint_of(*x.subsystem), checkpoint_of(*other.subsystem));
    }
  });
}

TEST_P(ModelContract, TrialsOutsideOfASubsystemAreItsSteps) {
  on_every_variant([](const Tested& x) {
    const GroupedTrials* together = x.subsystem->grouped_trials();
    if (together == nullptr) return;
    const Tested other(x.variant);
    ASSERT_EQ(other.subsystem->grouped_trials(), together);
    ASSERT_NE(x.subsystem->grouped_steps().steps, nullptr);
    const std::size_t size = x.subsystem->rewindable()->state_numbers().size();
    const std::size_t outputs_of_one = scalars(x.description.outputs);
    RandomInputs random(x.description.inputs, 7);
    RandomInputs again(x.description.inputs, 7);
    x.warm_up(random);
    other.warm_up(again);
    const auto before = checkpoint_of(*x.subsystem);
    const auto place = static_cast<std::uint32_t>(outputs_of_one);
    const GroupedTrials::Member alone{x.subsystem.get(), 0, place, 3};  // a row with something before it
    std::vector<double> from(3 + size);
    std::vector<double> to(3 + size);
    std::vector<double> y(2 * outputs_of_one);
    const auto mine = [&] { return std::vector<double>(y.begin() + place, y.end()); };
    together->read({&alone, 1}, from.data());
    for (int i = 6; i < 12; ++i) {
      const auto wild = random.polynomial(0);  // a trial that is given up
      together->run({&alone, 1}, h, wild.data(), from.data(), to.data(), y.data());
      const auto u = random.polynomial(0);
      together->run({&alone, 1}, h, u.data(), from.data(), to.data(), y.data());
      ASSERT_TRUE(step_with(*other.subsystem, i * h, h, u, x.inputs, 0).ok);
      EXPECT_TRUE(same_bits(outputs(*other.subsystem, u, (i + 1) * h), mine()));
      together->outputs({&alone, 1}, wild.data(), to.data(), y.data());
      EXPECT_TRUE(same_bits(outputs(*other.subsystem, wild, (i + 1) * h), mine()));
      std::swap(from, to);
    }
    EXPECT_EQ(checkpoint_of(*x.subsystem), before) << "it was not to be touched";
    together->write({&alone, 1}, from.data());
    EXPECT_EQ(checkpoint_of(*x.subsystem), checkpoint_of(*other.subsystem));
  });
}

TEST_P(ModelContract, WhoShowsTheNumbersOfItsStateIsSetBackByThem) {
  on_every_variant([](const Tested& x) {
    if (x.subsystem->rewindable() == nullptr) return;
    const std::span<double> numbers = x.subsystem->rewindable()->state_numbers();
    if (numbers.empty()) return;
    RandomInputs random(x.description.inputs, 3);
    x.warm_up(random);
    const std::vector<double> kept(numbers.begin(), numbers.end());
    const auto before = checkpoint_of(*x.subsystem);
    const auto u = random.polynomial(1);
    ASSERT_TRUE(step_with(*x.subsystem, 6 * h, h, u, x.inputs, 1).ok);
    const auto after = checkpoint_of(*x.subsystem);
    std::copy(kept.begin(), kept.end(), numbers.begin());
    EXPECT_EQ(checkpoint_of(*x.subsystem), before);
    ASSERT_TRUE(step_with(*x.subsystem, 6 * h, h, u, x.inputs, 1).ok);
    EXPECT_EQ(checkpoint_of(*x.subsystem), after);
    EXPECT_EQ(x.subsystem->rewindable()->state_numbers().data(), numbers.data());
  });
}

TEST_P(ModelContract, WhatIsReceivedAloneIsWhatTheAccountSays) {
  on_every_variant([](const Tested& x) {
    const EnergyAccount* account = x.subsystem->energy_account();
    if (account == nullptr) return;
    RandomInputs random(x.description.inputs, 5);
    x.warm_up(random);
    const auto used = random.values();
    const auto newest = random.values();
    std::vector<double> whole(x.inputs);
    std::vector<double> alone(x.inputs, -1.0);
    AccountSample sample;
    sample.received_J = whole;
    account->sample({6 * h, used.data(), newest.data()}, sample);
    account->received({6 * h, used.data(), newest.data()}, alone);
    EXPECT_TRUE(same_bits(alone, whole));
  });
}

TEST_P(ModelContract, ACheckpointGoesOnInAnotherInstance) {
  on_every_variant([](const Tested& x) {
    if (x.subsystem->serializable() == nullptr) return;
    RandomInputs random(x.description.inputs, 2);
    x.warm_up(random);
    const auto other = make(x.variant);
    ASSERT_TRUE(go_on_from(*other, checkpoint_of(*x.subsystem)));
    const auto coefficients = random.polynomial(1);
    ASSERT_TRUE(step_with(*x.subsystem, 6 * h, h, coefficients, x.inputs, 1).ok);
    ASSERT_TRUE(step_with(*other, 6 * h, h, coefficients, x.inputs, 1).ok);
    const auto u = random.values();
    EXPECT_TRUE(same_bits(outputs(*other, u, 7 * h), outputs(*x.subsystem, u, 7 * h)));
    const auto end = checkpoint_of(*x.subsystem);
    EXPECT_EQ(checkpoint_of(*other), end);
    auto wrong = end;
    wrong.push_back(std::byte{0});
    EXPECT_FALSE(go_on_from(*other, wrong));
    EXPECT_EQ(checkpoint_of(*other), end);
  });
}

TEST_P(ModelContract, InitializeStartsAllOverAgain) {
  on_every_variant([](const Tested& x) {
    if (x.subsystem->serializable() == nullptr) return;
    const auto fresh = checkpoint_of(*x.subsystem);
    RandomInputs random(x.description.inputs, 3);
    x.warm_up(random);
    ASSERT_TRUE(x.subsystem->initialize({}).ok);
    EXPECT_EQ(checkpoint_of(*x.subsystem), fresh);
  });
}

TEST_P(ModelContract, WhoSamplesAtTheStartSeesNothingElse) {
  on_every_variant([](const Tested& x) {
    RandomInputs random(x.description.inputs, 4);
    const auto coefficients = random.polynomial(2);
    const auto other = make(x.variant);
    ASSERT_TRUE(step_with(*x.subsystem, 0.0, h, coefficients, x.inputs, 2).ok);
    ASSERT_TRUE(step_with(*other, 0.0, h, coefficients, x.inputs, 0).ok);
    const auto u = random.values();
    bool same = same_bits(outputs(*x.subsystem, u, h), outputs(*other, u, h));
    if (x.description.samples_input == InputSampling::start) {
      EXPECT_TRUE(same);
    } else {
      // What no input moves (a road, a switch) shows in its account that it follows them.
      if (x.subsystem->energy_account() != nullptr)
        same = same && same_bits(received_J(*x.subsystem, u), received_J(*other, u));
      EXPECT_FALSE(same && x.inputs > 0 && x.variant.example >= 0)
          << "says that it follows its inputs, but does not";
    }
  });
}

TEST_P(ModelContract, NoUndeclaredFeedthrough) {
  on_every_variant([](const Tested& x) {
    RandomInputs random(x.description.inputs, 5);
    x.warm_up(random);
    const auto declared = declared_pairs(x.description);
    for (const auto& pair : perturbed_pairs(x.description, random,
                                            [&](const std::vector<double>& u) { return x.evaluate(u); })) {
      EXPECT_TRUE(declared.contains(pair)) << x.description.outputs[pair.first].name << " depends on "
                                           << x.description.inputs[pair.second].name;
    }
  });
}

TEST_P(ModelContract, OutputJacobianIsTheDifferenceQuotient) {
  on_every_variant([](const Tested& x) {
    if (x.subsystem->differentiable() == nullptr) return;
    RandomInputs random(x.description.inputs, 6);
    x.warm_up(random);
    expect_jacobian(*x.subsystem->differentiable(), random.values(),
                    [&](const std::vector<double>& u) { return x.evaluate(u); });
  });
}

TEST_P(ModelContract, DirectionalDerivativesAreThoseOfTheOutputs) {
  on_every_variant([](const Tested& x) {
    const DirectionalDerivatives* derivatives = x.subsystem->directional_derivatives();
    if (derivatives == nullptr || x.subsystem->differentiable() == nullptr) return;
    RandomInputs random(x.description.inputs, 6);
    x.warm_up(random);
    expect_directional_derivatives(*derivatives, *x.subsystem->differentiable(), random.values(),
                                   scalars(x.description.outputs));
  });
}

// States have names of their own, come back as they were set, and change in a short step as their derivative says.
TEST_P(ModelContract, StatesChangeAsTheirDerivativeSays) {
  on_every_variant([](const Tested& x) {
    StateDerivative* model = x.subsystem->state_derivative();
    if (model == nullptr) return;
    const auto names = model->state_names();
    const std::size_t n = names.size();
    EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), n);
    std::vector<double> start(n), other(n), now(n), rates(n, std::nan(""));
    model->states(start.data());
    for (std::size_t i = 0; i < n; ++i) other[i] = 2.0 * start[i] + 1.0;
    model->set_states(other.data());
    model->states(now.data());
    EXPECT_TRUE(same_bits(now, other));
    model->set_states(start.data());

    RandomInputs random(x.description.inputs, 10);
    const auto u = random.values();
    ASSERT_TRUE(model->derivative(0.0, u.data(), rates.data()));
    if (x.variant.info->integrated && x.variant.integrator.method.starts_with("cvode")) return;
    if (x.variant.integrator.method == "arkode") return;  // no better than its tolerance in so short a step
    constexpr double short_step = 1e-6;
    ASSERT_TRUE(step_held(*x.subsystem, short_step, u).ok);
    model->states(now.data());
    for (std::size_t i = 0; i < n; ++i) {
      const double round_off = 1e-15 * std::abs(start[i]) / short_step;
      EXPECT_NEAR((now[i] - start[i]) / short_step, rates[i], 1e-3 * (1.0 + std::abs(rates[i])) + round_off)
          << names[i];
    }
  });
}

// A failed step or NaN outputs: either keeps the engine from going on unaware. (Native models with fixed steps show it in
// their outputs, those with implicit or variable steps fail.)
TEST_P(ModelContract, NaNAtAnInputFailsTheStepOrShows) {
  on_every_variant([](const Tested& x) {
    const std::size_t reals = count_values(x.description.inputs).reals;
    for (std::size_t i = 0; i < reals; ++i) {
      ASSERT_TRUE(x.subsystem->initialize({}).ok);
      std::vector<double> u(x.inputs, 0.1);
      u[i] = std::numeric_limits<double>::quiet_NaN();
      const StepStatus status = step_held(*x.subsystem, h, u);
      const auto y = outputs(*x.subsystem, std::vector<double>(x.inputs, 0.1), h);
      const bool shows = std::any_of(y.begin(), y.end(), [](double value) { return std::isnan(value); });
      EXPECT_TRUE(!status.ok || shows) << "input " << i;
      if (!status.ok) {
        EXPECT_STRNE(status.reason, "");
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(All, ModelContract, ::testing::ValuesIn(pairings()),
                         [](const auto& test) { return test_name(test.param); });

}  // namespace
}  // namespace ergon::contract
