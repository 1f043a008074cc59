#include "ergon/models/native_subsystem.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "benchmarks/reference/convergence.hpp"
#include "ergon/models/oscillators/point_mass.hpp"
#include "support/model_making.hpp"

namespace ergon {
namespace {

using namespace testing_models;

const std::vector<double> no_force = {0.0, 0.0};

/// m = 1, k = 4, v(0) = 1: x = sin(2 t)/2, v = cos(2 t).
std::unique_ptr<Subsystem> oscillator(const IntegratorOptions& integrator) {
  return make_model("oscillator.mass", {{"k", 4.0}}, {{"v", 1.0}}, integrator);
}

bool samples_start(const std::string& method, std::optional<double> step_s) {
  return make_model("oscillator.mass", {}, {}, {.method = method, .step_s = step_s})
             ->describe()
             .samples_input == InputSampling::start;
}

TEST(NativeSubsystem, OnlyOneEulerStepPerCommunicationStepSamplesAtTheStart) {
  for (const IntegratorInfo& info : integrators()) {
    const bool is_euler = info.name == "semi-implicit-euler" || info.name == "explicit-euler";
    EXPECT_EQ(samples_start(info.name, std::nullopt), is_euler) << info.name;
    EXPECT_FALSE(samples_start(info.name, 1e-3)) << info.name;
  }
}

/// The largest error of x and v over 2 s with 0.1 s communication steps.
double worst_error(const IntegratorOptions& integrator) {
  const auto subsystem = oscillator(integrator);
  double worst = 0.0;
  for (int i = 1; i <= 20; ++i) {
    EXPECT_TRUE(step_held(*subsystem, 0.1, no_force).ok);
    const auto y = outputs(*subsystem, no_force);
    worst = std::max({worst, std::abs(y[0] - 0.5 * std::sin(0.2 * i)), std::abs(y[1] - std::cos(0.2 * i))});
  }
  return worst;
}

TEST(NativeSubsystem, FixedStepMethodsHaveTheirOrder) {
  for (const auto& [method, order] : {std::pair{"semi-implicit-euler", 1.0}, std::pair{"explicit-euler", 1.0},
                                      std::pair{"rk4", 4.0}, std::pair{"newmark", 2.0}}) {
    std::vector<double> steps;
    std::vector<double> errors;
    // From where the method is in its stride down to where rounding is still far.
    const int coarsest = order > 2.0 ? 1 : 10;
    for (int divisor = coarsest; divisor <= 16 * coarsest; divisor *= 2) {
      steps.push_back(0.1 / divisor);
      errors.push_back(worst_error({.method = method, .step_s = steps.back()}));
    }
    const double observed = numerics::fitted_order(steps, errors);
    EXPECT_GT(observed, order - 0.1) << method;
    EXPECT_LT(observed, order + 0.3) << method;
  }
}

TEST(NativeSubsystem, VariableStepMethodsReachTheirTolerance) {
  for (const IntegratorInfo& info : integrators()) {
    if (!info.variable_step) continue;
    EXPECT_LT(worst_error({.method = info.name, .rtol = 1e-9, .atol = 1e-11}), 1e-6) << info.name;
  }
}

// A step of the length of the communication step takes the way of internal steps: same motion, same books.
TEST(NativeSubsystem, TheFusedEulerStepHasTheBitsOfTheGeneralOne) {
  for (const char* method : {"semi-implicit-euler", "explicit-euler"}) {
    for (const char* model : {"oscillator.force_output", "oscillator.displacement_driven"}) {
      const Values parameters = {{"m", 3.0}, {"k", 10.0}, {"c", 0.1}, {"kc", 100.0}, {"cc", 0.2}};
      const auto fused = make_model(model, parameters, {{"v", 1.0}}, {.method = method});
      const auto general = make_model(model, parameters, {{"v", 1.0}}, {.method = method, .step_s = 1e-3});
      for (int i = 0; i < 100; ++i) {
        const std::vector<double> u = {0.01 * i, std::cos(i), std::sin(i)};
        ASSERT_TRUE(step_held(*fused, 1e-3, u).ok);
        ASSERT_TRUE(step_held(*general, 1e-3, u).ok);
      }
      EXPECT_EQ(state_row(*fused), state_row(*general)) << method << ' ' << model;
    }
  }
}

// 1 ms in steps of at most 0.3 ms: four of 0.25 ms; in steps of 0.1 ms: ten, although 1e-3/1e-4 is not exactly 10.
TEST(NativeSubsystem, TheInternalStepIsShortenedToDivideTheCommunicationStep) {
  for (const auto& [step, divided] :
       {std::pair{3e-4, 2.5e-4}, std::pair{1e-4, 1e-3 / 10.0}, std::pair{5.0, 1e-3}}) {
    const auto tried = oscillator({.method = "explicit-euler", .step_s = step});
    const auto expected = oscillator({.method = "explicit-euler"});
    ASSERT_TRUE(step_held(*tried, 1e-3, no_force).ok);
    for (int i = 0; i < std::lround(1e-3 / divided); ++i)
      ASSERT_TRUE(step_held(*expected, divided, no_force).ok);
    EXPECT_EQ(outputs(*tried, no_force), outputs(*expected, no_force)) << step;
  }
}

TEST(NativeSubsystem, AnAbsurdlySmallInternalStepFailsInsteadOfRunningForever) {
  const auto subsystem = oscillator({.method = "rk4", .step_s = 1e-300});
  const StepStatus status = step_held(*subsystem, 1.0, no_force);
  EXPECT_FALSE(status.ok);
  EXPECT_NE(std::string(status.reason).find("internal steps"), std::string::npos);
}

// Free mass, force f = 2 τ: v = τ², x = τ³/3. A method that looked only at the start would stay at rest.
TEST(NativeSubsystem, ContinuousMethodsFollowTheInputPolynomial) {
  for (const char* method : {"rk4", "cvode-bdf", "cvode-adams", "arkode"}) {
    const auto mass = make_model("oscillator.mass", {}, {}, {.method = method, .rtol = 1e-10, .atol = 1e-12});
    const std::vector<double> coefficients = {0.0, 0.0, 2.0, 0.0};  // degree 1, two inputs
    ASSERT_TRUE(mass->step(5.0, 0.5, InputView{coefficients.data(), 2, 1}).ok);
    const auto y = outputs(*mass, {1.0, 0.0});
    EXPECT_NEAR(y[0], 0.125 / 3.0, 1e-8) << method;
    EXPECT_NEAR(y[1], 0.25, 1e-8) << method;
    EXPECT_NEAR(received_J(*mass, no_force)[0], 0.5 * 0.25 * 0.25, 1e-8) << method;
  }
}

TEST(NativeSubsystem, ANanNeverPassesSilently) {
  for (const IntegratorInfo& info : integrators()) {
    const auto subsystem = oscillator({.method = info.name});
    const std::vector<double> u = {std::nan(""), 0.0};
    const StepStatus status = step_held(*subsystem, 1e-3, u);
    // A failed step has a reason; else the outputs show it.
    EXPECT_EQ(status.ok, *status.reason == 0) << info.name;
    EXPECT_TRUE(!status.ok || !std::isfinite(outputs(*subsystem, no_force)[1])) << info.name;
    EXPECT_TRUE(subsystem->initialize({}).ok);
    EXPECT_TRUE(step_held(*subsystem, 1e-3, no_force).ok) << info.name;
  }
}

TEST(NativeSubsystem, ACheckpointOfAnotherModelIsRefused) {
  const auto one = make_model("oscillator.mass");
  const auto other = make_model("oscillator.displacement_driven");
  EXPECT_FALSE(go_on_from(*one, checkpoint_of(*other)));
}

TEST(NativeSubsystem, WrongIntegratorOptionsAreAllReported) {
  const std::string text = refusal("oscillator.mass", {}, {}, {.method = "rk5", .step_s = 0.0, .rtol = -1.0});
  EXPECT_NE(text.find("no integrator 'rk5'"), std::string::npos);
  EXPECT_NE(text.find("Did you mean 'rk4'?"), std::string::npos);
  EXPECT_NE(text.find("step is 0"), std::string::npos);
  EXPECT_NE(text.find("rtol is -1"), std::string::npos);
  EXPECT_NE(refusal("oscillator.chain", {}, {}, {.atol = std::nan("")}).find("atol is nan"),
            std::string::npos);
}

}  // namespace
}  // namespace ergon
