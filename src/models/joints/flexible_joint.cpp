#include "models/joints/flexible_joint.hpp"

#include <Eigen/Geometry>

namespace ergon {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

JointPorts::Dependence dependence_of(const JointParts& parts) {
  JointPorts::Dependence on;
  if (parts.at_point) on.force |= points;
  // What turns with body j pushes where body j says, and its reaction has an arm.
  const bool turns_with_j = parts.at_point && parts.at_point->frame == AtPoint::Frame::body_j;
  if (turns_with_j || !parts.in_plane.empty()) {
    on.force |= points | frame_j;
    on.torque_j |= points | frame_j;
  }
  if (!parts.perpendicular.empty()) {
    on.torque_i |= frame_i | frame_j;
    on.torque_j |= frame_i | frame_j;
  }
  return on;
}

/// ρ and ρ̇ in the axes in which the law of an atpoint joint is given.
struct Elongation {
  Vector3d distance_m, rate_m_s;
};
Elongation elongation_of(const AtPoint& joint, const JointMotion& motion) {
  if (joint.frame == AtPoint::Frame::world) return {motion.distance_m(), motion.velocity_m_s()};
  return {motion.j.axes.transpose() * motion.distance_m(),
          motion.j.axes.transpose() * motion.velocity_in_j_m_s()};
}

/// A scalar measure of displacement, its rate, and the world vector along which it acts.
struct Measure {
  double value, rate;
  Vector3d along;
};
/// δ = ρ·e_j, δ̇ = ρ̇·e_j + ρ·(ω_j × e_j)
Measure measure_of(const InPlane& joint, const JointMotion& motion) {
  const Vector3d normal = motion.j.axes * joint.normal_j;
  return {motion.distance_m().dot(normal), motion.velocity_in_j_m_s().dot(normal), normal};
}
/// s = e_i·e_j, ṡ = (ω_i − ω_j)·(e_i × e_j)
Measure measure_of(const Perpendicular& joint, const JointMotion& motion) {
  const Vector3d e_i = motion.i.axes * joint.direction_i;
  const Vector3d e_j = motion.j.axes * joint.direction_j;
  const Vector3d axis = e_i.cross(e_j);
  return {e_i.dot(e_j), motion.turning_rad_s().dot(axis), axis};
}

}  // namespace

FlexibleJoint::FlexibleJoint(Space space, JointParts parts)
    : parts_(std::move(parts)), ports_(space, dependence_of(parts_)) {}

void FlexibleJoint::evaluate(const double* u, double* y) const {
  const JointMotion motion = ports_.read(u);
  JointWrench wrench;
  if (parts_.at_point) {
    const AtPoint& joint = *parts_.at_point;
    const Elongation elongation = elongation_of(joint, motion);
    const Vector3d force =
        -(joint.stiffness_N_m * elongation.distance_m) - joint.damping_Ns_m * elongation.rate_m_s;
    if (joint.frame == AtPoint::Frame::world) {
      wrench.push(force);
    } else {
      wrench.push_at_i(motion.j.axes * force, motion.distance_m());
    }
  }
  for (const InPlane& joint : parts_.in_plane) {
    const Measure delta = measure_of(joint, motion);
    wrench.push_at_i(joint.law.force(delta.value, delta.rate) * delta.along, motion.distance_m());
  }
  for (const Perpendicular& joint : parts_.perpendicular) {
    const Measure s = measure_of(joint, motion);
    wrench.turn(joint.law.force(s.value, s.rate) * s.along);
  }
  ports_.write(wrench, y);
}

double FlexibleJoint::stored_J(const double* u) const {
  const JointMotion motion = ports_.read(u);
  double stored = 0.0;
  if (parts_.at_point) {
    const Vector3d distance = elongation_of(*parts_.at_point, motion).distance_m;
    stored += 0.5 * distance.dot(parts_.at_point->stiffness_N_m * distance);
  }
  for (const InPlane& joint : parts_.in_plane)
    stored += joint.law.spring.integral(measure_of(joint, motion).value);
  for (const Perpendicular& joint : parts_.perpendicular)
    stored += joint.law.spring.integral(measure_of(joint, motion).value);
  return stored;
}

double FlexibleJoint::dissipation_W(const double* u) const {
  const JointMotion motion = ports_.read(u);
  double dissipation = 0.0;
  if (parts_.at_point) {
    const Vector3d rate = elongation_of(*parts_.at_point, motion).rate_m_s;
    dissipation += rate.dot(parts_.at_point->damping_Ns_m * rate);
  }
  const auto damped = [](const ScalarLaw& law, double rate) { return law.damper.value(rate) * rate; };
  for (const InPlane& joint : parts_.in_plane)
    dissipation += damped(joint.law, measure_of(joint, motion).rate);
  for (const Perpendicular& joint : parts_.perpendicular)
    dissipation += damped(joint.law, measure_of(joint, motion).rate);
  return dissipation;
}

}  // namespace ergon
