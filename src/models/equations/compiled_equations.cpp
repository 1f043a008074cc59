#include "ergon/models/equations/compiled_equations.hpp"

#include <algorithm>
#include <optional>

namespace ergon {
namespace {

using expression::Operation;
using expression::Program;
using expression::Term;

/// Of each state: the state that is its rate, where it is one and the state a position.
std::vector<std::optional<std::size_t>> rates_that_are_states(const EquationSystem& system) {
  std::vector<std::optional<std::size_t>> rate(system.states.size());
  for (std::size_t i = 0; i < system.states.size(); ++i) {
    const Term term = system.states[i].rate;
    if (!system.graph.is_symbol(term)) continue;
    const std::size_t other = system.graph.node(term).symbol;
    // Of two states that are each the rate of the other, the first is the position.
    if (other < system.states.size() && other != i && !rate[other]) rate[i] = other;
  }
  return rate;
}

}  // namespace

CompiledEquations::CompiledEquations(EquationSystem system) {
  auto& graph = system.graph;
  description = system.describe();
  inputs = system.input_count();
  outputs = system.output_terms.size();
  first_input = system.input_symbol(0);
  time = system.time_symbol();
  const std::size_t symbols = system.symbol_count();

  // Positions first, then their velocities in the same order, then the other states.
  const auto rate = rates_that_are_states(system);
  const auto add = [&](std::size_t state) {
    if (std::find(place.begin(), place.end(), state) == place.end())
      place.push_back(static_cast<std::uint32_t>(state));
  };
  for (std::size_t i = 0; i < rate.size(); ++i) {
    if (rate[i]) add(i);
  }
  positions = place.size();
  for (std::size_t p = 0; p < positions; ++p) add(*rate[place[p]]);
  for (std::size_t i = 0; i < rate.size(); ++i) add(i);
  second_order = 2 * positions == place.size();
  for (std::size_t p = 0; p < positions; ++p) {
    const auto found = std::find(place.begin(), place.end(), *rate[place[p]]);
    position_rates.push_back(static_cast<std::size_t>(found - place.begin()));
    second_order = second_order && position_rates.back() == positions + p;
  }
  for (const std::uint32_t state : place) {
    state_names.push_back(system.states[state].name);
    start.push_back(system.states[state].start);
  }

  std::vector<Term> rows;  // ż, then y
  for (const std::uint32_t state : place) rows.push_back(system.states[state].rate);
  const std::span<const Term> velocity_rates(rows.data() + positions, rows.size() - positions);
  rates = Program(graph, velocity_rates, symbols);
  output_terms = Program(graph, system.output_terms, symbols);
  rows.insert(rows.end(), system.output_terms.begin(), system.output_terms.end());

  std::vector<std::uint32_t> columns(place.begin(), place.end());
  for (std::size_t i = 0; i < inputs; ++i) columns.push_back(system.input_symbol(i));
  const std::size_t states = place.size();
  std::vector<Term> entries;
  std::vector<Term> direct;
  responds_to_efforts = second_order && inputs > 0;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const std::vector<bool> found = graph.symbols_of(rows[r], symbols);
    uses_time = uses_time || found[time];
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (!found[columns[c]]) continue;
      const Term slope = graph.derivative(rows[r], columns[c]);
      derivative_entries.push_back({r, c});
      entries.push_back(slope);
      if (c < states) continue;
      const std::vector<bool> of_slope = graph.symbols_of(slope, symbols);
      for (std::size_t i = 0; i < inputs && r < states; ++i)
        responds_to_efforts = responds_to_efforts && !of_slope[system.input_symbol(i)];
      if (r < states) continue;
      feedthrough_entries.push_back({r - states, c - states});
      direct.push_back(slope);
    }
  }
  derivatives = Program(graph, entries, symbols);
  feedthrough = Program(graph, direct, symbols);

  if (!system.energy) return;
  const EquationSystem::Energy& energy = *system.energy;
  keeps_account = true;
  supplies = energy.supplies;
  std::vector<Term> power_terms = {energy.dissipated};
  power_terms.insert(power_terms.end(), energy.received.begin(), energy.received.end());
  power_terms.push_back(energy.supplied);
  for (std::size_t i = 0; i < inputs; ++i) {
    const Term slope = graph.derivative(energy.stored, system.input_symbol(i));
    stored_depends_on_inputs = stored_depends_on_inputs || !graph.is_constant(slope, 0.0);
    power_terms.push_back(slope);
  }
  powers = Program(graph, power_terms, symbols);
  const std::vector<Term> energy_terms = {energy.stored, energy.kinetic};
  energies = Program(graph, energy_terms, symbols);
  for (const std::vector<Term>& terms : {power_terms, energy_terms}) {
    for (const Term term : terms) uses_time = uses_time || graph.depends_on(term, time);
  }
}

}  // namespace ergon
