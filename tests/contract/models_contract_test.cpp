// What every native model and element of the registry must keep, whatever it is. A new model runs through all of this
// with its defaults and its examples, under every integrator, without a line here.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <set>

#include "models/registry.hpp"
#include "models/test_support.hpp"

namespace ergon {
namespace {

using namespace testing_models;

constexpr double h = 2.5e-3;
constexpr int steps = 20;

/// A model with its defaults (example −1) or one of its examples, and an integrator.
struct Variant {
  const ModelInfo* info;
  int example;
  IntegratorOptions integrator;
};

std::string name_of(const Variant& variant) {
  std::string name = variant.info->name;
  name += variant.example < 0 ? "__defaults" : "__" + variant.info->examples[static_cast<std::size_t>(variant.example)].name;
  name += "__" + variant.integrator.method + (variant.integrator.step_s ? "_substeps" : "");
  std::replace_if(name.begin(), name.end(), [](char c) { return std::isalnum(c) == 0 && c != '_'; }, '_');
  return name;
}

std::vector<Variant> variants() {
  std::vector<Variant> all;
  for (const ModelInfo& info : models()) {
    for (int example = -1; example < static_cast<int>(info.examples.size()); ++example) {
      for (const IntegratorInfo& integrator : integrators()) {
        all.push_back({&info, example, {.method = integrator.name}});
        if (!info.integrated) break;  // the integrator does not matter
        if (!integrator.variable_step) all.push_back({&info, example, {.method = integrator.name, .step_s = 0.3 * h}});
      }
    }
  }
  return all;
}

Example example_of(const std::vector<Example>& examples, int index) {
  return index < 0 ? Example{} : examples[static_cast<std::size_t>(index)];
}

std::unique_ptr<Subsystem> make(const Variant& variant) {
  const Example example = example_of(variant.info->examples, variant.example);
  ProblemList problems;
  auto subsystem = make_model(variant.info->name, example.parameters, example.initial, variant.integrator, problems);
  EXPECT_NE(subsystem, nullptr) << text_of(problems);
  if (subsystem != nullptr) {
    EXPECT_TRUE(subsystem->initialize(0.0).ok);
  }
  return subsystem;
}

std::size_t scalars(const std::vector<Port>& ports) {
  std::size_t count = 0;
  for (const Port& port : ports) count += port.size;
  return count;
}

/// The port of each scalar.
std::vector<std::size_t> port_of_scalar(const std::vector<Port>& ports) {
  std::vector<std::size_t> result;
  for (std::size_t port = 0; port < ports.size(); ++port) result.insert(result.end(), ports[port].size, port);
  return result;
}

/// Seeded inputs: values within ±1 that move by about 0.1 in a step.
class RandomInputs {
 public:
  RandomInputs(std::size_t count, unsigned seed) : count_(count), generator_(seed) {}
  std::vector<double> values() {
    std::vector<double> u(count_);
    for (double& value : u) value = uniform_(generator_);
    return u;
  }
  /// Coefficients of polynomials over one step.
  std::vector<double> polynomial(int degree) {
    std::vector<double> coefficients;
    double scale = 1.0;
    for (int d = 0; d <= degree; ++d, scale *= 0.1 / h) {
      for (double value : values()) coefficients.push_back(value * (d == 0 ? 1.0 : scale));
    }
    return coefficients;
  }

