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

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::vector<std::string> names_of(const std::vector<SignalName>& signals) {
  std::vector<std::string> names;
  names.reserve(signals.size());
  for (const SignalName& signal : signals) names.push_back(signal.text);
  return names;
}

/// The digits at `at`, without leading zeros.
std::string_view number_at(std::string_view text, std::size_t& at) {
  const std::size_t begin = std::min(text.find_first_not_of('0', at), text.size());
  std::size_t end = std::max(begin, at);
  while (end < text.size() && is_digit(text[end])) ++end;
  at = end;
  return text.substr(begin, end - begin);
}

/// "m10.position" → "m10"
std::string_view instance_of(std::string_view name) {
  return name.substr(0, name.find('.'));
}

/// Puts m2 before m10, where the names are in the order of their letters; an order that somebody has chosen stays.
void order_naturally(std::vector<Index>& selected, const std::vector<std::string>& names) {
  const auto by_letters = [&](Index a, Index b) { return instance_of(names[a]) < instance_of(names[b]); };
  if (!std::is_sorted(selected.begin(), selected.end(), by_letters)) return;
  std::stable_sort(selected.begin(), selected.end(), [&](Index a, Index b) {
    return natural_less(instance_of(names[a]), instance_of(names[b]));
  });
}

}  // namespace

bool natural_less(std::string_view a, std::string_view b) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      const std::string_view left = number_at(a, i);
      const std::string_view right = number_at(b, j);
      if (left.size() != right.size()) return left.size() < right.size();
      if (left != right) return left < right;
    } else if (a[i] != b[j]) {
      return static_cast<unsigned char>(a[i]) < static_cast<unsigned char>(b[j]);
    } else {
      ++i;
      ++j;
    }
  }
  return a.size() - i < b.size() - j;
}

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
    std::vector<Index> of_pattern;
    for (Index i = 0; i < outputs.size(); ++i) {
      if (!fits(pattern.value, outputs[i])) continue;
      found = true;
      if (!taken[i]) of_pattern.push_back(i);
      taken[i] = true;
    }
    order_naturally(of_pattern, outputs);
    selected.insert(selected.end(), of_pattern.begin(), of_pattern.end());
    if (found || pattern.value == "*") continue;
    const bool is_input = std::any_of(inputs.begin(), inputs.end(),
                                      [&](const std::string& name) { return fits(pattern.value, name); });
    problems.error(
        pattern.where,
        is_input ? fmt::format("'{}' in 'variables' of [output] is an input, but 'variables' are outputs.",
                               pattern.value)
                 : fmt::format("'{}' in [output] fits no output.", pattern.value),
        is_input ? fmt::format("Record the output that feeds it, or name it in 'inputs': inputs = [\"{}\"].",
                               pattern.value)
                 : did_you_mean(pattern.value, outputs));
  }
  return selected;
}

std::vector<Index> select_outputs(const CoupledSystem& system, const std::vector<Said<std::string>>& patterns,
                                  ProblemList& problems) {
  return select_outputs(names_of(system.outputs), names_of(system.inputs), patterns, problems);
}

std::vector<Index> select_inputs(const CoupledSystem& system, const std::vector<Said<std::string>>& patterns,
                                 ProblemList& problems) {
  std::vector<bool> is_text;
  for (const SignalName& input : system.inputs)
    is_text.push_back(value_kind_of(input.type) == ValueKind::text);
  return select_inputs(names_of(system.inputs), names_of(system.outputs), is_text, patterns, problems);
}

std::vector<Index> select_inputs(const std::vector<std::string>& inputs,
                                 const std::vector<std::string>& outputs, const std::vector<bool>& is_text,
                                 const std::vector<Said<std::string>>& patterns, ProblemList& problems) {
  const std::vector<std::string>& names = inputs;
  std::vector<Index> selected;
  std::vector<bool> taken(names.size(), false);
  for (const Said<std::string>& pattern : patterns) {
    bool found = pattern.value == "*";
    bool fits_text = false;
    std::vector<Index> of_pattern;
    for (Index i = 0; i < names.size(); ++i) {
      if (!fits(pattern.value, names[i])) continue;
      if (is_text[i]) {
        fits_text = true;
        continue;
      }
      found = true;
      if (!taken[i]) of_pattern.push_back(i);
      taken[i] = true;
    }
    order_naturally(of_pattern, names);
    selected.insert(selected.end(), of_pattern.begin(), of_pattern.end());
    if (found) continue;
    const bool is_output = std::any_of(outputs.begin(), outputs.end(), [&](const std::string& output) {
      return fits(pattern.value, output);
    });
    if (fits_text) {
      problems.error(
          pattern.where,
          fmt::format("'{}' in 'inputs' of [output] is a text, but inputs are recorded as numbers.",
                      pattern.value),
          "Record the output that feeds it.");
    } else if (is_output) {
      problems.error(pattern.where, fmt::format("'{}' in 'inputs' of [output] is an output.", pattern.value),
                     "Name it in 'variables'.");
    } else {
      problems.error(pattern.where, fmt::format("'{}' in 'inputs' of [output] fits no input.", pattern.value),
                     did_you_mean(pattern.value, names));
    }
  }
  return selected;
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

std::ptrdiff_t literal_characters(std::string_view pattern) {
  return std::count_if(pattern.begin(), pattern.end(), [](char c) { return c != '*' && c != '?'; });
}

std::vector<std::optional<Rational>> select_intervals(
    const CoupledSystem& system, const std::vector<Index>& recorded,
    const std::vector<std::pair<Said<std::string>, Said<Rational>>>& rules, ProblemList& problems) {
  std::vector<std::optional<Rational>> intervals(rules.empty() ? 0 : system.outputs.size());
  std::vector<std::ptrdiff_t> weights(intervals.size(), -1);
  for (const auto& [pattern, interval_s] : rules) {
    const std::ptrdiff_t weight = literal_characters(pattern.value);
    bool is_of_use = false;
    for (const Index o : recorded) {
      if (!fits(pattern.value, system.outputs[o].text)) continue;
      is_of_use = true;
      if (weight < weights[o]) continue;
      weights[o] = weight;
      intervals[o] = interval_s.value;
    }
    if (!is_of_use)
      problems.error(
          pattern.where,
          fmt::format("'{}' in 'intervals' of [output] fits no output that is recorded.", pattern.value),
          "Name outputs that 'variables' of [output] selects.");
  }
  return intervals;
}

}  // namespace ergon
