#include "ergon/models/equations/equation_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "ergon/core/expression/parser.hpp"
#include "ergon/models/equations/energy_statements.hpp"
#include "ergon/models/equations/equation_statements.hpp"

namespace ergon {
namespace {

using equation_text::check_name;
using equation_text::end_statement;
using equation_text::is_keyword;
using equation_text::read_unit;
using equation_text::skip_statement;
using equation_text::to_SI;
using expression::Dimension;
using expression::Formula;
using expression::FormulaError;
using expression::Operation;
using expression::Parser;
using expression::Term;
using expression::Token;

class Reader {
 public:
  Reader(const std::string& text, const EquationValues& values)
      : tokens_(expression::tokens_of(text)), values_(values) {}

  EquationDeclarations declarations() {
    declare();
    for (DeclaredValue& state : declared_.states) state.name = equation_text::state_key(state.name);
    return declared_;
  }

  EquationSystem system(bool has_states) {
    has_states_ = has_states;
    declare();
    name_symbols();
    equations();
    results();
    for (EquationSystem::State& state : system_.states) state.name = equation_text::state_key(state.name);
    return std::move(system_);
  }

 private:
  struct Declared {
    Unit unit;
    Dimension dimension;
    std::size_t offset = 0;
  };

  [[nodiscard]] Parser parser() {
    expression::Names names;
    names.find = [this](const std::string& name) -> std::optional<Formula> {
      const auto found = scope_.find(name);
      return found == scope_.end() ? std::nullopt : std::optional(found->second);
    };
    names.all = [this] {
      std::vector<std::string> all;
      for (const auto& [name, formula] : scope_) all.push_back(name);
      return all;
    };
    return {tokens_, system_.graph, names};
  }

  void define(const std::string& name, const Formula& formula, std::size_t offset) {
    if (!scope_.try_emplace(name, formula).second)
      throw FormulaError{offset, fmt::format("'{}' is defined already.", name)};
  }

  /// Statements that begin with one of these words; the others are passed over.
  template <typename Use>
  void for_statements(const std::set<std::string>& words, Use use) {
    Parser at = parser();
    while (at.token().kind != Token::Kind::end) {
      if (at.token().kind == Token::Kind::separator) {
        at.take();
        continue;
      }
      const bool is_declared = at.token().kind == Token::Kind::name &&
                               at.following().kind == Token::Kind::name && is_keyword(at.token().text);
      const std::string word = is_declared ? at.token().text : "";
      if (!words.contains(word)) {
        skip_statement(at);
        continue;
      }
      if (is_declared) at.take();
      use(at, word);
      end_statement(at);
    }
  }

  // ── declarations ──

  void declare() {
    for_statements({"input", "parameter", "state"}, [&](Parser& at, const std::string& word) {
      do {
        declare_one(at, word);
      } while (at.take_if(","));
    });
  }

  void declare_one(Parser& at, const std::string& word) {
    const Token name = at.token();
    check_name(name, word == "state");
    at.take();
    Declared declared{read_unit(at), {}, name.offset};
    if (declared.unit.is_unspecified() && name.text.ends_with('\'')) {
      // The unit of a rate follows from that of its state.
      const auto base = states_.find(name.text.substr(0, name.text.size() - 1));
      if (base != states_.end() && !base->second.unit.is_unspecified())
        declared.unit = Unit::per_second(base->second.unit);
    }
    declared.dimension = Dimension::of(declared.unit);
    double value = 0.0;
    const bool has_value = at.take_if("=");
    if (has_value) {
      const std::size_t place = at.token().offset;
      const Formula formula = at.number();
      if (!system_.graph.is_constant(formula.term))
        throw FormulaError{place,
                           "This value must be a number, or a formula of numbers and parameters above."};
      value = system_.graph.node(formula.term).value;
      if (!std::isfinite(value)) throw FormulaError{place, "This value is not finite."};
    }
    if (names_.contains(name.text))
      throw FormulaError{name.offset, fmt::format("'{}' is declared already.", name.text)};
    names_.insert(name.text);
    if (word == "input") {
      Port port{name.text, declared.unit, 1, "input of the equations"};
      port.start = value;
      system_.inputs.push_back(port);
      inputs_.emplace_back(name.text, declared);
    } else if (word == "state") {
      declared_.states.push_back({name.text, declared.unit, value});
      states_.emplace(name.text, declared);
    } else {
      if (!has_value)
        throw FormulaError{at.token().offset,
                           fmt::format("Parameter '{}' has no value: write = and a number.", name.text)};
      declared_.parameters.push_back({name.text, declared.unit, value});
      const auto other = values_.parameters.find(name.text);
      if (other != values_.parameters.end()) value = other->second;
      define(name.text, {system_.graph.constant(to_SI(value, declared.unit)), declared.dimension},
             name.offset);
    }
  }

