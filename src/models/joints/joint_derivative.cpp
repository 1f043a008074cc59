#include <Eigen/Geometry>

#include "ergon/models/joints/flexible_joint.hpp"

namespace ergon {
namespace {

using Eigen::Vector3d;

/// A product rule for `push_at_i`: a force and a distance that both change.
void push_change_at_i(JointWrench& change, const Vector3d& force, const Vector3d& d_force,
                      const Vector3d& distance, const Vector3d& d_distance) {
  change.push_at_i(d_force, distance);
  change.j.torque -= d_distance.cross(force);
}

/// Change of the rate of ρ seen from body j, w = ρ̇ − ω_j × ρ.
Vector3d velocity_in_j_change(const JointMotion& motion, const JointMotion& d) {
  return d.velocity_m_s() - d.j.angular_velocity_rad_s.cross(motion.distance_m()) -
         motion.j.angular_velocity_rad_s.cross(d.distance_m());
}

void add_change(const AtPoint& joint, const JointMotion& motion, const JointMotion& d, JointWrench& change) {
  const Vector3d rho = motion.distance_m();
  if (joint.frame == AtPoint::Frame::world) {
    change.push(joint.force_change(rho, motion.velocity_m_s(), d.distance_m(), d.velocity_m_s()));
    return;
  }
  const Vector3d w = motion.velocity_in_j_m_s();
  const Eigen::Matrix3d to_j = motion.j.axes.transpose();
  const Vector3d f = joint.elastic_N(to_j * rho) + joint.damping_N(to_j * w);
  const Vector3d d_rho = d.j.axes.transpose() * rho + to_j * d.distance_m();
  const Vector3d d_w = d.j.axes.transpose() * w + to_j * velocity_in_j_change(motion, d);
  push_change_at_i(change, motion.j.axes * f,
                   d.j.axes * f + motion.j.axes * joint.force_change(to_j * rho, to_j * w, d_rho, d_w), rho,
                   d.distance_m());
}

void add_change(const InPlane& joint, const JointMotion& motion, const JointMotion& d, JointWrench& change) {
  const Vector3d rho = motion.distance_m();
  const Vector3d w = motion.velocity_in_j_m_s();
  const Vector3d e = motion.j.axes * joint.normal_j;
  const Vector3d d_e = d.j.axes * joint.normal_j;
  const double delta = rho.dot(e), rate = w.dot(e);
  const double d_delta = d.distance_m().dot(e) + rho.dot(d_e);
  const double d_rate = velocity_in_j_change(motion, d).dot(e) + w.dot(d_e);
  const double lambda = joint.law.force(delta, rate);
  const double d_lambda = joint.law.force_change(delta, rate, d_delta, d_rate);
  push_change_at_i(change, lambda * e, d_lambda * e + lambda * d_e, rho, d.distance_m());
}

void add_change(const Perpendicular& joint, const JointMotion& motion, const JointMotion& d,
                JointWrench& change) {
  const Vector3d e_i = motion.i.axes * joint.direction_i, d_e_i = d.i.axes * joint.direction_i;
  const Vector3d e_j = motion.j.axes * joint.direction_j, d_e_j = d.j.axes * joint.direction_j;
  const Vector3d axis = e_i.cross(e_j);
  const Vector3d d_axis = d_e_i.cross(e_j) + e_i.cross(d_e_j);
  const double s = e_i.dot(e_j), rate = motion.turning_rad_s().dot(axis);
  const double d_s = d_e_i.dot(e_j) + e_i.dot(d_e_j);
  const double d_rate = d.turning_rad_s().dot(axis) + motion.turning_rad_s().dot(d_axis);
  change.turn(joint.law.force_change(s, rate, d_s, d_rate) * axis + joint.law.force(s, rate) * d_axis);
}

}  // namespace

JointWrench FlexibleJoint::wrench_change(const JointMotion& motion, const JointMotion& change) const {
  JointWrench result;
  if (parts_.at_point) add_change(*parts_.at_point, motion, change, result);
  for (const InPlane& joint : parts_.in_plane) add_change(joint, motion, change, result);
  for (const Perpendicular& joint : parts_.perpendicular) add_change(joint, motion, change, result);
  return result;
}

JointWrench FlexibleJoint::directed_change(const JointMotion& motion, const JointMotion& change,
                                           const double* lambda) const {
  JointWrench result;
  const Vector3d rho = motion.distance_m(), d_rho = change.distance_m();
  if (parts_.at_point) {
    Vector3d force = Vector3d::Zero();
    for (Eigen::Index k = 0; k < parts_.at_point->dimensions; ++k) force[k] = *lambda++;
    if (parts_.at_point->frame == AtPoint::Frame::body_j)
      push_change_at_i(result, motion.j.axes * force, change.j.axes * force, rho, d_rho);
  }
  for (const InPlane& joint : parts_.in_plane) {
    const double own = *lambda++;
    push_change_at_i(result, own * (motion.j.axes * joint.normal_j), own * (change.j.axes * joint.normal_j),
                     rho, d_rho);
  }
  for (const Perpendicular& joint : parts_.perpendicular) {
    const Vector3d e_i = motion.i.axes * joint.direction_i, d_e_i = change.i.axes * joint.direction_i;
    const Vector3d e_j = motion.j.axes * joint.direction_j, d_e_j = change.j.axes * joint.direction_j;
    result.turn(*lambda++ * (d_e_i.cross(e_j) + e_i.cross(d_e_j)));
  }
  return result;
}

}  // namespace ergon
