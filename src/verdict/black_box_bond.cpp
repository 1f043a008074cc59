#include "ergon/verdict/black_box_bond.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ergon/numerics/symmetric_eigenvalues.hpp"
#include "ergon/verdict/direct_gains.hpp"

namespace ergon {
namespace {

using Matrix = Eigen::MatrixXd;

/// Of the largest stiffness: what differences leave of a symmetric law, and of none at all.
constexpr double rounding = 1e-3;
constexpr double no_stiffness = 1e-6;
/// … by which a stiffness may be off that was read off steps.
constexpr double uncertain = 0.2;
/// Part of the efforts along directions without stiffness above which they are no spring's.
constexpr double loose_effort = 0.01;

/// Number of an output of a node among its reals.
Index real_output(const CoupledSystem& system, const Node& node, Index output) {
  Index number = 0;
  for (Index o = node.first_output; o < output; ++o) number += system.outputs[o].type == PortType::real;
  return number;
}

bool has_all_variables(const BondComponentRow& c) {
  return !c.effort_input_shared && !c.flow_differentiated && c.has_displacement_input;
}

double step_share(const CoupledSystem& system, Index node, const PowerBond& bond) {
  if (system.nodes[node].description->samples_input != InputSampling::start) return 0.0;
  const double longest =
      std::max(system.nodes[bond.effort_node].step_s.value(), system.nodes[bond.flow_node].step_s.value());
  return longest > 0.0 ? system.nodes[node].step_s.value() / longest : 1.0;
}

}  // namespace

std::optional<BlackBoxBond> BlackBoxBond::probed(const CoupledSystem& system, Index index,
                                                 const StepRecord& start) {
  const PowerBond& bond = system.bonds[index];
  const Node& effort_source = system.nodes[bond.effort_node];
  if (bond.observed_only || effort_source.description->algebraic || !effort_source.subsystem ||
      effort_source.input_lanes.reals != effort_source.input_count)
    return std::nullopt;
  const std::vector<BondComponentRow> components = bond_component_rows(system, bond);
  if (!std::all_of(components.begin(), components.end(), has_all_variables)) return std::nullopt;
  const std::size_t n = components.size();
  std::vector<Index> outputs;
  std::vector<Index> inputs;
  for (const BondComponentRow& c : components) {
    outputs.push_back(real_output(system, effort_source, c.effort.index));
    inputs.push_back(c.displacement_input.index - effort_source.first_input);
  }
  for (const BondComponentRow& c : components) {
    if (c.has_flow_input) inputs.push_back(c.flow_input.index - effort_source.first_input);
  }
  std::vector<double> u(effort_source.input_count);
  for (Index i = 0; i < effort_source.input_count; ++i)
    u[i] = start.evaluated_input(effort_source.first_input + i);
  const auto gains = probe_direct_gains(effort_source, outputs, inputs, start.time_s(), u);
  if (!gains) return std::nullopt;

  Matrix K(n, n);
  Matrix C = Matrix::Zero(n, n);
  double spread = 0.0;
  for (std::size_t o = 0; o < n; ++o) {
    const double effort = components[o].effort_to_power;
    std::size_t flow = n;
    for (std::size_t i = 0; i < n; ++i) {
      const double to_SI = effort / components[i].displacement_input.to_SI;
      K(o, i) = -gains->gain[o * inputs.size() + i] * to_SI;
      spread = std::max(spread, std::abs(gains->spread[o * inputs.size() + i] * to_SI));
      if (components[i].has_flow_input)
        C(o, i) = -gains->gain[o * inputs.size() + flow++] * effort / components[i].flow_input.to_SI;
    }
  }
  const double stiffest = K.cwiseAbs().maxCoeff();
  if (!(stiffest > 0.0) || !std::isfinite(stiffest) || !C.allFinite() || spread > uncertain * stiffest ||
      (K - K.transpose()).cwiseAbs().maxCoeff() > rounding * stiffest)
    return std::nullopt;
  const numerics::SymmetricModes principal = numerics::symmetric_modes(K);
  C = principal.vectors.transpose() * C * principal.vectors;
  const Matrix across = C - Matrix(C.diagonal().asDiagonal());
  if (across.cwiseAbs().maxCoeff() > rounding * C.cwiseAbs().maxCoeff()) return std::nullopt;
  BlackBoxBond estimate;
  estimate.components_ = components;
  estimate.scale_ = bond.scale;
  const PrincipalAxis::OwnSteps steps{step_share(system, bond.flow_node, bond),
                                      step_share(system, bond.effort_node, bond)};
  for (std::size_t a = 0; a < n; ++a) {
    const double stiffness = principal.values(a);
    for (std::size_t i = 0; i < n; ++i) estimate.directions_.push_back(principal.vectors(i, a));
    if (stiffness > no_stiffness * stiffest) {
      estimate.axes_.emplace_back(stiffness, std::max(C(a, a), 0.0), steps);
    } else if (stiffness < -no_stiffness * stiffest) {
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
  if (loose_effort2_ > loose_effort * loose_effort * effort2_) judgement.unexplained = 1.0;

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
  double all_lost = 0.0;
  const std::size_t few = std::max<std::size_t>(used / 8, 1);
  for (std::size_t i = 0; i < used; ++i) {
    const double energy = windows[i].kinetic_J + windows[i].potential_J - lowest;
    const double lost = windows[i].lost_J;
    all_lost += lost;
    if (i < few) judgement.drift_J -= (energy + all_lost) / static_cast<double>(few);
    if (i + few >= used) judgement.drift_J += (energy + all_lost) / static_cast<double>(few);
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
