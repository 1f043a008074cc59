// Two links in natural coordinates, as a crane would be: the points Q and P, two constant lengths, distributed and point
// masses, an actuator between the ground and the middle of link 1. Against the same mechanism in minimal coordinates.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "ergon/models/constrained/constrained_subsystem.hpp"
#include "support/model_making.hpp"

namespace ergon {
namespace {

using namespace testing_models;
using Eigen::Vector2d;

constexpr double links_g = 9.81;
constexpr double l1 = 1.0, l2 = 0.5, m1 = 20.0, m2 = 10.0,
                 m3 = 30.0;                      // link 1 uniform, point masses at Q and P
const Vector2d base(0.5 * std::sqrt(3.0), 0.0);  // where the actuator is pinned
constexpr double theta1 = M_PI / 6.0, theta2 = 1.4 * M_PI;

/// q = [Q, P]; the input is the force of the actuator, > 0 extends it.
class TwoLinks final : public ConstrainedModel {
 public:
  explicit TwoLinks(bool redundant = false) : ConstrainedModel(masses(), links(redundant)) {}

  [[nodiscard]] Description describe() const override {
    Description description;
    description.inputs = {{"force", Unit::of("N"), 1, "of the actuator"}};
    description.outputs = {{"q", Unit::of("m"), 4, "Q and P"}};
    return description;
  }
  void forces(const double* u, const double* q, const double* /*v*/, double* Q) const override {
    const Vector2d along = direction(q);
    Q[0] = 0.5 * u[0] * along[0];
    Q[1] = 0.5 * u[0] * along[1] - (0.5 * m1 + m2) * links_g;
    Q[2] = 0.0;
    Q[3] = -m3 * links_g;
  }
  void powers(const double* u, const double* /*u_rate*/, const double* q, const double* /*v*/,
              const double* v_work, Tell tell) const override {
    tell(1, 0.5 * u[0] * direction(q).dot(Vector2d(v_work[0], v_work[1])));
  }
  [[nodiscard]] Momentum momentum(const double* /*q*/, const double* /*v*/) const override { return {}; }
  [[nodiscard]] double stored_J(const double* /*u*/, const double* q, const double* v) const override {
    const Eigen::Map<const Eigen::Vector4d> rates(v);
    return 0.5 * rates.dot(mass() * rates) + links_g * ((0.5 * m1 + m2) * q[1] + m3 * q[3]);
  }
  void outputs(const double* /*u*/, const double* q, const double* /*v*/, double* y) const override {
    std::copy_n(q, 4, y);
  }
  void output_jacobian(const double* /*u*/, const double* /*q*/, const double* /*v*/,
                       double* jacobian) const override {
    std::fill_n(jacobian, 4, 0.0);
  }

