#include "ergon/run/record/results_files.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

namespace ergon {
namespace {

constexpr std::string_view rate_prefix = "results.every-";
constexpr std::string_view interval_prefix = "results.interval-";
constexpr std::string_view rate_suffix = "s.csv";

/// Short, where that tells the steps apart.
std::vector<std::string> texts_of(const std::vector<double>& steps_s) {
  std::vector<std::string> texts;
  std::set<std::string> different;
  for (const double step_s : steps_s) {
    texts.push_back(fmt::format("{:.6g}", step_s));
    different.insert(texts.back());
  }
  if (different.size() == steps_s.size()) return texts;
  texts.clear();
  for (const double step_s : steps_s) texts.push_back(fmt::format("{}", step_s));
  return texts;
}

}  // namespace

bool is_rate_file(std::string_view name) {
  const bool is_one = name.starts_with(rate_prefix) || name.starts_with(interval_prefix);
  return is_one && name.ends_with(rate_suffix);
}

namespace {

/// Without those that have an interval of their own.
std::vector<ResultsFile> files_by_rate(const BuiltScenario& built, const std::vector<Index>& recorded) {
  std::vector<ResultsFile> files(1);
  if (!built.by_rate || built.coupling.step_control) {
    files[0].signals = {recorded, built.recorded_inputs};
    return files;
  }
  const CoupledSystem& system = *built.system;
  std::map<Rational, RecordedSignals> rates;
  std::map<Rational, std::set<Index>> nodes;
  RecordedSignals of_elements;
  const auto rate_of = [&](Index node) -> RecordedSignals& {
    if (system.nodes[node].description->algebraic) return of_elements;
    nodes[system.nodes[node].step_s].insert(node);
    return rates[system.nodes[node].step_s];
  };
  for (const Index output : recorded) rate_of(system.outputs[output].node).outputs.push_back(output);
  for (const Index input : built.recorded_inputs) rate_of(system.inputs[input].node).inputs.push_back(input);
  std::vector<double> steps_s;
  for (const auto& [step, signals] : rates) {
    if (!steps_s.empty()) files.emplace_back();
    files.back().signals = signals;
    files.back().signals.nodes.assign(nodes[step].begin(), nodes[step].end());
    steps_s.push_back(step.value());
  }
  const std::vector<std::string> texts = texts_of(steps_s);
  for (std::size_t i = 1; i < files.size(); ++i)
    files[i].name = fmt::format("{}{}{}", rate_prefix, texts[i], rate_suffix);
  RecordedSignals& first = files[0].signals;
  const auto append = [](std::vector<Index>& to, const std::vector<Index>& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  append(first.outputs, of_elements.outputs);
  append(first.inputs, of_elements.inputs);
  // An element may have a new value at any point.
  if (!of_elements.outputs.empty() || !of_elements.inputs.empty()) first.nodes.clear();
  return files;
}

}  // namespace

std::vector<ResultsFile> results_files(const BuiltScenario& built) {
  std::vector<Index> recorded;
  std::map<Rational, std::vector<Index>> by_interval;
  for (const Index output : built.recorded) {
    const bool has_own = output < built.intervals_s.size() && built.intervals_s[output];
    (has_own ? by_interval[*built.intervals_s[output]] : recorded).push_back(output);
  }
  std::vector<ResultsFile> files = files_by_rate(built, recorded);
  std::vector<double> intervals_s;
  for (const auto& [interval_s, outputs] : by_interval) intervals_s.push_back(interval_s.value());
  const std::vector<std::string> texts = texts_of(intervals_s);
  std::size_t next = 0;
  for (const auto& [interval_s, outputs] : by_interval)
    files.push_back(
        {fmt::format("{}{}{}", interval_prefix, texts[next++], rate_suffix), {outputs}, interval_s});
  for (ResultsFile& file : files) {
    file.signals.envelope = built.envelope && (file.interval_s || built.output_interval_s);
    file.signals.least_change = built.least_change;
  }
  return files;
}

}  // namespace ergon
