#include "ergon/run/summary/summary_observer.hpp"

#include <algorithm>
#include <cmath>

#include "ergon/run/record/common_points.hpp"

namespace ergon {
namespace {

constexpr int points_between_samples = 16;

}  // namespace

SummaryObserver::SummaryObserver(const CoupledSystem& system)
    : started_(std::chrono::steady_clock::now()), energies_(system.nodes.size()) {
  for (const Node& node : system.nodes) {
    summary_.nodes.push_back({node.name, node.description->algebraic, 0, 0.0, std::nullopt});
  }
  for (const PowerBond& bond : system.bonds) summary_.bonds.emplace_back().name = bond.name;
  if (system.bonds.empty()) {
    summary_.notes.emplace_back("The system has no power bonds: bonds.csv holds nothing but the start time.");
  }
}

void SummaryObserver::begin(const Engine& engine) {
  engine_ = &engine;
  common_ticks_ = common_ticks(engine);
  summary_.start_time_s = engine.grid().time_s(0);
  summary_.stop_time_s = engine.grid().time_s(engine.grid().end());
  summary_.reached_time_s = summary_.start_time_s;
  started_ = std::chrono::steady_clock::now();
}

void SummaryObserver::inspect(const StepRecord& record) {
  ++summary_.points;
  last_tick_ = record.tick();
  const BondFigures& figures = record.bond_figures();
  for (std::size_t i = 0; i < figures.bonds(); ++i) {
    double& largest = summary_.bonds[i].max_interface_power_W;
    largest = std::max(largest, std::abs(figures.interface_power_W[i]));
  }
  if (figures.corrected) {
    const std::span<const BondRecord> bonds = record.bonds();
    for (std::size_t i = 0; i < bonds.size(); ++i) {
      if (bonds[i].correction_capped) ++summary_.bonds[i].capped_points;
    }
  }
  if (--points_until_sample_ <= 0 && last_tick_ % common_ticks_ == 0) sample_energies(record);
}

void SummaryObserver::end(const std::optional<Failure>& failure) {
  // After a failure some subsystems are past the last good point: their energies are not of one instant.
  if (engine_ == nullptr) return;
  for (Index node = 0; node < summary_.nodes.size(); ++node) {
    const NodeCost cost = engine_->cost(node);
    summary_.nodes[node].steps = cost.steps;
    summary_.nodes[node].discarded = cost.discarded;
    summary_.nodes[node].mean_step_s = cost.mean_step_s;
    const auto* solver = dynamic_cast<const IterativeSolver*>(engine_->system().nodes[node].subsystem.get());
    if (solver == nullptr) continue;
    const SolverFigures figures = solver->solver_figures();
    if (figures.solves > 0) summary_.nodes[node].solver = figures;
  }
  summary_.last_step_clamped = engine_->last_step_clamped();
  if (summary_.points > 0) finish(engine_->record(), !failure);
}

/// The rest is found anew at the end.
void SummaryObserver::archive(Archive& archive) {
  archive.section("summary");
  archive(summary_.points);
  for (NodeSummary& node : summary_.nodes) archive(node.energy);
  for (BondSummary& bond : summary_.bonds) {
    archive(bond.max_interface_power_W);
    archive(bond.capped_points);
  }
  archive(summary_.energy);
  archive(points_until_sample_);
  archive(last_tick_);
  archive(last_sample_tick_);
}

void SummaryObserver::finish(const StepRecord& last_point, bool energies_hold) {
  summary_.wall_time_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  const std::span<const BondRecord> bonds = last_point.bonds();
  for (std::size_t i = 0; i < bonds.size(); ++i) {
    BondSummary& bond = summary_.bonds[i];
    bond.exchanged_energy_J = bonds[i].exchanged_energy_J;
    bond.residual_energy_J = bonds[i].residual_energy_J;
    bond.interface_energy_J = bonds[i].interface_energy_J;
    if (bonds[i].has_imbalance) bond.imbalance_energy_J = last_point.imbalance_J(i);
    bond.corrected = bonds[i].corrected;
    bond.correction_energy_J = bonds[i].correction_energy_J;
  }
  if (const StepControlRecord* control = last_point.step_control()) summary_.step_control = *control;
  if (const ImplicitRecord* implicit = last_point.implicit_steps()) summary_.implicit = *implicit;
  if (energies_hold && last_sample_tick_ != last_tick_) sample_energies(last_point);
}

void SummaryObserver::sample_energies(const StepRecord& record) {
  for (Index node = 0; node < energies_.size(); ++node) {
    if (!record.is_at_point(node)) return;
  }
  record.energies(energies_);
  points_until_sample_ = points_between_samples;
  last_sample_tick_ = record.tick();
  double stored_J = 0.0;
  double dissipated_J = 0.0;
  double supplied_J = 0.0;
  bool any = false;
  const bool first = !summary_.energy;
  for (std::size_t i = 0; i < energies_.size(); ++i) {
    if (!energies_[i].available) continue;
    any = true;
    std::optional<EnergySummary>& node = summary_.nodes[i].energy;
    if (!node) node = EnergySummary{.initial_stored_J = energies_[i].stored_J};
    node->final_stored_J = energies_[i].stored_J;
    node->dissipated_J = energies_[i].dissipated_J;
    node->supplied_J = energies_[i].supplied_J;
    stored_J += energies_[i].stored_J;
    dissipated_J += energies_[i].dissipated_J;
    supplied_J += energies_[i].supplied_J;
  }
  if (!any) return;
  TotalEnergySummary& total = first ? summary_.energy.emplace() : *summary_.energy;
  if (first) total.initial_stored_J = stored_J;
  total.final_stored_J = stored_J;
  total.dissipated_J = dissipated_J;
  total.supplied_J = supplied_J;
  total.final_time_s = record.time_s();
  ++total.samples;
  // Nothing has been dissipated or supplied at t₀.
  total.max_drift_J =
      std::max(total.max_drift_J, std::abs(stored_J + dissipated_J - supplied_J - total.initial_stored_J));
}

Summary SummaryObserver::summary(const RunOutcome& outcome) const {
  Summary summary = summary_;
  summary.status = outcome.status;
  summary.failure = outcome.failure;
  summary.reached_time_s = outcome.reached_time_s;
  if (summary.last_step_clamped) {
    summary.notes.emplace_back("The last step of a subsystem was shortened to end with the run.");
  }
  return summary;
}

}  // namespace ergon