 private:
  static Eigen::MatrixXd masses() {
    return Eigen::Vector4d(m1 / 3.0 + m2, m1 / 3.0 + m2, m3, m3).asDiagonal();
  }
  static ConstraintSet links(bool redundant) {
    const VectorOf Q = VectorOf::coordinates(0);
    ConstraintSet constraints(2);
    constraints.constant_length({Q, VectorOf::fixed({0.0, 0.0, 0.0})}, l1);
    constraints.constant_length({VectorOf::coordinates(2), Q}, l2);
    if (redundant) constraints.constant_length({Q, VectorOf::fixed({0.0, 0.0, 0.0})}, l1);
    return constraints;
  }
  static Vector2d direction(const double* q) {
    return (Vector2d(0.5 * q[0], 0.5 * q[1]) - base).normalized();
  }
};

double actuator_N(double t) {
  return 3000.0 + 2000.0 * std::sin(3.0 * t);
}

/// θ₁, θ₂ against x, by the classical Runge-Kutta method:
///   M11 = m1 l1²/3 + (m2 + m3) l1²,   M12 = m3 l1 l2 cos(θ1 − θ2),   M22 = m3 l2²
std::array<double, 4> minimal_coordinates(double duration_s) {
  using State = std::array<double, 4>;
  const auto rates = [](double t, const State& z) {
    const double c = std::cos(z[0] - z[1]), s = std::sin(z[0] - z[1]);
    const double M11 = m1 * l1 * l1 / 3.0 + (m2 + m3) * l1 * l1, M12 = m3 * l1 * l2 * c, M22 = m3 * l2 * l2;
    const Vector2d middle(0.5 * l1 * std::cos(z[0]), 0.5 * l1 * std::sin(z[0]));
    const Vector2d push = actuator_N(t) * (middle - base).normalized();
    const double f1 = -m3 * l1 * l2 * s * z[3] * z[3] - (0.5 * m1 + m2 + m3) * links_g * l1 * std::cos(z[0]) +
                      middle[0] * push[1] - middle[1] * push[0];
    const double f2 = m3 * l1 * l2 * s * z[2] * z[2] - m3 * links_g * l2 * std::cos(z[1]);
    const double det = M11 * M22 - M12 * M12;
    return State{z[2], z[3], (M22 * f1 - M12 * f2) / det, (M11 * f2 - M12 * f1) / det};
  };
  const auto moved = [](const State& z, double h, const State& rate) {
    State result = z;
    for (std::size_t i = 0; i < 4; ++i) result[i] += h * rate[i];
    return result;
  };
  State z = {theta1, theta2, 0.0, 0.0};
  constexpr double h = 1e-4;
  const long steps = std::lround(duration_s / h);
  for (long n = 0; n < steps; ++n) {
    const double t = static_cast<double>(n) * h;
    const State k1 = rates(t, z), k2 = rates(t + h / 2, moved(z, h / 2, k1)),
                k3 = rates(t + h / 2, moved(z, h / 2, k2)), k4 = rates(t + h, moved(z, h, k3));
    for (std::size_t i = 0; i < 4; ++i) z[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  }
  return z;
}

/// Distance of P from where it should be at the end, and how far the books were from closing at worst.
struct Errors {
  double position_m = 0.0;
  double books_J = 0.0;
};

Errors simulate(NativeMethod method, double h, bool redundant = false) {
  constexpr double duration_s = 1.0;
  ConstrainedIntegration options;
  options.integration.method = method;
  options.integration.step_s = h;
  const Vector2d Q(l1 * std::cos(theta1), l1 * std::sin(theta1));
  const Vector2d P = Q + l2 * Vector2d(std::cos(theta2), std::sin(theta2));
  const std::array<double, 4> q = {Q[0], Q[1], P[0], P[1]}, v = {};
  ConstrainedSubsystem links(std::make_unique<TwoLinks>(redundant), options, q, v);
  const double start_J = balance_J(links, {0.0});
  double worst_J = 0.0;
  const long steps = std::lround(duration_s / h);
  for (long n = 0; n < steps; ++n) {
    const double t = static_cast<double>(n) * h;
    const double coefficients[] = {actuator_N(t), (actuator_N(t + h) - actuator_N(t)) / h};
    EXPECT_TRUE(links.step(t, h, InputView{coefficients, 1, 1}).ok);
    worst_J = std::max(worst_J, std::abs(balance_J(links, {0.0}) - start_J));
  }
  const auto z = minimal_coordinates(duration_s);
  const Vector2d exact(l1 * std::cos(z[0]) + l2 * std::cos(z[1]), l1 * std::sin(z[0]) + l2 * std::sin(z[1]));
  return {(links.q().tail<2>() - exact).norm(), worst_J};
}

TEST(TwoLinks, Index3IsTheMinimalCoordinateMotionToOrderTwo) {
  const Errors coarse = simulate(NativeMethod::newmark, 2e-3);
  const Errors fine = simulate(NativeMethod::newmark, 1e-3);
  EXPECT_LT(fine.position_m, 1e-3);
  EXPECT_NEAR(std::log2(coarse.position_m / fine.position_m), 2.0, 0.2);
  EXPECT_NEAR(std::log2(coarse.books_J / fine.books_J), 2.0, 0.2);
}

TEST(TwoLinks, AccelerationLevelIsTheMinimalCoordinateMotionToOrderOne) {
  const Errors coarse = simulate(NativeMethod::semi_implicit_euler, 5e-4);
  const Errors fine = simulate(NativeMethod::semi_implicit_euler, 2.5e-4);
  EXPECT_LT(fine.position_m, 1e-2);
  EXPECT_NEAR(std::log2(coarse.position_m / fine.position_m), 1.0, 0.2);
  EXPECT_NEAR(std::log2(coarse.books_J / fine.books_J), 1.0, 0.2);
}

TEST(TwoLinks, AConstraintThatIsThereTwiceChangesNothing) {
  for (const NativeMethod method : {NativeMethod::newmark, NativeMethod::semi_implicit_euler}) {
    const Errors once = simulate(method, 1e-3);
    const Errors twice = simulate(method, 1e-3, true);
    EXPECT_NEAR(twice.position_m, once.position_m, 1e-8);
    EXPECT_NEAR(twice.books_J, once.books_J, 1e-5);
  }
}

}  // namespace
}  // namespace ergon
