#include "ergon/run/blueprint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <span>
#include <utility>

#include "ergon/coupling/state/archive.hpp"
#include "ergon/coupling/state/saved_states.hpp"
#include "ergon/scenario/build/other_steps.hpp"
#include "ergon/scenario/build/output_accuracy.hpp"
#include "ergon/scenario/build/output_selection.hpp"
#include "ergon/scenario/tables/tables.hpp"

namespace ergon {
namespace {

std::optional<BuiltScenario> build_from(const Scenario& scenario, ProblemList& problems) {
  return build_graph(scenario, problems);
}

std::optional<BuiltScenario> build_from(const GraphBlueprint& blueprint, ProblemList& problems) {
  const SimulationOptions& options = blueprint.options;
  SystemGraph graph = blueprint.build();
  auto system = graph.freeze(problems);
  if (!system) return std::nullopt;
  for (Node& node : system->nodes) {
    node.sampled =
        std::find(options.sampled.begin(), options.sampled.end(), node.name) != options.sampled.end();
    if (!node.sampled) node.step_s = node.step_s * blueprint.step_factor;
  }
  const auto said = [](const std::vector<std::string>& patterns) {
    std::vector<Said<std::string>> list;
    for (const std::string& pattern : patterns) list.push_back({pattern, {}});
    return list;
  };
  std::vector<Index> recorded = select_outputs(*system, said(options.recorded), problems);
  std::vector<Index> recorded_inputs = select_inputs(*system, said(options.recorded_inputs), problems);
  std::vector<Index> recorded_bonds = select_bonds(*system, said(options.recorded_bonds), problems);
  std::vector<std::pair<Said<std::string>, Accuracy>> rules;
  for (const auto& [pattern, accuracy] : options.accuracies) rules.push_back({{pattern, {}}, accuracy});
  std::vector<Accuracy> accuracies = accuracies_of(*system, options.accuracy, rules, problems);
  RunTimes times{options.start_time_s, options.stop_time_s, std::nullopt, {}};
  if (options.output_interval_s) times.output_interval_s = {*options.output_interval_s, {}};
  if (!(options.start_time_s < options.stop_time_s)) {
    problems.error({}, "The run ends before it starts.", "Give a stop_time_s after start_time_s.");
  }
  if (options.output_interval_s && !options.output_interval_s->is_positive()) {
    problems.error({}, "The output interval is not positive.", "Give an output_interval_s > 0, or none.");
  }
  if (problems.has_errors()) return std::nullopt;
  auto built = on_a_clock(std::move(system), options.coupling, times, std::move(recorded), problems);
  if (built) {
    built->recorded_bonds = std::move(recorded_bonds);
    built->recorded_inputs = std::move(recorded_inputs);
    built->by_rate = options.by_rate;
    built->units = options.units;
    built->formats = options.formats;
  }
  if (built) built->accuracies = std::move(accuracies);
  return built;
}

/// Its own solver, inside, may be what is wrong: that does not follow from the step size.
bool follows_tolerance(const SubsystemEntry& subsystem) {
  return subsystem.foreign.tolerance || (subsystem.info && subsystem.info->solver_tolerance);
}

}  // namespace

std::shared_ptr<const StartStates> start_states(const Blueprint& blueprint, ProblemList& problems) {
  const auto* scenario_of_file = std::get_if<Scenario>(&blueprint);
  if (scenario_of_file == nullptr || !scenario_of_file->start_state) return nullptr;
  const Scenario& scenario = *scenario_of_file;
  const SourceLocation& where = scenario.start_state->where;
  const std::string path = start_state_path(scenario);
  std::ifstream stream(path, std::ios::binary);
  const std::vector<char> text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  try {
    if (!stream.is_open()) throw ArchiveError("it cannot be read");
    auto states = std::make_shared<StartStates>(start_states_from(std::as_bytes(std::span(text))));
    states->where = where;
    const double start_s = scenario.simulation.start_time_s.value.value();
    if (states->time_s == start_s) return states;
    problems.error(where,
                   fmt::format("The state of '{}' is of t = {} s, but the run starts at t = {} s.", path,
                               states->time_s, start_s),
                   fmt::format("Write start_time = {} in [simulation].", states->time_s));
  } catch (const ArchiveError& error) {
    problems.error(where, fmt::format("'{}' cannot be used as a start: {}.", path, error.what()),
                   "Name a file that 'ergon state' has written.");
  }
  return nullptr;
}

std::optional<BuiltScenario> build(const Blueprint& blueprint, ProblemList& problems) {
  return std::visit([&](const auto& b) { return build_from(b, problems); }, blueprint);
}

OnUnreliable on_unreliable(const Blueprint& blueprint) {
  if (const auto* scenario = std::get_if<Scenario>(&blueprint)) return scenario->simulation.on_unreliable;
  return std::get<GraphBlueprint>(blueprint).options.on_unreliable;
}

std::optional<MotionCheck> said_check(const Blueprint& blueprint) {
  if (const auto* scenario = std::get_if<Scenario>(&blueprint)) return scenario->simulation.check;
  const MotionCheck check = std::get<GraphBlueprint>(blueprint).options.check;
  return check == MotionCheck::off ? std::nullopt : std::optional(check);
}

std::optional<double> default_step_s(const Blueprint& blueprint) {
  const auto* scenario = std::get_if<Scenario>(&blueprint);
  if (scenario == nullptr || !scenario->simulation.step_size_s) return std::nullopt;
  for (const SubsystemEntry& subsystem : scenario->subsystems) {
    if (subsystem.step_size_s || subsystem.integrator.step_s || follows_tolerance(subsystem))
      return std::nullopt;
  }
  return scenario->simulation.step_size_s->value.value();
}

Blueprint with_steps_times(const Blueprint& blueprint, const Rational& factor) {
  if (const auto* scenario = std::get_if<Scenario>(&blueprint)) return with_other_steps(*scenario, factor);
  GraphBlueprint other = std::get<GraphBlueprint>(blueprint);
  other.step_factor = other.step_factor * factor;
  if (auto& control = other.options.coupling.step_control) {
    // Limits of steps are multiples of those that are given.
    control->rtol *= tolerance_factor(factor);
    control->atol *= tolerance_factor(factor);
  }
  return other;
}

bool isolate(Blueprint& blueprint, const std::vector<std::string>& subsystems) {
  if (subsystems.empty()) return true;
  auto* scenario = std::get_if<Scenario>(&blueprint);
  if (scenario == nullptr) return false;
  std::vector<SubsystemEntry*> entries;
  for (SubsystemEntry& entry : scenario->subsystems) {
    const auto found = std::find(subsystems.begin(), subsystems.end(), entry.name.value);
    if (found != subsystems.end() && entry.source == "fmu") entries.push_back(&entry);
  }
  if (entries.size() != subsystems.size()) return false;
  for (SubsystemEntry* entry : entries) {
    entry->foreign.isolate = true;
    if (entry->info && entry->info->with_options) entry->info = entry->info->with_options(entry->foreign);
  }
  return true;
}

Blueprint with_other_steps(const Blueprint& blueprint, const Rational& factor) {
  Blueprint other = with_steps_times(blueprint, factor);
  if (auto* scenario = std::get_if<Scenario>(&other)) {
    scenario->simulation.threads = 1;
    scenario->simulation.on_unreliable = OnUnreliable::carry_on;
    scenario->simulation.check = MotionCheck::off;
    return other;
  }
  SimulationOptions& options = std::get<GraphBlueprint>(other).options;
  options.coupling.threads = 1;
  options.on_unreliable = OnUnreliable::carry_on;
  options.check = MotionCheck::off;
  return other;
}

}  // namespace ergon
