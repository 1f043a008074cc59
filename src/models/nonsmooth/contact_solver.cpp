#include "ergon/models/nonsmooth/contact_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace ergon {
namespace {

using Index = Eigen::Index;

/// Rows above which a dense matrix of an island would dominate the step; the solution does not depend on it.
constexpr Index max_dense_rows = 300;

}  // namespace

ContactSolver::ContactSolver(const Machine& machine, const Bilateral& bilateral)
    : machine_(machine),
      bilateral_(bilateral),
      joined_(machine.bodies.size()),
      place_of_body_(machine.bodies.size(), -1),
      body_space_(machine.bodies.size()),
      collected_(machine.bodies.size(), 0) {}

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
      if (bilateral_.has_rows(body) && joined_.find(body) == first) collect(body);
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
