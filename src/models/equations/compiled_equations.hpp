#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ergon/core/expression/program.hpp"
#include "ergon/models/equations/equation_system.hpp"

namespace ergon {

/// An EquationSystem as programs, its states in the order [q, v] of native models. A state is a position where its rate is another
/// state, as in x' = v: integrators that treat positions and velocities apart then do so here, too.
struct CompiledEquations {
  explicit CompiledEquations(EquationSystem system);

  /// An entry of a Jacobian that is not 0 everywhere; its value is result number `k` of the program for entry k.
  struct Entry {
    std::size_t row = 0;
    std::size_t column = 0;
  };

  Description description;
  std::vector<std::string> state_names;  ///< in the order [q, v]
  std::vector<double> start;             ///< [q, v] at t₀
  std::vector<std::uint32_t> place;      ///< of each number of [q, v]: its symbol
  std::size_t positions = 0;
  std::vector<std::size_t> position_rates;  ///< of each position: which number of [q, v] is its rate
  bool second_order =
      false;  ///< as many velocities as positions, each the rate of the position of its number
  std::size_t inputs = 0;
  std::size_t outputs = 0;
  std::uint32_t first_input = 0;  ///< symbol
  std::uint32_t time = 0;         ///< symbol
  bool uses_time = false;
  bool keeps_account = false;
  bool supplies = false;
  /// Rates of velocities change in proportion to inputs.
  bool responds_to_efforts = false;

  expression::Program rates;         ///< v̇
  expression::Program output_terms;  ///< y
  expression::Program powers;  ///< dissipated, received through each input while held, supplied, ∂stored/∂u
  expression::Program energies;  ///< stored, kinetic
  bool stored_depends_on_inputs = false;
  expression::Program feedthrough;  ///< ∂y/∂u, entries (output, input)
  std::vector<Entry> feedthrough_entries;
  /// ∂(ż, y)/∂(z, u): rows [q̇, v̇, y], columns [q, v, u].
  expression::Program derivatives;
  std::vector<Entry> derivative_entries;
};

}  // namespace ergon
