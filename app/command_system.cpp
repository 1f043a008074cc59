#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "emit.hpp"
#include "ergon/run/simulation.hpp"
#include "ergon/scenario/scenario.hpp"
#include "ergon/scenario/systems/propose_bonds.hpp"

namespace ergon::app {
namespace {

const std::vector<Value>& list_in(const Value& document, std::string_view key) {
  static const std::vector<Value> none;
  const Entry* entry = document.find(key);
  return entry == nullptr ? none : entry->value.items;
}

std::string text_in(const Value& table, std::string_view key) {
  const Entry* entry = table.find(key);
  if (entry == nullptr) return {};
  if (entry->value.kind == Value::Kind::text) return entry->value.text;
  if (entry->value.is_number()) return fmt::format("{}", entry->value.number);
  std::vector<std::string> items;
  for (const Value& item : entry->value.items) items.push_back(item.text);
  return fmt::format("{}", fmt::join(items, " + "));
}

nlohmann::json json_of(const Value& value) {
  switch (value.kind) {
    case Value::Kind::boolean:
      return value.boolean;
    case Value::Kind::integer:
      return value.integer;
    case Value::Kind::number:
      return value.number;
    case Value::Kind::text:
      return value.text;
    case Value::Kind::list: {
      nlohmann::json list = nlohmann::json::array();
      for (const Value& item : value.items) list.push_back(json_of(item));
      return list;
    }
    case Value::Kind::table: {
      nlohmann::json table = nlohmann::json::object();
      for (const Entry& entry : value.entries) table[entry.key] = json_of(entry.value);
      return table;
    }
    case Value::Kind::date:
      break;
  }
  return nullptr;
}

void print_connection(const Value& connection) {
  std::string change;
  const std::string gain = text_in(connection, "gain");
  const std::string offset = text_in(connection, "offset");
  if (!gain.empty()) change += " × " + gain;
  if (!offset.empty()) change += " + " + offset;
  if (connection.find("convert_units") != nullptr) change += ", units not converted";
  emit("  {} → {}{}\n", text_in(connection, "from"), text_in(connection, "to"), change);
}

}  // namespace

int inspect_system(const InspectArguments& arguments) {
  ProblemList problems;
  const auto system = load_document(arguments.file, problems);
  if (!system || problems.has_errors()) throw InputError(problems);
  print_problems(problems, true);
  const Value& document = system->document;
  if (arguments.json) {
    emit("{}\n", json_of(document).dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
    return exit_done;
  }
  if (const Entry* simulation = document.find("simulation")) {
    const auto time = [&](const char* key, const char* otherwise) {
      const std::string text = text_in(simulation->value, key);
      return text.empty() ? std::string(otherwise) : text + " s";
    };
    emit("{}: {} to {}, step {}\n", arguments.file, time("start_time", "0 s"), time("stop_time", "(no end)"),
         time("step_size", "of each subsystem"));
  }
  emit("subsystems ({})\n", list_in(document, "subsystem").size());
  for (const Value& s : list_in(document, "subsystem")) {
    const std::string fmu = text_in(s, "fmu");
    const std::string step = text_in(s, "step_size");
    emit("  {:<24} {}{}\n", text_in(s, "name"), fmu.empty() ? text_in(s, "model") : fmu,
         step.empty() ? "" : ", step " + step + " s");
  }
  const auto& elements = list_in(document, "element");
  if (!elements.empty()) emit("elements ({})\n", elements.size());
  for (const Value& e : elements) emit("  {:<24} {}\n", text_in(e, "name"), text_in(e, "law"));
  const auto& connections = list_in(document, "connection");
  if (!connections.empty()) emit("connections ({})\n", connections.size());
  for (const Value& c : connections) print_connection(c);
  const auto& bonds = list_in(document, "bond");
  if (!bonds.empty()) emit("bonds ({})\n", bonds.size());
  for (const Value& b : bonds) {
    emit("  {}", text_in(b, "name"));
    for (const char* side : {"a", "b"}) {
      const Entry* end = b.find(side);
      if (end != nullptr)
        emit("{} {} × {}", *side == 'a' ? ":" : " |", text_in(end->value, "effort"),
             text_in(end->value, "flow"));
    }
    emit("\n");
  }
  const auto proposals = propose_bonds(*system, base_directory_of(arguments.file));
  if (!proposals.empty())
    emit("\nmay be power bonds (--bonds takes them; check which way power is positive)\n\n{}",
         bonds_as_toml(proposals, *system));
  return exit_done;
}

int variables_command(const RunArguments& arguments) {
  ProblemList problems;
  const Scenario scenario = load_scenario(arguments.scenario, arguments.overrides, problems);
  if (problems.has_errors()) throw InputError(problems);
  const Simulation simulation(arguments.scenario, arguments.overrides);
  for (const Node& node : simulation.system().nodes) {
    emit("{}\n", node.name);
    const auto print = [&](const char* kind, const std::string& name, const std::string& unit,
                           const std::string& help) {
      emit("  {:<10} {:<32} {:<10} {}\n", kind, name, unit, help);
    };
    for (const Port& port : node.description->inputs)
      print("input", port.name, port.unit.text, port.description);
    for (const Port& port : node.description->outputs)
      print("output", port.name, port.unit.text, port.description);
    const auto entry = std::find_if(scenario.subsystems.begin(), scenario.subsystems.end(),
                                    [&](const SubsystemEntry& s) { return s.name.value == node.name; });
    if (entry == scenario.subsystems.end() || !entry->info) continue;
    for (const ParameterInfo& info : entry->info->parameters)
      print("parameter", info.name, info.unit, info.help);
    for (const ParameterInfo& info : entry->info->initial) print("initial", info.name, info.unit, info.help);
  }
  return exit_done;
}

}  // namespace ergon::app
