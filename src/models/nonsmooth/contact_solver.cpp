#include "ergon/models/nonsmooth/contact_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace ergon {
namespace {

using Eigen::Vector3d;
using Index = Eigen::Index;

/// Rows above which a dense matrix of an island would dominate the step; the solution does not depend on it.
constexpr Index max_dense_rows = 300;

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

ContactSolver::ContactSolver(const Machine& machine, const Bilateral& bilateral)
    : machine_(machine),
      bilateral_(bilateral),
      parent_(machine.bodies.size()),
      place_of_body_(machine.bodies.size(), -1),
      body_space_(machine.bodies.size()),
      collected_(machine.bodies.size(), 0) {}

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

std::size_t ContactSolver::root(std::size_t body) {
  while (parent_[body] != body) body = parent_[body] = parent_[parent_[body]];
  return body;
}

void ContactSolver::find_islands() {
  order_.clear();
  islands_.clear();
  if (contacts_.empty()) return;
  std::copy(bilateral_.assembly_of().begin(), bilateral_.assembly_of().end(), parent_.begin());
  const std::size_t ground = machine_.ground();
  for (const ContactRows& contact : contacts_) {
    if (contact.at.a == ground || contact.at.b == ground) continue;
    const std::size_t a = root(contact.at.a);
    const std::size_t b = root(contact.at.b);
    parent_[std::max(a, b)] = std::min(a, b);
  }
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const ContactPoint& at = contacts_[i].at;
    order_.emplace_back(root(at.a == ground ? at.b : at.a), i);
  }
  std::sort(order_.begin(), order_.end());
  for (std::size_t i = 0; i < order_.size(); ++i) {
    if (i == 0 || order_[i].first != order_[i - 1].first) islands_.push_back({i, i});
    islands_.back().last = i + 1;
    for (const std::size_t body : {contacts_[order_[i].second].at.a, contacts_[order_[i].second].at.b})
      islands_.back().joined = islands_.back().joined || bilateral_.has_rows(body);
  }
}

ContactSolver::Report ContactSolver::solve(const Eigen::VectorXd& free) {
  Report report;
  for (std::size_t i = 0; i < islands_.size(); ++i) {
    const Island& island = islands_[i];
    const auto rows = static_cast<Index>(3 * (island.last - island.first));
    const bool by_pivoting =
        machine_.solver.friction_law == FrictionLaw::box && (rows <= max_dense_rows || island.joined);
    if (by_pivoting) {
      solve_directly(i, free, report);
    } else {
      solve_by_newton(i, free, report);
    }
  }
  return report;
}

void ContactSolver::push(Eigen::VectorXd& velocity) const {
  for (const ContactRows& contact : contacts_) {
    const std::size_t rows = contact.friction > 0.0 ? 3 : 1;
    for (std::size_t k = 0; k < rows; ++k)
      if (contact.impulse[k] != 0.0) contact.row[k].push(contact.impulse[k], velocity);
  }
}

void ContactSolver::reserve(Index rows) {
  if (q_.size() >= rows) return;
  const Index capacity = rows + rows / 2;
  for (Eigen::VectorXd* vector : {&q_, &lo_, &up_, &x_, &used_}) vector->resize(capacity);
  states_.reserve(static_cast<std::size_t>(capacity));
  box_.reserve(capacity);
}

/// Z and ZᵀZ of the touched bodies that have bilateral rows, and ZᵀZ A_cᵀ.
void ContactSolver::add_joint_response(const Island& island, Index rows) {
  touched_.clear();
  for (std::size_t i = island.first; i < island.last; ++i) {
    for (const std::size_t body : {contacts_[order_[i].second].at.a, contacts_[order_[i].second].at.b}) {
      if (place_of_body_[body] >= 0 || !bilateral_.has_rows(body)) continue;
      place_of_body_[body] = static_cast<Index>(6 * touched_.size());
      touched_.push_back(body);
    }
  }
  const auto columns = static_cast<Index>(6 * touched_.size());
  const auto m = static_cast<Index>(bilateral_.size());
  if (Z_.cols() < columns || Z_.rows() != m) Z_.resize(m, columns);
  if (coupled_.rows() < columns) coupled_.resize(columns, columns);
  if (through_.rows() < columns || through_.cols() < rows) through_.resize(columns, rows + rows / 2);
  for (const std::size_t body : touched_)
    bilateral_.half_columns(body, Z_.middleCols<6>(place_of_body_[body]));
  for (Index j = 0; j < columns; ++j)
    for (Index i = j; i < columns; ++i) coupled_(i, j) = coupled_(j, i) = Z_.col(i).dot(Z_.col(j));
  Index column = 0;
  for (std::size_t i = island.first; i < island.last; ++i) {
    const ContactRows& contact = contacts_[order_[i].second];
    for (std::size_t k = 0; k < 3; ++k, ++column) {
      auto sum = through_.col(column).head(columns);
      sum.setZero();
      if (k > 0 && !(contact.friction > 0.0)) continue;
      for (std::size_t s = 0; s < 2; ++s) {
        const Index place = place_of_body_[contact.row[k].body[s]];
        if (place < 0) continue;
        for (Index c = 0; c < 6; ++c)
          sum += contact.row[k].jacobian[s][c] * coupled_.col(place + c).head(columns);
      }
    }
  }
}

