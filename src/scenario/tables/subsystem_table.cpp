#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "ergon/scenario/tables/tables.hpp"
#include "ergon/scenario/write/resolved_scenario.hpp"

namespace ergon {
namespace {

using SubsystemKey = Key<SubsystemEntry>;

Names integrator_names() {
  Names names;
  for (const IntegratorInfo& info : integrators()) names.push_back(info.name);
  return names;
}

bool has_variable_steps(const IntegratorOptions& options) {
  return std::any_of(integrators().begin(), integrators().end(), [&](const IntegratorInfo& info) {
    return info.name == options.method && info.variable_step;
  });
}

/// "communication" (one step per communication step) or seconds.
void read_internal_step(TableReader& reader, IntegratorOptions& options) {
  const Entry* entry = reader.entry("step");
  if (!entry) return;
  if (entry->value.is_number()) {
    if (const auto step = reader.positive("step")) options.step_s = step->value;
    return;
  }
  const auto said = reader.text("step");
  if (!said || said->value == "communication") return;
  std::string reason;
  const auto parsed = read_time(entry->value, reason);
  if (parsed && parsed->is_positive()) {
    options.step_s = parsed->value();
    return;
  }
  reader.error(said->where, fmt::format("step = \"{}\" in {} is not a step.", said->value, reader.title()),
               "Give seconds, or \"communication\" for one step per communication step.");
}

std::optional<Value> internal_step_value(const IntegratorOptions& options, const Scenario&) {
  return options.step_s ? number_value(*options.step_s) : text_value("communication");
}

void read_integrator(TableReader& owner, SubsystemEntry& entry) {
  const Value* table = owner.table("integrator");
  if (!table) return;
  entry.integrator_said = table->where;
  TableReader reader(*table, "'integrator' of " + owner.title(), owner.problems());
  read_keys(reader, integrator_keys(), entry.integrator);
  const bool has_tolerance = reader.entry("rtol") != nullptr || reader.entry("atol") != nullptr;
  if (has_tolerance && !has_variable_steps(entry.integrator) && reader.ok()) {
    owner.problems().note(table->where, fmt::format("{}: '{}' has a fixed step and does not use tolerances.",
                                                    owner.title(), entry.integrator.method));
  }
  reader.finish();
}

std::optional<Value> integrator_value(const SubsystemEntry& entry, const Scenario& scenario) {
  if (!entry.info->integrated) return std::nullopt;
  return table_of(integrator_keys(), entry.integrator, scenario);
}

/// That of [simulation] where it has none of its own; a source without one is sampled for its receivers.
std::optional<Value> step_size_value(const SubsystemEntry& entry, const Scenario& scenario) {
  const auto& step = entry.step_size_s ? entry.step_size_s : scenario.simulation.step_size_s;
  const bool has_step = entry.step_size_s || entry.info->integrated;
  return step && has_step ? std::optional(time_value(step->value)) : std::nullopt;
}

/// Parameters may declare further ones, as formulas do.
void read_parameters(TableReader& reader, SubsystemEntry& entry) {
  entry.parameters = reader.parameters("parameters");
  if (const auto description = reader.text("description")) {
    const auto [place, is_new] =
        entry.parameters.try_emplace("description", GivenParameter{description->value, description->where});
    if (!is_new) {
      reader.error(description->where,
                   fmt::format("{} has 'description' here and in 'parameters'.", reader.title()),
                   "Give it once.");
    }
  }
  if (entry.info && entry.info->extend) entry.info = extended(*entry.info, entry.parameters);
  if (entry.info) reader.evaluate_formulas("parameters", entry.info->parameters, false, entry.parameters);
}

std::optional<Value> parameters_value(const SubsystemEntry& entry, const Scenario& scenario) {
  return parameter_table(with_defaults(entry.info->parameters, entry.parameters, scenario.base_directory));
}

void read_machine(TableReader& reader, SubsystemEntry& entry) {
  const Value* machine = reader.table("machine");
  if (!machine) return;
  entry.machine = std::make_shared<const Value>(*machine);
  if (!entry.info || entry.info->takes_description) return;
  reader.error(
      machine->where,
      fmt::format("{} has 'machine', but '{}' takes no machine file.", reader.title(), entry.info->name),
      "Remove it; numbers of other models are in 'parameters'.");
}

std::optional<Value> machine_value(const SubsystemEntry& entry, const Scenario&) {
  return entry.machine ? std::optional(*entry.machine) : std::nullopt;
}

void read_initial(TableReader& reader, SubsystemEntry& entry) {
  entry.initial = reader.parameters("initial");
  // Inputs of native models are numbers; an FMU may have texts.
  if (entry.info)
    reader.evaluate_formulas("initial", entry.info->initial, entry.source == "model", entry.initial);
}

std::optional<Value> initial_value(const SubsystemEntry& entry, const Scenario& scenario) {
  return parameter_table(with_defaults(entry.info->initial, entry.initial, scenario.base_directory));
}

/// Start values by name, whatever they belong to: what is not a parameter is a state or an input.
void read_values(TableReader& reader, SubsystemEntry& entry) {
  GivenParameters values = reader.parameters("values");
  if (entry.info) {
    reader.evaluate_formulas("values", entry.info->parameters, false, values);
    reader.evaluate_formulas("values", entry.info->initial, false, values);
  }
  for (auto& [name, given] : values) {
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

void read_history(TableReader& reader, SubsystemEntry& entry) {
  const Value* history = reader.table("initial_history");
  if (!history) return;
  TableReader ports(*history, "'initial_history' of " + reader.title(), reader.problems());
  for (const Entry& port : history->entries) {
    if (auto values = ports.numbers(port.key)) entry.initial_history[port.key] = std::move(*values);
  }
}

std::optional<Value> history_value(const SubsystemEntry& entry, const Scenario&) {
  if (entry.initial_history.empty()) return std::nullopt;
  ParameterValues history;
  for (const auto& [port, values] : entry.initial_history) history[port] = values.value;
  return parameter_table(history);
}

/// The model of one source; which of them an entry names is found out by `read_model`.
SubsystemKey model_key(const char* source) {
  SubsystemKey key{source};
  key.write = [source](const SubsystemEntry& entry, const Scenario& scenario) -> std::optional<Value> {
    if (entry.source != source) return std::nullopt;
    return text_value(entry.source == "fmu" ? fmu_path(entry, scenario) : entry.model.value);
  };
  return key;
}

void read_foreign(TableReader& reader, ForeignOptions& options) {
  read_keys(reader, foreign_keys(), options);
  options.isolate = options.isolate || options.sandbox;
}

/// The one key that names a model, what its source knows of it, and the keys that such models alone have.
void read_model(TableReader& reader, const ModelSources& sources, const std::string& base_directory,
                SubsystemEntry& entry) {
  std::vector<std::string_view> keys;
  for (const auto& source : sources) keys.push_back(source->key());
  const bool has_fmus = std::find(keys.begin(), keys.end(), "fmu") != keys.end();
  const bool refused = !has_fmus && reader.refuse("fmu", "FMUs are");
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
    entry.info = source->find(name->value, base_directory, name->where, reader.problems());
    if (!source->takes_options()) continue;
    read_foreign(reader, entry.foreign);
    if (entry.info && entry.info->with_options) entry.info = entry.info->with_options(entry.foreign);
  }
  if (!said && !refused) {
    reader.missing("model", "Name one, as in: model = \"oscillator.mass\" ('ergon models' lists them).");
  }
}

}  // namespace

const Keys<IntegratorOptions>& integrator_keys() {
  using S = IntegratorOptions;
  using K = Key<S>;
  static const Keys<S> keys = {
      K::word("method", &S::method, integrator_names),
      K{"step", read_internal_step, internal_step_value},
      K::positive("rtol", &S::rtol).written_if(has_variable_steps),
      K::positive("atol", &S::atol).written_if(has_variable_steps),
  };
  return keys;
}

const Keys<SubsystemEntry>& subsystem_keys() {
  using S = SubsystemEntry;
  using K = SubsystemKey;
  static const Keys<S> keys = {
      K::text("name", &S::name).read_elsewhere(),
      model_key("model"),
      model_key("fmu"),
      K::step("step_size", &S::step_size_s).written_as(step_size_value),
      K::flag("sampled", &S::sampled).written_if(&S::sampled),
      K{"integrator", read_integrator, integrator_value},
      K{"parameters", read_parameters, parameters_value},
      K{"description"},  // a parameter that may stand outside of 'parameters'
      K{"machine", read_machine, machine_value},
      K{"initial", read_initial, initial_value},
      K{"values", read_values, {}},  // sorted into 'parameters' and 'initial'
      K{"initial_history", read_history, history_value},
      // What the scenario in its long form does not have (expand_document): known here, so that slips are told their right names.
      K::counter(),
      K{"system", [](TableReader& reader, S&) { reader.entry("system"); }},
      K{"constants", [](TableReader& reader, S&) { reader.entry("constants"); }},
  };
  return keys;
}

SubsystemEntry read_subsystem(const Value& table, std::size_t number, const ModelSources& sources,
                              const std::string& base_directory, ProblemList& problems) {
  TableReader reader(table, item_title("subsystem", table, number), problems);
  SubsystemEntry entry;
  entry.where = table.where;
  entry.name = read_instance_name(reader, "left");
  const bool named = reader.ok() && !entry.name.value.empty();
  read_model(reader, sources, base_directory, entry);
  read_keys(reader, subsystem_keys(), entry);
  reader.finish();
  if (reader.misspelt("step_size")) entry.step_size_s.emplace();
  // A wrong number somewhere does not hide the ports: only without name or model nothing can be made.
  entry.usable = named && !entry.model.value.empty();
  return entry;
}

}  // namespace ergon