  /// Numbers for states, inputs, time and the derivatives that equations define.
  void name_symbols() {
    for (const DeclaredValue& state : declared_.states) {
      const Declared& declared = states_.at(state.name);
      const auto symbol = static_cast<std::uint32_t>(system_.states.size());
      const auto other = values_.states.find(equation_text::state_key(state.name));
      const double start = other == values_.states.end() ? state.value : other->second;
      system_.states.push_back({state.name, to_SI(start, state.unit), 0});
      define(state.name, {system_.graph.symbol(symbol), declared.dimension}, declared.offset);
      if (state.name.ends_with('\'')) {
        const std::string base = state.name.substr(0, state.name.size() - 1);
        const auto found = states_.find(base);
        if (found == states_.end())
          throw FormulaError{
              declared.offset,
              fmt::format("'{}' is a state, but '{}' is not: declare it, too.", state.name, base)};
        if (!found->second.dimension.per_second().fits(declared.dimension))
          throw FormulaError{declared.offset,
                             fmt::format("'{}' has the unit {}, which is not a rate of {}.", state.name,
                                         declared.dimension.text(), found->second.dimension.text())};
      }
    }
    if (has_states_ && system_.states.empty()) {
      throw FormulaError{
          0,
          "There is no state. Declare one, as in: state x = 0 (formulas without states are the element "
          "law 'expression')."};
    }
    if (!has_states_ && !system_.states.empty())
      throw FormulaError{states_.begin()->second.offset,
                         "An element has no states: use the model 'equations.expression'."};
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const auto& [name, declared] = inputs_[i];
      Term term = system_.graph.symbol(system_.input_symbol(i));
      if (declared.unit.factor != 1.0)
        term = system_.graph.make(Operation::multiply, system_.graph.constant(declared.unit.factor), term);
      if (declared.unit.offset != 0.0)
        term = system_.plus(term, system_.graph.constant(declared.unit.offset));
      define(name, {term, declared.dimension}, declared.offset);
    }
    // No unit: in cos(2*time) the 2 has one, too.
    if (has_states_) define("time", {system_.graph.symbol(system_.time_symbol()), {}}, 0);
    for (std::size_t i = 0; i < system_.states.size(); ++i) {
      const std::string rate = system_.states[i].name + "'";
      const Dimension dimension = states_.at(system_.states[i].name).dimension.per_second();
      if (const auto is_state = scope_.find(rate); is_state != scope_.end()) {
        system_.states[i].rate = is_state->second.term;
        continue;
      }
      unknowns_.push_back({rate, i, static_cast<std::uint32_t>(system_.symbol_count() + unknowns_.size())});
      define(rate, {system_.graph.symbol(unknowns_.back().symbol), dimension}, 0);
    }
  }

  // ── equations ──

  struct Unknown {
    std::string name;
    std::size_t state = 0;
    std::uint32_t symbol = 0;
    bool solved = false;
  };

  [[nodiscard]] std::vector<Unknown*> unsolved_in(Term term) {
    const auto symbols = system_.graph.symbols_of(term, system_.symbol_count() + unknowns_.size());
    std::vector<Unknown*> found;
    for (Unknown& unknown : unknowns_) {
      if (symbols[unknown.symbol]) found.push_back(&unknown);
    }
    return found;
  }

  void equations() {
    for_statements({""}, [&](Parser& at, const std::string& /*word*/) {
      const Token first = at.token();
      if (first.kind == Token::Kind::name && at.following().is("=") && !scope_.contains(first.text)) {
        check_name(first, false);
        at.take();
        at.take();
        const Formula formula = at.number();
        if (const auto open = unsolved_in(formula.term); !open.empty())
          throw FormulaError{first.offset,
                             fmt::format("This needs {}, whose equation is not above.", open.front()->name)};
        return define(first.text, formula, first.offset);
      }
      equation(at);
    });
    for (const Unknown& unknown : unknowns_) {
      if (!unknown.solved)
        throw FormulaError{states_.at(system_.states[unknown.state].name).offset,
                           fmt::format("There is no equation for {}.", unknown.name)};
    }
  }

