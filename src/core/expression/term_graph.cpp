#include "ergon/core/expression/term_graph.hpp"

#include <bit>
#include <cmath>
#include <numbers>

#include "ergon/core/expression/operations.hpp"

namespace ergon::expression {

double evaluate(Operation operation, double a, double b, double c) {
  return apply(operation, a, b, c);
}

int operand_count(Operation operation) {
  switch (operation) {
    case Operation::constant:
    case Operation::symbol:
      return 0;
    case Operation::choose:
      return 3;
    case Operation::add:
    case Operation::subtract:
    case Operation::multiply:
    case Operation::divide:
    case Operation::power:
    case Operation::arc_tangent2:
    case Operation::minimum:
    case Operation::maximum:
    case Operation::less:
    case Operation::less_or_equal:
    case Operation::equal:
    case Operation::not_equal:
    case Operation::both:
    case Operation::either:
      return 2;
    default:
      return 1;
  }
}

std::size_t TermGraph::HashOfKey::operator()(const Key& key) const {
  std::uint64_t hash = static_cast<std::uint64_t>(key.operation) + 1U;
  for (const std::uint64_t part :
       {static_cast<std::uint64_t>(key.operands[0]), static_cast<std::uint64_t>(key.operands[1]),
        static_cast<std::uint64_t>(key.operands[2]), key.bits}) {
    hash = (hash ^ part) * 0x9E3779B97F4A7C15ULL;
    hash ^= hash >> 29U;
  }
  return static_cast<std::size_t>(hash);
}

Term TermGraph::intern(const Node& node) {
  const std::uint64_t bits =
      node.operation == Operation::symbol ? node.symbol : std::bit_cast<std::uint64_t>(node.value);
  const auto [place, is_new] =
      known_.try_emplace(Key{node.operation, node.operands, bits}, static_cast<Term>(nodes_.size()));
  if (is_new) nodes_.push_back(node);
  return place->second;
}

Term TermGraph::constant(double value) {
  Node node;
  node.value = value;
  return intern(node);
}

Term TermGraph::symbol(std::uint32_t number) {
  Node node;
  node.operation = Operation::symbol;
  node.symbol = number;
  return intern(node);
}

Term TermGraph::make(Operation operation, Term a, Term b, Term c) {
  const int count = operand_count(operation);
  const std::array<Term, 3> operands = {a, count > 1 ? b : 0, count > 2 ? c : 0};
  bool all_constant = true;
  std::array<double, 3> values{};
  for (int i = 0; i < count; ++i) {
    const auto k = static_cast<std::size_t>(i);
    all_constant = all_constant && is_constant(operands[k]);
    values[k] = nodes_[operands[k]].value;
  }
  if (all_constant) return constant(evaluate(operation, values[0], values[1], values[2]));
  switch (operation) {
    case Operation::add:
      if (is_constant(a, 0.0)) return b;
      if (is_constant(b, 0.0)) return a;
      break;
    case Operation::subtract:
      if (is_constant(b, 0.0)) return a;
      if (is_constant(a, 0.0)) return make(Operation::negate, b);
      break;
    case Operation::multiply:
      if (is_constant(a, 1.0)) return b;
      if (is_constant(b, 1.0)) return a;
      break;
    case Operation::divide:
      if (is_constant(b, 1.0)) return a;
      break;
    case Operation::negate:
      if (nodes_[a].operation == Operation::negate) return nodes_[a].operands[0];
      break;
    case Operation::power:
      if (is_constant(b, 1.0)) return a;
      if (is_constant(b, 2.0)) return make(Operation::multiply, a, a);
      if (is_constant(b, 3.0)) return make(Operation::multiply, make(Operation::multiply, a, a), a);
      break;
    case Operation::choose:
      if (is_constant(a) && !std::isnan(values[0])) return values[0] != 0.0 ? b : c;
      break;
    default:
      break;
  }
  Node node;
  node.operation = operation;
  node.operands = operands;
  return intern(node);
}

Term TermGraph::sum(Term a, Term b) {
  return make(Operation::add, a, b);
}
Term TermGraph::difference(Term a, Term b) {
  return make(Operation::subtract, a, b);
}
Term TermGraph::product(Term a, Term b) {
  if (is_constant(a, 0.0) || is_constant(b, 0.0)) return constant(0.0);
  if (is_constant(a, -1.0)) return make(Operation::negate, b);
  return make(Operation::multiply, a, b);
}
Term TermGraph::quotient(Term a, Term b) {
  if (is_constant(a, 0.0)) return a;
  return make(Operation::divide, a, b);
}

/// The chain rule at one node: its derivative, where those of its operands are `changes`.
Term TermGraph::chain(const Node& node, Term self, const std::array<Term, 3>& changes) {
  const Term zero = constant(0.0);
  const Term one = constant(1.0);
  const auto [a, b, c] = node.operands;
  const auto [da, db, dc] = changes;
  const auto squared = [&](Term x) { return make(Operation::multiply, x, x); };
  switch (node.operation) {
    case Operation::add:
      return sum(da, db);
    case Operation::subtract:
      return difference(da, db);
    case Operation::multiply:
      return sum(product(da, b), product(a, db));
    case Operation::divide:  // (da − (a/b) db) / b
      return quotient(difference(da, product(self, db)), b);
    case Operation::negate:
      return product(constant(-1.0), da);
    case Operation::power: {  // b a^(b−1) da + a^b log(a) db
      const Term by_base =
          product(product(b, make(Operation::power, a, make(Operation::subtract, b, one))), da);
      if (is_constant(db, 0.0)) return by_base;
      return sum(by_base, product(product(self, make(Operation::logarithm, a)), db));
    }
    case Operation::square_root:
      return quotient(da, product(constant(2.0), self));
    case Operation::exponential:
      return product(self, da);
    case Operation::logarithm:
      return quotient(da, a);
    case Operation::logarithm10:
      return quotient(da, product(constant(std::numbers::ln10), a));
    case Operation::sine:
      return product(make(Operation::cosine, a), da);
    case Operation::cosine:
      return product(make(Operation::negate, make(Operation::sine, a)), da);
    case Operation::tangent:
      return product(sum(one, squared(self)), da);
    case Operation::arc_sine:
      return quotient(da, make(Operation::square_root, difference(one, squared(a))));
    case Operation::arc_cosine:
      return quotient(product(constant(-1.0), da), make(Operation::square_root, difference(one, squared(a))));
    case Operation::arc_tangent:
      return quotient(da, sum(one, squared(a)));
    case Operation::hyperbolic_sine:
      return product(make(Operation::hyperbolic_cosine, a), da);
    case Operation::hyperbolic_cosine:
      return product(make(Operation::hyperbolic_sine, a), da);
    case Operation::hyperbolic_tangent:
      return product(difference(one, squared(self)), da);
    case Operation::arc_tangent2:  // (b da − a db) / (a² + b²)
      return quotient(difference(product(b, da), product(a, db)), sum(squared(a), squared(b)));
    case Operation::minimum:
      return make(Operation::choose, make(Operation::less_or_equal, a, b), da, db);
    case Operation::maximum:
      return make(Operation::choose, make(Operation::less_or_equal, b, a), da, db);
    case Operation::absolute:
      return product(make(Operation::sign, a), da);
    case Operation::choose:
      return make(Operation::choose, a, db, dc);
    default:
      return zero;  // level between jumps
  }
}

std::vector<bool> TermGraph::parts_of(Term term) const {
  std::vector<bool> parts(term + 1, false);
  parts[term] = true;
  for (Term t = term + 1; t-- > 0;) {
    if (!parts[t]) continue;
    for (int i = 0; i < operand_count(nodes_[t].operation); ++i)
      parts[nodes_[t].operands[static_cast<std::size_t>(i)]] = true;
  }
  return parts;
}

Term TermGraph::derivative(Term term, std::uint32_t symbol_number) {
  const Term zero = constant(0.0);
  const Term one = constant(1.0);
  const std::vector<bool> parts = parts_of(term);
  std::vector<Term> derivatives(term + 1, zero);
  for (Term t = 0; t <= term; ++t) {
    if (!parts[t]) continue;
    const Node node = nodes_[t];  // a copy: new terms move the nodes
    if (node.operation == Operation::symbol) {
      if (node.symbol == symbol_number) derivatives[t] = one;
      continue;
    }
    std::array<Term, 3> changes = {zero, zero, zero};
    bool changes_at_all = false;
    for (int i = 0; i < operand_count(node.operation); ++i) {
      const auto k = static_cast<std::size_t>(i);
      changes[k] = derivatives[node.operands[k]];
      changes_at_all = changes_at_all || changes[k] != zero;
    }
    if (changes_at_all) derivatives[t] = chain(node, t, changes);
  }
  return derivatives[term];
}

Term TermGraph::substitute(Term term, std::uint32_t symbol_number, Term replacement) {
  const std::vector<bool> parts = parts_of(term);
  std::vector<Term> replaced(term + 1);
  for (Term t = 0; t <= term; ++t) {
    replaced[t] = t;
    if (!parts[t]) continue;
    const Node node = nodes_[t];
    if (node.operation == Operation::symbol && node.symbol == symbol_number) replaced[t] = replacement;
    const int count = operand_count(node.operation);
    std::array<Term, 3> operands{};
    bool differs = false;
    for (int i = 0; i < count; ++i) {
      const auto k = static_cast<std::size_t>(i);
      operands[k] = replaced[node.operands[k]];
      differs = differs || operands[k] != node.operands[k];
    }
    if (differs) replaced[t] = make(node.operation, operands[0], operands[1], operands[2]);
  }
  return replaced[term];
}

bool TermGraph::depends_on(Term term, std::uint32_t symbol_number) const {
  return symbols_of(term, symbol_number + 1)[symbol_number];
}

std::vector<bool> TermGraph::symbols_of(Term term, std::size_t count) const {
  std::vector<bool> found(count, false);
  const std::vector<bool> parts = parts_of(term);
  for (Term t = 0; t <= term; ++t) {
    if (parts[t] && is_symbol(t) && nodes_[t].symbol < count) found[nodes_[t].symbol] = true;
  }
  return found;
}

}  // namespace ergon::expression
