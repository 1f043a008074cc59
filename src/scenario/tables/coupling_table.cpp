#include <fmt/format.h>

#include "ergon/coupling/predictors/registry.hpp"
#include "ergon/coupling/schemes/implicit/update_rule.hpp"
#include "ergon/coupling/schemes/scheme.hpp"
#include "ergon/scenario/tables/tables.hpp"

namespace ergon {
namespace {

constexpr std::int64_t max_iteration_limit = 100000;
/// What the words of degrees that are for some inputs only begin with.
constexpr std::string_view where_followed = "auto-";

using CouplingKey = Key<CouplingSettings>;

Names scheme_names() {
  Names names;
  for (const Scheme* scheme : schemes()) names.emplace_back(scheme->name());
  return names;
}

bool is_implicit(const CouplingSettings& coupling) {
  const Scheme* scheme = find_scheme(coupling.scheme.value);
  return scheme != nullptr && scheme->solves_for_coupling_variables();
}

void note_no_effect(TableReader& reader, const Entry& entry, const CouplingSettings& coupling) {
  reader.problems().note(entry.where,
                         fmt::format("'{}' has no effect on '{}'.", entry.key, coupling.scheme.value));
}

/// One file often serves several schemes by --set coupling.scheme=…, so what a scheme does not know is not an error.
CouplingKey of_implicit_schemes(CouplingKey key) {
  CouplingKey result = std::move(key).written_if(is_implicit);
  result.read = [inner = std::move(result.read), name = result.name](TableReader& reader,
                                                                     CouplingSettings& coupling) {
    const Entry* entry = reader.entry(name);
    if (entry == nullptr) return;
    if (!is_implicit(coupling)) return note_no_effect(reader, *entry, coupling);
    inner(reader, coupling);
  };
  return result;
}

CouplingKey extrapolation_key() {
  CouplingKey key{"extrapolation"};
  key.read = [](TableReader& reader, CouplingSettings& coupling) {
    if (const auto word = reader.choice("extrapolation", run_extrapolations()))
      set_extrapolation(word->value, coupling);
    if (!is_implicit(coupling)) return;
    if (const Entry* entry = reader.entry("extrapolation")) note_no_effect(reader, *entry, coupling);
    coupling.degree = 1;
    coupling.only_followed = false;
  };
  key.write = [](const CouplingSettings& coupling, const Scenario&) -> std::optional<Value> {
    if (is_implicit(coupling)) return std::nullopt;
    if (!coupling.predictor.empty()) return text_value(coupling.predictor);
    const std::string prefix(coupling.only_followed ? where_followed : "");
    return text_value(prefix + std::string(extrapolation_name(coupling.degree)));
  };
  return key;
}

CouplingKey degree_key() {
  CouplingKey key = CouplingKey::number("degree", &CouplingSettings::degree);
  key.read = [](TableReader& reader, CouplingSettings& coupling) {
    const auto degree = reader.number("degree");
    if (!degree) return;
    if (degree->value == 0.0 || degree->value == 1.0 || degree->value == 2.0) {
      coupling.degree = static_cast<int>(degree->value);
    } else {
      reader.error(degree->where, fmt::format("degree = {} in [coupling] is not possible.", degree->value),
                   "Give 0, 1 or 2.");
    }
  };
  return key;
}

CouplingKey interpolation_key() {
  CouplingKey key{"interpolation"};
  key.read = [](TableReader& reader, CouplingSettings& coupling) {
    if (const auto name = reader.choice("interpolation", {"lagrange", "hermite"}))
      coupling.implicit.hermite = name->value == "hermite";
  };
  key.write = [](const CouplingSettings& coupling, const Scenario&) -> std::optional<Value> {
    return text_value(coupling.implicit.hermite ? "hermite" : "lagrange");
  };
  return key;
}

/// Update rules with and without a Jacobian have a key each.
CouplingKey update_key(const char* name, bool is_jacobian) {
  CouplingKey key = CouplingKey::word(
      name, [](auto& coupling) -> auto& { return coupling.implicit.update; },
      [is_jacobian] { return update_rule_names(is_jacobian); });
  return std::move(key).written_if([is_jacobian](const CouplingSettings& coupling) {
    const UpdateRuleInfo* rule = find_update_rule(coupling.implicit.update);
    return is_jacobian == (rule == nullptr || rule->is_jacobian);
  });
}

}  // namespace

Names run_extrapolations() {
  Names words = bond_extrapolations();
  for (int degree = 1; degree <= max_extrapolation_degree; ++degree)
    words.push_back(std::string(where_followed) + std::string(extrapolation_name(degree)));
  return words;
}

void set_extrapolation(std::string_view word, CouplingSettings& coupling) {
  coupling.only_followed = word.starts_with(where_followed);
  if (coupling.only_followed) word.remove_prefix(where_followed.size());
  const auto degree = extrapolation_degree(word);
  coupling.degree = degree.value_or(0);
  coupling.predictor = degree ? std::string_view() : predictor_of_extrapolation(word);
}

const Keys<CouplingSettings>& coupling_keys() {
  using S = CouplingSettings;
  using K = CouplingKey;
  static const Keys<S> keys = {
      K::word("scheme", &S::scheme, scheme_names),
      K::texts("order", &S::order).written_if([](const S& s) { return !s.order.empty(); }),
      extrapolation_key(),
      // Without it each bond refreshes where it can and predicts elsewhere: no single word says that.
      K::choice("feedthrough", &S::feedthrough, feedthrough_names),
      K::choice("starter", &S::starter, starter_names),
      of_implicit_schemes(degree_key()),
      of_implicit_schemes(interpolation_key()),
      of_implicit_schemes(update_key("jacobian", true)),
      of_implicit_schemes(update_key("acceleration", false)),
      of_implicit_schemes(K::positive(
          "tolerance", [](auto& s) -> auto& { return s.implicit.tolerance; })),
      of_implicit_schemes(K::count(
          "max_iterations", [](auto& s) -> auto& { return s.implicit.max_iterations; }, max_iteration_limit)),
      of_implicit_schemes(K::flag(
          "final_evaluation", [](auto& s) -> auto& { return s.implicit.final_evaluation; })),
      of_implicit_schemes(K::flag(
          "accept_unstable", [](auto& s) -> auto& { return s.implicit.accept_unstable; })),
  };
  return keys;
}

void read_coupling(const Value& table, const Edition& edition, CouplingSettings& coupling,
                   ProblemList& problems) {
  coupling.scheme.value = edition.scheme;
  set_extrapolation(edition.extrapolation, coupling);
  coupling.feedthrough = edition.feedthrough;
  coupling.starter = edition.starter;
  coupling.implicit.update = edition.update;
  TableReader reader(table, "[coupling]", problems);
  coupling.implicit.where = table.where;
  read_keys(reader, coupling_keys(), coupling);
  const Entry* acceleration = reader.entry("acceleration");
  if (is_implicit(coupling) && acceleration != nullptr && reader.entry("jacobian") != nullptr) {
    reader.error(acceleration->where, "[coupling] has both a jacobian and an acceleration.",
                 "An acceleration works without a Jacobian: leave one of them out.");
  }
  reader.finish();
  const Scheme* scheme = find_scheme(coupling.scheme.value);
  if (reader.ok() && scheme && !scheme->takes_order() && !coupling.order.empty()) {
    problems.note(coupling.order.front().where,
                  fmt::format("'order' has no effect on '{}'.", scheme->name()));
  }
}

}  // namespace ergon
