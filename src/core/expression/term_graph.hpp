#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace ergon::expression {

/// What a term computes of its operands. Conditions are 1 or 0; one that compares NaN is NaN, so that NaN never passes unseen.
enum class Operation : std::uint8_t {
  constant,
  symbol,
  add,
  subtract,
  multiply,
  divide,
  negate,
  power,
  square_root,
  exponential,
  logarithm,
  logarithm10,
  sine,
  cosine,
  tangent,
  arc_sine,
  arc_cosine,
  arc_tangent,
  hyperbolic_sine,
  hyperbolic_cosine,
  hyperbolic_tangent,
  arc_tangent2,
  minimum,
  maximum,
  absolute,
  sign,
  floor,
  less,
  less_or_equal,
  equal,
  not_equal,
  both,    ///< and
  either,  ///< or
  negation,
  choose,  ///< if(a, b, c)
};

/// One operation with up to three operands: the definition of what every operation computes.
double evaluate(Operation operation, double a, double b, double c);
int operand_count(Operation operation);

/// Number of a term in its graph. Operands have smaller numbers than the terms made of them: no walk through a graph recurses.
using Term = std::uint32_t;

/// Formulas as one graph of terms: what is written twice is one term. Terms are made, never changed.
class TermGraph {
 public:
  struct Node {
    Operation operation = Operation::constant;
    std::array<Term, 3> operands{};
    double value = 0.0;        ///< of a constant
    std::uint32_t symbol = 0;  ///< of a symbol
  };

  Term constant(double value);
  /// The symbol with this number, from 0 on.
  Term symbol(std::uint32_t number);
  /// Operations on constants are carried out, additions of 0 and multiplications by 1 left out, x² and x³ are products. A product
  /// with 0 stays, as it passes NaN on.
  Term make(Operation operation, Term a, Term b = 0, Term c = 0);

  [[nodiscard]] const Node& node(Term term) const { return nodes_[term]; }
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  [[nodiscard]] bool is_constant(Term term) const { return nodes_[term].operation == Operation::constant; }
  [[nodiscard]] bool is_constant(Term term, double value) const {
    return is_constant(term) && nodes_[term].value == value;
  }
  [[nodiscard]] bool is_symbol(Term term) const { return nodes_[term].operation == Operation::symbol; }

  /// ∂term/∂symbol. Where a function has a kink (abs, min, max, if), that of the branch that holds; sign and floor count as level.
  Term derivative(Term term, std::uint32_t symbol);
  /// `term` with `replacement` for the symbol.
  Term substitute(Term term, std::uint32_t symbol, Term replacement);
  [[nodiscard]] bool depends_on(Term term, std::uint32_t symbol) const;
  /// Of every symbol with a number below `count`: whether the term depends on it.
  [[nodiscard]] std::vector<bool> symbols_of(Term term, std::size_t count) const;

 private:
  struct Key {
    Operation operation;
    std::array<Term, 3> operands;
    std::uint64_t bits;
    bool operator==(const Key&) const = default;
  };
  struct HashOfKey {
    std::size_t operator()(const Key& key) const;
  };
  Term intern(const Node& node);
  // Products and sums as they occur in derivatives: there a factor of 0 makes 0.
  Term sum(Term a, Term b);
  Term difference(Term a, Term b);
  Term product(Term a, Term b);
  Term quotient(Term a, Term b);
  Term chain(const Node& node, Term self, const std::array<Term, 3>& changes);
  /// Which terms up to `term` it is made of.
  [[nodiscard]] std::vector<bool> parts_of(Term term) const;

  std::vector<Node> nodes_;
  std::unordered_map<Key, Term, HashOfKey> known_;
};

}  // namespace ergon::expression
