#include "ergon/scenario/events/read_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "ergon/core/utf8.hpp"
#include "ergon/scenario/events/yaml_reader.hpp"
#include "ergon/scenario/systems/xml_view.hpp"

namespace ergon {
namespace {

constexpr std::uintmax_t most_event_bytes = std::uintmax_t{16} << 20;

struct Event {
  double time_s = 0.0;
  std::string action;
  std::optional<Value> value;
  SourceLocation where;
};

std::string said_text(const Value& table, std::string_view key) {
  const Entry* entry = table.find(key);
  return entry != nullptr && entry->value.kind == Value::Kind::text ? entry->value.text : std::string{};
}

class EventWriter {
 public:
  EventWriter(SystemDocument& system, const std::string& base_directory, ProblemList& problems)
      : document_(system.document), base_(base_directory), problems_(problems) {}

  void add(const Value& scenario) {
    static const Value nothing;
    const Entry* defaults = scenario.find("defaults");
    const Entry* events = scenario.find("events");
    if (events == nullptr || events->value.kind != Value::Kind::list) {
      problems_.error(scenario.where, "The scenario has no list 'events'.", "Add one: events: [...]");
      return;
    }
    const Entry* end = scenario.find("end");
    for (const Value& event : events->value.items) collect(event, defaults ? defaults->value : nothing);
    for (auto& [variable, list] : events_) {
      std::stable_sort(list.begin(), list.end(),
                       [](const Event& a, const Event& b) { return a.time_s < b.time_s; });
      if (end != nullptr && end->value.is_number()) {
        std::erase_if(list, [&](const Event& e) { return e.time_s >= end->value.number; });
        if (!list.empty()) list.push_back({end->value.number, "reset", {}, end->value.where});
      }
      write(variable.first, variable.second, list);
    }
    if (end != nullptr && !end->value.is_number())
      problems_.error(end->value.where, fmt::format("'end' is {}.", end->value.describe()), "Give seconds.");
    Value& simulation = table_at(document_, "simulation", scenario.where);
    if (end != nullptr && end->value.is_number() && simulation.find("stop_time") == nullptr)
      set_entry(simulation, "stop_time", end->value);
  }

 private:
  void collect(const Value& event, const Value& defaults) {
    const auto find = [&](const char* key) -> const Value* {
      if (const Entry* own = event.find(key)) return &own->value;
      const Entry* general = defaults.find(key);
      return general != nullptr ? &general->value : nullptr;
    };
    const auto text = [&](const char* key) -> std::string {
      const Value* value = find(key);
      if (value != nullptr && value->kind == Value::Kind::text) return value->text;
      problems_.error(event.where, fmt::format("The event has no '{}'.", key),
                      "Give it in the event or in 'defaults'.");
      return {};
    };
    const Value* time = find("time");
    if (time == nullptr || !time->is_number()) {
      problems_.error(event.where, "The event has no 'time' in seconds.", "Add it.");
      return;
    }
    Event e{time->number, text("action"), {}, event.where};
    const std::string model = text("model");
    const std::string variable = text("variable");
    if (e.action.empty() || model.empty() || variable.empty()) return;
    if (e.action != "override" && e.action != "bias" && e.action != "reset") {
      problems_.error(event.where, fmt::format("There is no action '{}'.", e.action),
                      "Choose override, bias or reset.");
      return;
    }
    if (e.action != "reset") {
      const Value* value = find("value");
      if (value == nullptr || value->kind == Value::Kind::list || value->kind == Value::Kind::table) {
        problems_.error(event.where, "The event has no 'value'.", "Add a number, true, false or a string.");
        return;
      }
      e.value = *value;
    }
    events_[{model, variable}].push_back(std::move(e));
  }

  Value* subsystem(const std::string& name, const SourceLocation& where) {
    std::vector<std::string> names;
    if (Entry* list = document_.find("subsystem")) {
      for (Value& item : list->value.items) {
        names.push_back(said_text(item, "name"));
        if (names.back() == name) return &item;
      }
    }
    problems_.error(where, fmt::format("There is no subsystem '{}'.", name), did_you_mean(name, names));
    return nullptr;
  }

