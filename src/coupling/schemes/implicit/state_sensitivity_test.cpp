#include "ergon/coupling/schemes/implicit/state_sensitivity.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/coupled_subsystems.hpp"

namespace ergon {
namespace {

using namespace testing;

/// φ_k(z) = Σ_j z^j/(j + k)! of a number; beyond |z| = 1 by φ_k(z) = (φ_{k−1}(z) − 1/(k − 1)!)/z, from φ_0 = exp.
double phi(int k, double z) {
  if (std::abs(z) < 1.0) {
    long double sum = 0.0L;
    for (int j = 30; j >= 0; --j) sum += std::pow(static_cast<long double>(z), j) / std::tgamma(j + k + 1.0L);
    return static_cast<double>(sum);
  }
  long double value = std::exp(static_cast<long double>(z));
  for (int i = 0; i < k; ++i) value = (value - 1.0L / std::tgamma(i + 1.0L)) / z;
  return static_cast<double>(value);
}

/// Two inputs, of which the second has no effect.
std::vector<double> change_of_states(const DirectionalDerivatives& subsystem,
                                     const std::vector<double>& polynomial, double H_s) {
  const double u[] = {0.0, 0.0};
  std::vector<double> change;
  for (const double coefficient : polynomial) change.insert(change.end(), {coefficient, 3.0});
  std::vector<double> states(subsystem.state_count());
  StateSensitivity(5, 2, 2).compute(0, subsystem, 0.0, u, 2, change.data(), 2,
                                    static_cast<int>(polynomial.size()) - 1, H_s, SensitivitySeries::all,
                                    states);
  return states;
}

/// ẋ = rate·x + u
class ScalarDerivatives final : public DirectionalDerivatives {
 public:
  explicit ScalarDerivatives(double rate) : rate_(rate) {}
  [[nodiscard]] std::size_t state_count() const override { return 1; }
  void directional_derivative(double /*t*/, const double* /*u*/, const double* state_change,
                              const double* input_change, double* rate_change,
                              double* output_change) const override {
    rate_change[0] = rate_ * state_change[0] + input_change[0];
    output_change[0] = state_change[0];
  }

 private:
  double rate_;
};

/// Counts what it is asked for; its rate can be changed.
class CountedDerivatives final : public DirectionalDerivatives {
 public:
  [[nodiscard]] std::size_t state_count() const override { return 1; }
  void directional_derivative(double /*t*/, const double* /*u*/, const double* state_change,
                              const double* input_change, double* rate_change,
                              double* output_change) const override {
    ++asked;
    rate_change[0] = rate * state_change[0] + input_change[0];
    output_change[0] = state_change[0];
  }
  double rate = -100.0;
  mutable int asked = 0;
};

/// m·a = force − c·v with states (position, velocity); steps are exact for a force along a straight line.
class DampedMass final : public Rewinding, public DirectionalDerivatives {
 public:
  DampedMass(double mass_kg, double damping_Ns_m, double position_m = 0.0)
      : m_(mass_kg), c_(damping_Ns_m), start_(position_m) {}
  [[nodiscard]] Description describe() const override {
    Description d;
    d.inputs = {scalar("force")};
    d.outputs = {scalar("position"), scalar("velocity")};
    return d;
  }
  StepStatus initialize(const Experiment& /*experiment*/) override {
    state_ = {start_, 0.0};
    return {};
  }
  StepStatus step(double /*t*/, double h, const InputView& u) override {
    const double z = -c_ * h / m_;
    const double constant = u(0, 0.0) / m_;
    const double slope = (u(0, h) - u(0, 0.0)) / (m_ * h);
    const double v = state_[1];
    state_[0] += h * phi(1, z) * v + h * h * phi(2, z) * constant + h * h * h * phi(3, z) * slope;
    state_[1] = phi(0, z) * v + h * phi(1, z) * constant + h * h * phi(2, z) * slope;
    return {};
  }
  void outputs(double /*t*/, const double* /*u*/, double* y) override {
    y[0] = state_[0];
    y[1] = state_[1];
  }
  [[nodiscard]] const DirectionalDerivatives* directional_derivatives() const override { return this; }
  [[nodiscard]] std::size_t state_count() const override { return 2; }
  void directional_derivative(double /*t*/, const double* /*u*/, const double* state_change,
                              const double* input_change, double* rate_change,
                              double* output_change) const override {
    rate_change[0] = state_change[1];
    rate_change[1] = (input_change[0] - c_ * state_change[1]) / m_;
    output_change[0] = state_change[0];
    output_change[1] = state_change[1];
  }

