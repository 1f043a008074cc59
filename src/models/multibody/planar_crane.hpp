#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "ergon/core/geometry.hpp"
#include "ergon/core/subsystem.hpp"
#include "ergon/models/registry.hpp"

namespace ergon {

/// Two links in a vertical plane, lifted by a linear actuator at the first                [rodriguez2022, Sect. 4.4]
///   link 1 from the origin A to Q, uniform mass m₁, length l₁;  masses m₂ at Q and m₃ at the end P of link 2, itself
///   without mass, length l₂;  θ₁, θ₂ absolute angles from +x;  gravity g along −y
///   M₁₁ = m₁l₁²/3 + (m₂ + m₃)l₁²,   M₁₂ = m₃l₁l₂ cos(θ₁ − θ₂),   M₂₂ = m₃l₂²
///   M₁₁θ̈₁ + M₁₂θ̈₂ + m₃l₁l₂ sin(θ₁ − θ₂) θ̇₂² = −(m₁/2 + m₂ + m₃) g l₁ cos θ₁ + f ∂s/∂θ₁
///   M₁₂θ̈₁ + M₂₂θ̈₂ − m₃l₁l₂ sin(θ₁ − θ₂) θ̇₁² = −m₃ g l₂ cos θ₂
/// The actuator runs from the fixed point B to the point at `attachment` · l₁ of link 1; f > 0 extends it. The paper's figure
/// leaves that point open; its static spool displacement fits the middle of the link.
///   inputs   force
///   outputs  position, velocity (length s of the actuator and its rate), theta1, theta2, omega1, omega2, tip (P)
class PlanarCrane {
 public:
  static constexpr bool takes_efforts = true;
  struct Parameters {
    double l1_m = 1.0;
    double l2_m = 0.5;
    double m1_kg = 200.0;
    double m2_kg = 250.0;
    double m3_kg = 100.0;
    double base_m[2] = {0.8660254037844386, 0.0};  ///< B
    double attachment = 0.5;
    double gravity_m_s2 = 9.81;
  };
  explicit PlanarCrane(const Parameters& parameters) : p_(parameters) {}

  static constexpr std::size_t dof() { return 2; }
  static constexpr std::size_t input_count() { return 1; }
  [[nodiscard]] Description describe() const;
  [[nodiscard]] std::vector<std::string> state_names() const {
    return {"theta1", "theta2", "omega1", "omega2"};
  }

  void acceleration(const double* u, const double* q, const double* v, double* a) const {
    acceleration_under(u[0], q, v, a);
  }
  void acceleration_under(double force_N, const double* q, const double* v, double* a) const;
  template <typename Tell>
  void powers(const double* u, const double* /*u_rate*/, const double* q, const double* /*v*/,
              const double* v_work, Tell tell) const {
    tell(1, u[0] * actuator(q[0]).arm_m * v_work[0]);
  }
  /// Potential energy is counted from both links hanging.
  [[nodiscard]] double stored_J(const double* u, const double* q, const double* v) const;
  [[nodiscard]] double kinetic_J(const double* q, const double* v) const;
  [[nodiscard]] Momentum momentum(const double* q, const double* v) const;
  /// The input is a force: its jumps do no work.
  void add_jump_work_J(const double* /*u_old*/, const double* /*u_new*/, const double* /*q*/,
                       const double* /*v*/, double /*share*/, double* /*received*/) const {}
  void outputs(const double* u, const double* q, const double* v, double* y) const;
  void output_jacobian(const double* u, const double* q, const double* v, double* jacobian) const;
  [[nodiscard]] Scene scene() const;
  void draw(const double* q, SceneFrame frame) const;

  /// Length of the actuator and ∂s/∂θ₁.
  struct Actuator {
    double length_m = 0.0;
    double arm_m = 0.0;
  };
  [[nodiscard]] Actuator actuator(double theta1) const {
    const double reach = p_.attachment * p_.l1_m;
    const double cosine = std::cos(theta1);
    const double sine = std::sin(theta1);
    const double length = std::hypot(reach * cosine - p_.base_m[0], reach * sine - p_.base_m[1]);
    return {length, reach * (p_.base_m[0] * sine - p_.base_m[1] * cosine) / length};
  }

 private:
  Parameters p_;
};

/// What a scenario says of the crane: shared by all models that have one.
std::vector<ParameterInfo> crane_parameters();
std::vector<ParameterInfo> crane_initial();
/// Nothing after reporting an actuator without length.
std::optional<PlanarCrane::Parameters> read_crane(const ModelRequest& request, ProblemList& problems);

/// What is seen of it, from the points Q between the links and P at their end.
Scene crane_scene(const PlanarCrane::Parameters& crane);
void draw_crane(const PlanarCrane::Parameters& crane, const double* joint_m, const double* tip_m,
                SceneFrame frame);

/// multibody.planar_crane
ModelInfo planar_crane_model();

}  // namespace ergon
