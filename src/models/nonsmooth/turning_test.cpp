// Bodies that turn fast, free and on joints, against the integrals of their motion.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

#include "support/machine_building.hpp"

namespace ergon {
namespace {

using namespace testing_machines;
using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double degree = std::numbers::pi / 180.0;

Vector3d turning_of(const Running& run, std::size_t i) {
  return run.state.velocity.segment<3>(static_cast<Eigen::Index>(6 * i + 3));
}

/// J ω of a body about its centre of mass.
Vector3d spin_of(const Running& run, std::size_t i) {
  const Matrix3d R = run.state.orientation[i].toRotationMatrix();
  return R * (run.machine->bodies[i].inertia * (R.transpose() * turning_of(run, i)));
}

/// Where a continuous function changes its sign, between two places where it has different ones.
double root_between(double low, double high, const std::function<double(double)>& f) {
  const bool rises = f(high) > 0.0;
  for (int i = 0; i < 200; ++i) {
    const double middle = 0.5 * (low + high);
    ((f(middle) > 0.0) == rises ? high : low) = middle;
  }
  return 0.5 * (low + high);
}

// ── The heavy top ───────────────────────────────────────────────────────────────────────────────────────────

struct HeavyTop {
  double mass_kg = 1.0, arm_m = 0.1, across = 2e-3, along = 1e-3, spin_rad_s = 200.0, start_rad = 30 * degree;
  double gravity = 9.81;

  [[nodiscard]] MachineDescription description(TurningRule rule) const {
    MachineDescription machine;
    const Vector3d axis(std::sin(start_rad), 0.0, std::cos(start_rad));
    BodyDescription top = body("top", mass_kg, {across, across, along}, arm_m * axis);
    top.orientation = Eigen::AngleAxisd(start_rad, Vector3d::UnitY());
    top.angular_velocity_rad_s = spin_rad_s * axis;
    machine.bodies = {top};
    machine.joints = {joint("pivot", JointType::spherical, ground_name, "top", Vector3d::Zero())};
    machine.gravity_m_s2 = {0.0, 0.0, -gravity};
    machine.solver.turning = rule;
    return machine;
  }
  /// Let go with its axis at rest it nutates between the roots of
  ///   (I₃ω₃)²(u₀ − u) = 2I₁mgl(1 − u²),   u = cos θ,   I₁ about the pivot
  [[nodiscard]] double lowest_rad() const {
    const double pivot = across + mass_kg * arm_m * arm_m;
    const double p = along * spin_rad_s, u0 = std::cos(start_rad);
    const double a = 2.0 * pivot * mass_kg * gravity * arm_m / (p * p);
    return std::acos((1.0 - std::sqrt(1.0 - 4.0 * a * (u0 - a))) / (2.0 * a));
  }
};

struct Nutation {
  double min_rad = 10.0, max_rad = 0.0;
  double energy = 0.0;    ///< largest |E − E₀|, of half-step velocities, over mgl
  double vertical = 0.0;  ///< largest change of the angular momentum about the vertical, over I₃ω₃
  double axial = 0.0;     ///< the same about its axis
  double gap_m = 0.0;
};

Nutation nutation(const HeavyTop& top, TurningRule rule, double h, double duration_s) {
  Running run(top.description(rule));
  Nutation found;
  const double p = top.along * top.spin_rad_s;
  const double weight = top.mass_kg * top.gravity * top.arm_m;
  const auto axis = [&] { return Vector3d(run.state.orientation[0] * Vector3d::UnitZ()); };
  const auto vertical = [&] {
    return (run.state.position[0].cross(top.mass_kg * run.velocity(0)) + spin_of(run, 0))[2];
  };
  const double energy = run.energy_J(), about_vertical = vertical();
  for (long i = 0; i < std::lround(duration_s / h); ++i) {
    run.step(h);
    if (::testing::Test::HasFatalFailure()) break;
    const double tilt = std::acos(std::clamp(axis()[2], -1.0, 1.0));
    found.min_rad = std::min(found.min_rad, tilt);
    found.max_rad = std::max(found.max_rad, tilt);
    // Velocities are half a step behind: that is half a step of falling.
    const double falling = 0.5 * h * top.mass_kg * top.gravity * run.velocity(0)[2];
    found.energy = std::max(found.energy, std::abs(run.energy_J() - falling - energy) / weight);
    found.vertical = std::max(found.vertical, std::abs(vertical() - about_vertical) / p);
    found.axial = std::max(found.axial, std::abs(spin_of(run, 0).dot(axis()) - p) / p);
    found.gap_m = std::max(found.gap_m, (run.state.position[0] - top.arm_m * axis()).norm());
  }
  return found;
}

TEST(HeavyTopOnAPivot, NutatesBetweenItsTurningPoints) {
  const HeavyTop top;
  EXPECT_NEAR(top.lowest_rad() / degree, 69.56, 0.005);
  double before = 0.0;
  for (const double h : {1e-3, 5e-4, 2.5e-4}) {
    const Nutation found = nutation(top, TurningRule::mean, h, 4.0);
    EXPECT_NEAR(found.min_rad / degree, 30.0, 0.005) << h;
    const double error = std::abs(found.max_rad - top.lowest_rad()) / degree;
    EXPECT_LT(error, 0.5) << h;
    // Second order: half the step leaves a quarter of the error.
    EXPECT_TRUE(before == 0.0 || error < 0.3 * before) << h;
    before = error;
  }
}

TEST(HeavyTopOnAPivot, KeepsEnergyAndAngularMomentum) {
  const HeavyTop top;
  const Nutation mean = nutation(top, TurningRule::mean, 1e-3, 4.0);
  EXPECT_LT(mean.energy, 6e-4);
  EXPECT_LT(mean.vertical, 5e-3);
  EXPECT_LT(mean.axial, 1e-12);
  EXPECT_LT(mean.gap_m, 1e-9);
}

// What the published rule makes of it, which does not have the reaction of the pivot in the gyroscopic torque.
TEST(HeavyTopOnAPivot, IsLostWithTheTurningOfAFreeBody) {
  const HeavyTop top;
  const Nutation end = nutation(top, TurningRule::end, 1e-3, 4.0);
  EXPECT_LT(end.min_rad / degree, 10.0);
  EXPECT_GT(end.max_rad / degree, 80.0);
  EXPECT_GT(end.energy, 1.0);
}

// A pivot does no work: what the energy is off by is an error of the steps, and is not called dissipation.
TEST(HeavyTopOnAPivot, BooksNoDissipationOfAnIdealJoint) {
  for (const TurningRule rule : {TurningRule::mean, TurningRule::end}) {
    Running run(HeavyTop{}.description(rule));
    run.run(0.5, 1e-3);
    EXPECT_EQ(run.state.by_joints_J, 0.0);
  }
}

// ── A rotor in gimbals ──────────────────────────────────────────────────────────────────────────────────────

/// Outer ring about z, inner ring about x, rotor about y. With ψ, θ the angles of the rings, a, b the inertias of the rotor across and along:
///   p_φ = b(φ̇ + ψ̇ sin θ),   p_ψ = D(θ)ψ̇ + p_φ sin θ,   2E' = Bθ̇² + Dψ̇²
///   D = J_o + J_iy sin²θ + (J_iz + a) cos²θ,   B = J_ix + a
struct Gimbals {
  double a = 1e-3, b = 2e-3, outer = 1e-3, start_rad = 0.4, rate_rad_s = 0.5, spin_rad_s = 300.0;
  Vector3d inner{4e-4, 5e-4, 6e-4};

