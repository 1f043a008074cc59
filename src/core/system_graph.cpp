#include "core/system_graph.hpp"

#include "core/freeze.hpp"

namespace ergon {

void SystemGraph::add(std::string name, std::unique_ptr<Subsystem> subsystem, const Rational& step_s,
                      SourceLocation where) {
  Node node;
  node.name = std::move(name);
  node.description = subsystem->describe();
  node.subsystem = std::move(subsystem);
  node.step_s = step_s;
  node.where = std::move(where);
  nodes_.push_back(std::move(node));
}

void SystemGraph::add_element(std::string name, std::unique_ptr<Element> element, EvaluateAt evaluate,
                              SourceLocation where) {
  add(std::move(name), std::move(element), Rational{}, std::move(where));
  nodes_.back().description.algebraic = true;
  nodes_.back().evaluate = evaluate;
}

void SystemGraph::set_input_start(const std::string& port, std::vector<double> values, SourceLocation where) {
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
  for (Index i = 0; i < nodes.size(); ++i) {
    if (nodes[i].name == name) return i;
  }
  return std::nullopt;
}

std::optional<Index> CoupledSystem::find_output(const std::string& name) const {
  return find_signal(outputs, name);
}
std::optional<Index> CoupledSystem::find_input(const std::string& name) const {
  return find_signal(inputs, name);
}

}  // namespace ergon
