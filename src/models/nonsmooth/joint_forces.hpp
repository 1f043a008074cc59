#pragma once

#include <limits>
#include <span>
#include <vector>

#include "ergon/models/nonsmooth/kinematics.hpp"

namespace ergon {

/// Which of the rows with bounds a row is.
enum class BoundedKind : std::uint8_t { contact, limit, friction, motor };

/// A row of a joint with bounds of its own: it takes part in the problem of the contacts as a contact without friction does.
///   a limit      Φ = q − lower or upper − q where that is ≤ 0, λ ≥ 0, C = 1/(h²K + hB), γ = hK/(hK + B)
///   friction T   q̇⁺ = 0, |λ| ≤ T
///   a motor      q̇⁺ = the speed that it is told, |λ| ≤ its limit
struct BoundedRow {
  std::uint64_t identity = 0;
  BoundedKind kind = BoundedKind::limit;
  std::size_t joint = 0;
  Row row{};
  double compliance = 0.0;
  double extra = 0.0;  ///< γΦ/h, or the speed with the other sign
  double lower = 0.0, upper = std::numeric_limits<double>::infinity();  ///< of the impulse
  double stiffness = 0.0;                                               ///< of a limit
};

/// From here on identities are those of limits, and of friction and motors, which are not events when they begin to act.
constexpr std::uint64_t first_limit_identity = std::uint64_t{1} << 62U;
constexpr std::uint64_t first_friction_identity = std::uint64_t{1} << 63U;

/// Limits, friction and motors of the joints of a machine at one state.
class JointForces {
 public:
  explicit JointForces(const Machine& machine);
  [[nodiscard]] bool empty() const { return joints_.empty(); }
  /// `angles`: tracked ones at this state. The speeds that motors are told come later.
  void evaluate(const Kinematics& kinematics, const std::vector<double>& angles, double h);
  [[nodiscard]] const std::vector<BoundedRow>& bounded() const { return bounded_; }
  /// The motion about or along the axis of a motor.
  [[nodiscard]] const Row& motor_row(std::size_t motor) const { return motor_rows_[motor]; }
  /// What a motor that takes torques does of what it is told.
  [[nodiscard]] double torque_of(std::size_t motor, double told) const;
  /// velocity += scale · M⁻¹ of the torques of motors that take such; nothing told: 0
  void push(std::span<const double> told, double scale, Eigen::VectorXd& velocity) const;

 private:
  const Machine& machine_;
  std::vector<std::size_t> joints_;  ///< that have such
  std::vector<Row> rows_;            ///< their motions
  std::vector<BoundedRow> bounded_;
  std::vector<Row> motor_rows_;
};

}  // namespace ergon
