#include "ergon/scenario/file/overrides.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "ergon/scenario/tables/tables.hpp"

namespace ergon {
namespace {

using Path = std::vector<std::string>;

const Names& section_names() {
  static const Names names = [] {
    Names sections;
    for (const TableInfo& table : scenario_tables()) {
      if (table.form == TableInfo::Form::section) sections.push_back(table.name);
    }
    return sections;
  }();
  return names;
}
/// Lists whose entries have names.
const Names kinds = {"subsystem", "element", "bond"};

bool contains(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string text_of(const Value& table, std::string_view key) {
  const Entry* entry = table.find(key);
  return entry && entry->value.kind == Value::Kind::text ? entry->value.text : std::string();
}

Names names_of(const Value& document, const std::string& kind) {
  Names names;
  if (const Entry* list = document.find(kind)) {
    for (const Value& item : list->value.items) names.push_back(text_of(item, "name"));
  }
  return names;
}

Value* find_item(Value& document, const std::string& kind, const std::string& name) {
  Entry* list = document.find(kind);
  if (!list) return nullptr;
  for (Value& item : list->value.items) {
    if (item.kind == Value::Kind::table && text_of(item, "name") == name) return &item;
  }
  return nullptr;
}

Names parameter_names(const std::vector<ParameterInfo>& infos) {
  Names names;
  for (const ParameterInfo& info : infos) names.push_back(info.name);
  return names;
}

/// The texts among the parameters of a subsystem: they may declare further ones.
GivenParameters texts_of(const Value& item) {
  GivenParameters given;
  const Entry* parameters = item.find("parameters");
  if (parameters == nullptr) return given;
  for (const Entry& entry : parameters->value.entries) {
    if (entry.value.kind == Value::Kind::text) given[entry.key] = {entry.value.text, entry.value.where};
  }
  return given;
}

/// The document to change, and who knows the models that it names.
struct Target {
  Value& document;
  const ModelSources& sources;
  const std::string& base_directory;
  ProblemList& problems;

  struct Model {
    std::shared_ptr<const ModelInfo> info;
    Names inputs{};  ///< where they are known before it is made
  };
  [[nodiscard]] Model model_of(const Value& item) const {
    ProblemList told_where_it_is_said;
    for (const auto& source : sources) {
      const std::string name = text_of(item, source->key());
      if (name.empty()) continue;
      if (auto info = source->find(name, base_directory, {}, told_where_it_is_said))
        return {info->extend ? extended(*info, texts_of(item)) : info, source->inputs_of(*info)};
    }
    return {};
  }
};

/// One "path=value".
class Override {
 public:
  Override(const Target& target, Value value, std::string said)
      : target_(target),
        document_(target.document),
        value_(std::move(value)),
        said_(std::move(said)),
        problems_(target.problems) {}

  void apply(Path path) {
    if (contains(section_names(), path[0])) {
      if (path.size() < 2) return incomplete(path[0]);
      return set(document_, path);
    }
    if (contains(kinds, path[0])) {
      if (path.size() < 3) return incomplete(path[0] + ".NAME");
      Value* item = find_item(document_, path[0], path[1]);
      // The bonds of an element are described by it.
      Value* element = item || path[0] != "bond" ? nullptr : find_item(document_, "element", path[1]);
      if (element && path[2] == "correction") item = element;
      if (!item)
        return unknown(fmt::format("There is no {} '{}'.", path[0], path[1]), path[1],
                       names_of(document_, path[0]));
      return apply_to_item(*item, path[0], path[1], {path.begin() + 2, path.end()});
    }
    for (const std::string& kind : kinds) {
      Value* item = find_item(document_, kind, path[0]);
      if (!item) continue;
      if (path.size() < 2) return incomplete(path[0]);
      return apply_to_item(*item, kind, path[0], {path.begin() + 1, path.end()});
    }
    Names names;
    for (const std::string& kind : kinds) {
      for (std::string& name : names_of(document_, kind)) names.push_back(std::move(name));
    }
    names.insert(names.end(), section_names().begin(), section_names().end());
    unknown(fmt::format("There is no subsystem or section '{}'.", path[0]), path[0], names);
  }

 private:
  void unknown(std::string what, const std::string& wanted, const Names& names) {
    problems_.error(value_.where, std::move(what), did_you_mean(wanted, names));
  }
  void incomplete(const std::string& start) {
    problems_.error(value_.where, fmt::format("'{}' does not name a setting.", said_),
                    fmt::format("Write {}.KEY=value.", start));
  }

  void apply_to_item(Value& item, const std::string& kind, const std::string& name, Path path) {
    if (kind == "subsystem") {
      // Names in FMUs have dots: the whole name is looked for first.
      const std::string dotted = fmt::format("{}", fmt::join(path, "."));
      const Entry* const values = item.find("values");
      if (values != nullptr && values->value.find(dotted) != nullptr) return set(item, {"values", dotted});
    }
    if (path.size() > 1 && kind == "subsystem") {
      const std::string dotted = fmt::format("{}", fmt::join(path, "."));
      const auto [model, inputs] = target_.model_of(item);
      if (model && contains(parameter_names(model->parameters), dotted))
        return set(item, {"parameters", dotted});
      if (model && (contains(parameter_names(model->initial), dotted) || contains(inputs, dotted)))
        return set(item, {"initial", dotted});
      // Parts of a machine: crane.log.mass.
      if (model && model->takes_description && !contains(entry_keys(kind), path[0])) {
        path.insert(path.begin(), "machine");
        return set(item, path);
      }
    }
    if (path.size() > 1 || kind == "bond") return set(item, path);
    const std::string& key = path[0];
    Names parameters;
    Names initial;
    bool known = false;
    bool takes_description = false;
    if (kind == "subsystem") {
      if (const auto [model, inputs] = target_.model_of(item); model) {
        known = true;
        takes_description = model->takes_description;
        parameters = parameter_names(model->parameters);
        initial = parameter_names(model->initial);
        initial.insert(initial.end(), inputs.begin(), inputs.end());
      }
    } else if (const ElementInfo* law = find_element(item.find("joint") ? "joint." + text_of(item, "joint")
                                                                        : text_of(item, "law"))) {
      known = true;
      parameters = parameter_names(law->parameters);
    }
    const auto in_table = [&](const char* table) {
      const Entry* entry = item.find(table);
      return entry && entry->value.find(key);
    };
    // Stiffness and damping of a joint may stand outside of its parameters.
    const bool outside = item.find("joint") && item.find(key);
    if (contains(parameters, key) && !outside) return set(item, {"parameters", key});
    if (contains(initial, key) || in_table("initial")) return set(item, {"initial", key});
    if (contains(entry_keys(kind), key)) return set(item, path);
    if (takes_description && key == "gravity") return set(item, {"machine", key});
    if (!known) return;  // an unknown model is reported where it is said
    Names names = parameters;
    names.insert(names.end(), initial.begin(), initial.end());
    names.insert(names.end(), entry_keys(kind).begin(), entry_keys(kind).end());
    unknown(fmt::format("'{}' has no parameter, initial value or key '{}'.", name, key), key, names);
  }

  /// Goes down `path`, making tables on the way; a wrong key is found by whoever reads the document.
  void set(Value& top, const Path& path) {
    Value* at = &top;
    for (std::size_t i = 0; i < path.size(); ++i) {
      if (at->kind != Value::Kind::table) {
        problems_.error(value_.where,
                        fmt::format("'{}' is {}, so it has no '{}'.", path[i - 1], at->describe(), path[i]),
                        "Check the path before '='.");
        return;
      }
      Entry* next = at->find(path[i]);
      if (!next) {
        at->entries.push_back({path[i], value_.where, {}});
        next = &at->entries.back();
        next->value.where = value_.where;
      }
      if (i + 1 == path.size()) *next = {path[i], value_.where, value_};
      at = &next->value;
    }
  }

  const Target& target_;
  Value& document_;
  Value value_;
  std::string said_;
  ProblemList& problems_;
};

void apply_setting(const Target& target, const std::string& setting) {
  const SourceLocation where{"--set " + setting, 0, 0};
  const auto equals = setting.find('=');
  Path path;
  std::string_view rest = std::string_view(setting).substr(0, equals);
  bool complete = equals != std::string::npos;
  while (complete) {
    const auto dot = rest.find('.');
    path.emplace_back(rest.substr(0, dot));
    complete = !path.back().empty();
    if (dot == std::string_view::npos) break;
    rest.remove_prefix(dot + 1);
  }
  if (!complete) {
    target.problems.error(where, "This is not a setting.",
                          "Write --set instance.parameter=value, as in: --set left.m=2.5");
    return;
  }
  Override(target, parse_setting(setting.substr(equals + 1), where), setting).apply(path);
}

/// stop_time = start_time + duration
void apply_duration(const Target& target, const std::string& text) {
  const SourceLocation where{"--duration " + text, 0, 0};
  const Value value = parse_setting(text, where);
  std::string reason = "is not a time in seconds";
  Rational start;
  if (const Entry* simulation = target.document.find("simulation")) {
    const Entry* said = simulation->value.find("start_time");
    if (said) start = read_time(said->value, reason).value_or(start);
  }
  const bool readable = value.is_number() || value.kind == Value::Kind::text;
  const auto duration = readable ? read_time(value, reason) : std::nullopt;
  if (!duration || !duration->is_positive()) {
    target.problems.error(where, fmt::format("'{}' {}.", text, duration ? "is not positive" : reason),
                          "Give the seconds that the run shall last.");
    return;
  }
  try {
    Override(target, text_value((start + *duration).text(), where), text).apply({"simulation", "stop_time"});
  } catch (const std::overflow_error&) {
    target.problems.error(where, "start_time + duration is not an exact fraction of 64-bit integers.",
                          "Give both with fewer digits.");
  }
}

}  // namespace

void apply_overrides(Value& document, const ScenarioOverrides& overrides, const ModelSources& sources,
                     const std::string& base_directory, ProblemList& problems) {
  const Target target{document, sources, base_directory, problems};
  for (const std::string& setting : overrides.settings) apply_setting(target, setting);
  const auto apply = [&](const std::optional<std::string>& text, const char* option, const Path& path) {
    if (!text) return;
    const SourceLocation where{fmt::format("{} {}", option, *text), 0, 0};
    Override(target, parse_setting(*text, where), *text).apply(path);
  };
  const auto say = [&](const std::optional<std::string>& text, const char* option, const char* key) {
    apply(text, option, {"simulation", key});
  };
  say(overrides.start_time, "--begin-time", "start_time");
  say(overrides.stop_time, "--stop-time", "stop_time");
  say(overrides.step_size, "--step-size", "step_size");
  if (overrides.threads) say(std::to_string(*overrides.threads), "--threads", "threads");
  say(overrides.check, "--check", "check");
  apply(overrides.accuracy, "--accuracy", {"output", "accuracy", "default"});
  const auto for_all_fmus = [&](bool wanted, const char* option, const char* key, const char* value) {
    if (!wanted) return;
    for (const std::string& name : names_of(document, "subsystem")) {
      Value* item = find_item(document, "subsystem", name);
      if (item == nullptr || item->find("fmu") == nullptr) continue;
      Override(target, parse_setting(value, {option, 0, 0}), option).apply({"subsystem", name, key});
    }
  };
  for_all_fmus(overrides.isolate, "--isolate", "isolate", "true");
  for_all_fmus(overrides.sandbox, "--sandbox", "sandbox", "true");
  for_all_fmus(overrides.keep_environment, "--keep-environment", "environment", "[\"*\"]");
  if (overrides.duration && overrides.stop_time) {
    problems.error({"--duration " + *overrides.duration, 0, 0}, "--stop-time and --duration are both given.",
                   "Give one of them.");
  } else if (overrides.duration) {
    apply_duration(target, *overrides.duration);
  }
}

}  // namespace ergon