  void write(const std::string& model, const std::string& variable, const std::vector<Event>& events) {
    if (events.empty()) return;
    const SourceLocation& where = events.front().where;
    Value* owner = subsystem(model, where);
    if (owner == nullptr) return;
    const std::string port = model + "." + variable;
    const std::string fmu = said_text(*owner, "fmu");
    const auto description = fmu.empty() ? nullptr : peek_fmu(fmu, base_);
    const fmi::Variable* v = description ? description->find(variable) : nullptr;
    if (description && v == nullptr) {
      std::vector<std::string> names;
      for (const fmi::Variable& known : description->description().variables) names.push_back(known.name);
      problems_.error(where, fmt::format("'{}' has no variable '{}'.", model, variable),
                      did_you_mean(variable, names));
      return;
    }
    std::vector<Value*> into, out_of;
    if (Entry* list = document_.find("connection")) {
      for (Value& c : list->value.items) {
        if (said_text(c, "to") == port) into.push_back(&c);
        if (said_text(c, "from") == port) out_of.push_back(&c);
      }
    }
    if (v != nullptr && v->causality == fmi::Causality::output) {
      if (out_of.empty()) {
        problems_.warning(
            where,
            fmt::format("Nothing reads '{}' through a plain connection, so the event has no effect.", port));
        return;
      }
      return reroute(port, *v, out_of, false, events);
    }
    if (!into.empty()) {
      if (v == nullptr) {
        problems_.error(where, fmt::format("'{}' is connected, and not a variable of an FMU.", port),
                        "Events change connected signals of FMUs only.");
        return;
      }
      return reroute(port, *v, into, true, events);
    }
    change_directly(port, v, *owner, variable, events);
  }

  /// The value without events; nothing where it is not known.
  static std::optional<Value> start_of(const fmi::Variable* v, const Value& owner,
                                       const std::string& variable) {
    if (const Entry* values = owner.find("values")) {
      if (const Entry* given = values->value.find(variable)) return given->value;
    }
    if (v == nullptr) return std::nullopt;
    if (!v->start_texts.empty()) return text_value(v->start_texts.front());
    if (v->start.empty()) return std::nullopt;
    if (v->type == fmi::VariableType::boolean) return boolean_value(v->start.front() != 0.0);
    if (fmi::is_integer(v->type)) return integer_value(fmi::first_integer(*v));
    return number_value(v->start.front());
  }

  void change_directly(const std::string& port, const fmi::Variable* v, const Value& owner,
                       const std::string& variable, const std::vector<Event>& events) {
    const std::optional<Value> start = start_of(v, owner, variable);
    for (const Event& e : events) {
      std::optional<Value> value = e.value;
      if (e.action == "reset") value = start;
      if (e.action == "bias") {
        value.reset();
        if (start && start->kind == Value::Kind::integer && e.value->kind == Value::Kind::integer)
          value = integer_value(start->integer + e.value->integer);
        else if (start && start->is_number() && e.value->is_number())
          value = number_value(start->number + e.value->number);
      }
      if (!value) {
        problems_.error(
            e.where,
            fmt::format("'{}' of '{}' needs its value without events, which is not known.", e.action, port),
            "Use override.");
        continue;
      }
      // A number without a point is a real where the variable is one.
      if (v != nullptr && fmi::is_float(v->type) && value->is_number()) value = number_value(value->number);
      append_change(e, port, *value);
    }
  }

  void append_change(const Event& e, const std::string& parameter, Value value) {
    Value change = located(table_value({}), e.where);
    set_entry(change, "time", located(number_value(e.time_s), e.where));
    set_entry(change, "parameter", located(text_value(parameter), e.where));
    set_entry(change, "value", located(std::move(value), e.where));
    append_to(document_, "change", std::move(change));
  }

  /// The factor that the engine would apply between two units; nothing where it is not a plain factor.
  std::optional<UnitConversion> between(const std::string& from, const std::string& to) {
    const Unit a = unit_of_port(from);
    const Unit b = unit_of_port(to);
    if (is_same_unit(a, b)) return UnitConversion{};
    if (!a.same_dimension(b)) return std::nullopt;
    return conversion(a, b);
  }
  Unit unit_of_port(const std::string& port) {
    const std::size_t dot = port.find('.');
    if (dot == std::string::npos) return {};
    const Entry* list = document_.find("subsystem");
    for (const Value& item : list->value.items) {
      if (said_text(item, "name") != port.substr(0, dot)) continue;
      const auto fmu = peek_fmu(said_text(item, "fmu"), base_);
      const fmi::Variable* v = fmu ? fmu->find(port.substr(dot + 1)) : nullptr;
      if (v != nullptr) return fmi::unit_of(fmu->description(), *v);
    }
    return {};
  }

