#include "ergon/scenario/file/check_scenario.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

namespace ergon {
namespace {

void check_names(Scenario& scenario, ProblemList& problems) {
  std::map<std::string, SourceLocation> seen;
  const auto check = [&](const Said<std::string>& name, bool& usable) {
    if (name.value.empty()) {
      scenario.complete = false;
      return;
    }
    const auto [first, is_new] = seen.emplace(name.value, name.where);
    if (is_new) return;
    problems.error(name.where,
                   fmt::format("Two subsystems or elements are called '{}'; the first is in line {}.",
                               name.value, first->second.line),
                   "Rename one of them.");
    usable = false;
    scenario.complete = false;  // the name that one of them should have is missing
  };
  for (SubsystemEntry& s : scenario.subsystems) check(s.name, s.usable);
  for (ElementEntry& e : scenario.elements) check(e.name, e.usable);
}

void check_order(const Scenario& scenario, ProblemList& problems) {
  std::vector<std::string> names;
  for (const SubsystemEntry& s : scenario.subsystems) names.push_back(s.name.value);
  std::set<std::string> seen;
  for (const Said<std::string>& said : scenario.coupling.order) {
    if (std::find(names.begin(), names.end(), said.value) == names.end()) {
      problems.error(said.where, fmt::format("'order' lists '{}', which is not a subsystem.", said.value),
                     did_you_mean(said.value, names));
    } else if (!seen.insert(said.value).second) {
      problems.error(said.where, fmt::format("'order' names '{}' twice.", said.value),
                     "Name each subsystem once.");
    }
  }
}

/// Nothing where it is not positive; reported unless a time could not be read at all.
std::optional<Rational> check_duration(const Scenario& scenario, ProblemList& problems) {
  const SimulationSettings& s = scenario.simulation;
  if (!s.stop_time_s) return std::nullopt;
  if (!(s.start_time_s.value < s.stop_time_s->value)) {
    problems.error(s.stop_time_s->where,
                   fmt::format("stop_time = {} is not after start_time = {}.", s.stop_time_s->value.text(),
                               s.start_time_s.value.text()),
                   "Give a later stop_time, in seconds.");
    return std::nullopt;
  }
  try {
    return s.stop_time_s->value - s.start_time_s.value;
  } catch (const std::overflow_error&) {
    problems.error(s.stop_time_s->where,
                   "stop_time − start_time is not an exact fraction of 64-bit integers.",
                   "Give both with fewer digits.");
    return std::nullopt;
  }
}

void check_steps(const Scenario& scenario, const std::optional<Rational>& duration, ProblemList& problems) {
  const auto too_long = [&](const Said<Rational>& step, const std::string& whose) {
    if (!duration || !(*duration < step.value)) return;
    problems.error(step.where,
                   fmt::format("step_size = {} s {} is larger than the duration of the run, {} s.",
                               step.value.text(), whose, duration->text()),
                   "Give a smaller step_size or a later stop_time.");
  };
  std::vector<std::string> without;
  bool any_step = false;
  bool default_used = false;
  for (const SubsystemEntry& s : scenario.subsystems) {
    if (s.step_size_s) {
      any_step = true;
      too_long(*s.step_size_s, fmt::format("of '{}'", s.name.value));
    } else if (scenario.simulation.step_size_s) {
      default_used = true;
    } else {
      without.push_back(s.name.value);
    }
  }
  // A source is sampled with the steps of its receivers, where anything has a step.
  const auto is_signal = [](const SubsystemEntry& s) { return s.info != nullptr && s.info->is_signal; };
  if (any_step) {
    for (const SubsystemEntry& s : scenario.subsystems) {
      if (is_signal(s)) std::erase(without, s.name.value);
    }
  }
  if (default_used) too_long(*scenario.simulation.step_size_s, "in [simulation]");
  if (without.empty() || scenario.simulation.where.file.empty()) return;
  const auto first = std::find_if(scenario.subsystems.begin(), scenario.subsystems.end(),
                                  [&](const SubsystemEntry& s) { return s.name.value == without.front(); });
  problems.error(first->where, fmt::format("There is no step_size for '{}'.", fmt::join(without, "', '")),
                 "Add step_size (seconds) to [simulation], or to each [[subsystem]], or give --step-size.");
}

}  // namespace

void check_scenario(Scenario& scenario, ProblemList& problems) {
  check_names(scenario, problems);
  check_order(scenario, problems);
  const auto duration = check_duration(scenario, problems);
  check_steps(scenario, duration, problems);
}

}  // namespace ergon