 private:
  std::size_t count_;
  std::mt19937 generator_;
  std::uniform_real_distribution<double> uniform_{-1.0, 1.0};
};

InputView view(const std::vector<double>& coefficients, std::size_t inputs, int degree) {
  return {coefficients.data(), inputs, degree};
}

/// Equal bit for bit: −0 is not 0, and NaN is itself.
bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

std::vector<double> saved(Subsystem& subsystem) {
  std::vector<double> state(subsystem.rewindable()->state_size());
  subsystem.rewindable()->save(state.data());
  return state;
}

/// Which (output port, input port) pairs move when inputs are perturbed at the present state.
template <typename Evaluate>
std::set<std::pair<std::size_t, std::size_t>> perturbed_pairs(const Description& description, RandomInputs& random,
                                                              Evaluate evaluate) {
  std::set<std::pair<std::size_t, std::size_t>> pairs;
  const auto input_port = port_of_scalar(description.inputs);
  const auto output_port = port_of_scalar(description.outputs);
  std::vector<double> u = random.values();
  const std::vector<double> base = evaluate(u);
  for (std::size_t i = 0; i < u.size(); ++i) {
    std::vector<double> moved = u;
    moved[i] += 0.37;
    const std::vector<double> y = evaluate(moved);
    for (std::size_t o = 0; o < y.size(); ++o) {
      if (y[o] != base[o]) pairs.insert({output_port[o], input_port[i]});
    }
  }
  return pairs;
}

std::set<std::pair<std::size_t, std::size_t>> declared_pairs(const Description& description) {
  std::set<std::pair<std::size_t, std::size_t>> pairs;
  for (const FeedthroughPair& pair : description.feedthrough) pairs.insert({pair.output, pair.input});
  return pairs;
}

/// ∂y/∂u against central differences.
template <typename Evaluate>
void expect_jacobian(const Differentiable& differentiable, const std::vector<double>& u, Evaluate evaluate) {
  const std::vector<double> base = evaluate(u);
  std::vector<double> jacobian(base.size() * u.size(), std::nan(""));
  differentiable.output_jacobian(0.0, u.data(), jacobian.data());
  for (std::size_t i = 0; i < u.size(); ++i) {
    constexpr double step = 1e-6;
    std::vector<double> above = u, below = u;
    above[i] += step;
    below[i] -= step;
    const auto y_above = evaluate(above);
    const auto y_below = evaluate(below);
    for (std::size_t o = 0; o < base.size(); ++o) {
      const double difference = (y_above[o] - y_below[o]) / (above[i] - below[i]);
      EXPECT_NEAR(jacobian[o * u.size() + i], difference, 1e-6 * (1.0 + std::abs(difference))) << o << ", " << i;
    }
  }
}

class ModelContract : public ::testing::TestWithParam<Variant> {
 protected:
  void SetUp() override {
    subsystem_ = make(GetParam());
    ASSERT_NE(subsystem_, nullptr);
    description_ = subsystem_->describe();
    inputs_ = scalars(description_.inputs);
  }
  /// Some steps with random polynomials of degree 0, 1, 2.
  void warm_up(RandomInputs& random) {
    for (int i = 0; i < 6; ++i) {
      const auto coefficients = random.polynomial(i % 3);
      ASSERT_TRUE(subsystem_->step(i * h, h, view(coefficients, inputs_, i % 3)).ok);
    }
  }
  [[nodiscard]] std::vector<double> evaluate(const std::vector<double>& u) { return outputs(*subsystem_, u, 6 * h); }

