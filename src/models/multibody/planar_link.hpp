#pragma once

#include <cmath>
#include <vector>

#include "ergon/core/geometry.hpp"
#include "ergon/core/subsystem.hpp"
#include "ergon/models/multibody/markers.hpp"
#include "ergon/models/registry.hpp"

namespace ergon {

/// A rigid link in the plane, free or pinned to the ground at its start.
///   φ angle of the link's x axis, which runs from `start` to `end`, against world x; s vector from the pin to the centre of mass
///   free    q = [x, y, φ]   m r̈ = m g + Σ F,   J φ̈ = Σ(p × F + M) + τ
///   pinned  q = [φ]         (J + m s²) φ̈ = s × (m g + Σ F) + Σ(p × F + M) + τ
///   τ = −c (φ − φ₀) − d φ̇    torsional spring and damper to the ground
///   inputs   force, torque; NAME_force, NAME_torque of each marker, `start` and `end` being the first two
///   outputs  angle, angular_velocity, position, velocity (centre of mass); those of each marker
class PlanarLink {
 public:
  static constexpr bool takes_efforts = true;
  struct Parameters {
    double mass_kg = 1.0;
    double inertia_kg_m2 = 1.0;  ///< about the centre of mass
    bool pinned = false;
    double pin_m[2] = {0.0, 0.0};    ///< world
    double pin_to_centre_m = 0.0;    ///< along the link
    double stiffness_Nm_rad = 0.0;   ///< c
    double damping_Nms_rad = 0.0;    ///< d
    double relaxed_angle_rad = 0.0;  ///< φ₀
    double gravity_m_s2[2] = {0.0, 0.0};
    std::vector<Marker> markers{};
  };
  explicit PlanarLink(Parameters parameters) : p_(std::move(parameters)) {}

  static constexpr Space space = Space::plane;
  [[nodiscard]] std::size_t dof() const { return p_.pinned ? 1 : 3; }
  [[nodiscard]] std::size_t input_count() const { return 3 * (1 + p_.markers.size()); }
  [[nodiscard]] Description describe() const;
  [[nodiscard]] std::vector<std::string> state_names() const {
    if (p_.pinned) return {"phi", "omega"};
    return {"position[0]", "position[1]", "phi", "velocity[0]", "velocity[1]", "omega"};
  }

  void acceleration(const double* u, const double* q, const double* v, double* a) const;
  template <typename Tell>
  void powers(const double* u, const double* /*u_rate*/, const double* q, const double* v,
              const double* v_work, Tell tell) const {
    const Pose pose = pose_of(q);
    const double rate = v[dof() - 1];
    tell(0, p_.damping_Nms_rad * rate * rate);
    for (std::size_t i = 0; i < input_count(); ++i) {
      double row[3];
      write_direction(pose, i, row);
      double flow = 0.0;
      for (std::size_t k = 0; k < dof(); ++k) flow += row[k] * v_work[k];
      tell(1 + i, u[i] * flow);
    }
  }
  [[nodiscard]] double stored_J(const double* u, const double* q, const double* v) const;
  [[nodiscard]] double kinetic_J(const double* q, const double* v) const;
  [[nodiscard]] Momentum momentum(const double* q, const double* v) const;
  /// Inputs are forces: their jumps do no work.
  void add_jump_work_J(const double* /*u_old*/, const double* /*u_new*/, const double* /*q*/,
                       const double* /*v*/, double /*share*/, double* /*received*/) const {}
  void outputs(const double* u, const double* q, const double* v, double* y) const;
  void output_jacobian(const double* u, const double* q, const double* v, double* jacobian) const;

  [[nodiscard]] Scene scene() const;
  void draw(const double* q, SceneFrame frame) const;

  [[nodiscard]] BodyMotion motion_of(const double* q, const double* v) const;
  [[nodiscard]] const std::vector<Marker>& markers() const { return p_.markers; }
  [[nodiscard]] std::size_t output_count() const { return 6 + p_.markers.size() * marker_output_size(space); }

 private:
  struct Pose {
    double cosine, sine;
    [[nodiscard]] double x(double body_x, double body_y) const { return cosine * body_x - sine * body_y; }
    [[nodiscard]] double y(double body_x, double body_y) const { return sine * body_x + cosine * body_y; }
  };
  [[nodiscard]] Pose pose_of(const double* q) const {
    return {std::cos(q[dof() - 1]), std::sin(q[dof() - 1])};
  }
  /// World vector from the pin (pinned) or the centre of mass (free) to the point where the forces of a port act.
  void write_arm(const Pose& pose, std::size_t port, double arm[2]) const {
    const double along = p_.pinned ? p_.pin_to_centre_m : 0.0;
    const double x = port == 0 ? 0.0 : p_.markers[port - 1].position_m[0];
    const double y = port == 0 ? 0.0 : p_.markers[port - 1].position_m[1];
    arm[0] = pose.x(along + x, y);
    arm[1] = pose.y(along + x, y);
  }
  /// Row of the Jacobian: what the velocities of the link move along an input (a component of a force, or a torque).
  void write_direction(const Pose& pose, std::size_t input, double row[3]) const {
    const std::size_t kind = input % 3;
    double arm[2];
    write_arm(pose, input / 3, arm);
    const double turn = kind == 0 ? -arm[1] : kind == 1 ? arm[0] : 1.0;
    if (p_.pinned) {
      row[0] = turn;
    } else {
      row[0] = kind == 0 ? 1.0 : 0.0;
      row[1] = kind == 1 ? 1.0 : 0.0;
      row[2] = turn;
    }
  }
  [[nodiscard]] double inertia_at(std::size_t coordinate) const;

  Parameters p_;
};

ModelInfo planar_link_model();

}  // namespace ergon