  [[nodiscard]] MachineDescription description(TurningRule rule) const {
    MachineDescription machine;
    machine.gravity_m_s2.setZero();
    machine.solver.turning = rule;
    const Eigen::Quaterniond tilted(Eigen::AngleAxisd(start_rad, Vector3d::UnitX()));
    const Vector3d axis = tilted * Vector3d::UnitY();
    const Vector3d turning(0.0, 0.0, rate_rad_s);
    machine.bodies = {body("outer", 0.3, {8e-4, 9e-4, outer}, Vector3d::Zero()),
                      body("inner", 0.2, inner, Vector3d::Zero()),
                      body("rotor", 1.0, {a, b, a}, Vector3d::Zero())};
    for (BodyDescription& each : machine.bodies) each.angular_velocity_rad_s = turning;
    machine.bodies[1].orientation = machine.bodies[2].orientation = tilted;
    machine.bodies[2].angular_velocity_rad_s += spin_rad_s * axis;
    machine.joints = {
        joint("yaw", JointType::revolute, ground_name, "outer", Vector3d::Zero(), Vector3d::UnitZ()),
        joint("tilt", JointType::revolute, "outer", "inner", Vector3d::Zero(), Vector3d::UnitX()),
        joint("axle", JointType::revolute, "inner", "rotor", Vector3d::Zero(), axis)};
    return machine;
  }
  [[nodiscard]] double D(double theta) const {
    const double s = std::sin(theta), c = std::cos(theta);
    return outer + inner[1] * s * s + (inner[2] + a) * c * c;
  }
  [[nodiscard]] double p_spin() const { return b * (spin_rad_s + rate_rad_s * std::sin(start_rad)); }
  /// The other angle at which the inner ring turns back: Dψ̇² is there what it was, with the other sign of ψ̇.
  [[nodiscard]] double other_turning_point() const {
    const double total = D(start_rad) * rate_rad_s + p_spin() * std::sin(start_rad);
    return root_between(start_rad, start_rad + 0.1, [&](double theta) {
      const double yaw = (total - p_spin() * std::sin(theta)) / D(theta);
      return yaw + rate_rad_s * std::sqrt(D(start_rad) / D(theta));
    });
  }
};

struct RingMotion {
  double yaw_rad_s = 0.0, tilt_rad_s = 0.0;  ///< largest
  double min_rad = 10.0, max_rad = -10.0;
};

RingMotion motion_of(Running& run, double duration_s, double h) {
  RingMotion found;
  for (long i = 0; i < std::lround(duration_s / h); ++i) {
    run.step(h);
    if (::testing::Test::HasFatalFailure()) break;
    found.yaw_rad_s = std::max(found.yaw_rad_s, std::abs(turning_of(run, 0)[2]));
    const Vector3d x = run.state.orientation[0] * Vector3d::UnitX();
    found.tilt_rad_s = std::max(found.tilt_rad_s, std::abs((turning_of(run, 1) - turning_of(run, 0)).dot(x)));
    const Vector3d axis = run.state.orientation[2] * Vector3d::UnitY();
    const double angle = std::asin(std::clamp(axis[2], -1.0, 1.0));
    found.min_rad = std::min(found.min_rad, angle);
    found.max_rad = std::max(found.max_rad, angle);
  }
  return found;
}

// 0.3 rad in a step, and as much of the nutation.
TEST(RotorInGimbals, NutatesWithTheRatesOfItsIntegrals) {
  const Gimbals gimbals;
  Running run(gimbals.description(TurningRule::mean));
  const double energy = run.energy_J();
  const auto momentum = [&] { return Vector3d(spin_of(run, 0) + spin_of(run, 1) + spin_of(run, 2))[2]; };
  const double about_z = momentum();
  const RingMotion found = motion_of(run, 5.0, 1e-3);
  const double tilt =
      gimbals.rate_rad_s * std::sqrt(gimbals.D(gimbals.start_rad) / (gimbals.inner[0] + gimbals.a));
  EXPECT_NEAR(found.yaw_rad_s, gimbals.rate_rad_s, 0.02 * gimbals.rate_rad_s);
  EXPECT_NEAR(found.tilt_rad_s, tilt, 0.02 * tilt);
  const double swing = gimbals.other_turning_point() - gimbals.start_rad;
  EXPECT_NEAR(found.min_rad, gimbals.start_rad, 0.02 * swing);
  EXPECT_NEAR(found.max_rad, gimbals.other_turning_point(), 0.02 * swing);
  EXPECT_NEAR(run.energy_J(), energy, 1e-6 * energy);
  EXPECT_NEAR(momentum(), about_z, 1e-3 * about_z);
}

// One rotor that turns by more than a radian in a step: the rounds still end, and it does not run away.
TEST(RotorInGimbals, StaysBoundedWhereARoundMultipliesErrors) {
  Gimbals gimbals;
  gimbals.spin_rad_s = 1500.0;
  Running run(gimbals.description(TurningRule::mean));
  const RingMotion found = motion_of(run, 1.0, 1e-3);
  EXPECT_LT(found.yaw_rad_s, 5.0 * gimbals.rate_rad_s);
  EXPECT_LT(found.tilt_rad_s, 5.0 * gimbals.rate_rad_s);
}

// ── A rotor beside its axis ─────────────────────────────────────────────────────────────────────────────────

TEST(RotorBesideItsAxis, StaysOnItsJointAndKeepsItsRate) {
  struct Found {
    double gap_m = 0.0, gain_rad_s = 0.0;
  };
  const auto turn = [](TurningRule rule) {
    MachineDescription machine;
    machine.gravity_m_s2.setZero();
    machine.bodies = {body("rotor", 1.0, {0.01, 0.01, 0.02}, {0.5, 0.0, 0.0})};
    machine.bodies[0].angular_velocity_rad_s = {0.0, 0.0, 10.0};
    machine.bodies[0].velocity_m_s = {0.0, 5.0, 0.0};
    machine.joints = {
        joint("axle", JointType::revolute, ground_name, "rotor", Vector3d::Zero(), Vector3d::UnitZ())};
    machine.solver.turning = rule;
    Running run(machine);
    Found found;
    for (int i = 0; i < 1000; ++i) {
      run.step(1e-3);
      found.gap_m = std::max(found.gap_m, std::abs(run.state.position[0].norm() - 0.5));
    }
    found.gain_rad_s = turning_of(run, 0)[2] - 10.0;
    return found;
  };
  const Found mean = turn(TurningRule::mean), end = turn(TurningRule::end);
  // γ = ⅓ takes back what ½h²Ȧv = ½h²·ω²r too much opens: 1.5·1e-6·100·0.5 m.
  EXPECT_NEAR(end.gap_m, 7.5e-5, 0.1e-5);
  EXPECT_LT(mean.gap_m, 2.5e-7);
  EXPECT_LT(14.0 * std::abs(mean.gain_rad_s), end.gain_rad_s);
}

// ── A tumbling body ─────────────────────────────────────────────────────────────────────────────────────────

/// sn, cn, dn of u with parameter m, by descending Landen transformations.
Vector3d jacobi(double u, double m) {
  std::vector<double> a = {1.0}, c = {std::sqrt(m)};
  double b = std::sqrt(1.0 - m);
  while (std::abs(c.back()) > 1e-16 && a.size() < 30) {
    const double mean = 0.5 * (a.back() + b);
    c.push_back(0.5 * (a.back() - b));
    b = std::sqrt(a.back() * b);
    a.push_back(mean);
  }
  double phi = std::ldexp(a.back() * u, static_cast<int>(a.size()) - 1);
  for (std::size_t n = a.size() - 1; n > 0; --n) phi = 0.5 * (phi + std::asin(c[n] / a[n] * std::sin(phi)));
  const double sn = std::sin(phi);
  return {sn, std::cos(phi), std::sqrt(1.0 - m * sn * sn)};
}

// Body rates of a free body with J₁ < J₂ < J₃ and L² < 2EJ₂, from ω₂ = 0 on, after Landau and Lifshitz, Mechanics, § 37:
//   ω₁ = ω₁₀ dn(τ, m),   ω₂ = ω₂ₘ sn(τ, m),   ω₃ = ω₃₀ cn(τ, m)
//   τ = t√((J₂ − J₁)(2EJ₃ − L²)/(J₁J₂J₃)),   m = (J₃ − J₂)(L² − 2EJ₁)/((J₂ − J₁)(2EJ₃ − L²))
TEST(TumblingBody, HasTheRatesOfJacobisFunctions) {
  const Vector3d J(0.1, 0.2, 0.28);
  const Vector3d start(8.0, 0.0, 2.0);
  const double E2 = start.dot(J.cwiseProduct(start));
  const double L2 = J.cwiseProduct(start).squaredNorm();
  ASSERT_LT(L2, E2 * J[1]);
  const double m = (J[2] - J[1]) * (L2 - E2 * J[0]) / ((J[1] - J[0]) * (E2 * J[2] - L2));
  const double rate = std::sqrt((J[1] - J[0]) * (E2 * J[2] - L2) / (J[0] * J[1] * J[2]));
  const double second = std::sqrt((L2 - E2 * J[0]) / (J[1] * (J[1] - J[0])));
  std::vector<double> errors;
  for (const double h : {2e-3, 1e-3, 5e-4}) {
    MachineDescription machine;
    machine.gravity_m_s2.setZero();
    machine.bodies = {body("stone", 1.0, J, Vector3d::Zero())};
    machine.bodies[0].angular_velocity_rad_s = start;
    Running run(machine);
    const double energy = run.energy_J();
    const Vector3d spin = spin_of(run, 0);
    double error = 0.0;
    for (long i = 1; i <= std::lround(2.0 / h); ++i) {
      run.step(h);
      const Vector3d exact_shape = jacobi(rate * h * static_cast<double>(i), m);
      const Vector3d exact(start[0] * exact_shape[2], second * exact_shape[0], start[2] * exact_shape[1]);
      const Vector3d got = run.state.orientation[0].conjugate() * turning_of(run, 0);
      error = std::max(error, (got - exact).norm());
    }
    errors.push_back(error);
    EXPECT_NEAR(run.energy_J(), energy, 1e-9 * energy) << h;
    EXPECT_LT((spin_of(run, 0) - spin).norm(), 10.0 * h * spin.norm()) << h;
  }
  EXPECT_LT(errors[1], 0.02 * start.norm());
  EXPECT_LT(errors[1], 0.6 * errors[0]);
  EXPECT_LT(errors[2], 0.6 * errors[1]);
}

}  // namespace
}  // namespace ergon
