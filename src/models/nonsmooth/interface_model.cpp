#include "ergon/models/nonsmooth/interface_model.hpp"

#include <Eigen/LU>
#include <cmath>

namespace ergon {

Eigen::VectorXd InterfaceModel::holding_N() const {
  if (mobility.size() == 0) return {};  // a machine without actuators
  return -mobility.ldlt().solve(free_acceleration);
}

InterfaceEvaluator::InterfaceEvaluator(const Machine& machine) {
  actuators_.resize(machine.actuators.size());
  free_row_.resize(machine.actuators.size());
  gyroscopic_.resize(machine.count());
  const auto velocities = static_cast<Index>(6 * machine.bodies.size());
  response_.setZero(velocities, static_cast<Index>(actuators_.size()));
  free_.setZero(velocities);
}

/// motion ← motion − M⁻¹Aᵀ H_bb⁻¹ (what `joint_` holds).
void InterfaceEvaluator::respond_with_joints(const MachineRows& rows, Eigen::Ref<Eigen::VectorXd> motion) {
  rows.bilateral().factor().solve(joint_.data());
  joint_ = -joint_;
  rows.bilateral().push(joint_, motion);
}

/// free_ += M⁻¹A_τᵀλ_τ
void InterfaceEvaluator::push_tight(const MachineRows& rows, double h, const MachineState& /*state*/) {
  for (const ContactRows& contact : rows.contacts().contacts()) {
    if (!contact.known) continue;
    const std::size_t count = contact.friction > 0.0 ? 3 : 1;
    for (std::size_t k = 0; k < count; ++k)
      if (contact.state[k] != RowState::active && contact.impulse[k] != 0.0)
        contact.row[k].push(contact.impulse[k] / h, free_);
  }
}

void InterfaceEvaluator::make_room(const MachineRows& rows, InterfaceModel& model) {
  const auto n = static_cast<Index>(actuators_.size());
  joint_.resize(static_cast<Index>(rows.bilateral().size()));
  model.mobility.resize(n, n);
  for (Eigen::VectorXd* vector : {&model.free_acceleration, &model.rate, &model.length}) vector->resize(n);
}

void InterfaceEvaluator::find_free(const Bilateral& joints, const std::vector<bool>& let_free) {
  std::fill(free_row_.begin(), free_row_.end(), no_row);
  if (let_free.empty()) return;
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const Bilateral::RowInfo& info = joints.infos()[i];
    if (info.kind == Bilateral::Kind::motion_driven && let_free[info.owner])
      free_row_[info.owner] = static_cast<Index>(i);
  }
}

void InterfaceEvaluator::evaluate(MachineRows& rows, double h, const MachineState& state,
                                  const MachineLoads& loads, InterfaceModel& model,
                                  const std::vector<bool>& let_free) {
  const Machine& machine = rows.machine();
  const Bilateral& joints = rows.bilateral();
  const auto n = static_cast<Index>(actuators_.size());
  make_room(rows, model);
  find_free(joints, let_free);

  // M⁻¹f̂ without the interface forces, and what the joints leave of it.
  free_.setZero();
  expected_gyroscopic_torques(machine, rows.kinematics(), state, h, gyroscopic_);
  add_free_motion(machine, rows.kinematics(), loads.marker, gyroscopic_, 1.0, free_);
  rows.joint_forces().push(loads.motor, 1.0, free_);
  if (!machine.motors.empty()) rows.contacts().set_speeds(loads.motor);
  push_tight(rows, h, state);
  rows.turning().expect(rows.kinematics(), h, state);
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const Row& row = joints.rows()[i];
    // At rest nothing is known of A v before, so that all of Ȧv is to come.
    double bias = row.rate(free_) +
                  (h > 0.0 ? joints.drift_share(i) : 1.0) * rows.turning().drift()[static_cast<Index>(i)];
    if (h > 0.0) bias += (joints.gamma()[i] * row.gap / h + row.rate(state.velocity) - row.target) / h;
    joint_[static_cast<Index>(i)] = bias;
  }
  // A free row is kept from accelerating: neither its gap nor the rate that it was told has a say.
  for (const Index row : free_row_) {
    if (row == no_row) continue;
    const Row& of = joints.rows()[static_cast<std::size_t>(row)];
    joint_[row] = of.rate(free_) + of.drift;
  }
  respond_with_joints(rows, free_);
  for (Index i = 0; i < n; ++i)
    if (const Index row = free_row_[static_cast<std::size_t>(i)]; row != no_row)
      model.free_acceleration[i] = joint_[row];

  for (Index j = 0; j < n; ++j) {
    Row& row = actuators_[static_cast<std::size_t>(j)];
    const Machine::Actuator& actuator = machine.actuators[static_cast<std::size_t>(j)];
    line_row(rows.kinematics(), actuator.a, actuator.point_a, actuator.b, actuator.point_b, row);
    auto motion = response_.col(j);
    motion.setZero();
    if (const Index free_row = free_row_[static_cast<std::size_t>(j)]; free_row != no_row) {
      // Under a unit acceleration of this row.
      joint_.setZero();
      joint_[free_row] = -1.0;
    } else {
      joints.coupling(row, joint_);
      row.push(1.0, motion);
    }
    respond_with_joints(rows, motion);
    for (Index i = 0; i < n; ++i)
      if (const Index free_row = free_row_[static_cast<std::size_t>(i)]; free_row != no_row)
        model.mobility(i, j) = joint_[free_row];
  }
  for (Index i = 0; i < n; ++i) {
    const Row& row = actuators_[static_cast<std::size_t>(i)];
    if (free_row_[static_cast<std::size_t>(i)] == no_row) {
      for (Index j = 0; j < n; ++j) {
        const bool symmetric = free_row_[static_cast<std::size_t>(j)] == no_row;
        if (symmetric && j > i) continue;
        model.mobility(i, j) = row.rate(response_.col(j));
        if (symmetric) model.mobility(j, i) = model.mobility(i, j);
      }
      model.free_acceleration[i] = row.rate(free_) + row.drift;
    }
    model.rate[i] = row.rate(state.velocity);
    model.length[i] = row.gap;
  }
  for (std::size_t i = 0; i < rows.contacts().islands(); ++i) eliminate_contacts(rows, i, h, state, model);
}

