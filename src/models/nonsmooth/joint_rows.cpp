#include <algorithm>
#include <cmath>
#include <numbers>

#include "ergon/models/nonsmooth/bilateral.hpp"

namespace ergon {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

/// Both ends of a joint in the world.
struct Ends {
  Ends(const Machine::Joint& joint, const Kinematics& k)
      : index_a(joint.a),
        index_b(joint.b),
        a(k.bodies[joint.a]),
        b(k.bodies[joint.b]),
        arm_a(a.rotation * joint.point_a),
        arm_b(b.rotation * joint.point_b),
        axes_a(a.rotation * joint.frame_a),
        axes_b(b.rotation * joint.frame_b),
        distance(b.position + arm_b - a.position - arm_a),
        velocity(b.velocity + b.omega.cross(arm_b) - a.velocity - a.omega.cross(arm_a)),
        centripetal(b.omega.cross(b.omega.cross(arm_b)) - a.omega.cross(a.omega.cross(arm_a))) {}

  std::size_t index_a, index_b;
  const Kinematics::Body& a;
  const Kinematics::Body& b;
  Vector3d arm_a, arm_b;
  Matrix3d axes_a, axes_b;
  Vector3d distance, velocity, centripetal;

  void begin(Row& row) const {
    row.count = 2;
    row.body[0] = index_a;
    row.body[1] = index_b;
    row.target = 0.0;
  }
  /// Φ = (p_b − p_a)·e for a direction e of the world.
  void point(const Vector3d& e, Row& row) const {
    begin(row);
    row.jacobian[0] << -e, -arm_a.cross(e);
    row.jacobian[1] << e, arm_b.cross(e);
    row.gap = e.dot(distance);
    row.drift = e.dot(centripetal);
  }
  /// Φ = (p_b − p_a)·n for a direction n of body a.
  void slide(const Vector3d& n, Row& row) const {
    begin(row);
    row.jacobian[0] << -n, -(arm_a + distance).cross(n);
    row.jacobian[1] << n, arm_b.cross(n);
    row.gap = n.dot(distance);
    const Vector3d turning = a.omega.cross(n);
    row.drift = n.dot(centripetal) + 2.0 * turning.dot(velocity) + a.omega.cross(turning).dot(distance);
  }
  /// Φ = x·y for a direction x of body a and y of body b.
  void dot(const Vector3d& x, const Vector3d& y, Row& row) const {
    begin(row);
    const Vector3d normal = y.cross(x);
    row.jacobian[0] << Vector3d::Zero(), -normal;
    row.jacobian[1] << Vector3d::Zero(), normal;
    row.gap = x.dot(y);
    row.drift = (b.omega - a.omega).dot(b.omega.cross(y).cross(x) + y.cross(a.omega.cross(x)));
  }
  /// The turning of b against a about z of a; the gap is the caller's.
  void turn(Row& row) const {
    begin(row);
    const Vector3d z = axes_a.col(2);
    row.jacobian[0] << Vector3d::Zero(), -z;
    row.jacobian[1] << Vector3d::Zero(), z;
    row.gap = 0.0;
    row.drift = (b.omega - a.omega).dot(a.omega.cross(z));
  }
};

/// Angle of `x` about the z axis of `axes`, next to what it was.
double unwrapped(const Matrix3d& axes, const Vector3d& x, double before) {
  const double angle = std::atan2(axes.col(1).dot(x), axes.col(0).dot(x));
  constexpr double turn = 2.0 * std::numbers::pi;
  return angle + turn * std::round((before - angle) / turn);
}

}  // namespace

