#include "ergon/scenario/file/overrides.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <stdexcept>

#include "ergon/scenario/build/output_selection.hpp"
#include "ergon/scenario/file/scenario_text.hpp"
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
const Names kinds = {"subsystem", "element", "bond", "connection"};

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

/// One "path=value"; without a value the key is taken out.
class Override {
 public:
  Override(const Target& target, std::optional<Value> value, SourceLocation where, std::string said)
      : target_(target),
        document_(target.document),
        value_(std::move(value)),
        where_(std::move(where)),
        said_(std::move(said)),
        problems_(target.problems) {}
  Override(const Target& target, Value value, std::string said)
      : target_(target),
        document_(target.document),
        value_(std::move(value)),
        where_(value_->where),
        said_(std::move(said)),
        problems_(target.problems) {}

  void apply(Path path) {
    if (contains(section_names(), path[0])) {
      if (path.size() > 1) return set(document_, path);
      if (!value_ || value_->kind != Value::Kind::table) return incomplete(path[0]);
      // A whole section: its keys, one by one.
      const Value section = *value_;
      for (const Entry& entry : section.entries) {
        value_ = entry.value;
        set(document_, {path[0], entry.key});
      }
      return;
    }
    if (contains(kinds, path[0])) {
      if (path.size() < 3) return incomplete(path[0] + ".NAME");
      if (is_pattern(path[1])) return apply_to_all({path[0]}, path[1], {path.begin() + 2, path.end()});
      Value* item = find_item(document_, path[0], path[1]);
      // The bonds of an element are described by it.
      Value* element = item || path[0] != "bond" ? nullptr : find_item(document_, "element", path[1]);
      if (element && path[2] == "correction") item = element;
      if (!item)
        return unknown(fmt::format("There is no {} '{}'.", path[0], path[1]), path[1],
                       names_of(document_, path[0]));
      return apply_to_item(*item, path[0], path[1], {path.begin() + 2, path.end()});
    }
    if (is_pattern(path[0])) {
      if (path.size() < 2) return incomplete(path[0]);
      return apply_to_all(kinds, path[0], {path.begin() + 1, path.end()});
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
  [[nodiscard]] static bool is_pattern(const std::string& name) {
    return name.find_first_of("*?") != std::string::npos;
  }

  /// Everything whose name fits gets the value, as far as it has such a setting; one of them must have it.
  void apply_to_all(const Names& of_kinds, const std::string& pattern, const Path& path) {
    ProblemList refusals;
    bool any = false;
    Names names;
    for (const std::string& kind : of_kinds) {
      Entry* list = document_.find(kind);
      if (list == nullptr) continue;
      for (Value& item : list->value.items) {
        const std::string name = text_of(item, "name");
        names.push_back(name);
        if (name.empty() || !matches_pattern(pattern, name)) continue;
        ProblemList found;
        const Target target{target_.document, target_.sources, target_.base_directory, found};
        Override(target, value_, where_, said_).apply_to_item(item, kind, name, path);
        any = any || !found.has_errors();
        if (refusals.all().empty()) refusals = found;
      }
    }
    if (any) return;
    for (const Problem& p : refusals.all()) problems_.error(p.where, p.what, p.remedy);
    if (refusals.all().empty())
      unknown(fmt::format("Nothing has a name like '{}'.", pattern), pattern, names);
  }

  void unknown(std::string what, const std::string& wanted, const Names& names) {
    problems_.error(where_, std::move(what), did_you_mean(wanted, names));
  }
  void incomplete(const std::string& start) {
    problems_.error(where_, fmt::format("'{}' does not name a setting.", said_),
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
    if (path.size() > 1 || kind == "bond" || kind == "connection") return set(item, path);
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
    if (set_component(item, key, parameters, initial)) return;
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

  /// m[0] of a list m: of what the file says, or of the default. False where this is not such a key.
  bool set_component(Value& item, const std::string& key, const Names& parameters, const Names& initial) {
    const auto bracket = key.find('[');
    if (bracket == std::string::npos || !key.ends_with(']')) return false;
    if (contains(parameters, key) || contains(initial, key)) return false;  // a variable of an FMU
    const std::string name = key.substr(0, bracket);
    const bool is_parameter = contains(parameters, name);
    if (!is_parameter && !contains(initial, name)) return false;
    std::size_t index = 0;
    const char* const end = key.data() + key.size() - 1;
    const auto [last, error] = std::from_chars(key.data() + bracket + 1, end, index);
    if (error != std::errc{} || last != end) return false;
    const char* table = is_parameter ? "parameters" : "initial";
    if (!value_) {
      problems_.error(where_, fmt::format("'{}' is one number of a list, which cannot be removed.", key),
                      fmt::format("Remove the whole list: {}=", name));
      return true;
    }
    Value list = list_at(item, table, name, is_parameter);
    if (index >= list.items.size()) {
      problems_.error(where_,
                      list.items.empty() ? fmt::format("'{}' is not a list of numbers.", name)
                                         : fmt::format("'{}' has {} numbers: the last is {}[{}].", name,
                                                       list.items.size(), name, list.items.size() - 1),
                      "Counting begins with 0.");
      return true;
    }
    list.items[index] = *value_;
    value_ = std::move(list);
    set(item, {table, name});
    return true;
  }

  /// What is said there, or else the default of the model or law; without items where that is not a list.
  [[nodiscard]] Value list_at(const Value& item, const char* table, const std::string& name,
                              bool is_parameter) const {
    if (const Entry* values = item.find(table)) {
      if (const Entry* said = values->value.find(name)) return said->value;
    }
    std::vector<ParameterInfo> infos;
    if (const auto model = target_.model_of(item).info) {
      infos = is_parameter ? model->parameters : model->initial;
    } else if (const ElementInfo* law = find_element(item.find("joint") ? "joint." + text_of(item, "joint")
                                                                        : text_of(item, "law"))) {
      infos = law->parameters;
    }
    Value list = list_value({});
    for (const ParameterInfo& info : infos) {
      const auto* numbers = std::get_if<std::vector<double>>(&info.standard);
      if (info.name != name || numbers == nullptr) continue;
      for (const double number : *numbers) list.items.push_back(number_value(number));
    }
    return list;
  }

  /// Goes down `path`, making tables on the way; a wrong key is found by whoever reads the document.
  void set(Value& top, const Path& path) {
    Value* at = &top;
    for (std::size_t i = 0; i < path.size(); ++i) {
      if (at->kind != Value::Kind::table) {
        problems_.error(where_,
                        fmt::format("'{}' is {}, so it has no '{}'.", path[i - 1], at->describe(), path[i]),
                        "Check the path before '='.");
        return;
      }
      Entry* next = at->find(path[i]);
      if (!value_) {
        if (!next || i + 1 == path.size()) return take_out(*at, path[i]);
        at = &next->value;
        continue;
      }
      if (!next) {
        at->entries.push_back({path[i], where_, {}});
        next = &at->entries.back();
        next->value.where = where_;
      }
      if (i + 1 == path.size()) *next = {path[i], where_, *value_};
      at = &next->value;
    }
  }

  /// What is not there needs not be taken out: that it is missing is worth a message, for it may be misspelt.
  void take_out(Value& table, const std::string& key) {
    Names keys;
    for (const Entry& entry : table.entries) keys.push_back(entry.key);
    if (!contains(keys, key)) return unknown(fmt::format("There is no '{}' to be removed.", key), key, keys);
    std::erase_if(table.entries, [&](const Entry& entry) { return entry.key == key; });
  }

  const Target& target_;
  Value& document_;
  std::optional<Value> value_;
  SourceLocation where_;
  std::string said_;
  ProblemList& problems_;
};

/// All values of a file of parameters: [left] m = 2 is left.m=2.
void apply_table(const Target& target, const Value& table, const Path& path) {
  for (const Entry& entry : table.entries) {
    Path whole = path;
    whole.push_back(entry.key);
    if (entry.value.kind == Value::Kind::table) {
      apply_table(target, entry.value, whole);
    } else {
      Override(target, entry.value, fmt::format("{}", fmt::join(whole, "."))).apply(std::move(whole));
    }
  }
}

std::optional<Value> read_parameter_file(const std::string& path, ProblemList& problems) {
  ProblemList found;
  const auto text = read_scenario_file(path, found);
  auto document = text ? parse_document(*text, path, found) : std::nullopt;
  for (const Problem& p : found.all()) problems.error(p.where, p.what, p.remedy);
  return document;
}

constexpr std::string_view constants_prefix = "constants.";

void apply_setting(const Target& target, const std::string& setting) {
  if (setting.starts_with(constants_prefix)) return;  // see constant_settings
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
  const std::string value = setting.substr(equals + 1);
  if (value.empty()) return Override(target, std::nullopt, where, setting).apply(path);
  Override(target, parse_setting(value, where), setting).apply(path);
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

std::vector<ConstantSetting> constant_settings(const ScenarioOverrides& overrides) {
  std::vector<ConstantSetting> settings;
  for (const std::string& file : overrides.parameter_files) {
    ProblemList told_when_it_is_applied;
    const auto values = read_parameter_file(file, told_when_it_is_applied);
    const Entry* constants = values ? values->find("constants") : nullptr;
    if (constants == nullptr) continue;
    for (const Entry& entry : constants->value.entries) settings.push_back({entry.key, entry.value});
  }
  for (const std::string& setting : overrides.settings) {
    const auto equals = setting.find('=');
    if (!setting.starts_with(constants_prefix) || equals == std::string::npos) continue;
    const SourceLocation where{"--set " + setting, 0, 0};
    settings.push_back({setting.substr(constants_prefix.size(), equals - constants_prefix.size()),
                        parse_setting(setting.substr(equals + 1), where)});
  }
  return settings;
}

void apply_overrides(Value& document, const ScenarioOverrides& overrides, const ModelSources& sources,
                     const std::string& base_directory, ProblemList& problems) {
  const Target target{document, sources, base_directory, problems};
  for (const std::string& file : overrides.parameter_files) {
    auto values = read_parameter_file(file, problems);
    if (!values) continue;
    std::erase_if(values->entries, [](const Entry& entry) { return entry.key == "constants"; });
    apply_table(target, *values, {});
  }
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
