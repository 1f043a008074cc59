#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ergon/fmi/declarations/fmi1.hpp"
#include "ergon/fmi/description/attributes.hpp"

namespace ergon::fmi {
namespace {

std::optional<VariableType> fmi1_type_named(std::string_view name) {
  if (name == "Real" || name == "RealType") return VariableType::float64;
  if (name == "Integer" || name == "IntegerType") return VariableType::int32;
  if (name == "Boolean" || name == "BooleanType") return VariableType::boolean;
  if (name == "String" || name == "StringType") return VariableType::text;
  if (name == "Enumeration" || name == "EnumerationType") return VariableType::enumeration;
  return std::nullopt;
}

void read_fmi1_types(const Attributes& a, const pugi::xml_node& definitions, ModelDescription& model) {
  for (const pugi::xml_node& node : definitions.children("Type")) {
    TypeInfo type;
    type.name = a.required(node, "name");
    for (const pugi::xml_node& child : node.children()) {
      const auto kind = fmi1_type_named(child.name());
      if (!kind) continue;
      type.type = *kind;
      read_limits(a, child, type);
      // Items have no values of their own: they are numbered from 1.
      for (const pugi::xml_node& item : child.children("Item"))
        type.items.push_back({a.required(item, "name"), static_cast<std::int64_t>(type.items.size()) + 1});
    }
    model.types.push_back(std::move(type));
  }
}

/// Parameters are a variability in FMI 1.0, whatever their causality: some exporters call them inputs.
void read_fmi1_causality(const Attributes& a, const pugi::xml_node& node, Variable& v) {
  const int causality = a.choice(node, "causality", {"input", "output", "internal", "none"}).value_or(2);
  const int variability =
      a.choice(node, "variability", {"constant", "parameter", "discrete", "continuous"}).value_or(3);
  constexpr Variability variabilities[] = {Variability::constant, Variability::fixed, Variability::discrete,
                                           Variability::continuous};
  v.variability = variabilities[variability];
  if (v.variability == Variability::continuous && !is_float(v.type)) v.variability = Variability::discrete;
  v.causality = causality == 0 ? Causality::input : causality == 1 ? Causality::output : Causality::local;
  if (v.variability == Variability::fixed && v.causality != Causality::output)
    v.causality = v.negated ? Causality::local : Causality::parameter;
  if (v.variability == Variability::constant && v.causality == Causality::input)
    v.causality = Causality::local;
  if (v.causality == Causality::parameter) v.initial = Initial::exact;
}

void read_fmi1_start(const Attributes& a, const pugi::xml_node& typed, Variable& v) {
  const pugi::xml_attribute start = typed.attribute("start");
  if (!start) return;
  if (v.type == VariableType::text) {
    v.start_texts = {start.value()};
    v.has_start = true;
  } else if (const auto value = a.number(typed, "start")) {
    v.start = {*value};
    v.has_start = true;
  }
  // A start value of a variable that is calculated holds at the start, or is a guess.
  if (v.has_start && v.initial == Initial::none && v.causality != Causality::input)
    v.initial = typed.attribute("fixed").as_bool(true) ? Initial::exact : Initial::approx;
}

/// Where it says nothing, an output may depend on all inputs; an empty list means on none.
std::optional<std::vector<std::string>> direct_dependencies(const pugi::xml_node& node) {
  const pugi::xml_node list = node.child("DirectDependency");
  if (!list) return std::nullopt;
  std::vector<std::string> names;
  for (const pugi::xml_node& name : list.children("Name")) names.emplace_back(name.text().get());
  return names;
}

void read_fmi1_variables(const Attributes& a, const pugi::xml_node& list, ModelDescription& model) {
  std::map<std::size_t, std::optional<std::vector<std::string>>> dependencies;
  std::map<std::string, std::size_t> by_name;
  for (const pugi::xml_node& node : list.children("ScalarVariable")) {
    if (std::string_view(node.attribute("causality").value()) == "none") continue;  // for the exporter alone
    Variable v;
    read_name(a, node, v);
    if (v.reference == fmi1UndefinedValueReference) continue;
    pugi::xml_node typed;
    for (const pugi::xml_node& child : node.children()) {
      if (const auto type = fmi1_type_named(child.name())) {
        v.type = *type;
        typed = child;
      }
    }
    if (!typed) {
      a.error(node, fmt::format("The variable '{}' has no type.", v.name), "Have the FMU exported again.");
      continue;
    }
    v.negated = a.choice(node, "alias", {"noAlias", "alias", "negatedAlias"}).value_or(0) == 2 &&
                (v.type == VariableType::float64 || v.type == VariableType::int32);
    read_fmi1_causality(a, node, v);
    v.declared_type = a.text(typed, "declaredType");
    v.display_unit = a.text(typed, "displayUnit");
    read_limits(a, typed, v);
    read_fmi1_start(a, typed, v);
    by_name.emplace(v.name, model.variables.size());
    if (v.causality == Causality::output) dependencies[model.variables.size()] = direct_dependencies(node);
    model.variables.push_back(std::move(v));
  }
  for (const auto& [variable, names] : dependencies) {
    Unknown unknown;
    unknown.variable = variable;
    if (names) {
      unknown.dependencies.emplace();
      for (const std::string& name : *names) {
        const auto found = by_name.find(name);
        if (found != by_name.end()) unknown.dependencies->push_back(found->second);
      }
    }
    model.outputs.push_back(std::move(unknown));
  }
}

}  // namespace

void read_fmi1(const Attributes& a, const pugi::xml_node& root, ModelDescription& model) {
  model.token = a.required(root, "guid");
  const std::string identifier = a.required(root, "modelIdentifier");
  const pugi::xml_node implementation = root.child("Implementation");
  model.has_model_exchange = !implementation;
  pugi::xml_node offered = implementation.child("CoSimulation_StandAlone");
  const pugi::xml_node tool = implementation.child("CoSimulation_Tool");
  if (!offered) offered = tool;
  if (offered) {
    const pugi::xml_node node = offered.child("Capabilities");
    CoSimulation& cs = model.co_simulation.emplace();
    cs.model_identifier = identifier;
    cs.needs_execution_tool = static_cast<bool>(tool);
    cs.once_per_process = a.flag(node, "canBeInstantiatedOnlyOncePerProcess");
    cs.variable_step = a.flag(node, "canHandleVariableCommunicationStepSize");
    cs.interpolates_inputs = a.flag(node, "canInterpolateInputs");
    cs.output_derivative_order = static_cast<unsigned>(a.count(node, "maxOutputDerivativeOrder").value_or(0));
  }
  // Base units are names without exponents: they can be compared, and are converted where Ergon knows them.
  for (const pugi::xml_node& node : root.child("UnitDefinitions").children("BaseUnit")) {
    UnitInfo unit;
    unit.name = a.required(node, "unit");
    model.units.push_back(std::move(unit));
  }
  read_fmi1_types(a, root.child("TypeDefinitions"), model);
  read_experiment(a, root.child("DefaultExperiment"), model.experiment);
  read_fmi1_variables(a, root.child("ModelVariables"), model);
}

}  // namespace ergon::fmi
