#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ergon/core/expression/term_graph.hpp"
#include "ergon/core/subsystem.hpp"

namespace ergon {

/// Equations ẋ = f(x, u, t), y = g(x, u, t) as terms of one graph, in SI units but for u and y, which have those of their ports.
/// Symbols: the states in their order, then the scalars of the inputs, then the time.
struct EquationSystem {
  using Term = expression::Term;
  struct State {
    std::string name;
    double start = 0.0;  ///< x(t₀)
    Term rate = 0;       ///< ẋ
  };
  /// Formulas of an energy account, see AccountSample.
  struct Energy {
    Term stored = 0;               ///< J
    Term kinetic = 0;              ///< J
    Term dissipated = 0;           ///< W
    Term supplied = 0;             ///< W
    std::vector<Term> received{};  ///< W at each scalar input while it is held
    bool supplies = false;
  };

  expression::TermGraph graph;
  std::vector<State> states;
  std::vector<Port> inputs;
  std::vector<Port> outputs;
  std::vector<Term> output_terms;  ///< one per scalar
  std::optional<Energy> energy;

  [[nodiscard]] std::size_t input_count() const;
  [[nodiscard]] std::uint32_t input_symbol(std::size_t scalar) const {
    return static_cast<std::uint32_t>(states.size() + scalar);
  }
  [[nodiscard]] std::uint32_t time_symbol() const { return input_symbol(input_count()); }
  [[nodiscard]] std::size_t symbol_count() const { return time_symbol() + 1; }

  // Terms as sums of products, for who builds a system of matrices.
  Term scaled(double factor, Term term);
  Term plus(Term a, Term b);
  /// Σ row[i]·terms[i]; entries of 0 are left out.
  Term combination(const double* row, const std::vector<Term>& terms);

  /// Ports, with the feed-through that the terms have.
  [[nodiscard]] Description describe() const;
  /// Whether d(stored)/dt + dissipated − supplied is what is received, at some states and inputs about the start. Else a sentence with
  /// the numbers.
  [[nodiscard]] std::string energy_imbalance();
};

}  // namespace ergon