  std::unique_ptr<Subsystem> subsystem_;
  Description description_;
  std::size_t inputs_ = 0;
};

TEST_P(ModelContract, PortsAreNamedOnceAndNativeModelsEvaluateAgain) {
  std::set<std::string> names;
  for (const auto* ports : {&description_.inputs, &description_.outputs}) {
    for (const Port& port : *ports) {
      EXPECT_TRUE(names.insert(port.name).second) << port.name;
      EXPECT_GE(port.size, 1U) << port.name;
      EXPECT_FALSE(port.description.empty()) << port.name;
    }
  }
  EXPECT_FALSE(description_.outputs.empty());
  EXPECT_FALSE(description_.algebraic);
  EXPECT_TRUE(description_.reevaluates_outputs);
}

TEST_P(ModelContract, ARestoredStepRepeatsBitForBit) {
  if (subsystem_->rewindable() == nullptr) GTEST_SKIP() << "not rewindable";
  RandomInputs random(inputs_, 1);
  warm_up(random);
  const auto before = saved(*subsystem_);
  for (int degree = 0; degree <= 2; ++degree) {
    const auto coefficients = random.polynomial(degree);
    const auto disturbing = random.polynomial(2);
    const auto u = random.values();
    ASSERT_TRUE(subsystem_->step(6 * h, h, view(coefficients, inputs_, degree)).ok);
    const auto after = saved(*subsystem_);
    const auto y = outputs(*subsystem_, u, 7 * h);
    // Something else in between must leave no trace.
    ASSERT_TRUE(subsystem_->step(7 * h, 1.7 * h, view(disturbing, inputs_, 2)).ok);
    subsystem_->rewindable()->restore(before.data());
    ASSERT_TRUE(subsystem_->step(6 * h, h, view(coefficients, inputs_, degree)).ok);
    EXPECT_TRUE(same_bits(saved(*subsystem_), after)) << "degree " << degree;
    EXPECT_TRUE(same_bits(outputs(*subsystem_, u, 7 * h), y)) << "degree " << degree;
    subsystem_->rewindable()->restore(before.data());
  }
}

TEST_P(ModelContract, ACheckpointGoesOnInAnotherInstance) {
  if (subsystem_->serializable() == nullptr) GTEST_SKIP() << "not serializable";
  RandomInputs random(inputs_, 2);
  warm_up(random);
  const auto other = make(GetParam());
  ASSERT_TRUE(other->serializable()->deserialize(subsystem_->serializable()->serialize()));
  const auto coefficients = random.polynomial(1);
  ASSERT_TRUE(subsystem_->step(6 * h, h, view(coefficients, inputs_, 1)).ok);
  ASSERT_TRUE(other->step(6 * h, h, view(coefficients, inputs_, 1)).ok);
  const auto u = random.values();
  EXPECT_TRUE(same_bits(outputs(*other, u, 7 * h), outputs(*subsystem_, u, 7 * h)));
  EXPECT_TRUE(same_bits(other->serializable()->serialize(), subsystem_->serializable()->serialize()));
  std::vector<double> wrong = subsystem_->serializable()->serialize();
  wrong.push_back(0.0);
  EXPECT_FALSE(other->serializable()->deserialize(wrong));
}

TEST_P(ModelContract, InitializeStartsAllOverAgain) {
  if (subsystem_->serializable() == nullptr) GTEST_SKIP() << "not serializable";
  const auto fresh = subsystem_->serializable()->serialize();
  RandomInputs random(inputs_, 3);
  warm_up(random);
  ASSERT_TRUE(subsystem_->initialize(0.0).ok);
  EXPECT_TRUE(same_bits(subsystem_->serializable()->serialize(), fresh));
}

TEST_P(ModelContract, WhoSamplesAtTheStartSeesNothingElse) {
  RandomInputs random(inputs_, 4);
  const auto coefficients = random.polynomial(2);
  const auto other = make(GetParam());
  ASSERT_TRUE(subsystem_->step(0.0, h, view(coefficients, inputs_, 2)).ok);
  ASSERT_TRUE(other->step(0.0, h, view(coefficients, inputs_, 0)).ok);
  const auto u = random.values();
  const bool same = same_bits(outputs(*subsystem_, u, h), outputs(*other, u, h));
  if (description_.samples_input == InputSampling::start) {
    EXPECT_TRUE(same);
  } else {
    EXPECT_FALSE(same && inputs_ > 0 && GetParam().example >= 0) << "says that it follows its inputs, but does not";
  }
}

TEST_P(ModelContract, NoUndeclaredFeedthrough) {
  RandomInputs random(inputs_, 5);
  warm_up(random);
  const auto declared = declared_pairs(description_);
  for (const auto& pair :
       perturbed_pairs(description_, random, [&](const std::vector<double>& u) { return evaluate(u); })) {
    EXPECT_TRUE(declared.contains(pair)) << description_.outputs[pair.first].name << " depends on "
                                         << description_.inputs[pair.second].name;
  }
}

TEST_P(ModelContract, OutputJacobianIsTheDifferenceQuotient) {
  if (subsystem_->differentiable() == nullptr) GTEST_SKIP() << "no derivatives";
  RandomInputs random(inputs_, 6);
  warm_up(random);
  expect_jacobian(*subsystem_->differentiable(), random.values(),
                  [&](const std::vector<double>& u) { return evaluate(u); });
}

// Native models promise a failed step, not just NaN outputs; either keeps the engine from going on unaware.
TEST_P(ModelContract, NaNAtAnInputFailsTheStepOrShows) {
  for (std::size_t i = 0; i < inputs_; ++i) {
    ASSERT_TRUE(subsystem_->initialize(0.0).ok);
    std::vector<double> u(inputs_, 0.1);
    u[i] = std::numeric_limits<double>::quiet_NaN();
    const StepStatus status = step_held(*subsystem_, h, u);
    const auto y = outputs(*subsystem_, std::vector<double>(inputs_, 0.1), h);
    const bool shows = std::any_of(y.begin(), y.end(), [](double value) { return std::isnan(value); });
    EXPECT_TRUE(!status.ok || shows) << "input " << i;
    if (!status.ok) {
      EXPECT_FALSE(status.reason.empty());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, ModelContract, ::testing::ValuesIn(variants()),
                         [](const auto& test) { return name_of(test.param); });

// ── The energy account ──────────────────────────────────────────────────────────────────────────────────────

std::vector<Variant> accounted(bool accurate) {
  std::vector<Variant> all;
  for (const Variant& variant : variants()) {
    if (!variant.info->integrated || variant.integrator.step_s) continue;
    const std::string& method = variant.integrator.method;
    const bool is_accurate = method != "semi-implicit-euler" && method != "explicit-euler" && method != "newmark";
    if (is_accurate != accurate) continue;
    Variant tight = variant;
    tight.integrator.rtol = 1e-11;
    tight.integrator.atol = 1e-12;
    if (method == "rk4") tight.integrator.step_s = h / 100.0;
    all.push_back(tight);
  }
  return all;
}

/// How far stored + dissipated − received strays over random inputs of the degree, relative to the energy that moved.
/// Each input acts for `parts` steps. Inputs jump from step to step; the account is asked with yet other inputs.
double worst_imbalance(const Variant& variant, int degree, int parts) {
  const auto subsystem = make(variant);
  if (subsystem->energy_account() == nullptr) return 0.0;
  const EnergyAccount& account = *subsystem->energy_account();
  const std::size_t inputs = scalars(subsystem->describe().inputs);
  RandomInputs random(inputs, 7);
  const auto u0 = random.values();
  const double start = balance_J(*subsystem, u0);
  double worst = 0.0;
  double moved = 1e-3;
  std::vector<double> received(inputs);
  for (int i = 0; i < steps; ++i) {
    const auto coefficients = random.polynomial(degree);
    for (int part = 0; part < parts; ++part) {
      EXPECT_TRUE(subsystem->step(0.0, h / parts, view(coefficients, inputs, degree)).ok);
    }
    const auto u = random.values();
    worst = std::max(worst, std::abs(balance_J(*subsystem, u) - start));
    account.received_J(0.0, u.data(), received);
    for (double work : received) moved = std::max(moved, std::abs(work));
    moved = std::max(moved, account.energy(0.0, u.data()).stored_J);
  }
  return worst / moved;
}

class AccurateAccount : public ::testing::TestWithParam<Variant> {};
TEST_P(AccurateAccount, StoredAndDissipatedIsWhatWasReceived) {
  for (int degree = 0; degree <= 2; ++degree) {
    EXPECT_LE(worst_imbalance(GetParam(), degree, 1), 1e-8) << "degree " << degree;
  }
}
INSTANTIATE_TEST_SUITE_P(All, AccurateAccount, ::testing::ValuesIn(accounted(true)),
                         [](const auto& test) { return name_of(test.param); });

// Of the methods of low order the imbalance is the integration error: it must go away with the step.
class CoarseAccount : public ::testing::TestWithParam<Variant> {};
TEST_P(CoarseAccount, TheImbalanceVanishesWithTheStep) {
  const double order = GetParam().integrator.method == "newmark" ? 2.0 : 1.0;
  const double coarse = worst_imbalance(GetParam(), 0, 1);
  const double fine = worst_imbalance(GetParam(), 0, 16);
  EXPECT_LE(coarse, 0.2);
  EXPECT_LE(fine, 1e-11 + coarse / std::pow(16.0, order - 0.2));
}
INSTANTIATE_TEST_SUITE_P(All, CoarseAccount, ::testing::ValuesIn(accounted(false)),
                         [](const auto& test) { return name_of(test.param); });

// ── Over the registry ───────────────────────────────────────────────────────────────────────────────────────

// Some setting of each model must show every feed-through it declares: what never shows should not be declared.
TEST(ModelRegistry, EveryDeclaredFeedthroughShowsSomewhere) {
  for (const ModelInfo& info : models()) {
    std::set<std::pair<std::string, std::string>> missing;
    std::set<std::pair<std::string, std::string>> seen;
    for (int example = -1; example < static_cast<int>(info.examples.size()); ++example) {
      const auto subsystem = make({&info, example, {}});
      const Description description = subsystem->describe();
      RandomInputs random(scalars(description.inputs), 8);
      const auto named = [&](const auto& pair) {
        return std::pair{description.outputs[pair.first].name, description.inputs[pair.second].name};
      };
      for (const auto& pair : perturbed_pairs(description, random, [&](const std::vector<double>& u) {
             return outputs(*subsystem, u);
           })) {
        seen.insert(named(pair));
      }
      for (const auto& pair : declared_pairs(description)) missing.insert(named(pair));
    }
    for (const auto& pair : seen) missing.erase(pair);
    for (const auto& [output, input] : missing) ADD_FAILURE() << info.name << ": " << input << " to " << output;
  }
}

/// Every parameter, misspelt, must be refused with the right name as remedy.
template <typename Refuse>
void expect_slips_are_caught(const std::string& owner, const std::vector<ParameterInfo>& infos, Refuse refuse) {
  for (const ParameterInfo& info : infos) {
    const std::string slip = info.name + "q";
    const std::string text = refuse(GivenParameters{{slip, {info.standard, {"scenario.toml", 7, 3}}}});
    EXPECT_NE(text.find("'" + slip + "'"), std::string::npos) << owner << ": " << text;
    EXPECT_NE(text.find("Did you mean"), std::string::npos) << owner << ": " << text;
    EXPECT_NE(text.find("scenario.toml:7:3"), std::string::npos) << owner << ": " << text;
  }
  EXPECT_NE(refuse(GivenParameters{{"zzzzzzzzzz", {1.0, {}}}}).find("'zzzzzzzzzz'"), std::string::npos) << owner;
}

TEST(ModelRegistry, UnknownParametersAreRefusedWithASuggestion) {
  for (const ModelInfo& info : models()) {
    expect_slips_are_caught(info.name, info.parameters, [&](const GivenParameters& parameters) {
      ProblemList problems;
      EXPECT_EQ(make_model(info.name, parameters, {}, {}, problems), nullptr);
      return text_of(problems);
    });
    expect_slips_are_caught(info.name, info.initial, [&](const GivenParameters& initial) {
      ProblemList problems;
      EXPECT_EQ(make_model(info.name, {}, initial, {}, problems), nullptr);
      return text_of(problems);
    });
  }
}

TEST(ModelRegistry, UnknownIntegratorsAreRefusedWithASuggestion) {
  for (const ModelInfo& info : models()) {
    if (!info.integrated) continue;
    ProblemList problems;
    EXPECT_EQ(make_model(info.name, {}, {}, {.method = "cvode-bfd"}, problems), nullptr) << info.name;
    EXPECT_NE(text_of(problems).find("'cvode-bdf'"), std::string::npos) << text_of(problems);
  }
}

TEST(ElementRegistry, ElementsKeepTheirContract) {
  for (const ElementInfo& info : elements()) {
    std::set<std::pair<std::size_t, std::size_t>> seen;
    std::set<std::pair<std::size_t, std::size_t>> declared;
    for (int example = -1; example < static_cast<int>(info.examples.size()); ++example) {
      SCOPED_TRACE(info.name + " " + std::to_string(example));
      ProblemList problems;
      const ParameterSet parameters(info.parameters, example_of(info.examples, example).parameters, "'e'", problems);
      const auto element = info.make(parameters, problems);
      ASSERT_FALSE(problems.has_errors()) << text_of(problems);
      const Description description = element->describe();
      EXPECT_TRUE(description.algebraic);
      RandomInputs random(scalars(description.inputs), 9);
      const auto evaluate = [&](const std::vector<double>& u) { return outputs(*element, u); };
      const auto pairs = perturbed_pairs(description, random, evaluate);
      declared = declared_pairs(description);
      for (const auto& pair : pairs) EXPECT_TRUE(declared.contains(pair));
      seen.insert(pairs.begin(), pairs.end());
      if (element->differentiable() != nullptr) {
        expect_jacobian(*element->differentiable(), random.values(), evaluate);
      }
      EXPECT_TRUE(std::isfinite(element->stored_J(random.values().data())));
    }
    EXPECT_EQ(seen, declared) << info.name;
    expect_slips_are_caught(info.name, info.parameters, [&](const GivenParameters& parameters) {
      ProblemList problems;
      const ParameterSet set(info.parameters, parameters, "'e'", problems);
      return text_of(problems);
    });
  }
}

}  // namespace
}  // namespace ergon