const Eigen::MatrixXd& ContactSolver::matrix(std::size_t island) {
  Island& of = islands_[island];
  if (W_.size() < islands_.size()) W_.resize(islands_.size());
  Eigen::MatrixXd& W = W_[island];
  if (of.formed) return W;
  const auto rows = static_cast<Index>(3 * (of.last - of.first));
  if (W.rows() < rows) W.resize(rows + rows / 2, rows + rows / 2);
  form_matrix(of, rows, W);
  of.formed = true;
  return W;
}

void ContactSolver::form_matrix(const Island& island, Index rows, Eigen::MatrixXd& W) {
  if (island.joined) add_joint_response(island, rows);
  Index j = 0;
  for (std::size_t at_j = island.first; at_j < island.last; ++at_j) {
    const ContactRows& cj = contacts_[order_[at_j].second];
    for (std::size_t kj = 0; kj < 3; ++kj, ++j) {
      if (kj > 0 && !(cj.friction > 0.0)) {
        // Without friction its rows are idle.
        W.col(j).head(rows).setZero();
        W.row(j).head(rows).setZero();
        W(j, j) = 1.0;
        continue;
      }
      const Row& rj = cj.row[kj];
      Index i = 3 * static_cast<Index>(at_j - island.first);
      for (std::size_t at_i = at_j; at_i < island.last; ++at_i) {
        const ContactRows& ci = contacts_[order_[at_i].second];
        for (std::size_t ki = 0; ki < 3; ++ki, ++i) {
          if (i < j || (ki > 0 && !(ci.friction > 0.0))) continue;
          const Row& ri = ci.row[ki];
          double sum = i == j ? cj.compliance[kj] : 0.0;
          for (std::size_t a = 0; a < 2; ++a) {
            for (std::size_t b = 0; b < 2; ++b)
              if (ri.body[a] == rj.body[b]) sum += ri.jacobian[a].dot(rj.response[b]);
            const Index place = island.joined ? place_of_body_[ri.body[a]] : -1;
            if (place >= 0) sum -= ri.jacobian[a].dot(through_.col(j).segment<6>(place));
          }
          W(i, j) = W(j, i) = sum;
        }
      }
    }
  }
  for (const std::size_t body : touched_) place_of_body_[body] = -1;
  touched_.clear();
}

void ContactSolver::solve_directly(std::size_t which, const Eigen::VectorXd& free, Report& report) {
  const Island& island = islands_[which];
  const auto n = static_cast<Index>(3 * (island.last - island.first));
  reserve(n);
  const Eigen::MatrixXd& W = matrix(which);
  states_.resize(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) {
    const ContactRows& contact = contacts_[order_[island.first + static_cast<std::size_t>(i / 3)].second];
    const auto k = static_cast<std::size_t>(i % 3);
    x_[i] = contact.impulse[k];
    states_[static_cast<std::size_t>(i)] = contact.state[k];
    const bool idle = k > 0 && !(contact.friction > 0.0);
    q_[i] = idle ? 0.0 : contact.row[k].rate(free) + contact.extra[k];
    if (k == 0) {
      lo_[i] = contact.lower;
      up_[i] = contact.upper;
      used_[i / 3] = contact.impulse[0];
    }
  }
  const auto set_bounds = [&] {
    for (Index c = 0; 3 * c < n; ++c) {
      const double mu = contacts_[order_[island.first + static_cast<std::size_t>(c)].second].friction;
      for (Index k = 1; k < 3; ++k) {
        up_[3 * c + k] = mu * std::max(used_[c], 0.0);
        lo_[3 * c + k] = -up_[3 * c + k];
      }
    }
  };
  const SolverDescription& options = machine_.solver;
  const int most = options.friction_from_previous_step ? 1 : options.friction_iterations;
  box_.matrix_changed();
  bool settled = false;
  double residual = 0.0;
  double bounds_off = 0.0;  // relative change of the bounds in the last round
  int pivots = 0;
  for (int iteration = 1; iteration <= most && !settled; ++iteration) {
    set_bounds();
    const BoxLcp::Result result =
        box_.solve({W.topLeftCorner(n, n), q_.head(n), lo_.head(n), up_.head(n)}, x_.head(n), states_);
    report.pivots += result.pivots;
    pivots += result.pivots;
    report.fixed_point = std::max(report.fixed_point, iteration);
    residual = result.residual;
    double largest = 0.0;
    double change = 0.0;
    constexpr int undamped = 10;
    for (Index c = 0; 3 * c < n; ++c) {
      largest = std::max(largest, x_[3 * c]);
      change = std::max(change, std::abs(x_[3 * c] - used_[c]));
      used_[c] = iteration > undamped ? 0.5 * (used_[c] + x_[3 * c]) : x_[3 * c];
    }
    settled = change <= options.friction_tolerance * largest;
    bounds_off = largest > 0.0 ? change / largest : 0.0;
  }
  settled = settled || options.friction_from_previous_step;
  if (!settled) residual = std::max(residual, bounds_off);
  if (!(residual <= report.residual)) report.residual = residual;
  report.iterations = std::max(report.iterations, pivots);
  report.bounds_settled = report.bounds_settled && settled;
  report.solved = report.solved && settled && residual <= options.tolerance;
  for (Index i = 0; i < n; ++i) {
    ContactRows& contact = contacts_[order_[island.first + static_cast<std::size_t>(i / 3)].second];
    contact.impulse[i % 3] = x_[i];
    contact.state[i % 3] = states_[static_cast<std::size_t>(i)];
  }
}