  /// port → element → …, or … → element → port.
  void reroute(const std::string& port, const fmi::Variable& v, const std::vector<Value*>& connections,
               bool is_input, const std::vector<Event>& events) {
    const SourceLocation where = events.front().where;
    if (!fmi::is_float(v.type) || !v.dimensions.empty()) {
      problems_.error(where, fmt::format("'{}' is connected and not a real number.", port),
                      "Events change connected signals of type Real only.");
      return;
    }
    ProblemList renamed;
    SystemNames names;
    const std::string element = names.add("events/" + port, where, renamed);
    for (Value* c : connections) {
      const std::string from = said_text(*c, "from");
      const std::string to = said_text(*c, "to");
      const Entry* as_it_is = c->find("convert_units");
      const bool converts = as_it_is == nullptr || as_it_is->value.boolean;
      const auto unit = converts ? between(from, to) : UnitConversion{};
      if (from.empty() || !unit) {
        problems_.error(where,
                        fmt::format("'{}' is part of a sum, or of a connection that is refused.", port),
                        "Events change signals of plain connections.");
        return;
      }
      // The ports of the element have no unit: the conversion is in the gain.
      const auto number = [&](const char* key, double otherwise) {
        const Entry* e = c->find(key);
        return e != nullptr && e->value.is_number() ? e->value.number : otherwise;
      };
      const double gain = number("gain", 1.0);
      set_entry(*c, "gain", located(number_value(gain * unit->gain), c->where));
      set_entry(*c, "offset", located(number_value(gain * unit->offset + number("offset", 0.0)), c->where));
      set_entry(*c, is_input ? "to" : "from",
                located(text_value(element + (is_input ? ".x" : ".out")), c->where));
    }
    const auto connect = [&](const std::string& from, const std::string& to) {
      Value c = located(table_value({}), where);
      set_entry(c, "from", located(text_value(from), where));
      set_entry(c, "to", located(text_value(to), where));
      append_to(document_, "connection", std::move(c));
    };
    connect(is_input ? element + ".out" : port, is_input ? port : element + ".x");
    Value law = located(table_value({}), where);
    set_entry(law, "name", located(text_value(element), where));
    set_entry(law, "law", located(text_value("expression"), where));
    set_entry(table_at(law, "parameters", where), "formulas",
              located(text_value("input x, keep, add; output out = keep*x + add"), where));
    append_to(document_, "element", std::move(law));
    for (const char* factor : {"keep", "add"}) {
      const bool is_keep = std::string_view(factor) == "keep";
      const std::string source = element + "/" + factor;
      Value constant = located(table_value({}), where);
      set_entry(constant, "name", located(text_value(source), where));
      set_entry(constant, "model", located(text_value("source.constant"), where));
      set_entry(table_at(constant, "parameters", where), "value",
                located(number_value(is_keep ? 1.0 : 0.0), where));
      append_to(document_, "subsystem", std::move(constant));
      connect(source + ".value", element + "." + factor);
      for (const Event& e : events) {
        if (e.value && !e.value->is_number()) {
          problems_.error(e.where, fmt::format("The value of '{}' is {}.", port, e.value->describe()),
                          "Give a number.");
          continue;
        }
        const double added = e.value ? e.value->number : 0.0;
        append_change(e, source + ".value",
                      number_value(is_keep ? (e.action == "override" ? 0.0 : 1.0) : added));
      }
    }
  }

  Value& document_;
  const std::string& base_;
  ProblemList& problems_;
  std::map<std::pair<std::string, std::string>, std::vector<Event>> events_;
};

}  // namespace

void add_events(SystemDocument& system, const std::string& path, const std::string& base_directory,
                ProblemList& problems) {
  const SourceLocation where{path, 0, 0};
  std::error_code failed;
  const std::uintmax_t size = std::filesystem::file_size(path, failed);
  std::ifstream stream(path, std::ios::binary);
  if (failed || !stream) {
    problems.error(where, "The scenario of events cannot be read.", "Check the name and the permissions.");
    return;
  }
  if (size > most_event_bytes) {
    problems.error(where, fmt::format("The file is longer than {} MB.", most_event_bytes >> 20U),
                   "Shorten it.");
    return;
  }
  std::ostringstream text;
  text << stream.rdbuf();
  if (first_byte_that_is_no_utf8(text.view())) {
    problems.error(where, "The file is not UTF-8 text.", "Save it as UTF-8.");
    return;
  }
  const auto scenario = parse_yaml(text.str(), path, problems);
  if (!scenario) return;
  system.files.push_back(path);
  EventWriter(system, base_directory, problems).add(*scenario);
}

}  // namespace ergon
