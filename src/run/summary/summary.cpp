#include "ergon/run/summary/summary.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "ergon/core/result_format.hpp"
#include "ergon/scenario/setting_names.hpp"

namespace ergon {
namespace {

using Json = nlohmann::ordered_json;

const char* name_of(RunStatus status) {
  switch (status) {
    case RunStatus::finished:
      return "finished";
    case RunStatus::failed:
      return "failed";
    case RunStatus::interrupted:
      return "interrupted";
    case RunStatus::stopped:
      return "stopped";
    case RunStatus::ended:
      return "ended";
  }
  return "";
}

Json json_of(const Failure& failure) {
  Json json{{"subsystem", failure.subsystem}};
  if (!failure.port.empty()) json["port"] = failure.port;
  json["time_s"] = failure.time_s;
  json["what"] = failure.what;
  return json;
}

/// JSON has no infinity.
Json finite(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json json_of(const VerdictReason& reason) {
  Json json{{"what", reason.what}, {"kind", name_of(reason.kind)}, {"says", name_of(reason.says)}};
  if (!reason.bond.empty()) json["bond"] = reason.bond;
  if (!reason.subsystems.empty()) json["subsystems"] = reason.subsystems;
  json["from_s"] = reason.from_s;
  json["to_s"] = reason.to_s;
  if (reason.ratio) json["ratio"] = finite(*reason.ratio);
  if (reason.limit) json["limit"] = *reason.limit;
  if (reason.at_all_steps) json["at_all_steps"] = *reason.at_all_steps;
  return json;
}

Json json_of(const Verdict& verdict) {
  Json reasons = Json::array();
  for (const VerdictReason& reason : verdict.reasons) reasons.push_back(json_of(reason));
  Json json{{"value", name_of(verdict.value)},
            {"energy", name_of(verdict.energy)},
            {"motion", name_of(verdict.motion)}};
  if (!verdict.advice.empty()) json["try"] = verdict.advice;
  json["reasons"] = std::move(reasons);
  return json;
}

Json finite(const std::optional<double>& value) {
  return value ? finite(*value) : Json(nullptr);
}

Json json_of(const CompanionReport& companion) {
  Json json{{"step_factor", companion.step_factor},
            {"status", name_of(companion.status)},
            {"reached_time_s", companion.reached_time_s},
            {"wall_time_s", companion.wall_time_s}};
  if (companion.failure) json["failure"] = json_of(*companion.failure);
  if (companion.ratio) {
    json["ratio"] = finite(*companion.ratio);
    json["says"] = name_of(companion.says);
  }
  return json;
}

Json json_of(const VariableMotion& variable) {
  return {{"unit", variable.unit},
          {"recorded", variable.recorded},
          {"judged", variable.judged},
          {"accuracy", variable.accuracy.text()},
          {"half_range", finite(variable.half_range)},
          {"largest_error", finite(variable.largest_error)},
          {"at_s", variable.at_s},
          {"swing", finite(variable.swing)},
          {"ratio", finite(variable.ratio)},
          {"excess", finite(variable.excess)},
          {"misses_accuracy_s", finite(variable.misses_accuracy_s)},
          {"passes_1_percent_s", finite(variable.passes_1_percent_s)},
          {"passes_5_percent_s", finite(variable.passes_5_percent_s)},
          {"passes_20_percent_s", finite(variable.passes_20_percent_s)},
          {"chaotic_after_s", finite(variable.chaotic_after_s)}};
}

Json json_of(const EnergySummary& energy) {
  return {{"initial_stored_J", energy.initial_stored_J},
          {"final_stored_J", energy.final_stored_J},
          {"dissipated_J", energy.dissipated_J},
          {"supplied_J", energy.supplied_J}};
}

Json json_of(const TotalEnergySummary& energy) {
  Json json = json_of(static_cast<const EnergySummary&>(energy));
  json["max_drift_J"] = energy.max_drift_J;
  json["samples"] = energy.samples;
  json["final_time_s"] = energy.final_time_s;
  return json;
}

Json json_of(const SolverFigures& solver) {
  Json json{{"solves", solver.solves},
            {"iterations", solver.iterations},
            {"max_iterations", solver.max_iterations},
            {"tolerance", solver.tolerance},
            {"largest_residual", finite(solver.largest_residual)},
            {"missed", solver.missed}};
  if (solver.missed > 0) json["first_missed_s"] = solver.first_missed_s;
  return json;
}

Json json_of(const NodeSummary& node) {
  Json json = Json::object();
  if (!node.element) {
    json["steps"] = node.steps;
    if (node.discarded > 0) json["discarded_steps"] = node.discarded;
    json["mean_step_s"] = node.mean_step_s;
  }
  if (node.energy) json["energy"] = json_of(*node.energy);
  if (node.solver) json["solver"] = json_of(*node.solver);
  return json;
}

Json json_of(const BondSummary& bond) {
  Json json{{"exchanged_energy_J", bond.exchanged_energy_J},
            {"residual_energy_J", bond.residual_energy_J},
            {"interface_energy_J", bond.interface_energy_J}};
  if (bond.imbalance_energy_J) json["imbalance_energy_J"] = *bond.imbalance_energy_J;
  json["max_interface_power_W"] = bond.max_interface_power_W;
  if (bond.corrected) {
    json["correction"] = {{"energy_J", bond.correction_energy_J}, {"capped_points", bond.capped_points}};
  }
  return json;
}

/// An object by name. Appends without looking each name up among all before it: there may be thousands.
class ByName {
 public:
  template <class Item>
  void add(const Item& item) {
    object_.push_back({item.name, json_of(item)});
  }
  Json take() { return Json(std::move(object_)); }

 private:
  Json::object_t object_;
};

Json json_of(const Motion& motion) {
  Json json{{"check", motion_check_names.name(motion.check)}, {"checked", motion.checked}};
  if (!motion.checked) json["why_not"] = motion.why_not;
  json["value"] = name_of(motion.value);
  json["companions"] = Json::array();
  for (const CompanionReport& companion : motion.companions) json["companions"].push_back(json_of(companion));
  if (!motion.checked) return json;
  json["step_factor"] = motion.step_factor;
  if (motion.compared_until_s) json["compared_until_s"] = *motion.compared_until_s;
  json["worst"] = motion.worst.empty() ? Json(nullptr) : Json(motion.worst);
  json["ratio"] = finite(motion.ratio);
  json["excess"] = finite(motion.excess);
  json["right_until_s"] = motion.right_until_s;
  json["chaotic_after_s"] = finite(motion.chaotic_after_s);
  if (!motion.solvers_inside.empty()) json["solvers_inside"] = motion.solvers_inside;
  json["points"] = motion.times_s.size();
  ByName variables;
  for (const VariableMotion& variable : motion.variables) variables.add(variable);
  json["variables"] = variables.take();
  return json;
}

Json json_of(const StepControlRecord& control) {
  Json json;
  json["accepted"] = control.accepted;
  json["rejected"] = control.rejected;
  json["forced"] = control.forced;
  json["shortest_s"] = control.shortest_s;
  json["longest_s"] = control.longest_s;
  return json;
}

Json json_of(const ImplicitRecord& implicit) {
  Json json;
  json["coupling_variables"] = implicit.unknowns;
  json["steps"] = implicit.steps;
  json["integrations"] = implicit.integrations;
  json["most_iterations"] = implicit.most_iterations;
  json["largest_residual"] = implicit.largest_residual;
  return json;
}

Json json_of(const ParameterChanged& change) {
  const auto json_of_value = [](const TypedValue& value) {
    return std::visit([](const auto& alternative) { return Json(alternative); }, value);
  };
  Json json;
  json["time_s"] = change.time_s;
  json["parameter"] = change.parameter;
  json["before"] = json_of_value(change.before);
  json["value"] = json_of_value(change.value);
  return json;
}

}  // namespace

std::string to_json(const Summary& summary) {
  Json json;
  json["format"] = result_format;
  json["ergon_version"] = summary.ergon_version;
  json["status"] = name_of(summary.status);
  if (summary.verdict) json["verdict"] = json_of(*summary.verdict);
  json["motion"] = json_of(summary.motion);
  if (summary.failure)
    json[summary.status == RunStatus::ended ? "ended_by" : "failure"] = json_of(*summary.failure);
  json["start_time_s"] = summary.start_time_s;
  json["stop_time_s"] = summary.stop_time_s;
  json["reached_time_s"] = summary.reached_time_s;
  json["points"] = summary.points;
  json["last_step_clamped"] = summary.last_step_clamped;
  json["wall_time_s"] = summary.wall_time_s;

  ByName subsystems;
  ByName elements;
  for (const NodeSummary& node : summary.nodes) (node.element ? elements : subsystems).add(node);
  json["subsystems"] = subsystems.take();
  json["elements"] = elements.take();
  ByName bonds;
  for (const BondSummary& bond : summary.bonds) bonds.add(bond);
  json["bonds"] = bonds.take();
  if (summary.energy) json["energy"] = json_of(*summary.energy);
  if (summary.step_control) json["step_control"] = json_of(*summary.step_control);
  if (summary.implicit) json["implicit"] = json_of(*summary.implicit);
  for (const ParameterChanged& change : summary.parameter_changes)
    json["parameter_changes"].push_back(json_of(change));
  if (!summary.files_complete) json["files_complete"] = false;
  json["warnings"] = summary.warnings;
  json["notes"] = summary.notes;
  // Names and messages come from files that may be in any encoding; a summary is written all the same.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace ergon
