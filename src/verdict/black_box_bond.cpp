#include "ergon/verdict/black_box_bond.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ergon/numerics/symmetric_eigenvalues.hpp"
#include "ergon/verdict/verdict_limits.hpp"

namespace ergon {
namespace {

namespace limits = verdict_limits;
using Matrix = Eigen::MatrixXd;

double step_share(const CoupledSystem& system, Index node, const PowerBond& bond) {
  if (system.nodes[node].description->samples_input != InputSampling::start) return 0.0;
  const double longest =
      std::max(system.nodes[bond.effort_node].step_s.value(), system.nodes[bond.flow_node].step_s.value());
  return longest > 0.0 ? system.nodes[node].step_s.value() / longest : 1.0;
}

}  // namespace

std::optional<BlackBoxBond> BlackBoxBond::make(const CoupledSystem& system, Index index,
                                               const BondGains& gains) {
  const PowerBond& bond = system.bonds[index];
  const std::vector<BondComponentRow> components = bond_component_rows(system, bond);
  const std::size_t n = components.size();
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto size = static_cast<Eigen::Index>(n);
  const Matrix K = Eigen::Map<const RowMajor>(gains.stiffness.data(), size, size);
  Matrix C = Eigen::Map<const RowMajor>(gains.damping.data(), size, size);
  const double stiffest = K.cwiseAbs().maxCoeff();
  if (!(stiffest > 0.0) || !std::isfinite(stiffest) || !C.allFinite() ||
      gains.spread > limits::uncertain * stiffest ||
      (K - K.transpose()).cwiseAbs().maxCoeff() > limits::rounding * stiffest)
    return std::nullopt;
  const numerics::SymmetricModes principal = numerics::symmetric_modes(K);
  C = principal.vectors.transpose() * C * principal.vectors;
  const Matrix across = C - Matrix(C.diagonal().asDiagonal());
  if (across.cwiseAbs().maxCoeff() > limits::rounding * C.cwiseAbs().maxCoeff()) return std::nullopt;
  BlackBoxBond estimate;
  estimate.components_ = components;
  estimate.scale_ = bond.scale;
  const PrincipalAxis::OwnSteps steps{step_share(system, bond.flow_node, bond),
                                      step_share(system, bond.effort_node, bond)};
  for (std::size_t a = 0; a < n; ++a) {
    const double stiffness = principal.values(a);
    for (std::size_t i = 0; i < n; ++i) estimate.directions_.push_back(principal.vectors(i, a));
    if (stiffness > limits::no_stiffness * stiffest) {
      estimate.axes_.emplace_back(stiffness, std::max(C(a, a), 0.0), steps);
    } else if (stiffness < -limits::no_stiffness * stiffest) {
      return std::nullopt;
    } else {
      ++estimate.loose_;
    }
  }
  estimate.samples_.resize(n);
  return estimate;
}

void BlackBoxBond::observe(const StepRecord& record, double H_s, std::size_t window) {
  const std::size_t n = components_.size();
  const auto output = [&](const BondNumber& number) { return record.output(number.index) * number.to_SI; };
  const auto used = [&](const BondNumber& number) {
    return record.evaluated_input(number.index) * number.to_SI;
  };
  const auto applied = [&](const BondNumber& number) {
    return record.applied_input(number.index) * number.to_SI;
  };
  for (std::size_t i = 0; i < n; ++i) {
    const BondComponentRow& c = components_[i];
    PrincipalAxis::Sample& now = samples_[i];
    now.e = record.output(c.effort.index) * c.effort_to_power;
    now.e_applied = record.applied_input(c.effort_input.index) * (scale_ * c.effort_input.to_SI);
    now.f = output(c.flow);
    now.xi = output(c.displacement);
    now.xi_used = used(c.displacement_input);
    now.xi_applied = applied(c.displacement_input);
    now.f_used = c.has_flow_input ? used(c.flow_input) : now.f;
    now.f_applied = c.has_flow_input ? applied(c.flow_input) : now.f;
    effort2_ += now.e * now.e;
  }
  for (std::size_t a = 0; a < n; ++a) {
    PrincipalAxis::Sample along;
    for (std::size_t i = 0; i < n; ++i) {
      const double part = directions_[a * n + i];
      const PrincipalAxis::Sample& s = samples_[i];
      along.xi += part * s.xi;
      along.f += part * s.f;
      along.e += part * s.e;
      along.xi_used += part * s.xi_used;
      along.f_used += part * s.f_used;
      along.e_applied += part * s.e_applied;
      along.xi_applied += part * s.xi_applied;
      along.f_applied += part * s.f_applied;
    }
    if (a < loose_) {
      loose_effort2_ += along.e * along.e;
    } else {
      axes_[a - loose_].observe(along, H_s, window);
    }
  }
}

BlackBoxBond::Judgement BlackBoxBond::judge() const {
  Judgement judgement;
  std::vector<PrincipalAxis::Side> flow_sources;
  std::vector<PrincipalAxis::Side> effort_sources;
  const auto unexplained = [](const std::vector<PrincipalAxis::Side>& sides) {
    double square = 0.0;
    double rest = 0.0;
    for (const PrincipalAxis::Side& side : sides) {
      square += side.square;
      rest += side.rest;
    }
    return square > 0.0 ? std::sqrt(rest / square) : 1.0;
  };
  for (const PrincipalAxis& axis : axes_) {
    flow_sources.push_back(axis.flow_source());
    effort_sources.push_back(axis.effort_source());
  }
  judgement.unexplained = std::max(unexplained(flow_sources), unexplained(effort_sources));
  if (loose_effort2_ > limits::loose_effort * limits::loose_effort * effort2_) judgement.unexplained = 1.0;

  // Of all axes together.
  std::array<PrincipalAxis::Energies, TimeWindows::capacity> windows{};
  std::size_t used = 0;
  double lowest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < windows.size(); ++i) {
    for (std::size_t a = 0; a < axes_.size(); ++a) {
      const PrincipalAxis::Energies e = axes_[a].energies(i, flow_sources[a], effort_sources[a]);
      windows[i].known = windows[i].known || e.known;
      windows[i].kinetic_J += e.kinetic_J;
      windows[i].potential_J += e.potential_J;
      windows[i].lost_J += e.lost_J;
      windows[i].created_J += e.created_J;
    }
    if (!windows[i].known) continue;
    used = i + 1;
    lowest = std::min(lowest, windows[i].potential_J);
  }
  double spurious = 0.0;
  for (std::size_t i = 0; i < used; ++i) {
    const double energy = windows[i].kinetic_J + windows[i].potential_J - lowest;
    const double lost = windows[i].lost_J;
    if (energy > 0.0) spurious *= std::exp(-lost / energy);
    spurious += windows[i].created_J;
    if (std::abs(spurious) > std::abs(judgement.spurious_J)) judgement.spurious_J = spurious;
    const double honest = energy - spurious;
    if (honest * 1e6 > std::abs(spurious)) judgement.scale_J = std::max(judgement.scale_J, honest);
  }
  return judgement;
}

void BlackBoxBond::archive(Archive& archive) {
  for (PrincipalAxis& axis : axes_) axis.archive(archive);
  archive(effort2_);
  archive(loose_effort2_);
}

}  // namespace ergon