std::size_t write_joint_rows(const Machine::Joint& joint, const Kinematics& kinematics, double t,
                             double t_end, std::vector<double>& angles, Row* rows) {
  const Ends ends(joint, kinematics);
  Row* row = rows;
  const auto points = [&] {
    for (Eigen::Index i = 0; i < 3; ++i) ends.point(Vector3d::Unit(i), *row++);
  };
  const auto orientation = [&] {
    for (Eigen::Index i = 0; i < 3; ++i) ends.dot(ends.axes_a.col(i), ends.axes_b.col((i + 1) % 3), *row++);
  };
  switch (joint.type) {
    case JointType::weld:
      points();
      orientation();
      break;
    case JointType::revolute:
      points();
      ends.dot(ends.axes_a.col(0), ends.axes_b.col(2), *row++);
      ends.dot(ends.axes_a.col(1), ends.axes_b.col(2), *row++);
      if (joint.drive) {
        double& angle = angles[joint.angle_b];
        angle = unwrapped(ends.axes_a, ends.axes_b.col(0), angle);
        ends.turn(*row);
        row->gap = angle - joint.drive->angle(t);
        row->target = joint.drive->rate(t_end);
        ++row;
      }
      break;
    case JointType::prismatic:
      ends.slide(ends.axes_a.col(0), *row++);
      ends.slide(ends.axes_a.col(1), *row++);
      if (joint.locked) ends.slide(ends.axes_a.col(2), *row++);
      orientation();
      break;
    case JointType::spherical:
      points();
      break;
    case JointType::universal:
      points();
      ends.dot(ends.axes_a.col(2), ends.axes_b.col(0), *row++);
      break;
    case JointType::gear: {
      const Kinematics::Body& c = kinematics.bodies[joint.c];
      double& angle_b = angles[joint.angle_b];
      double& angle_c = angles[joint.angle_c];
      angle_b = unwrapped(ends.axes_a, ends.axes_b.col(0), angle_b);
      angle_c = unwrapped(ends.axes_a, c.rotation * joint.frame_c.col(0), angle_c);
      const Vector3d z = ends.axes_a.col(2);
      row->count = 3;
      row->body[0] = joint.a;
      row->body[1] = joint.b;
      row->body[2] = joint.c;
      row->jacobian[0] << Vector3d::Zero(), -(1.0 + joint.ratio) * z;
      row->jacobian[1] << Vector3d::Zero(), z;
      row->jacobian[2] << Vector3d::Zero(), joint.ratio * z;
      row->gap = angle_b + joint.ratio * angle_c;
      row->drift =
          ((ends.b.omega - ends.a.omega) + joint.ratio * (c.omega - ends.a.omega)).dot(ends.a.omega.cross(z));
      row->target = 0.0;
      ++row;
      break;
    }
  }
  for (Row* each = rows; each != row; ++each) each->respond(kinematics);
  return static_cast<std::size_t>(row - rows);
}

double joint_coordinate(const Machine::Joint& joint, const Kinematics& kinematics, double before) {
  const Ends ends(joint, kinematics);
  if (joint.type == JointType::prismatic) return ends.axes_a.col(2).dot(ends.distance);
  return unwrapped(ends.axes_a, ends.axes_b.col(0), before);
}

void add_row_to_wrench(const Row& row, double force, std::size_t slot, ReactionWrench& about_centre) {
  about_centre.force += force * row.jacobian[slot].head<3>();
  about_centre.torque += force * row.jacobian[slot].tail<3>();
}

void move_wrench_to_joint(const Machine::Joint& joint, const Kinematics& kinematics, ReactionWrench& wrench) {
  const Vector3d arm = kinematics.bodies[joint.b].rotation * joint.point_b;
  wrench.torque -= arm.cross(wrench.force);
  if (!joint.outputs.in_joint_axes) return;
  const Matrix3d axes = kinematics.bodies[joint.a].rotation * joint.frame_a;
  wrench.force = axes.transpose() * wrench.force;
  wrench.torque = axes.transpose() * wrench.torque;
}

double spring_theta(const Machine::Joint& joint, double h) {
  // Not 0: the row is then an explicit force to nine digits.
  constexpr double explicit_enough = 1e-9;
  const double z = h * h * joint.spring->stiffness * joint.spring_mobility;
  return std::max(explicit_enough, 1.0 - 0.5 / z);
}

double joint_springs_J(const Machine& machine, const Kinematics& kinematics, std::vector<double>& angles) {
  double sum = 0.0;
  Row rows[6];
  for (const Machine::Joint& joint : machine.joints) {
    if (joint.spring) {
      const double before = joint.tracked ? angles[joint.angle_b] : 0.0;
      const double stretch = joint_coordinate(joint, kinematics, before) - joint.spring->rest;
      sum += 0.5 * joint.spring->stiffness * stretch * stretch;
    }
    if (!joint.stiffness) continue;
    const std::size_t count = write_joint_rows(joint, kinematics, 0.0, 0.0, angles, rows);
    for (std::size_t i = 0; i < count; ++i) sum += 0.5 * *joint.stiffness * rows[i].gap * rows[i].gap;
  }
  return sum;
}

void joint_motion_row(const Machine::Joint& joint, const Kinematics& kinematics, Row& row) {
  const Ends ends(joint, kinematics);
  if (joint.type == JointType::prismatic) {
    ends.slide(ends.axes_a.col(2), row);
  } else {
    ends.turn(row);
  }
  row.respond(kinematics);
}

}  // namespace ergon
