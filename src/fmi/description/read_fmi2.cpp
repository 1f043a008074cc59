#include <fmt/format.h>

#include "ergon/fmi/description/attributes.hpp"

namespace ergon::fmi {
namespace {

std::optional<VariableType> fmi2_type_named(std::string_view name) {
  if (name == "Real") return VariableType::float64;
  if (name == "Integer") return VariableType::int32;
  if (name == "Boolean") return VariableType::boolean;
  if (name == "String") return VariableType::text;
  if (name == "Enumeration") return VariableType::enumeration;
  return std::nullopt;
}

void read_fmi2_types(const Attributes& a, const pugi::xml_node& definitions, ModelDescription& model) {
  for (const pugi::xml_node& node : definitions.children("SimpleType")) {
    TypeInfo type;
    type.name = a.required(node, "name");
    for (const pugi::xml_node& child : node.children()) {
      if (const auto kind = fmi2_type_named(child.name())) {
        type.type = *kind;
        read_type(a, child, type);
      }
    }
    model.types.push_back(std::move(type));
  }
}

void read_variable(const Attributes& a, const pugi::xml_node& node, ModelDescription& model,
                   std::vector<std::pair<std::size_t, std::uint64_t>>& derivatives) {
  Variable v;
  read_name(a, node, v);
  pugi::xml_node typed;
  for (const pugi::xml_node& child : node.children()) {
    if (const auto type = fmi2_type_named(child.name())) {
      v.type = *type;
      typed = child;
    }
  }
  if (!typed) {
    a.error(node, fmt::format("The variable '{}' has no type.", v.name), "Have the FMU exported again.");
    return;
  }
  read_causality(a, node, FmiVersion::fmi2, v);
  v.declared_type = a.text(typed, "declaredType");
  v.display_unit = a.text(typed, "displayUnit");
  read_limits(a, typed, v);
  if (const pugi::xml_attribute start = typed.attribute("start")) {
    v.has_start = true;
    if (v.type == VariableType::text) {
      v.start_texts = {start.value()};
    } else if (const auto value = a.number(typed, "start")) {
      v.start = {*value};
    } else {
      v.has_start = false;
    }
  }
  for (const pugi::xml_node& tool : node.child("Annotations").children("Tool"))
    v.optional = v.optional || (a.text(tool, "name") == optional_tool && tool.child(optional_mark));
  if (const auto of = a.count(typed, "derivative")) derivatives.emplace_back(model.variables.size(), *of);
  model.variables.push_back(std::move(v));
}

void read_unknowns(const Attributes& a, const pugi::xml_node& list, const ModelDescription& model,
                   std::vector<Unknown>& unknowns) {
  const std::size_t count = model.variables.size();
  for (const pugi::xml_node& node : list.children("Unknown")) {
    const auto index = a.count(node, "index");
    if (!index || *index < 1 || *index > count) {
      a.warning(node, fmt::format("There is no variable {} for this unknown; it is ignored.",
                                  a.text(node, "index")));
      continue;
    }
    Unknown unknown;
    unknown.variable = static_cast<std::size_t>(*index - 1);
    if (node.attribute("dependencies")) {
      unknown.dependencies.emplace();
      for (const std::uint64_t dependency : a.list<std::uint64_t>(node, "dependencies")) {
        if (dependency < 1 || dependency > count) {
          a.warning(node,
                    fmt::format("'{}' depends on variable {}, which is not there: everything is assumed.",
                                model.variables[unknown.variable].name, dependency));
          unknown.dependencies.reset();
          break;
        }
        unknown.dependencies->push_back(static_cast<std::size_t>(dependency - 1));
      }
    }
    unknown.kinds = words_of(a.text(node, "dependenciesKind"));
    unknowns.push_back(std::move(unknown));
  }
}

void read_fmi2_interface(const Attributes& a, const pugi::xml_node& node, FmuInterface& in) {
  in.model_identifier = a.required(node, "modelIdentifier");
  in.needs_execution_tool = a.flag(node, "needsExecutionTool");
  in.once_per_process = a.flag(node, "canBeInstantiatedOnlyOncePerProcess");
  in.can_serialize_state = a.flag(node, "canSerializeFMUstate");
  in.can_save_state = a.flag(node, "canGetAndSetFMUstate") || in.can_serialize_state;
  in.directional_derivatives = a.flag(node, "providesDirectionalDerivative");
}

}  // namespace

void read_fmi2(const Attributes& a, const pugi::xml_node& root, ModelDescription& model) {
  model.token = a.required(root, "guid");
  if (const pugi::xml_node node = root.child("ModelExchange")) {
    model.has_model_exchange = true;
    ModelExchange& me = model.model_exchange.emplace();
    read_fmi2_interface(a, node, me);
    me.needs_completed_step = !a.flag(node, "completedIntegratorStepNotNeeded");
  }
  model.indicator_count = a.count(root, "numberOfEventIndicators").value_or(0);
  if (const pugi::xml_node node = root.child("CoSimulation")) {
    CoSimulation& cs = model.co_simulation.emplace();
    read_fmi2_interface(a, node, cs);
    cs.variable_step = a.flag(node, "canHandleVariableCommunicationStepSize");
    cs.interpolates_inputs = a.flag(node, "canInterpolateInputs");
    cs.output_derivative_order = static_cast<unsigned>(a.count(node, "maxOutputDerivativeOrder").value_or(0));
  }
  read_units(a, root.child("UnitDefinitions"), model.units);
  read_fmi2_types(a, root.child("TypeDefinitions"), model);
  for (const pugi::xml_node& node : root.child("LogCategories").children("Category"))
    model.log_categories.push_back(a.text(node, "name"));
  read_experiment(a, root.child("DefaultExperiment"), model.experiment);
  std::vector<std::pair<std::size_t, std::uint64_t>> derivatives;
  for (const pugi::xml_node& node : root.child("ModelVariables").children("ScalarVariable"))
    read_variable(a, node, model, derivatives);
  for (const auto& [variable, of] : derivatives) {
    if (of >= 1 && of <= model.variables.size())
      model.variables[variable].derivative_of = static_cast<std::size_t>(of - 1);
  }
  const pugi::xml_node structure = root.child("ModelStructure");
  read_unknowns(a, structure.child("Outputs"), model, model.outputs);
  read_unknowns(a, structure.child("Derivatives"), model, model.derivatives);
  model.has_initial_unknowns = static_cast<bool>(structure.child("InitialUnknowns"));
  read_unknowns(a, structure.child("InitialUnknowns"), model, model.initial_unknowns);
}

}  // namespace ergon::fmi
