#include "ergon/models/nonsmooth/joint_forces.hpp"

#include <algorithm>

#include "ergon/models/nonsmooth/bilateral.hpp"

namespace ergon {
namespace {

/// Of sticking and of motors, in units of the mobility of their row: rigid to a billionth of what free bodies would do.
constexpr double nearly_rigid = 1e-9;

}  // namespace

JointForces::JointForces(const Machine& machine) : machine_(machine) {
  for (std::size_t i = 0; i < machine.joints.size(); ++i)
    if (machine.joints[i].has_forces()) joints_.push_back(i);
  rows_.resize(joints_.size());
  bounded_.reserve(4 * joints_.size());
  motor_rows_.resize(machine.motors.size());
}

void JointForces::evaluate(const Kinematics& kinematics, const std::vector<double>& angles, double h) {
  bounded_.clear();
  std::size_t motor = 0;
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    const Machine::Joint& joint = machine_.joints[joints_[i]];
    Row& row = rows_[i];
    joint_motion_row(joint, kinematics, row);
    if (joint.motor) motor_rows_[motor++] = row;
    if (!joint.limits || !(h > 0.0)) continue;
    const double q = joint.tracked ? angles[joint.angle_b] : joint_coordinate(joint, kinematics, 0.0);
    const double K = joint.limits->stiffness;
    const double B = joint.limits->damping;
    for (const bool upper : {false, true}) {
      const auto& limit = upper ? joint.limits->upper : joint.limits->lower;
      const double sign = upper ? -1.0 : 1.0;
      if (!limit || !(sign * (q - *limit) <= 0.0)) continue;
      BoundedRow bounded{first_limit_identity | (2 * joints_[i] + (upper ? 1 : 0)), BoundedKind::limit,
                         joints_[i], row};
      for (std::size_t k = 0; k < row.count; ++k) {
        bounded.row.jacobian[k] *= sign;
        bounded.row.response[k] *= sign;
      }
      bounded.row.gap = sign * (q - *limit);
      bounded.compliance = 1.0 / (h * h * K + h * B);
      bounded.extra = K * bounded.row.gap / (h * K + B);
      bounded.stiffness = K;
      bounded_.push_back(bounded);
    }
  }
  if (!(h > 0.0)) return;
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    const Machine::Joint& joint = machine_.joints[joints_[i]];
    BoundedRow bounded{first_friction_identity | (2 * joints_[i]), BoundedKind::friction, joints_[i],
                       rows_[i]};
    bounded.row.gap = 0.0;
    bounded.compliance = nearly_rigid * rows_[i].mobility();
    if (joint.friction > 0.0) {
      bounded.upper = h * joint.friction;
      bounded.lower = -bounded.upper;
      bounded_.push_back(bounded);
    }
    if (joint.motor && joint.motor->input == MotorInput::speed) {
      ++bounded.identity;
      bounded.kind = BoundedKind::motor;
      bounded.upper = joint.motor->limit ? h * *joint.motor->limit : std::numeric_limits<double>::infinity();
      bounded.lower = -bounded.upper;
      bounded_.push_back(bounded);
    }
  }
}

double JointForces::torque_of(std::size_t motor, double told) const {
  const JointMotor& of = *machine_.joints[machine_.motors[motor]].motor;
  if (of.input != MotorInput::torque) return 0.0;
  return of.limit ? std::clamp(told, -*of.limit, *of.limit) : told;
}

void JointForces::push(std::span<const double> told, double scale, Eigen::VectorXd& velocity) const {
  for (std::size_t i = 0; i < told.size(); ++i) {
    const double torque = torque_of(i, told[i]);
    if (torque != 0.0) motor_rows_[i].push(scale * torque, velocity);
  }
}

}  // namespace ergon
