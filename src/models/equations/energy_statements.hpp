#pragma once

#include <optional>
#include <set>
#include <string>

#include "ergon/core/expression/parser.hpp"
#include "ergon/models/equations/equation_system.hpp"

namespace ergon::equation_text {

/// The statements `energy NAME = …` and `power NAME = …` of a text: formulas of an energy account. All throw expression::FormulaError.
class EnergyStatements {
 public:
  /// `system` has its inputs when the first statement is read, and must outlive this.
  explicit EnergyStatements(EquationSystem& system) : system_(system) {}

  /// One statement after its word, "energy" or "power".
  void read(expression::Parser& at, const std::string& word);
  /// The account of all statements; nothing where there are none.
  [[nodiscard]] std::optional<EquationSystem::Energy> finish() const;

 private:
  /// Puts a formula where its name belongs. `place`: where it begins.
  void put(const expression::Token& name, bool is_energy, expression::Term term, std::size_t place);
  void put_power_of_input(const expression::Token& name, bool is_energy, expression::Term term);
  EquationSystem::Energy& account();

  EquationSystem& system_;
  std::set<std::string> given_;  ///< names
  std::optional<EquationSystem::Energy> account_;
  std::optional<std::size_t> first_;  ///< where the first name is
};

}  // namespace ergon::equation_text
