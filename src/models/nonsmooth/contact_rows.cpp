#include <algorithm>
#include <limits>

#include "ergon/models/nonsmooth/contact_solver.hpp"

// The rows of contacts before they are solved: geometry, laws, what is remembered of the last step, islands.

namespace ergon {
namespace {

using Eigen::Vector3d;
using Index = Eigen::Index;

Vector3d velocity_at(const Kinematics::Body& body, const Vector3d& point) {
  return body.velocity + body.omega.cross(point - body.position);
}

/// Along what the contact says, else along a direction that is given, else along the coordinate axis that is most across. In a box the
/// direction is that of the sliding; a cone knows none, and the tangent of the last step is carried on with the normal, so
/// that forces keep their direction.
Vector3d first_tangent(const ContactPoint& at, const Vector3d& given, double least) {
  const auto across = [&](const Vector3d& direction) {
    return Vector3d(direction - at.normal * at.normal.dot(direction));
  };
  Vector3d tangent = across(at.along);
  if (tangent.norm() < 0.1 && given.norm() > least) tangent = across(given);
  if (tangent.norm() == 0.0) {
    Index most = 0;
    at.normal.cwiseAbs().minCoeff(&most);
    tangent = across(Vector3d::Unit(most));
  }
  return tangent.normalized();
}

void set_jacobian(const Vector3d& direction, const ContactPoint& at, const Kinematics& k, Row& row) {
  row.count = 2;
  row.body[0] = at.a;
  row.body[1] = at.b;
  row.jacobian[0] << direction, (at.point - k.bodies[at.a].position).cross(direction);
  row.jacobian[1] << -direction, -(at.point - k.bodies[at.b].position).cross(direction);
  row.gap = row.drift = row.target = 0.0;
  row.respond(k);
}

}  // namespace

void ContactSolver::prepare(const Kinematics& kinematics, const Eigen::VectorXd& velocity, double h,
                            const std::vector<ContactMemory>& memory, std::span<const BoundedRow> of_joints) {
  kinematics_ = &kinematics;
  find_contacts(machine_, kinematics, points_);
  contacts_.resize(points_.size() + of_joints.size());
  auto remembered = memory.begin();
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    ContactRows& contact = contacts_[i];
    const BoundedRow* of_joint = i < points_.size() ? nullptr : &of_joints[i - points_.size()];
    if (of_joint != nullptr) {
      contact.at = {of_joint->identity, of_joint->row.body[0], of_joint->row.body[1]};
    } else {
      contact.at = points_[i];
    }
    while (remembered != memory.end() && remembered->identity < contact.at.identity) ++remembered;
    const bool known = remembered != memory.end() && remembered->identity == contact.at.identity;
    contact.known = known;
    contact.tangent = known ? Vector3d(remembered->tangent) : Vector3d::Zero();
    for (std::size_t k = 0; k < 3; ++k) {
      contact.impulse[k] = known ? h * remembered->force[k] : 0.0;
      contact.state[k] = known ? static_cast<RowState>(remembered->row_state[k]) : RowState::active;
    }
    if (of_joint != nullptr) {
      set_up_joint(*of_joint, contact);
    } else {
      set_up(kinematics, velocity, h, contact);
    }
  }
  find_islands();
}

void ContactSolver::clear() {
  contacts_.clear();
  order_.clear();
  islands_.clear();
}

void ContactSolver::set_up_joint(const BoundedRow& of_joint, ContactRows& contact) {
  contact.kind = of_joint.kind;
  contact.joint = of_joint.joint;
  contact.row[0] = of_joint.row;
  contact.at.gap = of_joint.row.gap;
  contact.compliance[0] = of_joint.compliance;
  contact.extra[0] = of_joint.extra;
  contact.lower = of_joint.lower;
  contact.upper = of_joint.upper;
  contact.stiffness_N_m = of_joint.stiffness;
  contact.friction = 0.0;
  contact.bounces = false;
}