  void equation(Parser& at) {
    const std::size_t begin = at.token().offset;
    const Formula left = at.number();
    const std::size_t sign = at.token().offset;
    at.expect("=", "in this equation");
    const Formula right = at.number();
    if (!left.dimension.fits(right.dimension))
      throw FormulaError{sign, fmt::format("The left side has the unit {}, the right side {}.",
                                           left.dimension.text(), right.dimension.text())};
    auto& graph = system_.graph;
    const auto open = unsolved_in(graph.make(Operation::subtract, left.term, right.term));
    if (open.empty())
      throw FormulaError{begin,
                         "This equation defines nothing: it has no derivative whose equation is not above."};
    if (open.size() > 1)
      throw FormulaError{begin,
                         fmt::format("This equation has {} and {}: one of them needs an equation above.",
                                     open[0]->name, open[1]->name)};
    Unknown& unknown = *open.front();
    const Term solution = equation_text::solve_linear(graph, {left.term, right.term}, unknown.symbol, begin);
    unknown.solved = true;
    system_.states[unknown.state].rate = solution;
    scope_.at(unknown.name).term = solution;
  }

  // ── results ──

  void results() {
    for_statements({"output", "energy", "power"}, [&](Parser& at, const std::string& word) {
      if (word == "output") {
        do {
          output(at);
        } while (at.take_if(","));
      } else {
        account_.read(at, word);
      }
    });
    if (system_.outputs.empty())
      throw FormulaError{0, "There is no output. Declare one, as in: output y = 2*x"};
    system_.energy = account_.finish();
  }

  void output(Parser& at) {
    const Token name = at.token();
    check_name(name, false);
    at.take();
    Unit unit = read_unit(at);
    Formula formula;
    if (at.take_if("=")) {
      formula = at.number();
    } else {
      const auto found = scope_.find(name.text);
      if (found == scope_.end())
        throw FormulaError{name.offset, fmt::format("'{}' has no formula: write = and one.", name.text)};
      formula = found->second;
      const auto state = states_.find(name.text);
      if (unit.is_unspecified() && state != states_.end()) unit = state->second.unit;
    }
    const Dimension wanted = Dimension::of(unit);
    if (!wanted.fits(formula.dimension))
      throw FormulaError{name.offset,
                         fmt::format("'{}' is declared with the unit {}, but its formula has {}.", name.text,
                                     wanted.text(), formula.dimension.text())};
    if (unit.is_unspecified() && formula.dimension.is_known())
      unit = Unit::parse(formula.dimension.text()).value_or(Unit{});
    const auto same_name = [&](const Port& port) { return port.name == name.text; };
    if (std::any_of(system_.inputs.begin(), system_.inputs.end(), same_name) ||
        std::any_of(system_.outputs.begin(), system_.outputs.end(), same_name))
      throw FormulaError{name.offset, fmt::format("There is a port '{}' already.", name.text)};
    auto& graph = system_.graph;
    Term term = formula.term;
    if (unit.offset != 0.0) term = graph.make(Operation::subtract, term, graph.constant(unit.offset));
    if (unit.factor != 1.0) term = graph.make(Operation::divide, term, graph.constant(unit.factor));
    system_.outputs.push_back({name.text, unit, 1, "output of the equations"});
    system_.output_terms.push_back(term);
  }

  std::vector<Token> tokens_;
  const EquationValues& values_;
  EquationSystem system_;
  EquationDeclarations declared_;
  std::set<std::string> names_;  ///< declared
  std::map<std::string, Declared> states_;
  std::vector<std::pair<std::string, Declared>> inputs_;
  std::map<std::string, Formula> scope_;
  std::vector<Unknown> unknowns_;
  equation_text::EnergyStatements account_{system_};
  bool has_states_ = true;
};

}  // namespace

EquationDeclarations read_equation_declarations(const std::string& text) {
  const EquationValues none;
  return Reader(text, none).declarations();
}

EquationSystem read_equations(const std::string& text, const EquationValues& values) {
  return Reader(text, values).system(true);
}

EquationSystem read_formulas(const std::string& text) {
  const EquationValues none;
  return Reader(text, none).system(false);
}

}  // namespace ergon