/// With W of the island, in which the joints are eliminated, and α its active rows:
///   M̃⁻¹ −= Xᵀ W_αα⁻¹ X,   M̃⁻¹λ̃ −= Xᵀ W_αα⁻¹ r,   X = A_α·response,   r = A_α·free + (A_αv + γΦ/h)/h
/// In rows of actuators that were let free, which are forces, with the other sign.
void InterfaceEvaluator::eliminate_contacts(MachineRows& rows, std::size_t island, double h,
                                            const MachineState& state, InterfaceModel& model) {
  const auto n = static_cast<Index>(actuators_.size());
  const ContactSolver::Island& of = rows.contacts().island(island);
  const auto most = static_cast<Index>(3 * (of.last - of.first));
  if (across_.rows() < most) {
    across_.resize(most + most / 2, n + 1);
    factor_.resize(most + most / 2, most + most / 2);
    active_.reserve(static_cast<std::size_t>(most + most / 2));
  }
  active_.clear();
  bool moved = false;
  for (std::size_t place = of.first; place < of.last; ++place) {
    const ContactRows& contact = rows.contacts().in_order(place);
    if (!contact.known) continue;
    const std::size_t count = contact.friction > 0.0 ? 3 : 1;
    for (std::size_t k = 0; k < count; ++k) {
      if (contact.state[k] != RowState::active) continue;
      const Row& row = contact.row[k];
      const auto a = static_cast<Index>(active_.size());
      active_.push_back(static_cast<Index>(3 * (place - of.first) + k));
      for (Index j = 0; j < n; ++j) {
        across_(a, j) = row.rate(response_.col(j));
        moved = moved || across_(a, j) != 0.0;
      }
      across_(a, n) = row.rate(free_) + (contact.extra[k] + row.rate(state.velocity)) / h;
    }
  }
  if (!moved) return;
  const Eigen::MatrixXd& W = rows.contacts().matrix(island);
  const auto m = static_cast<Index>(active_.size());
  for (Index b = 0; b < m; ++b)
    for (Index a = b; a < m; ++a)
      factor_(a, b) = W(active_[static_cast<std::size_t>(a)], active_[static_cast<std::size_t>(b)]);
  // L, and L⁻¹ of the columns as it grows. A pivot that is 0 to rounding belongs to a row that depends on those before it: it adds nothing.
  constexpr double relative_zero = 1e-13;
  for (Index j = 0; j < m; ++j) {
    const Index below = m - j - 1;
    const double diagonal = W(active_[static_cast<std::size_t>(j)], active_[static_cast<std::size_t>(j)]);
    const double pivot = factor_(j, j);
    if (!(pivot > relative_zero * diagonal)) {
      across_.row(j).setZero();
      continue;
    }
    const double root = 1.0 / std::sqrt(pivot);
    auto column = factor_.col(j).segment(j + 1, below);
    column *= root;
    for (Index c = 0; c <= n; ++c) {
      across_(j, c) *= root;
      across_.col(c).segment(j + 1, below) -= across_(j, c) * column;
    }
    for (Index k = j + 1; k < m; ++k)
      factor_.col(k).segment(k, m - k) -= factor_(k, j) * factor_.col(j).segment(k, m - k);
  }
  for (Index i = 0; i < n; ++i) {
    const auto column = across_.col(i).head(m);
    const double sign = free_row_[static_cast<std::size_t>(i)] == no_row ? -1.0 : 1.0;
    for (Index j = 0; j < n; ++j) model.mobility(i, j) += sign * column.dot(across_.col(j).head(m));
    model.free_acceleration[i] += sign * column.dot(across_.col(n).head(m));
  }
}

void InterfaceEvaluator::set_rates(const InterfaceModel& model, const Eigen::VectorXd& change,
                                   Eigen::VectorXd& velocity) const {
  if (change.size() == 0) return;  // a machine without actuators
  velocity += response_ * model.mobility.ldlt().solve(change);
}

}  // namespace ergon
