#include "ergon/scenario/tables/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace ergon {

const std::vector<TableInfo>& scenario_tables() {
  using Form = TableInfo::Form;
  static const std::vector<TableInfo> tables = [] {
    Names subsystem = names_of(subsystem_keys());
    for (std::string& key : names_of(foreign_keys())) subsystem.push_back(std::move(key));
    return std::vector<TableInfo>{
        {"simulation", Form::section, names_of(simulation_keys())},
        {"initialization", Form::section, names_of(initialization_keys())},
        {"coupling", Form::section, names_of(coupling_keys())},
        {"step_control", Form::section, names_of(step_control_keys())},
        {"output", Form::section, names_of(output_keys())},
        {"subsystem", Form::list, subsystem},
        {"integrator", Form::inside, names_of(integrator_keys())},
        {"energy", Form::inside, names_of(energy_keys())},
        {"element", Form::list, names_of(element_keys())},
        {"bond", Form::list, names_of(bond_keys())},
        {"a", Form::inside, bond_end_keys()},
        {"connection", Form::list, names_of(connection_keys())},
        {"change", Form::list, names_of(change_keys())},
        {"shape", Form::list, names_of(shape_keys())},
    };
  }();
  return tables;
}

const Names& entry_keys(const std::string& kind) {
  for (const TableInfo& table : scenario_tables()) {
    if (table.name == kind) return table.keys;
  }
  throw std::logic_error("no table is called " + kind);
}

std::string item_title(const char* kind, const Value& table, std::size_t number) {
  const Entry* name = table.find("name");
  if (name && name->value.kind == Value::Kind::text)
    return fmt::format("[[{}]] '{}'", kind, name->value.text);
  return fmt::format("[[{}]] no. {}", kind, number);
}

Said<std::string> read_instance_name(TableReader& reader, const char* example) {
  const bool there = reader.entry("name") != nullptr;
  auto name = reader.text("name");
  if (!name) {
    if (!there) reader.missing("name", fmt::format("Give it one, as in: name = \"{}\"", example));
    return {};
  }
  // Names end up in "instance.port", "instance:port" and CSV headings. A slash names a part of a larger system: "car/wheel".
  const auto fits = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '-' || c == ' ' || c == '/';
  };
  const auto is_edge = [](char c) { return c == ' ' || c == '/'; };
  const std::string& text = name->value;
  if (text.empty() || !std::all_of(text.begin(), text.end(), fits) || is_edge(text.front()) ||
      is_edge(text.back())) {
    reader.error(name->where, fmt::format("'{}' cannot be a name.", text),
                 "Use letters, digits, '_' and '-'; blanks and '/' within it.");
  }
  return *name;
}

void read_tables(const Value& document, const ModelSources& sources, Scenario& scenario,
                 ProblemList& problems) {
  TableReader top(document, "the scenario", problems);
  if (const Value* table = top.table("simulation")) read_simulation(*table, scenario.simulation, problems);
  const Edition& edition = *scenario.simulation.edition;
  const Value* coupling = top.table("coupling");
  read_coupling(coupling ? *coupling : table_value({}), edition, scenario.coupling, problems);
  if (const Value* table = top.table("output")) read_output(*table, scenario.output, problems);
  if (const Value* table = top.table("initialization")) read_initialization(*table, scenario, problems);
  if (const Value* table = top.table("step_control"))
    scenario.step_control = read_step_control(*table, problems);
  // What an earlier run wrote about itself: never a setting, so nothing of it is read or checked here.
  top.entry("provenance");
  // Gone from the long form (expand_document): known, so that slips are told their right names.
  top.entry("constants");
  top.entry("include");

  const auto each = [&](const char* kind, auto read) {
    std::size_t number = 0;
    for (const Value* table : top.tables(kind)) read(*table, ++number);
  };
  each("subsystem", [&](const Value& table, std::size_t number) {
    scenario.subsystems.push_back(read_subsystem(table, number, sources, scenario.base_directory, problems));
  });
  each("element", [&](const Value& table, std::size_t number) {
    scenario.elements.push_back(read_element(table, number, problems));
  });
  each("bond", [&](const Value& table, std::size_t number) {
    scenario.bonds.push_back(read_bond(table, number, edition, problems));
  });
  each("connection", [&](const Value& table, std::size_t number) {
    scenario.connections.push_back(read_connection(table, number, problems));
  });
  each("change", [&](const Value& table, std::size_t number) {
    if (auto change = read_change(table, number, problems)) scenario.changes.push_back(std::move(*change));
  });
  each("shape", [&](const Value& table, std::size_t number) {
    scenario.shapes.push_back(read_shape(table, number, problems));
  });
  // A misspelt or mistyped heading was just reported: what is missing is probably below it.
  scenario.complete = top.finish();
  if (!scenario.complete) return;
  if (scenario.simulation.where.file.empty()) {
    problems.error({scenario.file, 0, 0}, "The scenario has no [simulation].",
                   "Add it, with stop_time = 10.0 and step_size = 1e-3 (both in seconds).");
  }
  if (scenario.subsystems.empty()) {
    problems.error({scenario.file, 0, 0}, "The scenario has no subsystem.",
                   "Add at least one [[subsystem]].");
  }
}

std::string section_text(const std::string& name, Value table) {
  return "\n" + to_toml(TableWriter().add(name, std::move(table)).take());
}

std::string item_text(const std::string& name, Value table) {
  return "\n" + to_toml(TableWriter().add(name, list_value({std::move(table)})).take());
}

std::string written_tables(const Scenario& scenario) {
  std::string text;
  const auto section = [&](const char* name, const auto& keys, const auto& settings) {
    text += section_text(name, table_of(keys, settings, scenario));
  };
  const auto items = [&](const char* name, const auto& keys, const auto& entries) {
    for (const auto& entry : entries) text += item_text(name, table_of(keys, entry, scenario));
  };
  section("simulation", simulation_keys(), scenario.simulation);
  section("initialization", initialization_keys(), scenario);
  section("coupling", coupling_keys(), scenario.coupling);
  if (scenario.step_control) section("step_control", step_control_keys(), *scenario.step_control);
  section("output", output_keys(), scenario.output);
  for (const SubsystemEntry& entry : scenario.subsystems) {
    TableWriter table;
    write_keys(table, subsystem_keys(), entry, scenario);
    // Sources that a program adds name their models by a key of their own.
    if (entry.source != "model" && entry.source != "fmu") table.add(entry.source, entry.model.value);
    // Other models have none of these keys.
    if (entry.source == "fmu") write_keys(table, foreign_keys(), entry.foreign, scenario);
    text += item_text("subsystem", table.take());
  }
  items("element", element_keys(), scenario.elements);
  items("bond", bond_keys(), scenario.bonds);
  items("connection", connection_keys(), scenario.connections);
  items("change", change_keys(), scenario.changes);
  items("shape", shape_keys(), scenario.shapes);
  return text;
}

}  // namespace ergon
