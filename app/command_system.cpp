#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "commands.hpp"
#include "emit.hpp"
#include "ergon/run/simulation.hpp"
#include "ergon/scenario/scenario.hpp"
#include "ergon/scenario/systems/propose_bonds.hpp"
#include "ergon/scenario/systems/system_document.hpp"

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

namespace {

struct VariableLine {
  std::string kind, name, unit, range, every, help;
};

std::string range_of(const std::optional<double>& low, const std::optional<double>& high) {
  if (low && high) return fmt::format("{:.6g} … {:.6g}", *low, *high);
  if (low) return fmt::format("≥ {:.6g}", *low);
  return high ? fmt::format("≤ {:.6g}", *high) : std::string();
}

/// What may be said: the choices of a text, the limit of a number.
std::string range_of(const ParameterInfo& info) {
  if (!info.choices.empty()) return fmt::format("{}", fmt::join(info.choices, " | "));
  if (!info.minimum) return {};
  return fmt::format("{} {:.6g}", info.minimum_excluded ? ">" : "≥", *info.minimum);
}

/// Of a port: what its type allows, or what an FMU declares.
std::string range_of(const Port& port, const fmi::FmuModel* fmu) {
  if (port.type == PortType::boolean) return "true | false";
  if (port.type == PortType::enumeration) {
    std::vector<std::string> names;
    for (const EnumerationItem& item : port.items) names.push_back(item.name);
    return fmt::format("{}", fmt::join(names, " | "));
  }
  const fmi::Variable* variable = fmu == nullptr ? nullptr : fmu->find(port.name);
  return variable == nullptr ? std::string() : range_of(variable->minimum, variable->maximum);
}

std::size_t columns_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
}

void print_lines(const std::vector<VariableLine>& lines) {
  const auto widest = [&](std::string VariableLine::*text, std::size_t least) {
    constexpr std::size_t most = 40;
    for (const VariableLine& line : lines) least = std::max(least, std::min(most, columns_of(line.*text)));
    return least;
  };
  const std::array<std::pair<std::string VariableLine::*, std::size_t>, 5> columns = {{
      {&VariableLine::kind, widest(&VariableLine::kind, 4)},
      {&VariableLine::name, widest(&VariableLine::name, 4)},
      {&VariableLine::unit, widest(&VariableLine::unit, 4)},
      {&VariableLine::range, widest(&VariableLine::range, 5)},
      {&VariableLine::every, widest(&VariableLine::every, 5)},
  }};
  const auto print = [&](const VariableLine& line) {
    std::string text = "  ";
    for (const auto& [member, width] : columns) {
      const std::size_t used = columns_of(line.*member);
      text += line.*member + std::string(used < width ? width - used : 0, ' ') + "  ";
    }
    text += line.help;
    text.erase(text.find_last_not_of(' ') + 1);
    emit("{}\n", text);
  };
  print({"kind", "name", "unit", "range", "every", "description"});
  for (const VariableLine& line : lines) print(line);
}

}  // namespace

int variables_command(const RunArguments& arguments) {
  if (names_results(arguments.scenario)) return list_results(arguments.scenario);
  ProblemList problems;
  const Scenario scenario = load_scenario(arguments.scenario, arguments.overrides, problems);
  if (problems.has_errors()) throw InputError(problems);
  const Simulation simulation(arguments.scenario, arguments.overrides);
  for (const Node& node : simulation.system().nodes) {
    const auto entry = std::find_if(scenario.subsystems.begin(), scenario.subsystems.end(),
                                    [&](const SubsystemEntry& s) { return s.name.value == node.name; });
    const bool known = entry != scenario.subsystems.end();
    const auto fmu = known && entry->source == "fmu" ? peek_fmu(entry->model.value, scenario.base_directory)
                                                     : std::shared_ptr<const fmi::FmuModel>();
    // An element has a sample wherever one of those that it reads has one.
    const std::string every =
        node.description->algebraic ? std::string() : fmt::format("{:.6g} s", node.step_s.value());
    std::vector<VariableLine> lines;
    const auto add_port = [&](const char* kind, const Port& port) {
      const std::string name = port.size > 1 ? fmt::format("{}[0:{}]", port.name, port.size) : port.name;
      lines.push_back({kind, name, port.unit.text, range_of(port, fmu.get()), every, port.description});
    };
    for (const Port& port : node.description->inputs) add_port("input", port);
    for (const Port& port : node.description->outputs) add_port("output", port);
    if (known && entry->info) {
      const auto add_value = [&](const char* kind, const ParameterInfo& info) {
        std::string range = range_of(info);
        if (const fmi::Variable* v = fmu ? fmu->find(info.name) : nullptr; v != nullptr && range.empty())
          range = range_of(v->minimum, v->maximum);
        lines.push_back({kind, info.name, info.unit, range, "", info.help});
      };
      for (const ParameterInfo& info : entry->info->parameters) add_value("parameter", info);
      for (const ParameterInfo& info : entry->info->initial) add_value("initial", info);
    }
    emit("{}\n", node.name);
    print_lines(lines);
  }
  return exit_done;
}

}  // namespace ergon::app
