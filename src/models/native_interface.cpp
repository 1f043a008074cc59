#include "ergon/models/native_interface.hpp"

#include <Eigen/LU>
#include <algorithm>

#include "ergon/models/directional_difference.hpp"

namespace ergon {
namespace {

/// Accelerations are linear in efforts, so a large one leaves nothing but rounding in their difference; a power of two, so that
/// dividing by it rounds nothing.
constexpr double trial_effort = 1048576.0;
/// Reciprocal condition of G below which some efforts move the same flows.
constexpr double smallest_condition = 1e-12;

}  // namespace

struct NativeInterface::Algebra {
  explicit Algebra(Eigen::Index n)
      : mobility(Eigen::MatrixXd::Zero(n, n)), free(n), force(n), unit(n), column(n), solver(n) {}
  Eigen::MatrixXd mobility;  ///< G
  Eigen::VectorXd free;      ///< ẇ₀
  Eigen::VectorXd force;     ///< λ̃
  Eigen::VectorXd unit;      ///< of the identity
  Eigen::VectorXd column;    ///< of M̃
  Eigen::PartialPivLU<Eigen::MatrixXd> solver;
};

NativeInterface::NativeInterface(const Sizes& sizes, std::span<const InterfacePort> ports)
    : sizes_(sizes),
      u_(sizes.inputs),
      still_(sizes.inputs, 0.0),
      z_(sizes.positions + sizes.velocities, 0.0),
      rates_(z_.size()),
      other_rates_(z_.size()),
      y_(sizes.outputs),
      scratch_(sizes.inputs + z_.size() + 2 * sizes.outputs),
      algebra_(std::make_unique<Algebra>(static_cast<Eigen::Index>(ports.size()))) {
  for (const InterfacePort& port : ports) {
    efforts_.push_back(port.effort);
    flows_.push_back(port.flow);
    motion_driven_ = motion_driven_ || port.motion_driven;
  }
}
NativeInterface::~NativeInterface() = default;

bool NativeInterface::fits(const View& model) {
  if (efforts_.empty() || motion_driven_) return false;
  std::fill(rates_.begin(), rates_.end(), 0.0);
  std::copy_n(model.u, sizes_.inputs, u_.begin());
  flows_with(model, rates_);
  for (const std::size_t flow : flows_) {
    if (y_[flow] != 0.0) return false;
  }
  linearise(model);
  const Eigen::MatrixXd& mobility = algebra_->mobility;
  if (!mobility.allFinite() || !(mobility.cwiseAbs().maxCoeff() > 0.0)) return false;
  algebra_->solver.compute(mobility);
  return algebra_->solver.rcond() > smallest_condition;
}

void NativeInterface::evaluate(const View& model, double* mass, double* force) {
  linearise(model);
  Algebra& of = *algebra_;
  of.solver.compute(of.mobility);
  of.force.noalias() = of.solver.solve(of.free);
  const auto n = static_cast<std::size_t>(of.force.size());
  std::copy_n(of.force.data(), n, force);
  // Column by column: the inverse of a matrix would be allocated.
  for (std::size_t j = 0; j < n; ++j) {
    of.unit.setZero();
    of.unit[static_cast<Eigen::Index>(j)] = 1.0;
    of.column.noalias() = of.solver.solve(of.unit);
    for (std::size_t i = 0; i < n; ++i) mass[i * n + j] = of.column[static_cast<Eigen::Index>(i)];
  }
}

void NativeInterface::flows_with(const View& model, const std::vector<double>& rates) {
  const auto positions = static_cast<std::ptrdiff_t>(sizes_.positions);
  std::copy_n(model.z, positions, z_.begin());
  std::copy(rates.begin() + positions, rates.end(), z_.begin() + positions);
  model.outputs(u_.data(), z_.data(), y_.data());
}

void NativeInterface::linearise(const View& model) {
  const std::size_t n = efforts_.size();
  std::copy_n(model.u, sizes_.inputs, u_.begin());
  for (const std::size_t effort : efforts_) u_[effort] = 0.0;
  for (std::size_t j = 0; j < n; ++j) {
    u_[efforts_[j]] = trial_effort;
    model.rates(u_.data(), model.z, rates_.data());
    u_[efforts_[j]] = -trial_effort;
    model.rates(u_.data(), model.z, other_rates_.data());
    u_[efforts_[j]] = 0.0;
    for (std::size_t k = sizes_.positions; k < rates_.size(); ++k)
      rates_[k] = (rates_[k] - other_rates_[k]) / (2.0 * trial_effort);
    flows_with(model, rates_);
    for (std::size_t i = 0; i < n; ++i)
      algebra_->mobility(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = y_[flows_[i]];
  }
  model.rates(u_.data(), model.z, rates_.data());
  flows_with(model, rates_);
  Eigen::VectorXd& free = algebra_->free;
  for (std::size_t i = 0; i < n; ++i) free[static_cast<Eigen::Index>(i)] = y_[flows_[i]];
  // Ḋv: the flows change as the positions move on.
  std::fill(rates_.begin() + static_cast<std::ptrdiff_t>(sizes_.positions), rates_.end(), 0.0);
  directional_difference(model.outputs, sizes_.inputs, rates_.size(), sizes_.outputs, u_.data(), model.z,
                         still_.data(), rates_.data(), y_.data(), scratch_);
  for (std::size_t i = 0; i < n; ++i) free[static_cast<Eigen::Index>(i)] += y_[flows_[i]];
}

}  // namespace ergon
