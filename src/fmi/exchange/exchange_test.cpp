// FMUs for model exchange (tests/fmus/exchange.h), which refuse every call that is not legal in their mode, against closed forms.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "ergon/core/end_request.hpp"
#include "ergon/fmi/archive/unpacked_fmu.hpp"
#include "ergon/fmi/instance/fmu_log.hpp"
#include "support/fmu_fixture.hpp"

namespace ergon::fmi {
namespace {

class Exchange : public Fmu {
 protected:
  [[nodiscard]] std::string model(const std::string& name) const {
    return name + std::to_string(GetParam().version);
  }
  [[nodiscard]] ForeignOptions with_tolerance(double tolerance) const {
    ForeignOptions o = options();
    o.tolerance = tolerance;
    return o;
  }
  [[nodiscard]] StartValue value(const KitInstance& fmu, const std::string& name, double number) const {
    return KitInstance::given(*fmu.model, name, number);
  }
  [[nodiscard]] KitInstance oscillator(double tolerance, double stiffness, double mu) const {
    const auto plain = FmuModel::load(kit_file(model("oscillator")), nothing_);
    return KitInstance(
        model("oscillator"), with_tolerance(tolerance),
        {KitInstance::given(*plain, "stiffness", stiffness), KitInstance::given(*plain, "mu", mu)});
  }
  mutable ProblemList nothing_;
};
INSTANTIATE_TEST_SUITE_P(All, Exchange,
                         testing::Values(Place{2, false}, Place{2, true}, Place{3, false}, Place{3, true}));

/// Thrown from a height of 1 m, with a restitution of 0.7, at rest from a bounce slower than 0.1 m/s on.
struct BouncingBall {
  int bounces = 0;
  double height(double t) {
    constexpr double g = 9.81;
    double begin = 0.0;
    double flight = std::sqrt(2.0 / g);
    double v = 0.0;
    double h = 1.0;
    for (bounces = 0; t >= begin + flight; ++bounces) {
      v = bounces == 0 ? 0.7 * g * flight : 0.7 * v;
      h = 0.0;
      begin += flight;
      flight = 2.0 * v / g;
      if (v < 0.1) return ++bounces, 0.0;
    }
    const double s = t - begin;
    return h + v * s - 0.5 * g * s * s;
  }
};

TEST_P(Exchange, ABouncingBallFollowsItsParabolas) {
  KitInstance fmu(model("ball"), with_tolerance(1e-10));
  ASSERT_TRUE(fmu.subsystem) << fmu.said;
  ASSERT_TRUE(fmu.initialize(0.0, 3.0).ok);
  BouncingBall ball;
  for (int i = 1; i <= 300; ++i) {
    const StepStatus status = fmu.step((i - 1) * 0.01, 0.01);
    ASSERT_TRUE(status.ok) << i << ": " << status.reason;
    EXPECT_NEAR(fmu.real("h"), ball.height(i * 0.01), 1e-6) << i;
    EXPECT_EQ(fmu.integer("bounces"), ball.bounces) << i;
  }
  EXPECT_EQ(fmu.integer("rests"), 1);
  EXPECT_EQ(fmu.real("h"), 0.0);
}

/// ẍ = −x + μ(1 − x²)ẋ from x = 2 by the classical method of fourth order, with steps that leave no error of interest.
double van_der_pol(double t, double mu) {
  const auto f = [mu](double x, double v) { return mu * (1.0 - x * x) * v - x; };
  const int n = static_cast<int>(std::lround(t / 1e-3));
  const double h = t / n;
  double x = 2.0;
  double v = 0.0;
  for (int i = 0; i < n; ++i) {
    const double x1 = v, v1 = f(x, v);
    const double x2 = v + 0.5 * h * v1, v2 = f(x + 0.5 * h * x1, v + 0.5 * h * v1);
    const double x3 = v + 0.5 * h * v2, v3 = f(x + 0.5 * h * x2, v + 0.5 * h * v2);
    const double x4 = v + h * v3, v4 = f(x + h * x3, v + h * v3);
    x += h / 6.0 * (x1 + 2.0 * x2 + 2.0 * x3 + x4);
    v += h / 6.0 * (v1 + 2.0 * v2 + 2.0 * v3 + v4);
  }
  return x;
}

TEST_P(Exchange, AnOscillatorOfVanDerPolFollowsATightReference) {
  std::array<double, 2> error{};
  for (std::size_t k = 0; k < 2; ++k) {
    KitInstance fmu = oscillator(k == 0 ? 1e-4 : 1e-8, 1.0, 1.0);
    ASSERT_TRUE(fmu.subsystem) << fmu.said;
    ASSERT_TRUE(fmu.initialize(0.0, 20.0).ok);
    for (int i = 1; i <= 40; ++i) {
      ASSERT_TRUE(fmu.step((i - 1) * 0.5, 0.5).ok);
      error.at(k) = std::max(error.at(k), std::abs(fmu.real("position") - van_der_pol(i * 0.5, 1.0)));
    }
  }
  EXPECT_LT(error[1], 1e-5);
  EXPECT_GT(error[0], 100.0 * error[1]) << "the tolerance is what decides";
}

// A second that is not a sum of steps in binary; the value of a point is that after its event.
TEST_P(Exchange, AStairStepsAtItsTimes) {
  for (const double h : {0.1, 0.3, 0.25}) {
    KitInstance fmu(model("stair"), options());
    ASSERT_TRUE(fmu.subsystem) << fmu.said;
    ASSERT_TRUE(fmu.initialize(0.0, 12.0).ok);
    fmu.outputs(0.0);
    EXPECT_EQ(fmu.integer("counter"), 1);
    for (int i = 1; i * h < 8.99; ++i) {
      ASSERT_TRUE(fmu.step((i - 1) * h, h).ok);
      EXPECT_EQ(fmu.integer("counter"), 1 + static_cast<int>(std::floor(i * h + 1e-9))) << i * h;
    }
  }
}

TEST_P(Exchange, IntegersAtItsInputsArriveByAnEvent) {
  KitInstance fmu(model("stair"), options());
  ASSERT_TRUE(fmu.subsystem) << fmu.said;
  fmu.integer_in("height") = 3;  // the second step and the third are three high
  ASSERT_TRUE(fmu.initialize(0.0, 8.0).ok);
  fmu.outputs(0.0);
  EXPECT_EQ(fmu.integer("counter"), 1);
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(fmu.step(0.5 * i, 0.5).ok) << i;
  EXPECT_EQ(fmu.integer("counter"), 7);
  fmu.integer_in("height") = -1;
  ASSERT_TRUE(fmu.step(2.5, 0.5).ok);
  EXPECT_EQ(fmu.integer("counter"), 6);
}

TEST_P(Exchange, AStairThatAsksToEndIsEnded) {
  KitInstance fmu(model("stair"), options());
  ASSERT_TRUE(fmu.subsystem) << fmu.said;
  ASSERT_TRUE(fmu.initialize(0.0, 20.0).ok);
  int steps = 0;
  StepStatus status;
  while (steps < 30 && (status = fmu.step(steps * 0.5, 0.5)).ok) ++steps;
  EXPECT_EQ(steps, 18);  // the tenth step of the stair is at 9 s
  EXPECT_STREQ(status.reason, asked_to_end);
  EXPECT_EQ(fmu.integer("counter"), 10);
}

/// From the horizontal: T = 4 √(L/g) K(sin 45°), with K by the arithmetic-geometric mean.
double period_from_horizontal() {
  double a = 1.0;
  double b = std::cos(std::numbers::pi / 4.0);
  for (int i = 0; i < 6; ++i) {
    const double mean = 0.5 * (a + b);
    b = std::sqrt(a * b);
    a = mean;
  }
  return 4.0 * std::sqrt(1.0 / 9.81) * std::numbers::pi / (2.0 * a);
}

TEST_P(Exchange, APendulumThatSelectsItsStatesKeepsPeriodAndEnergy) {
  const PrivateFolder folder("test");
  FmuLog::instance().write_to(folder.path() / "fmu.log");
  KitInstance fmu(model("pendulum"), with_tolerance(1e-9));
  ASSERT_TRUE(fmu.subsystem) << fmu.said;
  ASSERT_TRUE(fmu.initialize(0.0, 10.0).ok);
  const double h = period_from_horizontal() / 64.0;
  for (int i = 1; i <= 3 * 64; ++i) {
    const StepStatus status = fmu.step((i - 1) * h, h);
    ASSERT_TRUE(status.ok) << i << ": " << status.reason;
    EXPECT_NEAR(fmu.real("energy.stored"), 0.0, 1e-6) << i;
    EXPECT_NEAR(std::hypot(fmu.real("x"), fmu.real("y")), 1.0, 1e-12) << i;
    if (i % 64 == 0) {
      EXPECT_NEAR(fmu.real("x"), 1.0, 1e-6) << i;
      EXPECT_NEAR(fmu.real("y"), 0.0, 1e-6) << i;
    }
    if (i % 64 == 32) {
      EXPECT_NEAR(fmu.real("x"), -1.0, 1e-6) << i;
    }
  }
  EXPECT_EQ(fmu.integer("selections"), 12);  // twice per swing
  FmuLog::instance().finish();
  std::ifstream log(folder.path() / "fmu.log");
  int reported = 0;
  for (std::string line; std::getline(log, line);)
    reported += line.find("dynamic state selection") != std::string::npos ? 1 : 0;
  EXPECT_EQ(reported, 12);
}

TEST_P(Exchange, ChatteringIsStoppedWithTheNameOfItsIndicator) {
  KitInstance fmu(model("relay"), options());
  ASSERT_TRUE(fmu.subsystem) << fmu.said;
  ASSERT_TRUE(fmu.initialize().ok);
  int steps = 0;
  StepStatus status;
  while (steps < 100 && (status = fmu.step(steps * 0.01, 0.01)).ok) ++steps;
  EXPECT_TRUE(steps == 29 || steps == 30) << steps;  // x reaches 0 at 0.3 s
  const std::string reason = status.reason;
  EXPECT_NE(reason.find("chatters"), std::string::npos) << reason;
  EXPECT_NE(reason.find(GetParam().version == 3 ? "event indicator 'position'" : "event indicator 2 of 2"),
            std::string::npos)
      << reason;
}

TEST_P(Exchange, ThatFailsSaysWhatAndWhen) {
  const std::array<const char*, 8> expected = {"",
                                               "derivatives cannot be evaluated",
                                               "this derivative cannot be had",
                                               "derivatives cannot be evaluated",
                                               "event iteration did not end",
                                               asked_to_end,
                                               nullptr,
                                               "event indicator"};
  for (std::size_t fault = 1; fault < expected.size(); ++fault) {
    ProblemList nothing;
    const auto plain = FmuModel::load(kit_file(model("relay")), nothing);
    KitInstance fmu(model("relay"), options(),
                    {KitInstance::given(*plain, "fault", static_cast<double>(fault))});
    ASSERT_TRUE(fmu.subsystem) << fmu.said;
    fmu.real_in("u") = fault == 4 ? -1.0 : 0.0;
    ASSERT_TRUE(fmu.initialize(0.0, 2.0).ok);
    int steps = 0;
    StepStatus status;
    while (steps < 100 && (status = fmu.step(steps * 0.01, 0.01)).ok) {
      ++steps;
      if (fault == 4 && steps == 60) fmu.real_in("u") = 0.0;  // an event
    }
    if (expected.at(fault) == nullptr) {
      EXPECT_EQ(steps, 100) << "an event after each step is no fault: " << status.reason;
      continue;
    }
    EXPECT_GE(steps, 50) << fault;
    EXPECT_LE(steps, 60) << fault;
    EXPECT_NE(std::string(status.reason).find(expected.at(fault)), std::string::npos) << status.reason;
  }
}

TEST_P(Exchange, GoesOnInTheSameBitsFromASavedState) {
  for (const char* name : {"ball", "pendulum"}) {
    KitInstance fmu(model(name), options());
    KitInstance other(model(name), options());
    ASSERT_TRUE(fmu.subsystem && other.subsystem) << fmu.said;
    ASSERT_TRUE(fmu.initialize().ok && other.initialize().ok);
    const auto slot = fmu.subsystem->rewindable()->make_slot();
    for (int i = 0; i < 4; ++i) ASSERT_TRUE(fmu.step(i * 0.1, 0.1).ok);
    fmu.subsystem->rewindable()->save(*slot);
    std::vector<std::byte> bytes;
    fmu.subsystem->serializable()->serialize(*slot, bytes);
    const auto advance = [](KitInstance& of) {  // across a bounce, a selection
      for (int i = 4; i < 9; ++i) EXPECT_TRUE(of.step(i * 0.1, 0.1).ok);
      return of.y;
    };
    const std::vector<double> first = advance(fmu);
    fmu.subsystem->rewindable()->restore(*slot);
    EXPECT_EQ(advance(fmu), first) << name;
    const auto other_slot = other.subsystem->rewindable()->make_slot();
    ASSERT_TRUE(other.subsystem->serializable()->deserialize(bytes, *other_slot));
    other.subsystem->rewindable()->restore(*other_slot);
    EXPECT_EQ(advance(other), first) << name;
    EXPECT_FALSE(other.subsystem->serializable()->deserialize(std::span(bytes).first(20), *other_slot));
  }
}

// Without spring and damper: x = 2 + ∫∫F, of a force that jumps and of one that rises within each step.
TEST_P(Exchange, InputsJumpAtPointsAndFollowTheirPolynomialBetween) {
  KitInstance held = oscillator(1e-11, 0.0, 0.0);
  KitInstance rising = oscillator(1e-11, 0.0, 0.0);
  ASSERT_TRUE(held.subsystem && rising.subsystem) << held.said;
  ASSERT_TRUE(held.initialize(0.0, 2.0).ok && rising.initialize(0.0, 2.0).ok);
  double x = 2.0;
  double v = 0.0;
  constexpr double h = 0.1;
  for (int i = 0; i < 20; ++i) {
    const double force = i % 3 - 1.0;
    held.real_in("force") = force;
    ASSERT_TRUE(held.step(i * h, h).ok);
    x += v * h + 0.5 * force * h * h;
    v += force * h;
    EXPECT_NEAR(held.real("position"), x, 1e-8) << i;
    EXPECT_EQ(held.real("twice_force"), 2.0 * force);

    const double ramp[] = {3.0 * i * h, 3.0};
    const StepStatus status = rising.subsystem->step(i * h, h, InputView{ramp, 1, 1});
    ASSERT_TRUE(status.ok) << status.reason;
    rising.real_in("force") = 3.0 * (i + 1) * h;
    rising.outputs((i + 1) * h);
    EXPECT_NEAR(rising.real("position"), 2.0 + 0.5 * std::pow((i + 1) * h, 3), 1e-8) << i;
  }
  // Outputs follow an input that is set between steps, and the state does not.
  const double before = held.real("position");
  held.real_in("force") = 7.0;
  held.outputs(2.0);
  EXPECT_EQ(held.real("twice_force"), 14.0);
  EXPECT_EQ(held.real("position"), before);
}

TEST_P(Exchange, ShowsItsStatesTheirRatesAndDerivativesOfOutputs) {
  KitInstance fmu = oscillator(1e-8, 4.0, 0.5);
  ASSERT_TRUE(fmu.subsystem) << fmu.said;
  ASSERT_TRUE(fmu.initialize().ok);
  StateDerivative* const states = fmu.subsystem->state_derivative();
  ASSERT_NE(states, nullptr);
  EXPECT_EQ(states->state_names(), (std::vector<std::string>{"position", "velocity"}));
  std::array<double, 2> z{};
  states->states(z.data());
  EXPECT_EQ(z, (std::array{2.0, 0.0}));
  z = {0.5, -1.0};
  states->set_states(z.data());
  std::array<double, 2> rates{};
  const double force = 10.0;
  ASSERT_TRUE(states->derivative(0.0, &force, rates.data()));
  EXPECT_EQ(rates[0], -1.0);
  EXPECT_NEAR(rates[1], 10.0 - 4.0 * 0.5 + 0.5 * (1.0 - 0.25) * -1.0, 1e-14);
  fmu.outputs(0.0);
  EXPECT_EQ(fmu.real("position"), 0.5);
  const Differentiable* const d = fmu.subsystem->differentiable();
  ASSERT_NE(d, nullptr);
  std::vector<double> jacobian(fmu.y.size());
  d->output_jacobian(0.0, &force, jacobian.data());
  for (std::size_t i = 0; i < jacobian.size(); ++i)
    EXPECT_EQ(jacobian[i], fmu.description->outputs[i].name == "twice_force" ? 2.0 : 0.0);
}

// Without a damper what comes through the force is what is stored.
TEST_P(Exchange, KeepsAnEnergyAccountWhereTheScenarioMapsIt) {
  ProblemList nothing;
  const auto plain = FmuModel::load(kit_file(model("oscillator")), nothing);
  ForeignOptions o = with_tolerance(1e-10);
  o.energy = EnergyMapping{"energy.stored", "", "", {}, "force", {}};
  KitInstance fmu(model("oscillator"), o, {KitInstance::given(*plain, "mu", 0.0)});
  ASSERT_TRUE(fmu.subsystem) << fmu.said;
  ASSERT_TRUE(fmu.initialize().ok);
  std::vector<double> received(1);
  AccountSample sample;
  sample.received_J = received;
  fmu.outputs(0.0);
  fmu.subsystem->energy_account()->sample({0.0, fmu.u.data(), fmu.u.data()}, sample);
  EXPECT_EQ(sample.stored_J, 2.0);  // ½·1 N/m·(2 m)²
  fmu.real_in("force") = 3.0;
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(fmu.step(i * 0.1, 0.1).ok);
  // x = 3 − cos t
  const double work = 3.0 * (1.0 - std::cos(1.0));
  fmu.subsystem->energy_account()->sample({1.0, fmu.u.data(), fmu.u.data()}, sample);
  EXPECT_NEAR(received[0], work, 1e-8);
}

TEST_P(Exchange, AnInterfaceThatIsNotThereIsRefused) {
  ForeignOptions o = options();
  o.interface = FmuInterfaceKind::co_simulation;
  const KitInstance ball(model("ball"), o);
  EXPECT_FALSE(ball.subsystem);
  EXPECT_NE(ball.said.find("cannot be run by co-simulation"), std::string::npos) << ball.said;
  o.interface = FmuInterfaceKind::model_exchange;
  const KitInstance mass(kit(), o);
  EXPECT_FALSE(mass.subsystem);
  EXPECT_NE(mass.said.find("cannot be run by model exchange"), std::string::npos) << mass.said;
}

}  // namespace
}  // namespace ergon::fmi
