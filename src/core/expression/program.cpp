#include "ergon/core/expression/program.hpp"

#include "ergon/core/expression/operations.hpp"

namespace ergon::expression {

Program::Program(const TermGraph& graph, std::span<const Term> results, std::size_t symbols)
    : symbols_(symbols), frame_(symbols, 0.0) {
  std::vector<bool> needed(graph.size(), false);
  for (const Term result : results) needed[result] = true;
  for (std::size_t t = graph.size(); t-- > 0;) {
    if (!needed[t]) continue;
    const auto& node = graph.node(static_cast<Term>(t));
    for (int i = 0; i < operand_count(node.operation); ++i)
      needed[node.operands[static_cast<std::size_t>(i)]] = true;
  }
  std::vector<std::uint32_t> place(graph.size(), 0);
  for (std::size_t t = 0; t < graph.size(); ++t) {
    const auto& node = graph.node(static_cast<Term>(t));
    if (!needed[t]) continue;
    if (node.operation == Operation::symbol) {
      place[t] = node.symbol;
    } else if (node.operation == Operation::constant) {
      place[t] = static_cast<std::uint32_t>(frame_.size());
      frame_.push_back(node.value);
    }
  }
  for (std::size_t t = 0; t < graph.size(); ++t) {
    const auto& node = graph.node(static_cast<Term>(t));
    const int count = operand_count(node.operation);
    if (!needed[t] || count == 0) continue;
    place[t] = static_cast<std::uint32_t>(frame_.size());
    frame_.push_back(0.0);
    const std::uint32_t a = place[node.operands[0]];
    steps_.push_back({node.operation, place[t], a, count > 1 ? place[node.operands[1]] : a,
                      count > 2 ? place[node.operands[2]] : a});
  }
  for (const Term result : results) places_.push_back(place[result]);
}

void Program::run(double* frame) const {
  for (const Step& step : steps_) {
    // One jump per operation: the four of arithmetic are most of all.
    switch (step.operation) {
      case Operation::add:
        frame[step.to] = frame[step.a] + frame[step.b];
        break;
      case Operation::subtract:
        frame[step.to] = frame[step.a] - frame[step.b];
        break;
      case Operation::multiply:
        frame[step.to] = frame[step.a] * frame[step.b];
        break;
      case Operation::divide:
        frame[step.to] = frame[step.a] / frame[step.b];
        break;
      default:
        frame[step.to] = apply(step.operation, frame[step.a], frame[step.b], frame[step.c]);
    }
  }
}

}  // namespace ergon::expression
