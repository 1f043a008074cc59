#pragma once

#include <Eigen/Core>
#include <vector>

#include "ergon/core/geometry.hpp"
#include "ergon/core/subsystem.hpp"
#include "ergon/models/multibody/markers.hpp"
#include "ergon/models/registry.hpp"

namespace ergon {

/// A free rigid body in space.
///   q = [r, e]   r centre of mass (world), e = (e0, e1, e2, e3) unit quaternion that turns body into world coordinates
///   v = [ṙ, ω]   ω angular velocity in body coordinates
///   m r̈ = m g + Σ F,   ė = ½ e ∘ (0, ω),   J ω̇ = Rᵀ Σ(R p × F + M) − ω × J ω
/// No Euler angles, hence no singular position. R is formed from e/|e|; e is brought back to length 1 after each step, which
/// therefore changes no energy.
///   inputs   force, torque; NAME_force, NAME_torque of each marker           world vectors
///   outputs  position, velocity, orientation (e), angular_velocity (world); those of each marker
class RigidBody {
 public:
  static constexpr bool takes_efforts = true;
  struct Parameters {
    double mass_kg = 1.0;
    Eigen::Matrix3d inertia_kg_m2 =
        Eigen::Matrix3d::Identity();  ///< about the centre of mass, body coordinates
    Eigen::Vector3d gravity_m_s2 = Eigen::Vector3d::Zero();
    std::vector<Marker> markers{};
  };
  explicit RigidBody(Parameters parameters);

  static constexpr Space space = Space::three_dimensional;
  static constexpr std::size_t position_count() { return 7; }
  static constexpr std::size_t velocity_count() { return 6; }
  [[nodiscard]] std::size_t input_count() const { return 6 * (1 + p_.markers.size()); }
  [[nodiscard]] Description describe() const;
  [[nodiscard]] std::vector<std::string> state_names() const;

  void position_rates(const double* q, const double* v, double* q_dot) const;
  void acceleration(const double* u, const double* q, const double* v, double* a) const;
  /// Forces do their work at the velocity of their point, torques at the angular velocity.
  template <typename Tell>
  void powers(const double* u, const double* /*u_rate*/, const double* q, const double* /*v*/,
              const double* v_work, Tell tell) const {
    const BodyMotion motion = motion_of(q, v_work);
    for (std::size_t port = 0; port <= p_.markers.size(); ++port) {
      const Eigen::Vector3d velocity =
          motion.velocity_m_s + motion.angular_velocity_rad_s.cross(motion.rotation * arm(port));
      for (std::size_t i = 0; i < 3; ++i) {
        const auto axis = static_cast<Eigen::Index>(i);
        tell(1 + 6 * port + i, u[6 * port + i] * velocity[axis]);
        tell(1 + 6 * port + 3 + i, u[6 * port + 3 + i] * motion.angular_velocity_rad_s[axis]);
      }
    }
  }
  [[nodiscard]] double stored_J(const double* u, const double* q, const double* v) const;
  [[nodiscard]] double kinetic_J(const double* q, const double* v) const;
  [[nodiscard]] Momentum momentum(const double* q, const double* v) const {
    return momentum_of(p_.mass_kg, motion_of(q, v));
  }
  /// Inputs are forces: their jumps do no work.
  void add_jump_work_J(const double* /*u_old*/, const double* /*u_new*/, const double* /*q*/,
                       const double* /*v*/, double /*share*/, double* /*received*/) const {}
  void outputs(const double* u, const double* q, const double* v, double* y) const;
  /// No output depends on an input.
  void output_jacobian(const double* u, const double* q, const double* v, double* jacobian) const;
  void normalise(double* q) const;

  [[nodiscard]] Scene scene() const;
  void draw(const double* q, SceneFrame frame) const;

  [[nodiscard]] BodyMotion motion_of(const double* q, const double* v) const;
  [[nodiscard]] const std::vector<Marker>& markers() const { return p_.markers; }
  [[nodiscard]] std::size_t output_count() const {
    return 13 + p_.markers.size() * marker_output_size(space);
  }

 private:
  /// Where the forces of a port act, body coordinates: port 0 is the centre of mass.
  [[nodiscard]] Eigen::Vector3d arm(std::size_t port) const {
    return port == 0 ? Eigen::Vector3d(Eigen::Vector3d::Zero()) : p_.markers[port - 1].position_m;
  }

  Parameters p_;
  Eigen::Matrix3d inverse_inertia_;
};

ModelInfo rigid_body_model();

}  // namespace ergon
