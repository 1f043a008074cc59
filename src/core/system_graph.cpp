#include "ergon/core/system_graph.hpp"

#include <algorithm>
#include <charconv>

#include "ergon/core/freeze.hpp"

namespace ergon {

std::optional<BondRatio> BondRatio::parse(std::string_view text) {
  BondRatio ratio;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, ratio.value);
  if (error != std::errc{}) return std::nullopt;
  std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  if (unit.empty()) return ratio;
  if (unit.front() != ' ') return std::nullopt;
  unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
  const auto parsed = unit.empty() ? std::nullopt : Unit::parse(unit);
  if (!parsed) return std::nullopt;
  ratio.unit = *parsed;
  return ratio;
}

void SystemGraph::add(std::string name, std::unique_ptr<Subsystem> subsystem, const Rational& step_s,
                      SourceLocation where) {
  Node node;
  node.name = std::move(name);
  node.description = subsystem->shared_description();
  node.subsystem = std::move(subsystem);
  node.step_s = step_s;
  node.where = std::move(where);
  nodes_.push_back(std::move(node));
}

void SystemGraph::add_element(std::string name, std::unique_ptr<Element> element, EvaluateAt evaluate,
                              SourceLocation where) {
  add(std::move(name), std::move(element), Rational{}, std::move(where));
  Description description = *nodes_.back().description;
  description.algebraic = true;
  // A law has no state: what it does not say otherwise depends on all its inputs.
  if (description.feedthrough.empty()) {
    for (Index o = 0; o < description.outputs.size(); ++o) {
      for (Index i = 0; i < description.inputs.size(); ++i) description.feedthrough.push_back({o, i});
    }
  }
  nodes_.back().description = std::make_shared<const Description>(std::move(description));
  nodes_.back().evaluate = evaluate;
}

void SystemGraph::set_input_start(const std::string& port, std::vector<TypedValue> values,
                                  SourceLocation where) {
  input_starts_.push_back({port, std::move(values), std::move(where)});
}

std::unique_ptr<CoupledSystem> SystemGraph::freeze(ProblemList& problems) {
  return Freezer(std::move(*this), problems).run();
}

namespace {

std::optional<Index> find_signal(const std::vector<SignalName>& signals, const std::string& name) {
  for (Index i = 0; i < signals.size(); ++i) {
    if (signals[i].text == name) return i;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Index> CoupledSystem::find_node(const std::string& name) const {
  const auto found = std::lower_bound(nodes.begin(), nodes.end(), name,
                                      [](const Node& node, const std::string& n) { return node.name < n; });
  if (found == nodes.end() || found->name != name) return std::nullopt;
  return static_cast<Index>(found - nodes.begin());
}

std::optional<Index> CoupledSystem::find_output(const std::string& name) const {
  return find_signal(outputs, name);
}
std::optional<Index> CoupledSystem::find_input(const std::string& name) const {
  return find_signal(inputs, name);
}

}  // namespace ergon
