#include "ergon/models/nonsmooth/interface_model.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>

namespace ergon {
namespace {

using Eigen::Vector3d;
using Index = Eigen::Index;

/// A₁M⁻¹A₂ᵀ
double between(const Row& first, const Row& second) {
  double sum = 0.0;
  for (std::size_t a = 0; a < first.count; ++a)
    for (std::size_t b = 0; b < second.count; ++b)
      if (first.body[a] == second.body[b]) sum += first.jacobian[a].dot(second.response[b]);
  return sum;
}

}  // namespace

Eigen::VectorXd InterfaceModel::holding_N() const {
  if (mobility.size() == 0) return {};  // a machine without actuators
  return -mobility.ldlt().solve(free_acceleration);
}

InterfaceEvaluator::InterfaceEvaluator(std::shared_ptr<const Machine> machine)
    : machine_(std::move(machine)), bilateral_(*machine_), contacts_(*machine_, bilateral_) {
  kinematics_.bodies.resize(machine_->bodies.size());
  actuators_.resize(machine_->actuators.size());
}

/// Active rows go to `active_`; tight ones act with the force that they had.
void InterfaceEvaluator::gather_contacts(double h, const MachineState& state, Eigen::VectorXd& acceleration) {
  active_.clear();
  if (!(h > 0.0)) return;
  contacts_.prepare(kinematics_, state.velocity, h, state.contacts);
  auto remembered = state.contacts.begin();
  for (const ContactRows& contact : contacts_.contacts()) {
    while (remembered != state.contacts.end() && remembered->identity < contact.at.identity) ++remembered;
    if (remembered == state.contacts.end() || remembered->identity != contact.at.identity) continue;
    const std::size_t rows = contact.friction > 0.0 ? 3 : 1;
    for (std::size_t k = 0; k < rows; ++k) {
      const Row& row = contact.row[k];
      if (static_cast<RowState>(remembered->row_state[k]) == RowState::active) {
        active_.push_back({&row, contact.compliance[k], (contact.extra[k] + row.rate(state.velocity)) / h});
      } else {
        row.push(remembered->force[k], acceleration);
      }
    }
  }
}

void InterfaceEvaluator::evaluate(double t, double h, const MachineState& state, const MachineLoads& loads,
                                  InterfaceModel& model) {
  const Machine& machine = *machine_;
  kinematics_.evaluate(machine, state);
  angles_ = state.angles;
  bilateral_.evaluate(kinematics_, t, t + h, loads.led, angles_);
  bilateral_.regularise(h);
  bilateral_.factorise();

  // M⁻¹f̂ without the interface forces.
  Eigen::VectorXd acceleration = Eigen::VectorXd::Zero(state.velocity.size());
  add_free_motion(machine, kinematics_, loads.marker, h, 1.0, acceleration);
  gather_contacts(h, state, acceleration);

  // Columns: each active contact row, each actuator, and the right side; bilateral rows are eliminated from all of them.
  const auto m = static_cast<Index>(bilateral_.size());
  const auto contacts = static_cast<Index>(active_.size());
  const auto actuators = static_cast<Index>(actuators_.size());
  const Index columns = contacts + actuators;
  Eigen::MatrixXd half(m, columns + 1);
  Eigen::VectorXd column(m);
  std::vector<const Row*> rows;
  for (const ActiveRow& active : active_) rows.push_back(active.row);
  for (std::size_t i = 0; i < actuators_.size(); ++i) {
    const Machine::Actuator& actuator = machine.actuators[i];
    line_row(kinematics_, actuator.a, actuator.point_a, actuator.b, actuator.point_b, actuators_[i]);
    rows.push_back(&actuators_[i]);
  }
  for (Index j = 0; j < columns; ++j) {
    for (Index i = 0; i < m; ++i)
      column[i] = between(bilateral_.rows()[static_cast<std::size_t>(i)], *rows[static_cast<std::size_t>(j)]);
    bilateral_.factor().half_solve(column.data(), half.col(j).data());
  }
  for (Index i = 0; i < m; ++i) {
    const Row& row = bilateral_.rows()[static_cast<std::size_t>(i)];
    double bias = row.rate(acceleration) + row.drift;
    if (h > 0.0) {
      bias += (bilateral_.gamma()[static_cast<std::size_t>(i)] * row.gap / h + row.rate(state.velocity) -
               row.target) /
              h;
    }
    column[i] = bias;
  }
  bilateral_.factor().half_solve(column.data(), half.col(columns).data());

  Eigen::MatrixXd reduced(columns, columns);
  Eigen::VectorXd right(columns);
  for (Index j = 0; j < columns; ++j) {
    const Row& row = *rows[static_cast<std::size_t>(j)];
    for (Index i = j; i < columns; ++i)
      reduced(i, j) = reduced(j, i) =
          between(*rows[static_cast<std::size_t>(i)], row) - half.col(i).dot(half.col(j));
    const double bias = j < contacts ? active_[static_cast<std::size_t>(j)].bias : row.drift;
    right[j] = row.rate(acceleration) + bias - half.col(j).dot(half.col(columns));
    if (j < contacts) reduced(j, j) += active_[static_cast<std::size_t>(j)].compliance;
  }
  model.mobility = reduced.bottomRightCorner(actuators, actuators);
  model.free_acceleration = right.tail(actuators);
  if (contacts > 0 && actuators > 0) {
    const Eigen::LDLT<Eigen::MatrixXd> S(reduced.topLeftCorner(contacts, contacts));
    const Eigen::MatrixXd across = reduced.topRightCorner(contacts, actuators);
    model.mobility -= across.transpose() * S.solve(across);
    model.free_acceleration -= across.transpose() * S.solve(right.head(contacts));
  }
  model.rate.resize(actuators);
  model.length.resize(actuators);
  for (Index i = 0; i < actuators; ++i) {
    model.rate[i] = actuators_[static_cast<std::size_t>(i)].rate(state.velocity);
    model.length[i] = actuators_[static_cast<std::size_t>(i)].gap;
  }
}

void InterfaceEvaluator::set_rates(const InterfaceModel& model, const Eigen::VectorXd& change,
                                   Eigen::VectorXd& velocity) const {
  if (change.size() == 0) return;  // a machine without actuators
  const Eigen::VectorXd impulses = model.mobility.ldlt().solve(change);
  Eigen::VectorXd pushed = Eigen::VectorXd::Zero(velocity.size());
  for (std::size_t i = 0; i < actuators_.size(); ++i)
    actuators_[i].push(impulses[static_cast<Index>(i)], pushed);
  Eigen::VectorXd reaction(static_cast<Index>(bilateral_.size()));
  bilateral_.rates(pushed, reaction);
  bilateral_.factor().solve(reaction.data());
  bilateral_.push(-reaction, pushed);
  velocity += pushed;
}

}  // namespace ergon
