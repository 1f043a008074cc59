#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "ergon/coupling/predictors/registry.hpp"
#include "ergon/scenario/tables/tables.hpp"

namespace ergon {
namespace {

using BondKey = Key<BondEntry>;

/// What an end names, and where each port is named.
struct BondSide {
  BondEnd end;
  std::vector<Said<std::string>> ports{};
};

Key<BondSide> ports_key(const char* name, std::vector<std::string> BondEnd::*at) {
  Key<BondSide> key{name};
  key.read = [name, at](TableReader& reader, BondSide& side) {
    for (Said<std::string>& port : reader.texts(name)) {
      (side.end.*at).push_back(port.value);
      side.ports.push_back(std::move(port));
    }
  };
  key.write = [at](const BondSide& side, const Scenario&) -> std::optional<Value> {
    const auto& ports = side.end.*at;
    return ports.empty() ? std::nullopt : std::optional(text_or_list(ports));
  };
  return key;
}

const Keys<BondSide>& side_keys() {
  static const Keys<BondSide> keys = {
      ports_key("effort", &BondEnd::effort),
      ports_key("flow", &BondEnd::flow),
      ports_key("displacement", &BondEnd::displacement),
  };
  return keys;
}

/// "a" and "b".
BondKey side_key(const char* name, BondEnd BondSpec::*at) {
  BondKey key{name};
  key.read = [name, at](TableReader& owner, BondEntry& entry) {
    const Value* table = owner.table(name);
    if (!table) return;
    TableReader reader(*table, fmt::format("'{}' of {}", name, owner.title()), owner.problems());
    BondSide side;
    read_keys(reader, side_keys(), side);
    if (!reader.finish()) owner.mark_unusable();
    entry.spec.*at = std::move(side.end);
    entry.ports.insert(entry.ports.end(), side.ports.begin(), side.ports.end());
  };
  key.write = [at](const BondEntry& entry, const Scenario& scenario) -> std::optional<Value> {
    return table_of(side_keys(), BondSide{entry.spec.*at}, scenario);
  };
  return std::move(key).required(
      fmt::format("Name the ports of this end, as in: {} = {{ effort = \"left.force\", flow = "
                  "\"left.velocity_in\" }}",
                  name));
}

void read_bond_feedthrough(TableReader& reader, BondEntry& entry) {
  if (const auto mode = reader.choice("feedthrough", feedthrough_names.all()))
    entry.spec.feedthrough = feedthrough_names.value(mode->value);
}

std::optional<Value> bond_feedthrough_value(const BondEntry& entry, const Scenario& scenario) {
  const auto mode = entry.spec.feedthrough ? entry.spec.feedthrough : scenario.coupling.feedthrough;
  return mode ? std::optional(text_value(std::string(feedthrough_names.name(*mode)))) : std::nullopt;
}

void read_bond_extrapolation(TableReader& reader, BondEntry& entry) {
  const auto word = reader.choice("extrapolation", bond_extrapolations());
  if (!word) return;
  entry.spec.degree = extrapolation_degree(word->value).value_or(0);
  entry.spec.predictor = predictor_of_extrapolation(word->value);
}

std::optional<Value> bond_extrapolation_value(const BondEntry& entry, const Scenario& scenario) {
  const BondSpec& bond = entry.spec;
  const std::string& predictor = bond.degree ? bond.predictor : scenario.coupling.predictor;
  if (!predictor.empty() && predictor != polynomial_predictor) return text_value(predictor);
  if (!bond.degree && scenario.coupling.only_followed) return std::nullopt;
  return text_value(std::string(extrapolation_name(bond.degree.value_or(scenario.coupling.degree))));
}

/// A number, or a number with a unit in quotes.
void read_ratio(TableReader& reader, BondEntry& entry) {
  const Entry* said = reader.entry("ratio");
  if (said == nullptr) return;
  if (said->value.kind != Value::Kind::text) {
    if (const auto number = reader.number("ratio")) entry.spec.ratio = BondRatio{number->value, {}};
    return;
  }
  entry.spec.ratio = BondRatio::parse(said->value.text);
  if (entry.spec.ratio) return;
  if (const auto number = number_of(said->value); const auto* found = std::get_if<Number>(&number)) {
    entry.spec.ratio = BondRatio{found->value, {}};
    return;
  }
  reader.error(said->value.where, fmt::format("{}: 'ratio' is \"{}\".", reader.title(), said->value.text),
               "Write a number and a unit, as in: ratio = \"0.05 V.s/rad\".");
}

std::optional<Value> ratio_value(const BondEntry& entry, const Scenario&) {
  const auto& ratio = entry.spec.ratio;
  if (!ratio) return std::nullopt;
  if (ratio->unit.is_unspecified()) return number_value(ratio->value);
  return text_value(fmt::format("{} {}", ratio->value, ratio->unit.text));
}

/// 'effort_sign', and its old name 'reaction'.
void read_effort_sign(TableReader& reader, BondEntry& entry) {
  BondSpec& spec = entry.spec;
  bool opposite = reader.flag("reaction").value_or(false);
  const Entry* old = reader.entry("reaction");
  if (old != nullptr && old->value.kind == Value::Kind::boolean) {
    reader.problems().note(old->where,
                           fmt::format("'reaction' in {} is the old name of 'effort_sign' and will go away: "
                                       "write effort_sign = {}.",
                                       reader.title(), opposite ? -1 : 1));
  }
  if (const auto sign = reader.number("effort_sign")) {
    if (std::abs(sign->value) != 1.0) {
      reader.error(sign->where, fmt::format("{}: 'effort_sign' is {}.", reader.title(), sign->value),
                   "Write -1 where the sender outputs the effort that acts on itself, or both ends of a "
                   "gyrator take power in; "
                   "otherwise 1.");
    }
    opposite = sign->value < 0.0;
  }
  if (!opposite) return;
  if (spec.kind == BondKind::gyrator) {
    spec.effort_of_a_opposite = true;
  } else {
    spec.effort_gain.assign(std::max(spec.a.effort.size(), spec.b.effort.size()), -1.0);
  }
}

std::optional<Value> effort_sign_value(const BondEntry& entry, const Scenario&) {
  const bool opposite = !entry.spec.effort_gain.empty() || entry.spec.effort_of_a_opposite;
  return opposite ? std::optional(integer_value(-1)) : std::nullopt;
}

void read_bond_correction(TableReader& reader, BondEntry& entry) {
  entry.correction = read_correction(reader, entry.spec.name);
}

std::optional<Value> bond_correction_value(const BondEntry& entry, const Scenario&) {
  return correction_value(entry.correction);
}

}  // namespace

const Names& bond_end_keys() {
  static const Names names = names_of(side_keys());
  return names;
}

const Keys<BondEntry>& bond_keys() {
  using S = BondEntry;
  using K = BondKey;
  static const auto is_gyrator = [](const S& s) { return s.spec.kind != BondKind::transformer; };
  static const Keys<S> keys = {
      K::text(
          "name", [](auto& s) -> auto& { return s.spec.name; })
          .read_elsewhere(),
      side_key("a", &BondSpec::a),
      side_key("b", &BondSpec::b),
      K{"feedthrough", read_bond_feedthrough, bond_feedthrough_value},
      K{"extrapolation", read_bond_extrapolation, bond_extrapolation_value},
      K::number(
          "scale", [](auto& s) -> auto& { return s.spec.scale; }),
      K::choice(
          "kind", [](auto& s) -> auto& { return s.spec.kind; }, bond_kind_names)
          .written_if(is_gyrator),
      K{"ratio", read_ratio, ratio_value},
      K{"effort_sign", read_effort_sign, effort_sign_value},
      K{"reaction"},  // read with 'effort_sign'
      K{"correction", read_bond_correction, bond_correction_value},
      K::counter(),
  };
  return keys;
}

BondEntry read_bond(const Value& table, std::size_t number, const Edition& edition, ProblemList& problems) {
  TableReader reader(table, item_title("bond", table, number), problems);
  BondEntry entry;
  entry.spec.where = table.where;
  entry.spec.name = read_instance_name(reader, "coupling").value;
  read_keys(reader, bond_keys(), entry);
  if (!entry.correction && edition.correction != "none")
    entry.correction = CorrectionRequest{entry.spec.name, std::string(edition.correction), {}, table.where};
  entry.usable = reader.finish();
  return entry;
}

}  // namespace ergon
