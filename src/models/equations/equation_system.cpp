#include "ergon/models/equations/equation_system.hpp"

#include <fmt/format.h>

#include <cmath>
#include <random>

#include "ergon/core/expression/program.hpp"

namespace ergon {

using expression::Operation;
using expression::Program;

std::size_t EquationSystem::input_count() const {
  std::size_t count = 0;
  for (const Port& port : inputs) count += port.size;
  return count;
}

EquationSystem::Term EquationSystem::scaled(double factor, Term term) {
  if (factor == 0.0) return graph.constant(0.0);
  if (factor == -1.0) return graph.make(Operation::negate, term);
  return graph.make(Operation::multiply, graph.constant(factor), term);
}

EquationSystem::Term EquationSystem::plus(Term a, Term b) {
  return graph.make(Operation::add, a, b);
}

EquationSystem::Term EquationSystem::combination(const double* row, const std::vector<Term>& terms) {
  Term sum = graph.constant(0.0);
  for (std::size_t i = 0; i < terms.size(); ++i) sum = plus(sum, scaled(row[i], terms[i]));
  return sum;
}

Description EquationSystem::describe() const {
  Description description;
  description.inputs = inputs;
  description.outputs = outputs;
  std::size_t y = 0;
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    std::vector<bool> depends(inputs.size(), false);
    for (std::size_t k = 0; k < outputs[o].size; ++k, ++y) {
      const std::vector<bool> symbols = graph.symbols_of(output_terms[y], symbol_count());
      std::size_t u = 0;
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        for (std::size_t j = 0; j < inputs[i].size; ++j, ++u)
          depends[i] = depends[i] || symbols[input_symbol(u)];
      }
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (depends[i]) description.feedthrough.push_back({o, i});
    }
  }
  // A position and its rate of change, where both are outputs as they are.
  y = 0;
  for (std::size_t o = 0; o < outputs.size(); y += outputs[o].size, ++o) {
    if (outputs[o].size != 1 || !graph.is_symbol(output_terms[y])) continue;
    const std::size_t symbol = graph.node(output_terms[y]).symbol;
    if (symbol >= states.size()) continue;
    std::size_t other = 0;
    for (std::size_t r = 0; r < outputs.size(); other += outputs[r].size, ++r) {
      if (outputs[r].size == 1 && output_terms[other] == states[symbol].rate)
        description.outputs[r].rate_of = outputs[o].name;
    }
  }
  return description;
}

std::string EquationSystem::energy_imbalance() {
  if (!energy) return {};
  // Ḣ = Σ ∂H/∂x ẋ + ∂H/∂t, with the inputs held.
  Term rate = graph.derivative(energy->stored, time_symbol());
  for (std::size_t i = 0; i < states.size(); ++i) {
    const Term slope = graph.derivative(energy->stored, static_cast<std::uint32_t>(i));
    rate = plus(rate, graph.make(Operation::multiply, slope, states[i].rate));
  }
  std::vector<Term> results = {rate, energy->dissipated, energy->supplied};
  results.insert(results.end(), energy->received.begin(), energy->received.end());
  const Program program(graph, results, symbol_count());
  std::vector<double> frame = program.make_frame();
  std::mt19937 generator(1);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  constexpr int draws = 8;
  for (int draw = 0; draw < draws; ++draw) {
    for (std::size_t i = 0; i < states.size(); ++i) {
      const double size = states[i].start == 0.0 ? 1.0 : 0.1 * std::abs(states[i].start);
      frame[i] = states[i].start + size * uniform(generator);
    }
    std::size_t u = 0;
    for (const Port& port : inputs) {
      for (std::size_t k = 0; k < port.size; ++k)
        frame[input_symbol(u++)] = port.start + port.nominal * uniform(generator);
    }
    frame[time_symbol()] = uniform(generator) + 1.0;
    program.run(frame.data());
    const double stored_W = program.result(frame.data(), 0);
    const double lost_W = program.result(frame.data(), 1) - program.result(frame.data(), 2);
    double received_W = 0.0;
    double scale = std::abs(stored_W) + std::abs(lost_W);
    for (std::size_t i = 3; i < results.size(); ++i) {
      received_W += program.result(frame.data(), i);
      scale += std::abs(program.result(frame.data(), i));
    }
    constexpr double round_off = 1e-6;
    const double imbalance = stored_W + lost_W - received_W;
    if (!std::isfinite(imbalance) || std::abs(imbalance) <= round_off * scale) continue;
    std::string state;
    for (std::size_t i = 0; i < std::min<std::size_t>(states.size(), 6); ++i)
      state += fmt::format("{}{} = {:.4g}", i > 0 ? ", " : "", states[i].name, frame[i]);
    return fmt::format(
        "the energy formulas do not balance: at {} the stored energy changes by {:.6g} W, {:.6g} W are "
        "dissipated (less what is "
        "supplied), and {:.6g} W are received",
        state, stored_W, lost_W, received_W);
  }
  return {};
}

}  // namespace ergon
