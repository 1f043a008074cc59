#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "ergon/scenario/tables/tables.hpp"

namespace ergon {
namespace {

using Quantities = std::vector<EquilibriumRequest::Quantity>;

void read_mode(TableReader& reader, Scenario& scenario) {
  const auto mode = reader.choice("mode", {"given", "static"}, {"consistent"});
  if (mode && mode->value == "static") scenario.equilibrium.emplace().where = mode->where;
  if (reader.entry("mode") == nullptr && reader.entry("from") == nullptr)
    reader.missing("mode", "Write mode = \"given\" or \"static\".");
}

std::optional<Value> mode_value(const Scenario& scenario, const Scenario&) {
  return text_value(scenario.equilibrium ? "static" : "given");
}

void read_from(TableReader& reader, Scenario& scenario) {
  if (reader.entry("from") != nullptr) scenario.start_state = reader.text("from");
}

std::optional<Value> from_value(const Scenario& scenario, const Scenario&) {
  if (!scenario.start_state) return std::nullopt;
  return text_value(start_state_path(scenario));
}

/// Names of states and inputs; they mean nothing with given initial values.
Key<Scenario> quantities_key(const char* name, Quantities EquilibriumRequest::*at) {
  Key<Scenario> key{name};
  key.read = [name, at](TableReader& reader, Scenario& scenario) {
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
      if (scenario.equilibrium) ((*scenario.equilibrium).*at).push_back({quantity.value, quantity.where});
    }
  };
  key.write = [at](const Scenario& scenario, const Scenario&) -> std::optional<Value> {
    if (!scenario.equilibrium) return std::nullopt;
    std::vector<std::string> names;
    for (const auto& quantity : (*scenario.equilibrium).*at) names.push_back(quantity.name);
    return text_list(names);
  };
  return key;
}

}  // namespace

std::string start_state_path(const Scenario& scenario) {
  std::error_code error;
  const std::filesystem::path file = scenario.start_state->value;
  const auto path = std::filesystem::absolute(std::filesystem::path(scenario.base_directory) / file, error);
  return error ? file.string() : path.lexically_normal().string();
}

const Keys<Scenario>& initialization_keys() {
  static const Keys<Scenario> keys = {
      {"mode", read_mode, mode_value},
      {"from", read_from, from_value},
      quantities_key("free", &EquilibriumRequest::free),
      quantities_key("hold", &EquilibriumRequest::hold),
  };
  return keys;
}

void read_initialization(const Value& table, Scenario& scenario, ProblemList& problems) {
  TableReader reader(table, "[initialization]", problems);
  read_keys(reader, initialization_keys(), scenario);
  if (scenario.equilibrium && reader.entry("free") == nullptr)
    reader.missing("free", "Name what is to be found, as in: free = [\"cylinder.p1\", \"cylinder.p2\"].");
  if (scenario.equilibrium && scenario.start_state)
    reader.error(scenario.start_state->where,
                 "'from' and mode = \"static\" in [initialization] exclude each other.", "Keep one of them.");
  reader.finish();
}

}  // namespace ergon
