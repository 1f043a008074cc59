#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "ergon/coupling/correctors/corrector.hpp"
#include "ergon/coupling/predictors/registry.hpp"
#include "ergon/scenario/file/readers.hpp"
#include "ergon/scenario/file/table_reader.hpp"
#include "ergon/scenario/setting_names.hpp"

namespace ergon {

const std::vector<std::string>& entry_keys(const std::string& kind) {
  static const std::map<std::string, std::vector<std::string>> keys = {
      {"subsystem",
       {"name",
        "model",
        "fmu",
        "description",
        "machine",
        "step_size",
        "integrator",
        "parameters",
        "initial",
        "values",
        "initial_history",
        "isolate",
        "sandbox",
        "call_limit",
        "environment",
        "refresh",
        "output_derivatives",
        "outputs",
        "inputs",
        "feedthrough",
        "energy",
        "sampled"}},
      {"element",
       {"name", "law", "joint", "i", "j", "stiffness", "damping", "ends", "parameters", "form", "evaluate"}},
      {"bond",
       {"name", "a", "b", "feedthrough", "extrapolation", "correction", "scale", "kind", "ratio",
        "effort_sign", "reaction"}},
  };
  return keys.at(kind);
}

namespace {

std::string title(const char* kind, const Value& table, std::size_t number) {
  const Entry* name = table.find("name");
  if (name && name->value.kind == Value::Kind::text)
    return fmt::format("[[{}]] '{}'", kind, name->value.text);
  return fmt::format("[[{}]] no. {}", kind, number);
}

/// Names end up in "instance.port", "instance:port" and CSV headings. A slash names a part of a larger system: "car/wheel".
Said<std::string> read_name(TableReader& reader, const char* example) {
  const bool there = reader.entry("name") != nullptr;
  auto name = reader.text("name");
  if (!name) {
    if (!there) reader.missing("name", fmt::format("Give it one, as in: name = \"{}\"", example));
    return {};
  }
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

Names integrator_names() {
  Names names;
  for (const IntegratorInfo& info : integrators()) names.push_back(info.name);
  return names;
}

/// A number > 0 or nothing; an unusable one is reported.
std::optional<double> positive(TableReader& reader, const char* key) {
  const auto said = reader.number(key);
  if (!said) return std::nullopt;
  if (std::isfinite(said->value) && said->value > 0.0) return said->value;
  reader.error(said->where,
               fmt::format("{} = {} in {} is not a positive number.", key, said->value, reader.title()),
               fmt::format("Give {} > 0.", key));
  return std::nullopt;
}

/// "communication" (one step per communication step) or seconds.
std::optional<double> read_internal_step(TableReader& reader) {
  const Entry* entry = reader.entry("step");
  if (!entry) return std::nullopt;
  if (entry->value.is_number()) return positive(reader, "step");
  const auto said = reader.text("step");
  if (!said || said->value == "communication") return std::nullopt;
  const auto parsed = Rational::parse(said->value);
  if (parsed && parsed->is_positive()) return parsed->value();
  reader.error(said->where, fmt::format("step = \"{}\" in {} is not a step.", said->value, reader.title()),
               "Give seconds, or \"communication\" for one step per communication step.");
  return std::nullopt;
}

void read_integrator(TableReader& owner, SubsystemEntry& entry, ProblemList& problems) {
  const Value* table = owner.table("integrator");
  if (!table) return;
  entry.integrator_said = table->where;
  TableReader reader(*table, "'integrator' of " + owner.title(), problems);
  if (const auto method = reader.choice("method", integrator_names()))
    entry.integrator.method = method->value;
  entry.integrator.step_s = read_internal_step(reader);
  const auto rtol = positive(reader, "rtol");
  const auto atol = positive(reader, "atol");
  entry.integrator.rtol = rtol.value_or(entry.integrator.rtol);
  entry.integrator.atol = atol.value_or(entry.integrator.atol);
  const bool variable_step = std::any_of(integrators().begin(), integrators().end(), [&](const auto& info) {
    return info.name == entry.integrator.method && info.variable_step;
  });
  if ((rtol || atol) && !variable_step && reader.ok()) {
    problems.note(table->where, fmt::format("{}: '{}' has a fixed step and does not use tolerances.",
                                            owner.title(), entry.integrator.method));
  }
  reader.finish();
}

std::optional<int> read_degree(TableReader& reader) {
  const auto name = reader.choice("extrapolation", extrapolation_name_list());
  return name ? extrapolation_degree(name->value) : std::nullopt;
}

BondEnd read_bond_end(TableReader& owner, const char* side, BondEntry& bond, ProblemList& problems,
                      bool& ok) {
  BondEnd end;
  const bool there = owner.entry(side) != nullptr;
  const Value* table = owner.table(side);
  if (!table) {
    if (!there) {
      owner.missing(side,
                    fmt::format("Name the ports of this end, as in: {} = {{ effort = \"left.force\", flow = "
                                "\"left.velocity_in\" }}",
                                side));
    }
    return end;
  }
  TableReader reader(*table, fmt::format("'{}' of {}", side, owner.title()), problems);
  const auto ports = [&](const char* key, std::vector<std::string>& names) {
    for (Said<std::string>& port : reader.texts(key)) {
      names.push_back(port.value);
      bond.ports.push_back(std::move(port));
    }
  };
  ports("effort", end.effort);
  ports("flow", end.flow);
  ports("displacement", end.displacement);
  ok = reader.finish() && ok;
  return end;
}

/// A method and its settings; which settings a method takes, the registry knows.
std::optional<CorrectionRequest> read_correction(TableReader& owner, const std::string& bond,
                                                 ProblemList& problems, bool& ok) {
  const Value* table = owner.table("correction");
  if (!table) return std::nullopt;
  TableReader reader(*table, "'correction' of " + owner.title(), problems);
  Names names = {"none"};
  for (const CorrectorInfo& info : correctors()) names.emplace_back(info.name);
  const bool said = reader.entry("method") != nullptr;
  const auto method = reader.choice("method", names);
  if (!said) {
    // Not by missing(): without a method nobody knows which of the other keys are right.
    reader.error(table->where, fmt::format("{} has no 'method'.", reader.title()),
                 fmt::format("Choose from: {}.", fmt::join(names, ", ")));
  }
  CorrectionRequest request{bond, method ? method->value : "none", {}, table->where};
  if (method && method->value != "none") {
    for (const CorrectionKey& key : find_corrector(method->value)->keys) {
      const Entry* e = reader.entry(std::string(key.name));
      if (!e) continue;
      CorrectionSetting setting{0.0, e->value.where};
      if (e->value.is_number()) {
        setting.value = e->value.number;
      } else if (e->value.kind == Value::Kind::boolean) {
        setting.value = e->value.boolean;
      } else if (e->value.kind == Value::Kind::text) {
        setting.value = e->value.text;
      } else {
        reader.error(e->value.where,
                     fmt::format("'{}' in {} is {}.", e->key, reader.title(), e->value.describe()),
                     "Give one value: a number, a string, true or false.");
        continue;
      }
      request.settings.emplace(e->key, std::move(setting));
    }
  }
  if (method && reader.finish()) {
    ProblemList findings;
    if (request.method != "none") check_correction(request, findings);
    for (const Problem& p : findings.all()) reader.error(p.where, p.what, p.remedy);
  }
  ok = reader.ok() && ok;
  return request;
}

constexpr std::string_view joint_prefix = "joint.";

/// joint = "revolute" between the markers i and j is the law joint.revolute.
void read_joint(TableReader& reader, const Entry& joint, ElementEntry& entry) {
  for (const char* key : {"law", "ends"}) {
    const Entry* other = reader.entry(key);
    if (!other) continue;
    reader.error(other->where, fmt::format("{} has both 'joint' and '{}'.", reader.title(), key),
                 "A joint acts between its markers 'i' and 'j'; remove this key, or 'joint'.");
  }
  entry.ends.clear();
  if (const auto name = reader.text("joint")) {
    entry.law = {std::string(joint_prefix) + name->value, name->where};
    Names names;
    for (const ElementInfo& info : elements()) {
      if (info.name.starts_with(joint_prefix)) names.push_back(info.name.substr(joint_prefix.size()));
    }
    if (std::find(names.begin(), names.end(), name->value) == names.end()) {
      reader.error(name->where, fmt::format("There is no joint '{}'.", name->value),
                   did_you_mean(name->value, names));
      entry.law.value.clear();
    }
  }
  for (const char* end : {"i", "j"}) {
    if (!reader.entry(end)) {
      reader.missing(end, fmt::format("Name a marker of a body, as in: {} = \"rod.top\"", end));
    } else if (auto marker = reader.text(end)) {
      entry.markers.push_back(std::move(*marker));
    }
  }
  if (entry.markers.size() != 2) entry.law = {"", joint.where};
  for (const char* key : {"stiffness", "damping"}) {
    const Entry* said = reader.entry(key);
    if (!said) continue;
    if (entry.parameters.contains(key)) {
      reader.error(said->where, fmt::format("{} has '{}' here and in 'parameters'.", reader.title(), key),
                   "Say it once.");
    } else if (said->value.is_number()) {
      entry.parameters[key] = {said->value.number, said->value.where};
    } else if (auto list = reader.numbers(key)) {
      entry.parameters[key] = {std::move(list->value), list->where};
    }
  }
}

/// What is exchanged, and when a law is evaluated.
void read_form(TableReader& reader, bool is_joint, ElementEntry& entry) {
  std::vector<std::string> forms = joint_form_names.all();
  std::vector<std::string> later = {"force/displacement-hermite", "displacement/force-hermite",
                                    "displacement/displacement-hermite"};
  if (!is_joint) {
    later.insert(later.end(), forms.begin() + 1, forms.end());
    forms.resize(1);
  }
  if (const auto form = reader.choice("form", forms, later)) entry.form = joint_form_names.value(form->value);
  const auto evaluate = reader.choice("evaluate", evaluate_names.all());
  if (!evaluate) return;
  entry.evaluate = evaluate_names.value(evaluate->value);
  if (!has_element(entry.form)) {
    reader.error(evaluate->where,
                 fmt::format("{} has 'evaluate', but its law is evaluated inside a body.", reader.title()),
                 "Remove this key, or 'form'.");
  }
}

/// Start values by name, whatever they belong to: what is not a parameter is a state or an input.
void read_values(TableReader& reader, SubsystemEntry& entry) {
  for (auto& [name, given] : reader.parameters("values")) {
    const bool is_parameter =
        entry.info &&
        std::any_of(entry.info->parameters.begin(), entry.info->parameters.end(),
                    [&, &wanted = name](const ParameterInfo& info) { return info.name == wanted; });
    GivenParameters& target = is_parameter ? entry.parameters : entry.initial;
    if (target.try_emplace(name, given).second) continue;
    reader.error(given.where,
                 fmt::format("{} has '{}' in 'values' and in '{}'.", reader.title(), name,
                             is_parameter ? "parameters" : "initial"),
                 "Give it once.");
  }
}

/// The one key that names a model, and what its source knows of it.
void read_model(TableReader& reader, const ModelSources& sources, const std::string& base_directory,
                SubsystemEntry& entry, ProblemList& problems) {
  std::vector<std::string_view> keys;
  for (const auto& source : sources) keys.push_back(source->key());
  bool refused = false;
  const bool has_fmus = std::find(keys.begin(), keys.end(), "fmu") != keys.end();
  if (!has_fmus && reader.refuse("fmu", "FMUs are")) refused = true;
  bool said = false;
  for (const auto& source : sources) {
    const std::string key(source->key());
    const Entry* there = reader.entry(key);
    if (there == nullptr) continue;
    const auto name = reader.text(key);
    if (said) {
      reader.error(there->where, fmt::format("{} names more than one model.", reader.title()),
                   fmt::format("Keep one of: {}.", fmt::join(keys, ", ")));
    }
    said = true;
    if (!name || name->value.empty() || !entry.model.value.empty()) continue;
    entry.model = *name;
    entry.source = key;
    entry.info = source->find(name->value, base_directory, name->where, problems);
    if (!source->takes_options()) continue;
    read_foreign(reader, entry.foreign, problems);
    if (entry.info) entry.info = source->with_options(entry.info, entry.foreign);
  }
  if (!said && !refused) {
    reader.missing("model", "Name one, as in: model = \"oscillator.mass\" ('ergon models' lists them).");
  }
}

}  // namespace

SubsystemEntry read_subsystem(const Value& table, std::size_t number, const ModelSources& sources,
                              const std::string& base_directory, ProblemList& problems) {
  TableReader reader(table, title("subsystem", table, number), problems);
  SubsystemEntry entry;
  entry.where = table.where;
  entry.name = read_name(reader, "left");
  const bool named = reader.ok() && !entry.name.value.empty();
  read_model(reader, sources, base_directory, entry, problems);
  entry.step_size_s = reader.step_s("step_size");
  entry.sampled = reader.flag("sampled").value_or(false);
  read_integrator(reader, entry, problems);
  entry.parameters = reader.parameters("parameters");
  if (const auto description = reader.text("description")) {
    const auto [place, is_new] =
        entry.parameters.try_emplace("description", GivenParameter{description->value, description->where});
    if (!is_new) {
      reader.error(description->where,
                   fmt::format("{} has 'description' here and in 'parameters'.", reader.title()),
                   "Say it once.");
    }
  }
  if (entry.info && entry.info->extend) entry.info = extended(*entry.info, entry.parameters);
  if (const Value* machine = reader.table("machine")) {
    entry.machine = std::make_shared<const Value>(*machine);
    if (entry.info && !entry.info->takes_description) {
      reader.error(
          machine->where,
          fmt::format("{} has 'machine', but '{}' takes no machine file.", reader.title(), entry.info->name),
          "Remove it; numbers of other models are in 'parameters'.");
    }
  }
  entry.initial = reader.parameters("initial");
  read_values(reader, entry);
  if (const Value* history = reader.table("initial_history")) {
    TableReader ports(*history, "'initial_history' of " + reader.title(), problems);
    for (const Entry& port : history->entries) {
      if (auto values = ports.numbers(port.key)) entry.initial_history[port.key] = std::move(*values);
    }
  }
  reader.finish();
  if (reader.misspelt("step_size")) entry.step_size_s.emplace();
  // A wrong number somewhere does not hide the ports: only without name or model nothing can be made.
  entry.usable = named && !entry.model.value.empty();
  return entry;
}

ElementEntry read_element(const Value& table, std::size_t number, ProblemList& problems) {
  TableReader reader(table, title("element", table, number), problems);
  ElementEntry entry;
  entry.where = table.where;
  entry.name = read_name(reader, "kc");
  const bool named = reader.ok() && !entry.name.value.empty();
  const Entry* joint = reader.entry("joint");
  const bool has_law = reader.entry("law") != nullptr;
  if (const auto law = reader.text("law")) entry.law = *law;
  if (!has_law && !joint) {
    reader.missing("law", "Name one, as in: law = \"spring-damper\", or a joint: joint = \"revolute\"");
  }
  const Entry* ends = reader.entry("ends");
  entry.ends = reader.texts("ends");
  if (ends && reader.ok() && entry.ends.size() != 2) {
    reader.error(ends->value.where,
                 fmt::format("'ends' in {} must name two subsystems, but names {}.", reader.title(),
                             entry.ends.size()),
                 "Write it as in: ends = [\"m1\", \"m2\"]");
  }
  entry.parameters = reader.parameters("parameters");
  if (joint) read_joint(reader, *joint, entry);
  read_form(reader, joint != nullptr, entry);
  reader.finish();
  entry.usable = named && !entry.law.value.empty();
  if (entry.ends.size() != 2) entry.ends.clear();
  return entry;
}

/// 'ratio': a number, or a number with a unit in quotes.
void read_bond_ratio(TableReader& reader, BondSpec& spec) {
  if (const auto kind = reader.choice("kind", bond_kind_names.all()))
    spec.kind = bond_kind_names.value(kind->value);
  const Entry* said = reader.entry("ratio");
  if (said == nullptr) return;
  if (said->value.kind != Value::Kind::text) {
    if (const auto number = reader.number("ratio")) spec.ratio = BondRatio{number->value, {}};
    return;
  }
  spec.ratio = BondRatio::parse(said->value.text);
  if (spec.ratio) return;
  reader.error(said->value.where, fmt::format("{}: 'ratio' is \"{}\".", reader.title(), said->value.text),
               "Write a number and a unit, as in: ratio = \"0.05 V.s/rad\".");
}

/// 'effort_sign', and its old name 'reaction'.
void read_effort_sign(TableReader& reader, BondSpec& spec) {
  bool opposite = reader.flag("reaction").value_or(false);
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

BondEntry read_bond(const Value& table, std::size_t number, ProblemList& problems) {
  TableReader reader(table, title("bond", table, number), problems);
  BondEntry entry;
  bool ok = true;
  entry.spec.where = table.where;
  entry.spec.name = read_name(reader, "coupling").value;
  entry.spec.a = read_bond_end(reader, "a", entry, problems, ok);
  entry.spec.b = read_bond_end(reader, "b", entry, problems, ok);
  if (const auto mode = reader.choice("feedthrough", feedthrough_names.all())) {
    entry.spec.feedthrough = feedthrough_names.value(mode->value);
  }
  if (const auto word = reader.choice("extrapolation", bond_extrapolations())) {
    entry.spec.degree = extrapolation_degree(word->value).value_or(0);
    entry.spec.predictor = predictor_of_extrapolation(word->value);
  }
  if (const auto scale = reader.number("scale")) entry.spec.scale = scale->value;
  read_bond_ratio(reader, entry.spec);
  read_effort_sign(reader, entry.spec);
  entry.correction = read_correction(reader, entry.spec.name, problems, ok);
  entry.usable = reader.finish() && ok;
  return entry;
}

ConnectionEntry read_connection(const Value& table, std::size_t number, ProblemList& problems) {
  TableReader reader(table, title("connection", table, number), problems);
  ConnectionEntry entry;
  entry.spec.where = table.where;
  const bool from_said = reader.entry("from") != nullptr;
  const bool to_said = reader.entry("to") != nullptr;
  for (Said<std::string>& port : reader.texts("from")) {
    entry.spec.from.push_back(port.value);
    entry.ports.push_back(std::move(port));
  }
  if (auto to = reader.text("to")) {
    entry.spec.to = to->value;
    entry.ports.push_back(std::move(*to));
  }
  if (!from_said) reader.missing("from", "Name an output, as in: from = \"left.force\"");
  if (!to_said) reader.missing("to", "Name an input, as in: to = \"right.force\"");
  if (const auto gain = reader.number("gain")) entry.spec.gain = gain->value;
  if (const auto offset = reader.number("offset")) entry.spec.offset = offset->value;
  entry.spec.degree = read_degree(reader);
  entry.spec.converts_units = reader.flag("convert_units").value_or(true);
  entry.usable = reader.finish();
  return entry;
}

}  // namespace ergon
