#pragma once

#include <span>
#include <vector>

#include "ergon/models/nonsmooth/machine.hpp"

namespace ergon {

using Vector6d = Eigen::Matrix<double, 6, 1>;
using Matrix6d = Eigen::Matrix<double, 6, 6>;

/// What follows from the state of a machine and is used by every row.
struct Kinematics {
  struct Body {
    Eigen::Matrix3d rotation = Eigen::Matrix3d::Identity();
    Eigen::Matrix3d inverse_inertia = Eigen::Matrix3d::Zero();  ///< world axes
    Eigen::Vector3d position = Eigen::Vector3d::Zero();
    Eigen::Vector3d velocity = Eigen::Vector3d::Zero();
    Eigen::Vector3d omega = Eigen::Vector3d::Zero();
    double inverse_mass = 0.0;
    /// M⁻¹ w of a wrench [force, torque]
    [[nodiscard]] Vector6d respond(const Vector6d& wrench) const {
      Vector6d motion;
      motion.head<3>() = inverse_mass * wrench.head<3>();
      motion.tail<3>() = inverse_inertia * wrench.tail<3>();
      return motion;
    }
  };
  std::vector<Body> bodies;

  void evaluate(const Machine& machine, const MachineState& state);
  [[nodiscard]] Eigen::Vector3d point(std::size_t body, const Eigen::Vector3d& local) const {
    return bodies[body].position + bodies[body].rotation * local;
  }
};

/// −c = −ω × Jω of each body over the step h, world axes: at the middle of the free turning, so that it does no work.
///   J(ω⁺ − ω) = −h ω̄ × Jω̄,   ω̄ = ½(ω + ω⁺)
void free_gyroscopic_torques(const Machine& machine, const Kinematics& kinematics, double h,
                             std::vector<Eigen::Vector3d>& torques);
/// The same before a step that has not been solved: bodies on joints turn as in the last step, ω̄ = ω + ½h·ω̇
/// (`TurningRule::mean`), or freely.
void expected_gyroscopic_torques(const Machine& machine, const Kinematics& kinematics,
                                 const MachineState& state, double h, std::vector<Eigen::Vector3d>& torques);

/// Turns of less than this in a step, rad: c is that of the start to rounding.
constexpr double slow_turn = 1e-7;
/// Changes of ω in a step that are less than this part of it are rounding that has been multiplied a little.
constexpr double settled_turning = 1e-12;

/// velocity += scale · M⁻¹f̂: gravity, gyroscopic torques, and what acts on the markers.
void add_free_motion(const Machine& machine, const Kinematics& kinematics,
                     std::span<const Vector6d> on_markers, std::span<const Eigen::Vector3d> gyroscopic,
                     double scale, Eigen::VectorXd& velocity);

/// One row of constraints: Φ and its rate A v, with the response of the bodies, M⁻¹Aᵀ.
struct Row {
  std::size_t count = 0;  ///< of its bodies
  std::size_t body[3] = {};
  Vector6d jacobian[3];
  Vector6d response[3];
  double gap = 0.0;     ///< Φ, m or rad
  double drift = 0.0;   ///< Ȧ v
  double target = 0.0;  ///< rate that it is prescribed at the end of the step

  template <typename Velocity>
  [[nodiscard]] double rate(const Eigen::MatrixBase<Velocity>& velocity) const {
    double sum = 0.0;
    for (std::size_t k = 0; k < count; ++k)
      sum += jacobian[k].dot(velocity.template segment<6>(static_cast<Eigen::Index>(6 * body[k])));
    return sum;
  }
  /// velocity += M⁻¹Aᵀ · impulse
  void push(double impulse, Eigen::Ref<Eigen::VectorXd> velocity) const {
    for (std::size_t k = 0; k < count; ++k)
      velocity.segment<6>(static_cast<Eigen::Index>(6 * body[k])) += impulse * response[k];
  }
  void respond(const Kinematics& kinematics) {
    for (std::size_t k = 0; k < count; ++k) response[k] = kinematics.bodies[body[k]].respond(jacobian[k]);
  }
  /// A M⁻¹ Aᵀ
  [[nodiscard]] double mobility() const {
    double sum = 0.0;
    for (std::size_t k = 0; k < count; ++k) sum += jacobian[k].dot(response[k]);
    return sum;
  }
};

/// Length of the line between two points of bodies, as a row: Φ = s, A v = ṡ, Ȧ v.
void line_row(const Kinematics& kinematics, std::size_t a, const Eigen::Vector3d& point_a, std::size_t b,
              const Eigen::Vector3d& point_b, Row& row);

}  // namespace ergon
