// What a pair of masses on a stiff spring shows at its interface, against what it is.
#include "ergon/verdict/principal_axis.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace ergon {
namespace {

/// Both ends move as sines of one frequency: ξ̇ = f = cos(ωt + ψ) and ẋ₁ = v₁ = V cos(ωt + ψ + φ), on a spring of 10⁴ N/m. The damper is
/// the largest whose start-up, 11.5 c_c/k_c, is next to nothing of the run.
struct KnownAxis {
  static constexpr double k_c = 1e4, c_c = 1.9;
  static constexpr double omega = 2.0 * std::numbers::pi * 4.0, V = 2.5, phi = 1.2, psi = 0.3;
  static constexpr double H = 1e-4;
  static constexpr int steps = 50000;  ///< twenty periods
  double f(double t) const { return std::cos(omega * t + psi); }
  double xi(double t) const { return std::sin(omega * t + psi) / omega; }
  double v1(double t) const { return V * std::cos(omega * t + psi + phi); }
  double x1(double t) const { return V * std::sin(omega * t + psi + phi) / omega; }
  double e(double t) const { return k_c * (x1(t) - xi(t)) + c_c * (v1(t) - f(t)); }

  /// `held`: both ends get what was right at the start of their steps.
  PrincipalAxis seen(bool held, PrincipalAxis::OwnSteps own) const {
    PrincipalAxis axis(k_c, c_c, own);
    // A step is observed when the point after it is known: one more.
    for (int k = 0; k <= steps + 1; ++k) {
      const double t = k * H;
      const double applied = held && k > 0 ? t - H : t;
      axis.observe({xi(t), f(t), e(t), xi(t), f(t), e(applied), xi(applied), f(applied)}, k > 0 ? H : 0.0, 0);
    }
    return axis;
  }
  static constexpr double end_s = steps * H;
};

const PrincipalAxis::Side flow_side{{2.0, 3.0, 90.0, 5.0}, 0.0, 0.0};
const PrincipalAxis::Side effort_side{{1.5, 0.7, 50.0, -4.0}, 0.0, 0.0};

// Over whole periods ∫f² = T/2, ∫v₁² = V² T/2, ∫(v₁ − f)² = (V² + 1 − 2V cos φ) T/2.
TEST(PrincipalAxis, EnergiesAreThoseOfTheMassesAndSprings) {
  const KnownAxis known;
  const double T = known.end_s;
  const double xi = known.xi(T), f = known.f(T), x1 = known.x1(T), v1 = known.v1(T);
  const auto energies = known.seen(false, {}).energies(0, flow_side, effort_side);
  ASSERT_TRUE(energies.known);
  EXPECT_NEAR(energies.kinetic_J, 0.5 * 2.0 * f * f + 0.5 * 1.5 * v1 * v1, 1e-5);
  const double potential = 0.5 * 90.0 * xi * xi - 5.0 * xi + 0.5 * 50.0 * x1 * x1 + 4.0 * x1 +
                           0.5 * known.k_c * (x1 - xi) * (x1 - xi);
  EXPECT_NEAR(energies.potential_J, potential, 1e-5 * potential);
  const double cosine = std::cos(known.phi);
  const double lost =
      0.5 * T *
      (3.0 + 0.7 * known.V * known.V + known.c_c * (known.V * known.V + 1.0 - 2.0 * known.V * cosine));
  EXPECT_NEAR(energies.lost_J, lost, 1e-3 * lost);
  // Nothing is held, so nothing is created; the windows that follow are empty.
  const double passed = known.k_c * T;
  EXPECT_NEAR(energies.created_J, 0.0, 1e-7 * passed);
  EXPECT_FALSE(known.seen(false, {}).energies(1, flow_side, effort_side).known);
}

// Held for a step, an effort is late by half of it on average, and so is a displacement:
//   ΔL = −(H/2) ∫ ė f dt − (H/2) ∫ (k_c f + c_c ḟ) v₁ dt,   ė = k_c (v₁ − f) + c_c (v̇₁ − ḟ)
// With ∫v₁f = ½V cos φ T, ∫v̇₁f = −∫v₁ḟ = −½ωV sin φ T and ∫f² = T/2 that is (H/2) T [k_c (½ − V cos φ) + c_c ½ωV sin φ − c_c ½ωV sin φ].
TEST(PrincipalAxis, HeldEffortsAndMotionsCreateWhatTheirDelayMakesOfThem) {
  const KnownAxis known;
  const double T = known.end_s;
  // What is not seen of the start-up, and lines for curves: H/6 between the middle of a step and where its products are taken.
  const double startup = 12.0 * known.c_c / known.k_c * 0.5 * known.H * known.k_c * (1.0 + known.V);
  const double lines = known.H * known.H / 12.0 * known.k_c * 0.5 * known.omega * known.V * T;
  const double tolerance = startup + lines;
  const double created = 0.5 * known.H * T * known.k_c * (0.5 - known.V * std::cos(known.phi));
  EXPECT_NEAR(known.seen(true, {}).energies(0, flow_side, effort_side).created_J, created, tolerance);
  // Who samples at the start of its steps anyway has no delay of its own: that part is gone, for each end.
  const double by_effort = -0.5 * known.H * T *
                           (known.k_c * (0.5 * known.V * std::cos(known.phi) - 0.5) -
                            0.5 * known.c_c * known.omega * known.V * std::sin(known.phi));
  const auto created_of = [&](PrincipalAxis::OwnSteps own) {
    return known.seen(true, own).energies(0, flow_side, effort_side).created_J;
  };
  EXPECT_NEAR(created_of({0.0, 1.0}), by_effort, tolerance);
  EXPECT_NEAR(created_of({1.0, 0.0}), created - by_effort, tolerance);
  EXPECT_NEAR(created_of({1.0, 1.0}), 0.0, tolerance);
}

// The velocity of who samples at the start is late by half a step: f + (H/2)(e + e₂ − k₂ξ − c₂f)/m₂.
TEST(PrincipalAxis, ALateVelocityIsBroughtToTheTimeOfItsPosition) {
  const KnownAxis known;
  const double T = known.end_s;
  const double acceleration = (known.e(T) + 5.0 - 90.0 * known.xi(T) - 3.0 * known.f(T)) / 2.0;
  const double f = known.f(T) + 0.5 * known.H * acceleration;
  const double late = 0.5 * 2.0 * known.f(T) * known.f(T);
  const double kinetic = 0.5 * 2.0 * f * f + 0.5 * 1.5 * known.v1(T) * known.v1(T);
  ASSERT_GT(std::abs(0.5 * 2.0 * f * f - late), 1e-3 * late) << "the lag must matter";
  EXPECT_NEAR(known.seen(true, {1.0, 0.0}).energies(0, flow_side, effort_side).kinetic_J, kinetic,
              1e-5 * kinetic);
}

// Two masses of 1 and 2 kg on springs of 50 and 90 N/m, coupled by 10⁴ N/m, step by step by the rule of Störmer and Verlet: from
// what their interface shows, masses and springs come out again, and their energy is what it was at the start.
TEST(PrincipalAxis, FindsMassesAndSpringsOfAPairOnAStiffSpring) {
  constexpr double m1 = 1.0, m2 = 2.0, k1 = 50.0, k2 = 90.0, k_c = 1e4, H = 1e-4;
  constexpr int substeps = 20;
  double x1 = 0.02, xi = 0.02, v1 = 1.0, f = -0.5;
  const auto pull = [&] { return k_c * (x1 - xi); };  // on the flow_source
  const auto kick = [&](double dt) {
    const double e = pull();
    v1 += dt * (-e - k1 * x1) / m1;
    f += dt * (e - k2 * xi) / m2;
  };
  const auto energy = [&] {
    return 0.5 * (m1 * v1 * v1 + m2 * f * f + k1 * x1 * x1 + k2 * xi * xi + k_c * (x1 - xi) * (x1 - xi));
  };
  const double start_J = energy();
  PrincipalAxis axis(k_c, 0.0, {});
  for (int k = 0; k <= 20000; ++k) {
    axis.observe({xi, f, pull(), xi, f, pull(), xi, f}, k > 0 ? H : 0.0, k > 10000 ? 1 : 0);
    for (int s = 0; s < substeps; ++s) {
      const double dt = H / substeps;
      kick(0.5 * dt);
      x1 += dt * v1;
      xi += dt * f;
      kick(0.5 * dt);
    }
  }
  const PrincipalAxis::Side flow_source = axis.flow_source();
  const PrincipalAxis::Side effort_source = axis.effort_source();
  EXPECT_NEAR(flow_source.figures[0], m2, 1e-3 * m2);
  EXPECT_NEAR(flow_source.figures[2], k2, 1e-2 * k2);
  EXPECT_NEAR(effort_source.figures[0], m1, 1e-3 * m1);
  EXPECT_NEAR(effort_source.figures[2], k1, 1e-2 * k1);
  EXPECT_LT(flow_source.rest, 1e-6 * flow_source.square);
  EXPECT_LT(effort_source.rest, 1e-6 * effort_source.square);
  for (const std::size_t window : {0U, 1U}) {
    const auto energies = axis.energies(window, flow_source, effort_source);
    EXPECT_NEAR(energies.kinetic_J + energies.potential_J, start_J, 1e-3 * start_J) << window;
    EXPECT_NEAR(energies.created_J, 0.0, 1e-4 * start_J) << window;
    EXPECT_NEAR(energies.lost_J, 0.0, 1e-3 * start_J) << window;
  }
}

}  // namespace
}  // namespace ergon
