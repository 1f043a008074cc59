#include "ergon/run/record/results_files.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

namespace ergon {
namespace {

constexpr std::string_view rate_prefix = "results.every-";
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
  return name.starts_with(rate_prefix) && name.ends_with(rate_suffix);
}

std::vector<ResultsFile> results_files(const BuiltScenario& built) {
  std::vector<ResultsFile> files(1);
  if (!built.by_rate || built.coupling.step_control) {
    files[0].signals = {built.recorded, built.recorded_inputs};
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
  for (const Index output : built.recorded) rate_of(system.outputs[output].node).outputs.push_back(output);
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

}  // namespace ergon
