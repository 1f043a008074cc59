#include <fmt/format.h>

#include "ergon/scenario/tables/tables.hpp"

namespace ergon {
namespace {

using Equilibrium = std::optional<EquilibriumRequest>;
using Quantities = std::vector<EquilibriumRequest::Quantity>;

void read_mode(TableReader& reader, Equilibrium& equilibrium) {
  const auto mode = reader.choice("mode", {"given", "static"}, {"consistent"});
  if (mode && mode->value == "static") equilibrium.emplace().where = mode->where;
  if (reader.entry("mode") == nullptr) reader.missing("mode", "Write mode = \"given\" or \"static\".");
}

std::optional<Value> mode_value(const Equilibrium& equilibrium, const Scenario&) {
  return text_value(equilibrium ? "static" : "given");
}

/// Names of states and inputs; they mean nothing with given initial values.
Key<Equilibrium> quantities_key(const char* name, Quantities EquilibriumRequest::*at) {
  Key<Equilibrium> key{name};
  key.read = [name, at](TableReader& reader, Equilibrium& equilibrium) {
    const Entry* entry = reader.entry(name);
    if (entry == nullptr) return;
    const Entry* mode = reader.entry("mode");
    const bool is_given = mode != nullptr && mode->value.text == "given";
    if (is_given) {
      reader.error(entry->value.where,
                   fmt::format("'{}' in [initialization] means nothing with mode = \"given\".", name),
                   "Write mode = \"static\", or leave it out.");
    }
    for (const Said<std::string>& quantity : reader.texts(name)) {
      if (equilibrium) ((*equilibrium).*at).push_back({quantity.value, quantity.where});
    }
  };
  key.write = [at](const Equilibrium& equilibrium, const Scenario&) -> std::optional<Value> {
    if (!equilibrium) return std::nullopt;
    std::vector<std::string> names;
    for (const auto& quantity : (*equilibrium).*at) names.push_back(quantity.name);
    return text_list(names);
  };
  return key;
}

}  // namespace

const Keys<std::optional<EquilibriumRequest>>& initialization_keys() {
  static const Keys<Equilibrium> keys = {
      {"mode", read_mode, mode_value},
      quantities_key("free", &EquilibriumRequest::free),
      quantities_key("hold", &EquilibriumRequest::hold),
  };
  return keys;
}

std::optional<EquilibriumRequest> read_initialization(const Value& table, ProblemList& problems) {
  TableReader reader(table, "[initialization]", problems);
  Equilibrium equilibrium;
  read_keys(reader, initialization_keys(), equilibrium);
  if (equilibrium && reader.entry("free") == nullptr)
    reader.missing("free", "Name what is to be found, as in: free = [\"cylinder.p1\", \"cylinder.p2\"].");
  reader.finish();
  return equilibrium;
}

}  // namespace ergon
