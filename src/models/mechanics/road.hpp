#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "ergon/core/subsystem.hpp"
#include "ergon/models/registry.hpp"

namespace ergon {

/// The profile of a random road by class of ISO 8608: a sum of waves whose displacement spectrum over the spatial frequency n is
///   G(n) = G(n₀) (n/n₀)⁻²,   n₀ = 0.1 cycles/m,   G(n₀) = 16, 64, 256, … · 10⁻⁶ m³ for classes A, B, C, … H
///   z(s) = w(s) Σ aₖ cos(2π nₖ s + φₖ),   aₖ = √(2 G(nₖ) Δnₖ)
/// Frequencies are spaced evenly on a logarithmic scale, phases come from a generator with a seed: the same seed is the same road
/// on every machine. w grows from 0 to 1 over the run-up with slope 0 at both ends, so that a vehicle starts on level ground.
class RoadProfile {
 public:
  struct Parameters {
    double roughness_m3 = 256e-6;  ///< G(n₀)
    double lowest_1_m = 0.011;     ///< frequencies, in cycles per metre
    double highest_1_m = 2.83;
    std::size_t waves = 200;
    std::uint64_t seed = 1;
    double run_up_m = 5.0;
  };
  explicit RoadProfile(const Parameters& parameters);
  /// z and dz/ds
  struct Height {
    double height_m = 0.0;
    double slope = 0.0;
  };
  [[nodiscard]] Height at(double s_m) const;

 private:
  struct Wave {
    double amplitude_m, wave_number_rad_m, phase_rad;
  };
  std::vector<Wave> waves_;
  double run_up_m_;
};

/// A wheel's contact point on a road that is driven over with a constant speed.
///   ṡ = V,   position z(s),   velocity V dz/ds
/// The road is rigid: it moves as it does, and the force that a tyre exerts on it is an input so that the work it does (V dz/ds times that
/// force) is booked, as dissipated where the road takes it, as supplied where the road gives it.
///   state    s
///   inputs   force
///   outputs  position, velocity, distance
class Road {
 public:
  Road(std::shared_ptr<const RoadProfile> profile, double speed_m_s)
      : profile_(std::move(profile)), speed_m_s_(speed_m_s) {}

  static constexpr std::size_t position_count() { return 1; }
  static constexpr std::size_t velocity_count() { return 0; }
  static constexpr std::size_t input_count() { return 1; }
  static constexpr bool supplies() { return true; }
  [[nodiscard]] Description describe() const;
  void position_rates(const double* /*q*/, const double* /*v*/, double* q_dot) const {
    q_dot[0] = speed_m_s_;
  }
  void normalise(double* /*q*/) const {}
  void acceleration(const double* /*u*/, const double* /*q*/, const double* /*v*/, double* /*a*/) const {}
  template <typename Tell>
  void powers(const double* u, const double* /*u_rate*/, const double* q, const double* /*v*/,
              const double* /*v_work*/, Tell tell) const {
    const double power_W = u[0] * speed_m_s_ * profile_->at(q[0]).slope;
    tell(0, power_W < 0.0 ? 0.0 : power_W);  // NaN stays NaN
    tell(1, power_W);
    tell(2, power_W < 0.0 ? -power_W : 0.0);
  }
  [[nodiscard]] double stored_J(const double* /*u*/, const double* /*q*/, const double* /*v*/) const {
    return 0.0;
  }
  [[nodiscard]] double kinetic_J(const double* /*q*/, const double* /*v*/) const { return 0.0; }
  void add_jump_work_J(const double* /*u_old*/, const double* /*u_new*/, const double* /*q*/,
                       const double* /*v*/, double /*share*/, double* /*received*/) const {}
  void outputs(const double* /*u*/, const double* q, const double* /*v*/, double* y) const {
    const RoadProfile::Height height = profile_->at(q[0]);
    y[0] = height.height_m;
    y[1] = speed_m_s_ * height.slope;
    y[2] = q[0];
  }
  void output_jacobian(const double* /*u*/, const double* /*q*/, const double* /*v*/,
                       double* jacobian) const {
    std::fill_n(jacobian, 3, 0.0);
  }
  /// The force moves nothing: nothing else would show it.
  [[nodiscard]] const char* violation(const double* u, const double* /*q*/, const double* /*v*/) const {
    return std::isfinite(u[0]) ? nullptr : "the force on the road is not a number";
  }

 private:
  std::shared_ptr<const RoadProfile> profile_;
  double speed_m_s_;
};

/// vehicle.road
ModelInfo road_model();

}  // namespace ergon
