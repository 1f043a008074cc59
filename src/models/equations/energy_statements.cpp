#include "ergon/models/equations/energy_statements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "ergon/core/problem.hpp"

namespace ergon::equation_text {

using expression::FormulaError;

void EnergyStatements::read(expression::Parser& at, const std::string& word) {
  const expression::Token name = at.take();
  if (!first_) first_ = name.offset;
  const bool is_energy = word == "energy";
  at.expect("=", "in this formula");
  const std::size_t place = at.token().offset;
  const expression::Formula formula = at.number();
  const expression::Dimension wanted = expression::Dimension::of(Unit::of(is_energy ? "J" : "W"));
  if (!wanted.fits(formula.dimension))
    throw FormulaError{
        place, fmt::format("An {} has the unit {}, but this has {}.", is_energy ? "energy" : "input power",
                           wanted.text(), formula.dimension.text())};
  if (!given_.insert(name.text).second)
    throw FormulaError{name.offset, fmt::format("'{} {}' is given already.", word, name.text)};
  put(name, is_energy, formula.term, place);
}

std::optional<EquationSystem::Energy> EnergyStatements::finish() const {
  if (!first_) return std::nullopt;
  if (!given_.contains("stored"))
    throw FormulaError{*first_, "This belongs to an energy account, which needs: energy stored = …"};
  return account_;
}

void EnergyStatements::put(const expression::Token& name, bool is_energy, expression::Term term,
                           std::size_t place) {
  if (is_energy && name.text == "stored") {
    account().stored = term;
  } else if (is_energy && name.text == "kinetic") {
    for (std::size_t i = 0; i < system_.inputs.size(); ++i) {
      if (system_.graph.depends_on(term, system_.input_symbol(i)))
        throw FormulaError{place, fmt::format("The kinetic energy cannot depend on the input '{}'.",
                                              system_.inputs[i].name)};
    }
    account().kinetic = term;
  } else if (!is_energy && name.text == "dissipated") {
    account().dissipated = term;
  } else if (!is_energy && name.text == "supplied") {
    account().supplied = term;
    account().supplies = true;
  } else {
    put_power_of_input(name, is_energy, term);
  }
}

void EnergyStatements::put_power_of_input(const expression::Token& name, bool is_energy,
                                          expression::Term term) {
  const std::vector<Port>& inputs = system_.inputs;
  const auto input = std::find_if(inputs.begin(), inputs.end(),
                                  [&](const Port& one) { return !is_energy && one.name == name.text; });
  if (input != inputs.end()) {
    account().received[static_cast<std::size_t>(input - inputs.begin())] = term;
    return;
  }
  std::vector<std::string> names = is_energy ? std::vector<std::string>{"stored", "kinetic"}
                                             : std::vector<std::string>{"dissipated", "supplied"};
  if (!is_energy) {
    for (const Port& one : inputs) names.push_back(one.name);
  }
  throw FormulaError{name.offset, fmt::format("There is no {} '{}'. {}", is_energy ? "energy" : "power",
                                              name.text, did_you_mean(name.text, names))};
}

EquationSystem::Energy& EnergyStatements::account() {
  const expression::Term zero = system_.graph.constant(0.0);
  if (!account_)
    account_ = EquationSystem::Energy{
        zero, zero, zero, zero, std::vector<expression::Term>(system_.inputs.size(), zero), false};
  return *account_;
}

}  // namespace ergon::equation_text
