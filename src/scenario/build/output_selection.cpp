#include "ergon/scenario/build/output_selection.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ergon {
namespace {

/// "chain.position[2]" → "chain.position"
std::string_view without_component(std::string_view name) {
  return name.substr(0, name.find('['));
}

bool fits(std::string_view pattern, std::string_view name) {
  return matches_pattern(pattern, name) || matches_pattern(pattern, without_component(name));
}

}  // namespace

bool matches_pattern(std::string_view pattern, std::string_view text) {
  // Greedy with one place to return to, the last star: linear in practice, never exponential.
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::vector<Index> select_outputs(const std::vector<std::string>& outputs,
                                  const std::vector<std::string>& inputs,
                                  const std::vector<Said<std::string>>& patterns, ProblemList& problems) {
  std::vector<Index> selected;
  std::vector<bool> taken(outputs.size(), false);
  for (const Said<std::string>& pattern : patterns) {
    bool found = false;
    for (Index i = 0; i < outputs.size(); ++i) {
      if (!fits(pattern.value, outputs[i])) continue;
      found = true;
      if (!taken[i]) selected.push_back(i);
      taken[i] = true;
    }
    if (found || pattern.value == "*") continue;
    const bool is_input = std::any_of(inputs.begin(), inputs.end(),
                                      [&](const std::string& name) { return fits(pattern.value, name); });
    problems.error(
        pattern.where,
        is_input ? fmt::format("'{}' in [output] is an input, and only outputs are recorded.", pattern.value)
                 : fmt::format("'{}' in [output] fits no output.", pattern.value),
        is_input ? "Record the output that feeds it." : did_you_mean(pattern.value, outputs));
  }
  return selected;
}

std::vector<Index> select_outputs(const CoupledSystem& system, const std::vector<Said<std::string>>& patterns,
                                  ProblemList& problems) {
  const auto names = [](const std::vector<SignalName>& signals) {
    std::vector<std::string> result;
    for (const SignalName& s : signals) result.push_back(s.text);
    return result;
  };
  return select_outputs(names(system.outputs), names(system.inputs), patterns, problems);
}

std::vector<Index> select_bonds(const CoupledSystem& system, const std::vector<Said<std::string>>& patterns,
                                ProblemList& problems) {
  std::vector<std::string> names;
  for (const PowerBond& bond : system.bonds) names.push_back(bond.name);
  std::vector<bool> taken(names.size(), false);
  for (const Said<std::string>& pattern : patterns) {
    bool found = pattern.value == "*";
    for (Index b = 0; b < names.size(); ++b) {
      if (!matches_pattern(pattern.value, names[b])) continue;
      found = true;
      taken[b] = true;
    }
    if (!found) {
      problems.error(pattern.where, fmt::format("'{}' in [output] fits no bond.", pattern.value),
                     did_you_mean(pattern.value, names));
    }
  }
  std::vector<Index> selected;
  for (Index b = 0; b < names.size(); ++b) {
    if (taken[b]) selected.push_back(b);
  }
  return selected;
}

}  // namespace ergon
