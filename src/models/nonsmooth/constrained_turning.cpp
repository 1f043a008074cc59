#include "ergon/models/nonsmooth/constrained_turning.hpp"

#include <algorithm>
#include <cmath>

namespace ergon {

using Eigen::Matrix3d;
using Eigen::Vector3d;

ConstrainedTurning::ConstrainedTurning(const Machine& machine, const Bilateral& joints)
    : machine_(machine), joints_(joints) {
  for (Eigen::VectorXd* vector : {&drift_, &drift_of_next_})
    vector->setZero(static_cast<Index>(joints_.size()));
  expected_.setZero(static_cast<Index>(6 * machine.bodies.size()));
  elsewhere_.bodies.resize(machine.bodies.size());
  moved_.position.resize(machine.bodies.size());
  moved_.orientation.resize(machine.bodies.size());
  moved_.angles.resize(machine.angle_count);
  moved_.velocity = expected_;
  if (machine.solver.turning == TurningRule::end) return;
  for (std::size_t i = 0; i < machine.count(); ++i) {
    const Matrix3d& J = machine.bodies[i].inertia;
    constexpr double rounding = 1e-14;
    if ((J - J(0, 0) * Matrix3d::Identity()).norm() > rounding * J.norm()) uneven_.push_back(i);
    if (joints.has_rows(i)) jointed_.push_back(i);
  }
  change_.resize(uneven_.size());
}

/// Slower joints have the Ȧv of the start, off by ½h² of its rate of change.
bool ConstrainedTurning::turns_fast(const Kinematics& kinematics, double h) const {
  constexpr double fast_turn_rad = 1e-3;
  return std::any_of(jointed_.begin(), jointed_.end(),
                     [&](std::size_t i) { return h * kinematics.bodies[i].omega.norm() > fast_turn_rad; });
}

void ConstrainedTurning::begin(const Kinematics& kinematics, double h) {
  scale_ = 1.0;
  last_change_ = 0.0;
  fast_ = turns_fast(kinematics, h);
  for (std::size_t i = 0; i < joints_.size(); ++i) drift_[static_cast<Index>(i)] = joints_.rows()[i].drift;
}

void ConstrainedTurning::expect(const Kinematics& kinematics, double h, const MachineState& state) {
  begin(kinematics, h);
  if (!fast_) return;
  expected_ = state.velocity + h * state.acceleration;
  evaluate_drifts(h, state, expected_, drift_);
}

void ConstrainedTurning::evaluate_drifts(double h, const MachineState& state, const Eigen::VectorXd& velocity,
                                         Eigen::VectorXd& drift) {
  moved_.position = state.position;
  moved_.orientation = state.orientation;
  moved_.angles = state.angles;
  moved_.velocity = velocity;
  move(machine_, velocity, h, moved_);
  elsewhere_.evaluate(machine_, moved_);
  joints_.joint_gaps(elsewhere_, moved_.angles, drift);
  for (std::size_t i = 0; i < joints_.joint_rows(); ++i) {
    const Row& row = joints_.rows()[i];
    double& entry = drift[static_cast<Index>(i)];
    entry = 2.0 * ((entry - row.gap) / h - row.rate(velocity)) / h;
  }
}

bool ConstrainedTurning::correct(const Kinematics& kinematics, double h, const MachineState& state,
                                 const Eigen::VectorXd& next, std::vector<Vector3d>& torques,
                                 Eigen::VectorXd& free) {
  bool open = false;
  double sum = 0.0;
  for (std::size_t k = 0; k < uneven_.size(); ++k) {
    const Kinematics::Body& body = kinematics.bodies[uneven_[k]];
    const Vector3d middle = 0.5 * (body.omega + next.segment<3>(static_cast<Index>(6 * uneven_[k] + 3)));
    change_[k].setZero();
    const double turning = middle.norm();
    if (h * turning < slow_turn) continue;
    const Matrix3d J = body.rotation * machine_.bodies[uneven_[k]].inertia * body.rotation.transpose();
    change_[k] = -middle.cross(J * middle) - torques[uneven_[k]];
    const double change = h * (body.inverse_inertia * change_[k]).norm();
    open = open || change > settled_turning * turning;
    sum += change * change;
  }
  if (fast_) {
    evaluate_drifts(h, state, next, drift_of_next_);
    drift_of_next_ -= drift_;
    // Dampers and motion-driven actuators have the Ȧv of the start.
    drift_of_next_.tail(drift_.size() - static_cast<Index>(joints_.joint_rows())).setZero();
    const double change = 0.5 * h * drift_of_next_.norm();
    double farthest_m = 1.0;
    for (const Vector3d& position : state.position) farthest_m = std::max(farthest_m, position.norm());
    constexpr double rounding = 1e-15;
    open = open || change > settled_turning * next.cwiseAbs().maxCoeff() + rounding * farthest_m / h;
    sum += change * change;
  }
  if (!open) return false;
  // A change that was scaled by s leaves √((1 − s)² + s²a²) of itself.
  constexpr double quick = 0.3;
  const double change = std::sqrt(sum);
  if (last_change_ > 0.0 && change > quick * last_change_) {
    const double left = change / last_change_;
    const double gain_squared = (left * left - (1.0 - scale_) * (1.0 - scale_)) / (scale_ * scale_);
    scale_ = 1.0 / (1.0 + std::max(gain_squared, 0.0));
  }
  last_change_ = change;
  if (fast_) drift_ += scale_ * drift_of_next_;
  for (std::size_t k = 0; k < uneven_.size(); ++k) {
    const std::size_t i = uneven_[k];
    torques[i] += scale_ * change_[k];
    free.segment<3>(static_cast<Index>(6 * i + 3)) +=
        (h * scale_) * (kinematics.bodies[i].inverse_inertia * change_[k]);
  }
  return true;
}

}  // namespace ergon
