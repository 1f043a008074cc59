#include "ergon/models/joints/guided_joint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>

namespace ergon {
namespace {

/// λ with 1 at k.
std::array<double, JointLaw::max_multipliers> unit(std::size_t k) {
  std::array<double, JointLaw::max_multipliers> lambda{};
  lambda[k] = 1.0;
  return lambda;
}

}  // namespace

GuidedJoint::GuidedJoint(const JointAttachment& what, const Marker& marker) : BodyJoint(what, marker) {
  assert(law().multiplier_count() <= JointLaw::max_multipliers);
  const unsigned own_wrench = on_.force | (is_i() ? on_.torque_i : on_.torque_j);
  // Where the own force acts is the own affair; a torque may be the arm to the partner's point.
  needs_position_ = ((is_i() ? on_.torque_i : on_.torque_j) & points) != 0;
  needs_axes_ = (own_wrench & (is_i() ? frame_j : frame_i)) != 0;
}

std::size_t GuidedJoint::input_count() const {
  return axes_offset() + (needs_axes_ ? frame_size(space_) : 0);
}

void GuidedJoint::describe(Description& description) const {
  const std::size_t output = description.outputs.size();
  const auto geometry = [&](const char* quantity, const char* unit_name, std::size_t size) {
    description.feedthrough.push_back({output, description.inputs.size()});
    description.inputs.push_back({fmt::format("{}_partner_{}", what_.name, quantity), Unit::of(unit_name),
                                  size, "of the other body's marker, world coordinates"});
  };
  description.inputs.push_back({what_.name + "_lambda", law().multiplier_unit(), law().multiplier_count(),
                                "multipliers of the joint"});
  if (needs_position_) geometry("position", "m", vector_size(space_));
  if (needs_axes_) geometry("axes", "1", frame_size(space_));
  description.outputs.push_back({what_.name + "_rate", law().multiplier_rate_unit(), law().multiplier_count(),
                                 "what this body adds to the rates of the joint's measures"});
}

JointMotion GuidedJoint::motion(const BodyMotion& body, const double* u) const {
  MarkerMotion partner;
  if (needs_position_) partner.position_m = read_vector(space_, u + law().multiplier_count());
  if (needs_axes_) partner.axes = read_frame(space_, u + axes_offset());
  return joined(motion_of_marker(marker_, body), partner);
}

void GuidedJoint::add_wrench(const BodyMotion& body, const double* u, double* efforts) const {
  add_efforts(own(law().directed(motion(body, u), u)), efforts);
}

void GuidedJoint::write_rates(const JointMotion& motion, const MarkerMotion& moving, double* rates) const {
  for (std::size_t k = 0; k < law().multiplier_count(); ++k)
    rates[k] = own(law().directed(motion, unit(k).data())).power_W(moving);
}

double GuidedJoint::powers_W(const BodyMotion& body, const BodyMotion& body_at_work, const double* u,
                             const double* /*u_rate*/, double* received_W) const {
  std::fill_n(received_W, input_count(), 0.0);
  write_rates(motion(body, u), motion_of_marker(marker_, body_at_work), received_W);
  for (std::size_t k = 0; k < law().multiplier_count(); ++k) received_W[k] *= u[k];
  return 0.0;
}

void GuidedJoint::outputs(const BodyMotion& body, const double* u, double* y) const {
  write_rates(motion(body, u), motion_of_marker(marker_, body), y);
}

void GuidedJoint::output_jacobian(const BodyMotion& body, const double* u, double* jacobian,
                                  std::size_t row_length) const {
  const JointMotion now = motion(body, u);
  const MarkerMotion moving = motion_of_marker(marker_, body);
  MarkerMotion still;
  still.axes.setZero();
  const std::size_t n = law().multiplier_count();
  for (std::size_t c = n; c < input_count(); ++c) {
    MarkerMotion moved = still;
    std::array<double, max_inputs> du{};
    du[c] = 1.0;
    if (needs_position_) moved.position_m = read_vector(space_, du.data() + n);
    if (needs_axes_) {
      const Eigen::Vector3d turning = frame_turning(space_, u + axes_offset(), du.data() + axes_offset());
      const Eigen::Matrix3d axes = read_frame(space_, u + axes_offset());
      for (Eigen::Index k = 0; k < 3; ++k) moved.axes.col(k) = turning.cross(axes.col(k));
    }
    const JointMotion change = joined(still, moved);
    for (std::size_t k = 0; k < n; ++k)
      jacobian[k * row_length + c] = own(law().directed_change(now, change, unit(k).data())).power_W(moving);
  }
}

}  // namespace ergon
