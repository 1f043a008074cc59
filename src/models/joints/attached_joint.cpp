#include "ergon/models/joints/attached_joint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ergon {
namespace {

using Eigen::Index;
using Inputs = std::array<double, EndPorts::max_scalars>;

}  // namespace

AttachedJoint::AttachedJoint(const JointAttachment& what, const Marker& marker)
    : BodyJoint(what, marker),
      partner_(space_, on_.groups(), what.end == JointAttachment::End::i ? frame_j : frame_i) {}

void AttachedJoint::describe(Description& description) const {
  std::vector<unsigned> groups;
  const std::size_t first_input = description.inputs.size();
  partner_.describe([&](const char* quantity) { return fmt::format("{}_partner_{}", what_.name, quantity); },
                    description.inputs, groups);
  const auto output = [&](const char* quantity, const char* unit, std::size_t size, unsigned depends_on) {
    if (depends_on == 0) return;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if ((depends_on & groups[i]) != 0)
        description.feedthrough.push_back({description.outputs.size(), first_input + i});
    }
    description.outputs.push_back({fmt::format("{}_partner_{}", what_.name, quantity), Unit::of(unit), size,
                                   "what the joint does to the other body, world coordinates"});
  };
  output("force", "N", vector_size(space_), on_.force);
  output("torque", "N.m", rotation_size(space_), is_i() ? on_.torque_j : on_.torque_i);
}

std::size_t AttachedJoint::output_count() const {
  const unsigned torque = is_i() ? on_.torque_j : on_.torque_i;
  return (on_.force != 0 ? vector_size(space_) : 0) + (torque != 0 ? rotation_size(space_) : 0);
}

void AttachedJoint::add_wrench(const BodyMotion& body, const double* u, double* efforts) const {
  add_efforts(own(law().respond(motion(body, u)).wrench()), efforts);
}

double AttachedJoint::stored_J(const BodyMotion& body, const double* u) const {
  return is_owner() ? law().respond(motion(body, u)).stored_J : 0.0;
}

double AttachedJoint::powers_W(const BodyMotion& body, const BodyMotion& body_at_work, const double* u,
                               const double* u_rate, double* received_W) const {
  const JointMotion now = motion(body, u);
  const JointResponse response = law().respond(now);
  std::fill_n(received_W, input_count(), 0.0);
  double* at_position = received_W;
  double* at_velocity = received_W + partner_.velocity_offset();
  double* at_turning = received_W + partner_.angular_velocity_offset();
  // One number per component; what is left out in the plane is 0.
  const auto book = [](std::size_t count, double* account, const Eigen::Vector3d& effort,
                       const Eigen::Vector3d& flow, double sign) {
    for (std::size_t k = 0; k < count; ++k) {
      const auto axis = static_cast<Index>(count == 1 ? 2 : k);
      account[k] += sign * effort[axis] * flow[axis];
    }
  };
  const std::size_t n = vector_size(space_), r = rotation_size(space_);
  if (!is_owner()) {
    const JointWrench both = response.wrench();
    const MarkerMotion at_work = motion_of_marker(marker_, body_at_work);
    if (partner_.has_point()) book(n, at_velocity, own(both).force, at_work.velocity_m_s, 1.0);
    if (partner_.has_frame()) {
      book(r, at_turning, own(both).torque, at_work.angular_velocity_rad_s, 1.0);
    } else {
      // The torque that a force at the partner's point has: no input of its own tells of it.
      *at_velocity += own(both).torque.dot(at_work.angular_velocity_rad_s);
    }
    return 0.0;
  }
  const Wrench& damping = on_partner(response.damping);
  const Wrench& elastic = on_partner(response.elastic);
  if (partner_.has_point()) book(n, at_velocity, damping.force, partner(now).velocity_m_s, -1.0);
  if (partner_.has_frame()) book(r, at_turning, damping.torque, partner(now).angular_velocity_rad_s, -1.0);
  if (u_rate != nullptr) {
    Eigen::Vector3d turning;
    const MarkerMotion rates = partner_.change(u, u_rate, turning);
    if (partner_.has_point()) book(n, at_position, elastic.force, rates.position_m, -1.0);
    if (partner_.has_frame()) book(r, at_turning, elastic.torque, turning, -1.0);
  }
  return response.dissipation_W;
}

void AttachedJoint::add_jump_work_J(const BodyMotion& body, const double* u_old, const double* u_new,
                                    double share, double* received_J) const {
  if (!is_owner() || std::equal(u_old, u_old + input_count(), u_new)) return;
  // One component after the other, the frame as a whole: where the way matters is the share of each only.
  Inputs u{};
  std::copy_n(u_old, input_count(), u.begin());
  double before = stored_J(body, u.data());
  const auto book = [&](std::size_t account) {
    const double after = stored_J(body, u.data());
    received_J[account] += share * (after - before);
    before = after;
  };
  for (std::size_t k = 0; partner_.has_point() && k < vector_size(space_); ++k) {
    u[k] = u_new[k];
    book(k);
  }
  if (!partner_.has_frame()) return;
  std::copy_n(u_new + partner_.axes_offset(), frame_size(space_), u.begin() + partner_.axes_offset());
  book(partner_.angular_velocity_offset());
}

void AttachedJoint::write(const Wrench& wrench, double* y) const {
  if (on_.force != 0) {
    write_vector(space_, wrench.force, y);
    y += vector_size(space_);
  }
  if ((is_i() ? on_.torque_j : on_.torque_i) != 0) write_rotation(space_, wrench.torque, y);
}

void AttachedJoint::outputs(const BodyMotion& body, const double* u, double* y) const {
  write(on_partner(law().respond(motion(body, u)).wrench()), y);
}

void AttachedJoint::output_jacobian(const BodyMotion& body, const double* u, double* jacobian,
                                    std::size_t row_length) const {
  const JointMotion now = motion(body, u);
  MarkerMotion still;
  still.axes.setZero();
  Inputs du{};
  for (std::size_t k = 0; k < input_count(); ++k) {
    du.fill(0.0);
    du[k] = 1.0;
    Eigen::Vector3d turning;
    const MarkerMotion moved = partner_.change(u, du.data(), turning);
    const JointMotion change = joined(still, moved);
    double column[6];
    write(on_partner(law().wrench_change(now, change)), column);
    for (std::size_t row = 0; row < output_count(); ++row) jacobian[row * row_length + k] = column[row];
  }
}

}  // namespace ergon
