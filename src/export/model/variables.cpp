#include "ergon/export/model/variables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace ergon {
namespace {

using Role = ExportedVariable::Role;
using Type = ExportedVariable::Type;

/// Grows the list, and knows how far each row is filled.
class List {
 public:
  explicit List(ExportFormat version) : arrays_(version == ExportFormat::fmi3) {}

  /// `prototype` with its `size` numbers: one variable, or one per number.
  void add(ExportedVariable prototype, bool is_vector) {
    std::size_t& filled = filled_[static_cast<std::size_t>(prototype.role)];
    const std::size_t size = prototype.size;
    if (!is_vector || arrays_) {
      prototype.is_array = is_vector;
      prototype.first = filled;
      all_.push_back(std::move(prototype));
    } else {
      // Copies would keep room for the whole row each, which is quadratic in a long one.
      const std::vector<double> start = std::exchange(prototype.start, {});
      for (std::size_t i = 0; i < size; ++i) {
        ExportedVariable one = prototype;
        one.name = fmt::format("{}[{}]", prototype.name, i);
        one.size = 1;
        one.first = filled + i;
        one.element = i;
        if (!start.empty()) one.start = {start[i]};
        all_.push_back(std::move(one));
      }
    }
    filled += size;
  }
  std::vector<ExportedVariable> take() { return std::move(all_); }

 private:
  bool arrays_;
  std::vector<ExportedVariable> all_;
  std::size_t filled_[6] = {};
};

ExportedVariable named(std::string name, Role role, Unit unit, std::string description) {
  ExportedVariable variable;
  variable.name = std::move(name);
  variable.role = role;
  variable.unit = std::move(unit);
  variable.description = std::move(description);
  return variable;
}

void add_ports(const std::vector<Port>& ports, Role role, const ExportedModel& model, List& list) {
  for (std::size_t p = 0; p < ports.size(); ++p) {
    const Port& port = ports[p];
    ExportedVariable variable = named(port.name, role, port.unit, port.description);
    variable.port = p;
    variable.size = port.size;
    variable.optional = role == Role::input && port.optional;
    if (role == Role::input) {
      for (std::size_t i = 0; i < port.size; ++i) variable.start.push_back(port.start_of(i));
      const auto said = model.inputs.find(port.name);
      if (said != model.inputs.end() && said->second.size() == port.size) variable.start = said->second;
    }
    list.add(std::move(variable), port.size > 1);
  }
}

void add_parameters(const std::vector<ParameterInfo>& infos,
                    const std::map<std::string, ParameterValue>& values, bool is_initial,
                    const ExportedModel& model, const Description& description, List& list) {
  const auto is_port = [&](const std::string& name) {
    const auto has = [&](const Port& port) { return port.name == name; };
    return std::any_of(description.inputs.begin(), description.inputs.end(), has) ||
           std::any_of(description.outputs.begin(), description.outputs.end(), has);
  };
  for (const ParameterInfo& info : infos) {
    const auto value = values.find(info.name);
    const std::string name = (is_initial ? "initial." : is_port(info.name) ? "parameter." : "") + info.name;
    if (value == values.end() || std::find(model.fixed.begin(), model.fixed.end(), name) != model.fixed.end())
      continue;
    ExportedVariable variable =
        named(name, Role::parameter, Unit::parse(info.unit).value_or(Unit{}), info.help);
    variable.key = info.name;
    variable.is_initial = is_initial;
    variable.minimum = info.minimum;
    if (const double* number = std::get_if<double>(&value->second)) {
      variable.start = {*number};
    } else if (const bool* flag = std::get_if<bool>(&value->second)) {
      variable.type = Type::boolean;
      variable.start = {*flag ? 1.0 : 0.0};
    } else if (const auto* numbers = std::get_if<std::vector<double>>(&value->second)) {
      if (numbers->empty()) continue;
      variable.start = *numbers;
      variable.size = numbers->size();
    } else {
      const auto choice =
          std::find(info.choices.begin(), info.choices.end(), std::get<std::string>(value->second));
      if (choice == info.choices.end()) continue;  // a free text belongs to what was exported
      variable.type = Type::enumeration;
      variable.choices = info.choices;
      variable.start = {static_cast<double>(choice - info.choices.begin() + 1)};
    }
    const bool is_vector = std::holds_alternative<std::vector<double>>(value->second);
    list.add(std::move(variable), is_vector);
  }
}

}  // namespace

std::vector<ExportedVariable> exported_variables(const ExportedModel& model, const Description& description,
                                                 bool keeps_account, ExportFormat version) {
  List list(version);
  list.add(named("time", Role::time, Unit::of("s"), "simulation time"), false);
  add_ports(description.inputs, Role::input, model, list);
  add_ports(description.outputs, Role::output, model, list);
  if (keeps_account) {
    list.add(
        named("energy.stored", Role::energy, Unit::of("J"), "energy stored, with the inputs as they are set"),
        false);
    list.add(named("energy.dissipated", Role::energy, Unit::of("J"),
                   "energy taken out by dampers, friction and outlets since the start"),
             false);
    list.add(named("energy.supplied", Role::energy, Unit::of("J"),
                   "energy brought in by sources inside, such as a pump, since the start"),
             false);
  }
  if (const auto info = info_of(model)) {
    add_parameters(info->parameters, model.parameters, false, model, description, list);
    add_parameters(info->initial, model.initial, true, model, description, list);
  }
  // Last, so that all others have the value references that they had without these.
  if (keeps_account) {
    for (const Port& port : description.inputs) {
      ExportedVariable variable =
          named("energy.received." + port.name, Role::account, Unit::of("J"),
                fmt::format("energy received through '{}' since the start", port.name));
      variable.size = port.size;
      list.add(std::move(variable), port.size > 1);
    }
    list.add(named("energy.synchronised", Role::account, Unit::of("J"),
                   "energy stored, with positions and velocities of one instant"),
             false);
    list.add(named("energy.kinetic", Role::account, Unit::of("J"), "the kinetic part of energy.synchronised"),
             false);
  }
  return list.take();
}

std::vector<double> parameter_row(const std::vector<ExportedVariable>& variables) {
  std::vector<double> row;
  for (const ExportedVariable& variable : variables) {
    if (variable.role == Role::parameter) row.insert(row.end(), variable.start.begin(), variable.start.end());
  }
  return row;
}

std::string set_parameters(const std::vector<ExportedVariable>& variables, const std::vector<double>& row,
                           ExportedModel& model) {
  for (const ExportedVariable& variable : variables) {
    if (variable.role != Role::parameter) continue;
    ParameterValue& value = (variable.is_initial ? model.initial : model.parameters)[variable.key];
    const double number = row[variable.first];
    switch (variable.type) {
      case Type::boolean:
        value = number != 0.0;
        break;
      case Type::enumeration: {
        if (!(number >= 1.0 && number <= static_cast<double>(variable.choices.size())))
          return fmt::format("'{}' cannot be {}: its values are 1 to {}", variable.name, number,
                             variable.choices.size());
        value = variable.choices[static_cast<std::size_t>(number) - 1];
        break;
      }
      case Type::real:
        if (auto* list = std::get_if<std::vector<double>>(&value)) {
          std::copy_n(row.begin() + static_cast<std::ptrdiff_t>(variable.first), variable.size,
                      list->begin() + static_cast<std::ptrdiff_t>(variable.element));
        } else {
          value = number;
        }
    }
  }
  return {};
}

}  // namespace ergon
