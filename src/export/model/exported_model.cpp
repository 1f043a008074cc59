#include "ergon/export/model/exported_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "ergon/models/law_model.hpp"
#include "ergon/scenario/file/document.hpp"
#include "ergon/scenario/file/machine_file.hpp"

namespace ergon {
namespace {

Value to_value(const std::vector<double>& numbers) {
  std::vector<Value> items;
  for (const double number : numbers) items.push_back(number_value(number));
  return list_value(std::move(items));
}

/// Native models know whole numbers as doubles only.
ParameterValue as_native(const ParameterValue& value) {
  const auto* whole = std::get_if<std::int64_t>(&value);
  return whole != nullptr ? ParameterValue(static_cast<double>(*whole)) : value;
}

Value to_value(const ParameterValue& value) {
  if (const double* number = std::get_if<double>(&value)) return number_value(*number);
  if (const bool* flag = std::get_if<bool>(&value)) return boolean_value(*flag);
  if (const std::string* text = std::get_if<std::string>(&value)) return text_value(*text);
  return to_value(std::get<std::vector<double>>(value));
}

template <typename T>
Value table_of(const std::map<std::string, T>& values) {
  std::vector<Entry> entries;
  for (const auto& [name, value] : values) entries.push_back({name, {}, to_value(value)});
  return table_value(std::move(entries));
}

std::vector<double> numbers_of(const Value& list) {
  std::vector<double> numbers;
  for (const Value& item : list.items) numbers.push_back(item.number);
  return numbers;
}

ParameterValue parameter_of(const Value& value) {
  switch (value.kind) {
    case Value::Kind::boolean:
      return value.boolean;
    case Value::Kind::text:
      return value.text;
    case Value::Kind::list:
      return numbers_of(value);
    default:
      return value.number;
  }
}

/// The file is written by `to_text` alone: who finds something else in it has a damaged one.
const Value& need(const Value& document, const char* key, Value::Kind kind, const std::string& file) {
  const Entry* entry = document.find(key);
  if (entry == nullptr || entry->value.kind != kind) {
    throw InputError({file, 0, 0}, fmt::format("'{}' is missing, or of another type.", key),
                     "Export the model again.");
  }
  return entry->value;
}

GivenParameters given(const std::map<std::string, ParameterValue>& values) {
  GivenParameters result;
  for (const auto& [name, value] : values) result[name] = {value, {}};
  return result;
}

/// Others would have to be moved and saved by functions of their own types, which the library does not have.
bool has_real_ports(const ExportedModel& model, const Description& description, ProblemList& problems) {
  for (const std::vector<Port>* ports : {&description.inputs, &description.outputs}) {
    for (const Port& port : *ports) {
      if (port.type == PortType::real) continue;
      problems.error({},
                     fmt::format("'{}' cannot be exported: its port '{}' is of type {}.", model.model,
                                 port.name, name_of(port.type)),
                     "Only models whose ports are all real numbers become FMUs.");
      return false;
    }
  }
  return true;
}

/// Start values are for inputs that there are, as many as they have numbers.
bool inputs_fit(const ExportedModel& model, const Description& description, ProblemList& problems) {
  std::vector<std::string> names;
  for (const auto& [name, value] : model.initial) names.push_back(name);
  for (const Port& port : description.inputs) names.push_back(port.name);
  bool fit = true;
  for (const auto& [name, values] : model.inputs) {
    const auto port = std::find_if(description.inputs.begin(), description.inputs.end(),
                                   [&wanted = name](const Port& one) { return one.name == wanted; });
    if (port == description.inputs.end()) {
      problems.error({}, fmt::format("'{}' has no initial value or input '{}'.", model.model, name),
                     did_you_mean(name, names));
    } else if (values.size() != port->size) {
      problems.error({},
                     fmt::format("Input '{}' has {} numbers, but {} start values are given.", name,
                                 port->size, values.size()),
                     "Give one for each.");
    } else {
      continue;
    }
    fit = false;
  }
  return fit;
}

std::map<std::string, ParameterValue> filled(const std::vector<ParameterInfo>& infos,
                                             const GivenParameters& said) {
  std::map<std::string, ParameterValue> values;
  for (const auto& [name, parameter] : said) values.emplace(name, as_native(parameter.value));
  for (const ParameterInfo& info : infos) {
    if (!info.chosen_by_saying) values.emplace(info.name, info.standard);
    const auto value = values.find(info.name);
    // One number for a list is a list of one.
    if (value == values.end() || !std::holds_alternative<std::vector<double>>(info.standard)) continue;
    if (const double* number = std::get_if<double>(&value->second))
      value->second = std::vector<double>{*number};
  }
  return values;
}

}  // namespace

ExportedModel exported_model(const ModelInfo& known, const GivenParameters& parameters,
                             const GivenParameters& initial, const IntegratorOptions& integrator,
                             ProblemList& problems) {
  const auto with_declared = extended(known, parameters);
  const ModelInfo& info = *with_declared;
  ExportedModel model;
  model.model = info.name;
  model.integrator = integrator;
  model.parameters = filled(info.parameters, parameters);
  GivenParameters states;
  for (const auto& [name, said] : initial) {
    const bool is_state =
        std::any_of(info.initial.begin(), info.initial.end(),
                    [&wanted = name](const ParameterInfo& one) { return one.name == wanted; });
    if (is_state) {
      states[name] = said;
    } else if (const ParameterValue value = as_native(said.value); std::holds_alternative<double>(value)) {
      model.inputs[name] = {std::get<double>(value)};
    } else if (const auto* numbers = std::get_if<std::vector<double>>(&value)) {
      model.inputs[name] = *numbers;
    } else {
      problems.error(said.where, fmt::format("The initial value of '{}' is not a number.", name),
                     "Give a number, or a list of them for a vector port.");
    }
  }
  model.initial = filled(info.initial, states);
  return model;
}

std::string to_text(const ExportedModel& model) {
  std::vector<Value> fixed;
  for (const std::string& name : model.fixed) fixed.push_back(text_value(name));
  std::vector<Entry> integrator = {{"method", {}, text_value(model.integrator.method)},
                                   {"rtol", {}, number_value(model.integrator.rtol)},
                                   {"atol", {}, number_value(model.integrator.atol)}};
  if (model.integrator.step_s) integrator.push_back({"step", {}, number_value(*model.integrator.step_s)});
  return "# What this FMU is: read by its library.\n" +
         to_toml(table_value({{"model", {}, text_value(model.model)},
                              {"token", {}, text_value(model.token)},
                              {"fixed", {}, list_value(std::move(fixed))},
                              {"integrator", {}, table_value(std::move(integrator))},
                              {"parameters", {}, table_of(model.parameters)},
                              {"initial", {}, table_of(model.initial)},
                              {"inputs", {}, table_of(model.inputs)}}));
}

std::optional<ExportedModel> read_exported_model(const std::string& text, const std::string& file,
                                                 ProblemList& problems) {
  const auto document = parse_document(text, file, problems);
  if (!document) return std::nullopt;
  using Kind = Value::Kind;
  ExportedModel model;
  try {
    model.model = need(*document, "model", Kind::text, file).text;
    model.token = need(*document, "token", Kind::text, file).text;
    for (const Value& name : need(*document, "fixed", Kind::list, file).items)
      model.fixed.push_back(name.text);
    const Value& integrator = need(*document, "integrator", Kind::table, file);
    model.integrator.method = need(integrator, "method", Kind::text, file).text;
    const auto number = [&](const char* key, double& target) {
      if (const Entry* entry = integrator.find(key)) target = entry->value.number;
    };
    number("rtol", model.integrator.rtol);
    number("atol", model.integrator.atol);
    if (integrator.find("step") != nullptr) number("step", model.integrator.step_s.emplace());
    for (const Entry& entry : need(*document, "parameters", Kind::table, file).entries)
      model.parameters[entry.key] = parameter_of(entry.value);
    for (const Entry& entry : need(*document, "initial", Kind::table, file).entries)
      model.initial[entry.key] = parameter_of(entry.value);
    for (const Entry& entry : need(*document, "inputs", Kind::table, file).entries)
      model.inputs[entry.key] = numbers_of(entry.value);
  } catch (const InputError& error) {
    for (const Problem& p : error.problems().all()) problems.error(p.where, p.what, p.remedy);
    return std::nullopt;
  }
  return model;
}

std::shared_ptr<const ModelInfo> info_of(const ExportedModel& model) {
  const ModelInfo* info = find_model_or_law(model.model);
  return info == nullptr ? nullptr : extended(*info, given(model.parameters));
}

std::unique_ptr<Subsystem> make_exported(const ExportedModel& model, const std::string& base_directory,
                                         ProblemList& problems) {
  const auto info = info_of(model);
  if (info == nullptr) {
    std::vector<std::string> names;
    for (const ModelInfo& one : models()) names.push_back(one.name);
    for (const ElementInfo& one : elements()) names.push_back(one.name);
    problems.error({}, fmt::format("There is no model '{}'.", model.model), did_you_mean(model.model, names));
    return nullptr;
  }
  ModelRequest request{model.model,
                       ParameterSet(info->parameters, given(model.parameters), model.model, problems),
                       ParameterSet(info->initial, given(model.initial), model.model, problems),
                       model.integrator,
                       base_directory,
                       {}};
  if (info->takes_description) {
    const std::string& file = request.parameters.text("description");
    if (file.empty()) {
      problems.error({}, fmt::format("'{}' has no 'description'.", model.model),
                     "Name the file of its machine: --set description=crane.toml (docs/machines.md).");
      return nullptr;
    }
    request.machine = load_machine((std::filesystem::path(base_directory) / file).string(), {}, problems);
  }
  auto made = problems.has_errors() ? nullptr : info->make(request, problems);
  if (!made) return nullptr;
  const Description description = made->describe();
  return has_real_ports(model, description, problems) && inputs_fit(model, description, problems)
             ? std::move(made)
             : nullptr;
}

}  // namespace ergon
