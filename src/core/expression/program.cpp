#include "ergon/core/expression/program.hpp"

#include <algorithm>

#include "ergon/core/expression/operations.hpp"

namespace ergon::expression {
namespace {

/// The needed terms that compute something, in an order in which operands come first and equal operations follow each other as far as
/// that goes: a jump that the processor does not foresee costs more than ten additions.
std::vector<std::size_t> by_operation(const TermGraph& graph, const std::vector<bool>& needed) {
  constexpr std::size_t kinds = static_cast<std::size_t>(Operation::choose) + 1;
  std::vector<std::vector<std::size_t>> ready(kinds);
  std::vector<std::vector<std::size_t>> users(graph.size());
  std::vector<int> missing(graph.size(), 0);
  const auto add = [&](std::size_t t) {
    ready[static_cast<std::size_t>(graph.node(static_cast<Term>(t)).operation)].push_back(t);
  };
  for (std::size_t t = 0; t < graph.size(); ++t) {
    const auto& node = graph.node(static_cast<Term>(t));
    if (!needed[t] || operand_count(node.operation) == 0) continue;
    for (int i = 0; i < operand_count(node.operation); ++i) {
      const Term operand = node.operands[static_cast<std::size_t>(i)];
      if (operand_count(graph.node(operand).operation) == 0) continue;
      users[operand].push_back(t);
      ++missing[t];
    }
    if (missing[t] == 0) add(t);
  }
  std::vector<std::size_t> order;
  while (true) {
    auto most = std::max_element(ready.begin(), ready.end(),
                                 [](const auto& a, const auto& b) { return a.size() < b.size(); });
    if (most->empty()) return order;
    // Those that become ready while their like are computed join them.
    for (std::size_t i = 0; i < most->size(); ++i) {
      const std::size_t t = (*most)[i];
      order.push_back(t);
      for (const std::size_t user : users[t]) {
        if (--missing[user] == 0) add(user);
      }
    }
    most->clear();
  }
}

}  // namespace

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
  for (const std::size_t t : by_operation(graph, needed)) {
    const auto& node = graph.node(static_cast<Term>(t));
    const int count = operand_count(node.operation);
    place[t] = static_cast<std::uint32_t>(frame_.size());
    frame_.push_back(0.0);
    const std::uint32_t a = place[node.operands[0]];
    steps_.push_back(
        {place[t], a, count > 1 ? place[node.operands[1]] : a, count > 2 ? place[node.operands[2]] : a});
    if (runs_.empty() || runs_.back().operation != node.operation) runs_.push_back({node.operation, 0});
    ++runs_.back().steps;
  }
  for (const Term result : results) places_.push_back(place[result]);
}

void Program::run(double* frame) const {
  const Step* step = steps_.data();
  const auto all = [&](std::uint32_t count, auto compute) __attribute__((always_inline)) {
    for (const Step* end = step + count; step != end; ++step) frame[step->to] = compute(*step);
  };
  for (const Run& run : runs_) {
    switch (run.operation) {
      case Operation::add:
        all(run.steps, [&](const Step& s) { return frame[s.a] + frame[s.b]; });
        break;
      case Operation::subtract:
        all(run.steps, [&](const Step& s) { return frame[s.a] - frame[s.b]; });
        break;
      case Operation::multiply:
        all(run.steps, [&](const Step& s) { return frame[s.a] * frame[s.b]; });
        break;
      case Operation::divide:
        all(run.steps, [&](const Step& s) { return frame[s.a] / frame[s.b]; });
        break;
      default:
        all(run.steps,
            [&](const Step& s) { return apply(run.operation, frame[s.a], frame[s.b], frame[s.c]); });
    }
  }
}

}  // namespace ergon::expression
