#pragma once

#include "ergon/models/hydraulics/cylinder.hpp"
#include "ergon/models/multibody/planar_crane.hpp"

namespace ergon {

/// PlanarCrane and ValvedCylinder in one subsystem, without an interface: the reference of the split ones. The piston is in
/// the middle at the start.
///   state    θ₁, θ₂, θ̇₁, θ̇₂, p₁, p₂
///   inputs   spool
///   outputs  position, velocity, theta1, theta2, force, pressure_1, pressure_2
class HydraulicCrane {
 public:
  HydraulicCrane(const PlanarCrane::Parameters& crane, const ValvedCylinder::Parameters& cylinder)
      : crane_(crane), cylinder_(cylinder) {}

  static constexpr std::size_t position_count() { return 2; }
  static constexpr std::size_t velocity_count() { return 4; }
  static constexpr std::size_t input_count() { return 1; }
  static constexpr std::size_t output_count() { return 7; }
  static constexpr bool supplies() { return true; }
  [[nodiscard]] Description describe() const;
  [[nodiscard]] std::vector<std::string> state_names() const {
    return {"theta1", "theta2", "omega1", "omega2", "p1", "p2"};
  }
  void position_rates(const double* /*q*/, const double* v, double* q_dot) const {
    q_dot[0] = v[0];
    q_dot[1] = v[1];
  }
  void normalise(double* /*q*/) const {}

  void acceleration(const double* u, const double* q, const double* v, double* a) const {
    const Motion motion = motion_of(u, q, v);
    crane_.acceleration_under(cylinder_.force_N(motion.u, v + 2), q, v, a);
    cylinder_.acceleration(motion.u, nullptr, v + 2, a + 2);
  }
  template <typename Tell>
  void powers(const double* u, const double* /*u_rate*/, const double* q, const double* /*v*/,
              const double* v_work, Tell tell) const {
    const Motion motion = motion_of(u, q, v_work);
    const double rates[3] = {motion.u[1], 0.0, 0.0};  // the position does what the velocity says
    cylinder_.powers(motion.u, rates, nullptr, v_work + 2, v_work + 2, [&](std::size_t i, double power) {
      if (i == 0) tell(0, power);
      if (i == 1 + ValvedCylinder::input_count()) tell(1 + input_count(), power);
    });
  }
  [[nodiscard]] double stored_J(const double* u, const double* q, const double* v) const;
  [[nodiscard]] double kinetic_J(const double* q, const double* v) const { return crane_.kinetic_J(q, v); }
  [[nodiscard]] Momentum momentum(const double* q, const double* v) const { return crane_.momentum(q, v); }
  void add_jump_work_J(const double* /*u_old*/, const double* /*u_new*/, const double* /*q*/,
                       const double* /*v*/, double /*share*/, double* /*received*/) const {}
  void outputs(const double* u, const double* q, const double* v, double* y) const;
  void output_jacobian(const double* u, const double* q, const double* v, double* jacobian) const;
  [[nodiscard]] const char* violation(const double* u, const double* q, const double* v) const;
  [[nodiscard]] std::string inconsistency(const double* u, const double* q, const double* v) const;
  [[nodiscard]] Scene scene() const { return crane_.scene(); }
  void draw(const double* q, SceneFrame frame) const { crane_.draw(q, frame); }

 private:
  /// The inputs of the cylinder.
  struct Motion {
    double u[3];
  };
  [[nodiscard]] Motion motion_of(const double* u, const double* q, const double* v) const {
    const PlanarCrane::Actuator piston = crane_.actuator(q[0]);
    return {{piston.length_m, piston.arm_m * v[0], u[0]}};
  }

  PlanarCrane crane_;
  ValvedCylinder cylinder_;
};

/// hydraulics.crane
ModelInfo hydraulic_crane_model();

}  // namespace ergon