void ContactSolver::set_speeds(std::span<const double> told) {
  for (ContactRows& contact : contacts_) {
    if (contact.kind != BoundedKind::motor) continue;
    const auto motor = std::find(machine_.motors.begin(), machine_.motors.end(), contact.joint);
    const auto place = static_cast<std::size_t>(motor - machine_.motors.begin());
    contact.extra[0] = place < told.size() ? -told[place] : 0.0;
  }
}

void ContactSolver::set_up(const Kinematics& kinematics, const Eigen::VectorXd& velocity, double h,
                           ContactRows& contact) {
  const ContactPoint& at = contact.at;
  const MaterialDescription& material = machine_.materials[at.material];
  const Vector3d relative =
      velocity_at(kinematics.bodies[at.a], at.point) - velocity_at(kinematics.bodies[at.b], at.point);
  // Slower is rest: directions of noise would change from step to step.
  constexpr double at_rest_m_s = 1e-3;
  const Vector3d t1 = machine_.solver.friction_law == FrictionLaw::box
                          ? first_tangent(at, relative - at.normal * at.normal.dot(relative), at_rest_m_s)
                          : first_tangent(at, contact.tangent, 0.0);
  contact.tangent = t1;
  set_jacobian(at.normal, at, kinematics, contact.row[0]);
  contact.row[0].gap = at.gap;
  contact.friction = material.friction;
  contact.kind = BoundedKind::contact;
  contact.lower = 0.0;
  contact.upper = std::numeric_limits<double>::infinity();
  contact.stiffness_N_m = material.stiffness_N_m;

  const double K = material.stiffness_N_m;
  const double B = material.damping_Ns_m;
  const double approach = contact.row[0].rate(velocity);
  // What gravity adds in a step or two is not an impact.
  const double slowest_impact = std::max(material.rest_velocity_m_s, 2.0 * h * machine_.gravity.norm());
  contact.bounces = material.restitution > 0.0 && approach < -slowest_impact;
  if (contact.bounces) {
    // An impact is an event, not a spring: w⁺ = −e w⁻, rigid to rounding.
    constexpr double rigid = 1e-10;
    contact.compliance[0] = rigid * contact.row[0].mobility();
    contact.extra[0] = material.restitution * approach;
  } else {
    contact.compliance[0] = 1.0 / (h * h * K + h * B);
    contact.extra[0] = K * at.gap / (h * K + B);  // γΦ/h
  }
  if (!(material.friction > 0.0)) return;
  set_jacobian(t1, at, kinematics, contact.row[1]);
  set_jacobian(at.normal.cross(t1), at, kinematics, contact.row[2]);
  for (std::size_t k = 1; k < 3; ++k) {
    contact.compliance[k] = 1.0 / (h * material.tangential_damping_Ns_m);
    contact.extra[k] = 0.0;
  }
}

void ContactSolver::find_islands() {
  order_.clear();
  islands_.clear();
  if (contacts_.empty()) return;
  joined_.reset();
  for (std::size_t body = 0; body < bilateral_.assembly_of().size(); ++body)
    joined_.join(body, bilateral_.assembly_of()[body]);
  const std::size_t ground = machine_.ground();
  for (const ContactRows& contact : contacts_) {
    if (contact.at.a != ground && contact.at.b != ground) joined_.join(contact.at.a, contact.at.b);
  }
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const ContactPoint& at = contacts_[i].at;
    order_.emplace_back(joined_.find(at.a == ground ? at.b : at.a), i);
  }
  std::sort(order_.begin(), order_.end());
  for (std::size_t i = 0; i < order_.size(); ++i) {
    if (i == 0 || order_[i].first != order_[i - 1].first) islands_.push_back({i, i});
    islands_.back().last = i + 1;
    for (const std::size_t body : {contacts_[order_[i].second].at.a, contacts_[order_[i].second].at.b})
      islands_.back().joined = islands_.back().joined || bilateral_.has_rows(body);
  }
}

}  // namespace ergon
