#include "ergon/models/joints/flexible_joint.hpp"

#include <Eigen/Geometry>

namespace ergon {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

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

Vector3d AtPoint::elastic_N(const Vector3d& rho) const {
  if (!spring) return -(stiffness_N_m * rho);
  if (spring_direction == Direction::radial) return -spring->value_over(rho.norm()) * rho;
  Vector3d force = Vector3d::Zero();
  for (Eigen::Index k = 0; k < dimensions; ++k) force[k] = -spring->value(rho[k]);
  return force;
}

Vector3d AtPoint::damping_N(const Vector3d& rate) const {
  if (!damper) return -(damping_Ns_m * rate);
  Vector3d force = Vector3d::Zero();
  for (Eigen::Index k = 0; k < dimensions; ++k) force[k] = -damper->value(rate[k]);
  return force;
}

double AtPoint::stored_J(const Vector3d& rho) const {
  if (!spring) return 0.5 * rho.dot(stiffness_N_m * rho);
  if (spring_direction == Direction::radial) return spring->integral(rho.norm());
  double stored = 0.0;
  for (Eigen::Index k = 0; k < dimensions; ++k) stored += spring->integral(rho[k]);
  return stored;
}

Vector3d AtPoint::force_change(const Vector3d& rho, const Vector3d& rate, const Vector3d& d_rho,
                               const Vector3d& d_rate) const {
  Vector3d change = Vector3d::Zero();
  if (!spring) {
    change -= stiffness_N_m * d_rho;
  } else if (spring_direction == Direction::radial) {
    const double length = rho.norm();
    const double across = spring->value_over(length);
    change -= across * d_rho;
    if (length > 0.0) {
      const Vector3d along = rho / length;
      change -= (spring->slope(length) - across) * along.dot(d_rho) * along;
    }
  } else {
    for (Eigen::Index k = 0; k < dimensions; ++k) change[k] -= spring->slope(rho[k]) * d_rho[k];
  }
  if (!damper) {
    change -= damping_Ns_m * d_rate;
  } else {
    for (Eigen::Index k = 0; k < dimensions; ++k) change[k] -= damper->slope(rate[k]) * d_rate[k];
  }
  return change;
}

JointDependence FlexibleJoint::dependence() const {
  JointDependence on;
  if (parts_.at_point) on.force |= points;
  // What turns with body j pushes where body j says, and its reaction has an arm.
  const bool turns_with_j = parts_.at_point && parts_.at_point->frame == AtPoint::Frame::body_j;
  const bool has_arm = turns_with_j || !parts_.in_plane.empty();
  if (has_arm) {
    on.force |= points | frame_j;
    on.torque_j |= points | frame_j;
  }
  if (!parts_.perpendicular.empty()) {
    on.torque_i |= frame_i | frame_j;
    on.torque_j |= frame_i | frame_j;
    on.opposite_torques = !has_arm;
  }
  return on;
}

JointResponse FlexibleJoint::respond(const JointMotion& motion) const {
  JointResponse response;
  const Vector3d distance = motion.distance_m();
  if (parts_.at_point) {
    const AtPoint& joint = *parts_.at_point;
    const Elongation elongation = elongation_of(joint, motion);
    const Vector3d elastic = joint.elastic_N(elongation.distance_m);
    const Vector3d damping = joint.damping_N(elongation.rate_m_s);
    response.stored_J += joint.stored_J(elongation.distance_m);
    response.dissipation_W -= damping.dot(elongation.rate_m_s);
    if (joint.frame == AtPoint::Frame::world) {
      response.elastic.push(elastic);
      response.damping.push(damping);
    } else {
      response.elastic.push_at_i(motion.j.axes * elastic, distance);
      response.damping.push_at_i(motion.j.axes * damping, distance);
    }
  }
  const auto keep_books = [&](const ScalarLaw& law, const Measure& measure) {
    response.stored_J += law.spring.integral(measure.value);
    response.dissipation_W += law.damper.value(measure.rate) * measure.rate;
  };
  for (const InPlane& joint : parts_.in_plane) {
    const Measure delta = measure_of(joint, motion);
    response.elastic.push_at_i(-joint.law.spring.value(delta.value) * delta.along, distance);
    response.damping.push_at_i(-joint.law.damper.value(delta.rate) * delta.along, distance);
    keep_books(joint.law, delta);
  }
  for (const Perpendicular& joint : parts_.perpendicular) {
    const Measure s = measure_of(joint, motion);
    response.elastic.turn(-joint.law.spring.value(s.value) * s.along);
    response.damping.turn(-joint.law.damper.value(s.rate) * s.along);
    keep_books(joint.law, s);
  }
  return response;
}

std::size_t FlexibleJoint::multiplier_count() const {
  const auto at_point = parts_.at_point ? static_cast<std::size_t>(parts_.at_point->dimensions) : 0;
  return at_point + parts_.in_plane.size() + parts_.perpendicular.size();
}

Unit FlexibleJoint::multiplier_unit() const {
  const bool forces = parts_.at_point || !parts_.in_plane.empty();
  if (forces && !parts_.perpendicular.empty()) return {};
  return Unit::of(forces ? "N" : "N.m");
}

Unit FlexibleJoint::multiplier_rate_unit() const {
  const bool forces = parts_.at_point || !parts_.in_plane.empty();
  if (forces && !parts_.perpendicular.empty()) return {};
  return Unit::of(forces ? "m/s" : "1/s");
}

void FlexibleJoint::write_multipliers(const JointMotion& motion, double* lambda) const {
  if (parts_.at_point) {
    const Elongation elongation = elongation_of(*parts_.at_point, motion);
    const Vector3d force =
        parts_.at_point->elastic_N(elongation.distance_m) + parts_.at_point->damping_N(elongation.rate_m_s);
    for (Eigen::Index k = 0; k < parts_.at_point->dimensions; ++k) *lambda++ = force[k];
  }
  const auto write = [&](const auto& joint) {
    const Measure measure = measure_of(joint, motion);
    *lambda++ = joint.law.force(measure.value, measure.rate);
  };
  for (const InPlane& joint : parts_.in_plane) write(joint);
  for (const Perpendicular& joint : parts_.perpendicular) write(joint);
}

JointWrench FlexibleJoint::directed(const JointMotion& motion, const double* lambda) const {
  JointWrench wrench;
  const Vector3d distance = motion.distance_m();
  if (parts_.at_point) {
    Vector3d force = Vector3d::Zero();
    for (Eigen::Index k = 0; k < parts_.at_point->dimensions; ++k) force[k] = *lambda++;
    if (parts_.at_point->frame == AtPoint::Frame::world) {
      wrench.push(force);
    } else {
      wrench.push_at_i(motion.j.axes * force, distance);
    }
  }
  for (const InPlane& joint : parts_.in_plane)
    wrench.push_at_i(*lambda++ * measure_of(joint, motion).along, distance);
  for (const Perpendicular& joint : parts_.perpendicular)
    wrench.turn(*lambda++ * measure_of(joint, motion).along);
  return wrench;
}

}  // namespace ergon