ContactOperator& ContactSolver::body_space(const Island& island) {
  const std::size_t first = order_[island.first].first;
  bodies_.clear();
  ++collection_;
  const auto collect = [&](std::size_t body) {
    if (body == machine_.ground() || collected_[body] == collection_) return;
    collected_[body] = collection_;
    bodies_.push_back(body);
  };
  for (const ContactRows* contact : members_) {
    collect(contact->at.a);
    collect(contact->at.b);
  }
  if (island.joined) {
    for (std::size_t body = 0; body < machine_.count(); ++body)
      if (bilateral_.has_rows(body) && root(body) == first) collect(body);
  }
  std::sort(bodies_.begin(), bodies_.end());
  BodySpaceContacts& space = body_space_[first];
  space.prepare(machine_, *kinematics_, bilateral_, {bodies_, members_, island.joined}, place_of_body_);
  return space;
}

void ContactSolver::solve_by_newton(std::size_t which, const Eigen::VectorXd& free, Report& report) {
  const Island& island = islands_[which];
  const std::size_t count = island.last - island.first;
  const auto n = static_cast<Index>(3 * count);
  reserve(n);
  cone_.reserve(count);
  const bool dense = island.joined && n <= max_dense_rows;
  laws_.resize(count);
  members_.clear();
  for (std::size_t c = 0; c < count; ++c) {
    const ContactRows& contact = in_order(island.first + c);
    members_.push_back(&contact);
    laws_[c].friction = contact.friction;
    laws_[c].lower = contact.lower;
    laws_[c].upper = contact.upper;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto i = static_cast<Index>(3 * c + k);
      const bool idle = k > 0 && !(contact.friction > 0.0);
      // An idle row is 1 in W, all of it compliance.
      laws_[c].compliance[k] = idle ? 1.0 : contact.compliance[k];
      laws_[c].diagonal[k] = idle ? 1.0 : contact.row[k].mobility() + contact.compliance[k];
      q_[i] = idle ? 0.0 : contact.row[k].rate(free) + contact.extra[k];
      x_[i] = idle ? 0.0 : contact.impulse[k];
    }
  }
  if (dense) dense_.prepare(matrix(which), laws_);
  ContactOperator& W0 = dense ? static_cast<ContactOperator&>(dense_) : body_space(island);
  const SolverDescription& options = machine_.solver;
  // A round of Newton's method is a step or two from the last one: many of them cost what a few box problems do.
  constexpr int rounds_per_iteration = 4;
  const ConeSolver::Result result =
      cone_.solve(laws_, q_.head(n), W0,
                  {options.friction_law, options.tolerance,
                   rounds_per_iteration * options.friction_iterations, options.friction_from_previous_step},
                  x_.head(n));
  // An input that is not a number must show in the step, not end in the impulses of the last one.
  if (!std::isfinite(result.residual)) x_.head(n).setConstant(std::numeric_limits<double>::quiet_NaN());
  report.newton += result.iterations;
  report.iterations = std::max(report.iterations, result.iterations);
  report.fixed_point = std::max(report.fixed_point, result.radii);
  if (!(result.residual <= report.residual)) report.residual = result.residual;
  report.solved = report.solved && result.converged;
  for (std::size_t c = 0; c < count; ++c) {
    ContactRows& contact = contacts_[order_[island.first + c].second];
    for (std::size_t k = 0; k < 3; ++k) {
      contact.impulse[k] = x_[static_cast<Index>(3 * c + k)];
      contact.state[k] = cone_.state(c, k);
    }
  }
}

}  // namespace ergon
