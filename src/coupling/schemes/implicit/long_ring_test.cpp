// Many coupling variables: the Jacobian of the interface has the pattern of the graph.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "ergon/coupling/schemes/implicit/interface_jacobian.hpp"
#include "ergon/coupling/state/snapshot.hpp"
#include "support/coupled_subsystems.hpp"

namespace ergon {
namespace {

using namespace testing;

constexpr int ring_size = 90;
static_assert(ring_size > InterfaceJacobian::most_dense);
constexpr double gain = 7.0;
/// Whom everyone reads.
enum class Reads { next, both_neighbours };

/// ẋ = −x + u with the trapezoidal rule, u along a straight line.
class TrapezoidalLag final : public Rewinding, public DirectionalDerivatives {
 public:
  explicit TrapezoidalLag(double x0) : x0_(x0) {}
  [[nodiscard]] Description describe() const override {
    Description d;
    d.inputs = {scalar("u")};
    d.outputs = {scalar("x")};
    return d;
  }
  StepStatus initialize(const Experiment& /*experiment*/) override {
    state_ = {x0_};
    return {};
  }
  StepStatus step(double /*t*/, double h, const InputView& u) override {
    state_[0] = (state_[0] * (1.0 - 0.5 * h) + 0.5 * h * (u(0, 0.0) + u(0, h))) / (1.0 + 0.5 * h);
    return {};
  }
  void outputs(double /*t*/, const double* /*u*/, double* y) override { y[0] = state_[0]; }
  [[nodiscard]] const DirectionalDerivatives* directional_derivatives() const override { return this; }
  [[nodiscard]] std::size_t state_count() const override { return 1; }
  void directional_derivative(double /*t*/, const double* /*u*/, const double* state_change,
                              const double* input_change, double* rate_change,
                              double* output_change) const override {
    rate_change[0] = input_change[0] - state_change[0];
    output_change[0] = state_change[0];
  }

 private:
  double x0_;
};

double start_of(int i) {
  return std::sin(0.3 * i);
}

/// Everyone reads the next one, and maybe the one before as well.
struct CoupledRing {
  Simulation sim;
  CoupledRing(const std::string& scheme, const std::string& update, Reads reads = Reads::next) {
    sim.options.scheme = scheme;
    sim.options.degree = 1;
    sim.options.implicit.update = update;
    sim.options.implicit.tolerance = 1e-13;
    for (int i = 0; i < ring_size; ++i)
      sim.graph.add(name(i), std::make_unique<TrapezoidalLag>(start_of(i)), milliseconds(10));
    for (int i = 0; i < ring_size; ++i) {
      ConnectionSpec spec;
      spec.from = {name((i + 1) % ring_size) + ".x"};
      if (reads == Reads::both_neighbours) spec.from.push_back(name((i + ring_size - 1) % ring_size) + ".x");
      spec.to = name(i) + ".u";
      spec.gain = gain;
      sim.graph.connect(std::move(spec));
    }
  }
  static std::string name(int i) { return "lag_" + std::to_string(100 + i); }
  [[nodiscard]] std::vector<double> values() const {
    std::vector<double> all;
    for (int i = 0; i < ring_size; ++i) all.push_back(sim.output(name(i) + ".x"));
    return all;
  }
};

/// The trapezoidal rule for all together: (1 − H/2 A) x₁ = (1 + H/2 A) x₀, solved densely.
Eigen::VectorXd ring_by_trapezoids(int steps, Reads reads = Reads::next) {
  Eigen::MatrixXd A = -Eigen::MatrixXd::Identity(ring_size, ring_size);
  Eigen::VectorXd x(ring_size);
  for (int i = 0; i < ring_size; ++i) {
    A(i, (i + 1) % ring_size) = gain;
    if (reads == Reads::both_neighbours) A(i, (i + ring_size - 1) % ring_size) = gain;
    x[i] = start_of(i);
  }
  const Eigen::MatrixXd one = Eigen::MatrixXd::Identity(ring_size, ring_size);
  const Eigen::PartialPivLU<Eigen::MatrixXd> left(one - 0.005 * A);
  for (int n = 0; n < steps; ++n) x = left.solve((one + 0.005 * A) * x).eval();
  return x;
}

class LongRing : public ::testing::TestWithParam<std::string> {};

TEST_P(LongRing, ConvergesToTheSolutionOfTheCoupledStep) {
  CoupledRing ring("implicit", GetParam());
  ring.sim.run("0.2");
  const Eigen::VectorXd exact = ring_by_trapezoids(20);
  const std::vector<double> ours = ring.values();
  for (int i = 0; i < ring_size; ++i)
    EXPECT_NEAR(ours[static_cast<std::size_t>(i)], exact[i], 1e-10 * exact.cwiseAbs().maxCoeff()) << i;
}

// A linear step is solved by one step of Newton's method, if the factors are those of ∂g/∂u: iterations hide where they are not.
// (Directional derivatives are those of the equations, not of the rule that integrates them.)
TEST(LinearRing, IsSolvedByOneStepOfNewtonsMethod) {
  const Eigen::VectorXd exact = ring_by_trapezoids(20, Reads::both_neighbours);
  for (const char* const update : {"finite-difference", "frozen"}) {
    CoupledRing ring("semi-implicit", update, Reads::both_neighbours);
    ring.sim.run("0.2");
    const std::vector<double> ours = ring.values();
    for (int i = 0; i < ring_size; ++i)
      EXPECT_NEAR(ours[static_cast<std::size_t>(i)], exact[i], 1e-8 * exact.cwiseAbs().maxCoeff()) << i;
  }
}

TEST_P(LongRing, ARestoredEngineRepeatsBitForBit) {
  CoupledRing ring("semi-implicit", GetParam());
  ring.sim.start("1");
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(ring.sim.advance());
  Snapshot snapshot = ring.sim.engine->make_snapshot();
  ring.sim.engine->save(snapshot);
  const auto look = [&] {
    for (int i = 0; i < 4; ++i) EXPECT_TRUE(ring.sim.advance());
    return ring.values();
  };
  const auto first = look();
  ring.sim.engine->restore(snapshot);
  EXPECT_EQ(look(), first);
}

INSTANTIATE_TEST_SUITE_P(Jacobians, LongRing,
                         ::testing::Values("finite-difference", "directional", "frozen", "broyden"),
                         [](const ::testing::TestParamInfo<std::string>& param) {
                           std::string name = param.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace ergon
