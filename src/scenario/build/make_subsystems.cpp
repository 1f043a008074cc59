#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <new>
#include <stdexcept>

#include "ergon/models/internal_steps.hpp"
#include "ergon/scenario/build/graph_builder.hpp"
#include "ergon/scenario/build/port_names.hpp"
#include "ergon/scenario/file/machine_file.hpp"
#include "ergon/scenario/problem_order.hpp"

namespace ergon {

namespace {

/// Where the file of a machine is, if an entry names one.
std::optional<std::string> machine_path(const SubsystemEntry& entry, const std::string& base_directory) {
  const auto said = entry.parameters.find("description");
  const std::string* file =
      said == entry.parameters.end() ? nullptr : std::get_if<std::string>(&said->second.value);
  if (file == nullptr || file->empty()) return std::nullopt;
  return (std::filesystem::path(base_directory) / *file).string();
}

/// What an entry changes of its machine: 'machine', and joints in 'initial'.
Value machine_changes_of(const SubsystemEntry& entry, const std::string& path) {
  Value changes = entry.machine ? *entry.machine : table_value({});
  const Names joints = joints_of_machine_file(path);
  for (const auto& [name, given] : entry.initial) {
    if (std::find(joints.begin(), joints.end(), name) == joints.end()) continue;
    Entry* initial = changes.find("initial");
    if (initial == nullptr) {
      changes.entries.push_back({"initial", given.where, table_value({})});
      initial = &changes.entries.back();
    }
    const double* number = std::get_if<double>(&given.value);
    Value value = number != nullptr ? number_value(*number) : text_value("no number");
    value.where = given.where;
    initial->value.entries.push_back({name, given.where, std::move(value)});
  }
  return changes;
}

}  // namespace

void GraphBuilder::make_subsystems() {
  for (const SubsystemEntry& entry : scenario_.subsystems) {
    if (entry.usable) {
      make_subsystem(entry);
    } else {
      failed_.insert(entry.name.value);
    }
  }
}

void GraphBuilder::make_subsystem(const SubsystemEntry& entry) {
  const std::string& name = entry.name.value;
  const ModelInfo* model = entry.info.get();
  if (!model) {
    failed_.insert(name);
    return;
  }
  if (!model->integrated && entry.integrator_said) {
    problems_.error(*entry.integrator_said,
                    fmt::format("'{}' has no state to integrate, so it takes no integrator.", model->name),
                    "Remove this key.");
  }
  Draft draft;
  draft.entry = &entry;
  draft.model = model;
  // 'initial' holds states and values of inputs; only the made subsystem knows its inputs.
  const Names state_names = names_of(model->initial);
  const Names joints =
      model->takes_description
          ? joints_of_machine_file(machine_path(entry, scenario_.base_directory).value_or(""))
          : Names{};
  for (const auto& given : entry.initial) {
    if (std::find(joints.begin(), joints.end(), given.first) != joints.end()) continue;  // see machine_of
    const bool is_state = std::find(state_names.begin(), state_names.end(), given.first) != state_names.end();
    (is_state ? draft.states : draft.ports).insert(given);
  }
  // Whoever may take joints is made when they are known.
  std::shared_ptr<const Description> description;
  if (model->describe) {
    if (auto told = requested(draft, problems_, model->describe))
      description = std::make_shared<const Description>(std::move(*told));
  } else if ((draft.subsystem = requested(draft, problems_, model->make))) {
    description = draft.subsystem->shared_description();
  }
  if (!description) {
    failed_.insert(name);
    return;
  }
  descriptions_[name] = std::move(description);
  drafts_[name] = std::move(draft);
}

namespace {

/// The machine that an entry names in `description`; nothing after reporting what is wrong with it.
std::shared_ptr<const MachineDescription> machine_of(const SubsystemEntry& entry, const Scenario& scenario,
                                                     ProblemList& problems) {
  const auto path = machine_path(entry, scenario.base_directory);
  if (!path) {
    problems.error(entry.where, fmt::format("'{}' has no 'description'.", entry.name.value),
                   "Name the file of its machine, as in: description = \"crane.toml\" (docs/machines.md).");
    return nullptr;
  }
  const Value changes = machine_changes_of(entry, *path);
  return load_machine(*path, entry.parameters.at("description").where, problems, &changes,
                      *scenario.simulation.edition);
}

/// As a key of a table; names of FMUs may have dots.
std::string as_key(const std::string& name) {
  return name.find('.') == std::string::npos ? name : '"' + name + '"';
}

/// The parameters of an entry; what is an initial value of its model is reported and left out.
GivenParameters own_parameters(const SubsystemEntry& entry, const ModelInfo& model, const std::string& owner,
                               ProblemList& problems) {
  GivenParameters parameters = entry.parameters;
  for (const ParameterInfo& initial : model.initial) {
    const bool is_both =
        std::any_of(model.parameters.begin(), model.parameters.end(),
                    [&](const ParameterInfo& parameter) { return parameter.name == initial.name; });
    const auto misplaced = is_both ? parameters.end() : parameters.find(initial.name);
    if (misplaced == parameters.end()) continue;
    problems.error(misplaced->second.where,
                   fmt::format("{}: '{}' is an initial value, not a parameter.", owner, initial.name),
                   fmt::format("Write it as: initial = {{ {} = … }}.", as_key(initial.name)));
    parameters.erase(misplaced);
  }
  return parameters;
}

/// Where a name that `initial` does not know belongs: among the parameters, under which FMUs of Ergon have initial values as well.
std::string place_of(const std::string& name, const ModelInfo& model, const Names& known) {
  for (const std::string& other : {name, "initial." + name}) {
    for (const ParameterInfo& parameter : model.parameters) {
      if (parameter.name == other)
        return fmt::format("'{0}' is a parameter: write it as parameters = {{ {1} = … }}.", other,
                           as_key(other));
    }
  }
  return did_you_mean(name, known);
}

}  // namespace

const std::optional<Said<Rational>>& GraphBuilder::step_of(const SubsystemEntry& entry) const {
  return entry.step_size_s ? entry.step_size_s : scenario_.simulation.step_size_s;
}

template <class Answer>
Answer GraphBuilder::requested(const Draft& draft, ProblemList& problems,
                               const std::function<Answer(const ModelRequest&, ProblemList&)>& asked) const {
  const SubsystemEntry& entry = *draft.entry;
  const std::string owner = fmt::format("'{}' ({})", entry.name.value, draft.model->name);
  ProblemList found;
  ModelRequest request{
      entry.name.value,
      ParameterSet(draft.model->parameters, own_parameters(entry, *draft.model, owner, found), owner, found),
      ParameterSet(draft.model->initial, draft.states, owner, found),
      entry.integrator,
      scenario_.base_directory,
      entry.where,
      draft.joints};
  if (const auto& step = step_of(entry)) request.communication_step_s = step->value.value();
  if (draft.model->takes_description) {
    request.machine = machine_of(entry, scenario_, found);
    if (!request.machine) {
      for (const Problem& p : found.all()) append(p, problems);
      return Answer{};
    }
  }
  // With a wrong parameter a stand-in with its default is taken, so that the wiring is looked at in the same pass.
  ProblemList of_stand_in;
  Answer answer{};
  try {
    answer = asked(request, found.has_errors() ? of_stand_in : found);
  } catch (const std::bad_alloc&) {
    found.error(entry.where, fmt::format("There is not enough memory for {}.", owner),
                "Give it fewer members (masses, elements), or split it.");
  }
  for (const Problem& p : found.all()) append(p, problems);
  return answer;
}

void GraphBuilder::add_subsystems() {
  for (auto& [name, draft] : drafts_) {
    if (!draft.subsystem) {
      // What is wrong with the body itself was told when it described itself.
      ProblemList again;
      draft.subsystem = requested(draft, again, draft.model->make);
      for (const Problem& p : again.all()) {
        if (!draft.subsystem) append(p, problems_);
      }
      if (!draft.subsystem && again.has_errors()) {
        failed_.insert(name);
        continue;
      }
      if (!draft.subsystem) throw std::logic_error("a body cannot be made with its joints: " + name);
      descriptions_[name] = draft.subsystem->shared_description();
    }
    const SubsystemEntry& entry = *draft.entry;
    const auto& step = step_of(entry);
    const bool usable_step = step && step->value.is_positive();
    if (draft.model->integrated && usable_step) check_internal_steps(entry, step->value);
    graph_.add(name, std::move(draft.subsystem), usable_step ? step->value : Rational(1, 1), entry.where);
    set_inputs(entry, *draft.model, draft.ports);
  }
}

void GraphBuilder::check_internal_steps(const SubsystemEntry& entry, const Rational& communication_step_s) {
  const auto method =
      std::find_if(integrators().begin(), integrators().end(),
                   [&](const IntegratorInfo& info) { return info.name == entry.integrator.method; });
  if (!entry.integrator.step_s || method == integrators().end() || method->variable_step) return;
  const double steps = communication_step_s.value() / *entry.integrator.step_s;
  if (count_internal_steps(communication_step_s.value(), *entry.integrator.step_s) != 0) return;
  problems_.error(
      entry.integrator_said.value_or(entry.where),
      fmt::format("'{}' would take {:.3g} internal steps in one communication step of {} s.",
                  entry.name.value, steps, communication_step_s.text()),
      fmt::format("Give a larger 'step' of the integrator: at most {:.0e} fit into a communication step.",
                  most_internal_steps));
}

void GraphBuilder::set_inputs(const SubsystemEntry& entry, const ModelInfo& model,
                              const GivenParameters& ports) {
  const Description& description = described(entry.name.value);
  for (const auto& [port, given] : ports) {
    if (!find_referenced_port(description.inputs, port)) {
      Names names = names_of(model.initial);
      const Names inputs = names_of(description.inputs);
      names.insert(names.end(), inputs.begin(), inputs.end());
      problems_.error(
          given.where,
          fmt::format("'{}' ({}) has no initial value or input '{}'.", entry.name.value, model.name, port),
          place_of(port, model, names));
      continue;
    }
    // Whether it is of the right type is known when the port is.
    std::vector<TypedValue> values;
    if (const auto* list = std::get_if<std::vector<double>>(&given.value)) {
      values.assign(list->begin(), list->end());
    } else if (const auto* number = std::get_if<double>(&given.value)) {
      values = {*number};
    } else if (const auto* whole = std::get_if<std::int64_t>(&given.value)) {
      values = {*whole};
    } else if (const auto* flag = std::get_if<bool>(&given.value)) {
      values = {*flag};
    } else {
      values = {std::get<std::string>(given.value)};
    }
    if (values.empty()) {
      problems_.error(given.where,
                      fmt::format("The initial value of '{}.{}' is empty.", entry.name.value, port),
                      "Give a value, or a list of numbers for a vector port.");
      continue;
    }
    graph_.set_input_start(entry.name.value + "." + port, std::move(values), given.where);
  }
}

}  // namespace ergon