 private:
  double m_;
  double c_;
  double start_;
};

// ∂x(H) = Σ_d d! H^{d+1} φ_{d+1}(H·rate) b_d, from slow through stiff to unstable.
TEST(StateSensitivity, OfAScalarIsThatOfThePhiFunctions) {
  constexpr double H = 0.01;
  for (const double rate : {0.0, -1e-3, -1.0, -80.0, -1e3, -1e5, -1e10, 30.0, 1e3}) {
    const ScalarDerivatives scalar(rate);
    for (const std::vector<double>& b :
         {std::vector{2.0}, {0.0, 70.0}, {0.0, 0.0, 5e3}, {1.0, -50.0, 3e3}, {1.0, 90.0, 0.0, 2e6}}) {
      double expected = 0.0;
      for (std::size_t d = 0; d < b.size(); ++d) {
        const int power = static_cast<int>(d) + 1;
        expected += std::tgamma(power) * std::pow(H, power) * phi(power, H * rate) * b[d];
      }
      EXPECT_NEAR(change_of_states(scalar, b, H)[0] / expected, 1.0, 1e-13) << rate << " " << b.size();
    }
  }
}

// ∂v(H) = Σ_d d! H^{d+1} φ_{d+1}(−cH/m) b_d/m, ∂x(H) = Σ_d d! H^{d+2} φ_{d+2}(−cH/m) b_d/m.
TEST(StateSensitivity, OfADampedMassIsRightHoweverStiff) {
  constexpr double H = 0.01;
  constexpr double m = 1.0;
  for (const double c : {0.0, 1.0, 1e2, 1e4, 1e5, 1e8, 1e10}) {
    const DampedMass mass(m, c);
    for (const std::vector<double>& b : {std::vector{1.0}, {0.0, 100.0}, {0.0, 50.0, 5e3}}) {
      double position = 0.0;
      double velocity = 0.0;
      for (std::size_t d = 0; d < b.size(); ++d) {
        const int power = static_cast<int>(d) + 1;
        const double factor = std::tgamma(power) * std::pow(H, power) * b[d] / m;
        velocity += factor * phi(power, -c * H / m);
        position += factor * H * phi(power + 1, -c * H / m);
      }
      const auto states = change_of_states(mass, b, H);
      EXPECT_NEAR(states[0] / position, 1.0, 1e-13) << c << " " << b.size();
      EXPECT_NEAR(states[1] / velocity, 1.0, 1e-13) << c << " " << b.size();
    }
  }
}

TEST(StateSensitivity, LinearisesEachSubsystemOncePerJacobian) {
  constexpr double H = 0.01;
  const double u = 0.0;
  const double change = 1.0;
  CountedDerivatives first;
  CountedDerivatives second;
  second.rate = -300.0;
  StateSensitivity sensitivity(1, 1, 1);
  const auto of = [&](std::size_t member, const CountedDerivatives& subsystem) {
    double state = 0.0;
    sensitivity.compute(member, subsystem, 0.0, &u, 1, &change, 1, 0, H, SensitivitySeries::all, {&state, 1});
    return state;
  };
  sensitivity.begin();
  for (int column = 0; column < 3; ++column) {
    EXPECT_NEAR(of(4, first), H * phi(1, -1.0), 1e-16);
    EXPECT_NEAR(of(1, second), H * phi(1, -3.0), 1e-16);
  }
  EXPECT_EQ(first.asked, 1 + 3);  // the state, and the input for every column
  first.rate = -200.0;
  sensitivity.begin();
  EXPECT_NEAR(of(4, first), H * phi(1, -2.0), 1e-16);
  EXPECT_EQ(first.asked, 4 + 2);
}

// The coupled step is linear: one Newton step solves it, if the Jacobian is right. With c = 10⁵ N s/m and k = 10⁷ N/m a
// position follows the force in a step by about 1/k.
TEST(StateSensitivity, StiffSubsystemsAreCoupledAsByFiniteDifferences) {
  const auto positions = [](const char* jacobian) {
    Simulation sim;
    sim.options.scheme = "semi-implicit";
    sim.options.degree = 1;
    sim.options.implicit.update = jacobian;
    sim.graph.add("one", std::make_unique<DampedMass>(1.0, 1e5, 1.0), milliseconds(10));
    sim.graph.add("two", std::make_unique<DampedMass>(1.0, 1e5, -0.5), milliseconds(10));
    sim.graph.add_element("spring",
                          std::make_unique<Law>([](double x1, double x2) { return 1e7 * (x2 - x1); }));
    sim.connect("one.position", "spring.u1");
    sim.connect("two.position", "spring.u2");
    sim.connect("spring.y", "one.force");
    ConnectionSpec reaction;
    reaction.from = {"spring.y"};
    reaction.to = "two.force";
    reaction.gain = -1.0;
    sim.graph.connect(std::move(reaction));
    std::vector<double> seen;
    sim.start("0.2");
    while (sim.advance()) seen.push_back(sim.output("one.position"));
    return seen;
  };
  const auto by_difference = positions("finite-difference");
  const auto by_derivative = positions("directional");
  ASSERT_EQ(by_difference.size(), by_derivative.size());
  for (std::size_t i = 0; i < by_difference.size(); ++i) {
    EXPECT_NEAR(by_derivative[i], by_difference[i], 1e-7) << i;
  }
  // Both creep to the middle of where they started.
  EXPECT_NEAR(by_derivative.back(), 0.25, 1e-4);
}

}  // namespace
}  // namespace ergon
