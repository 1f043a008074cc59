#include "ergon/export/model_description.hpp"

#include <fmt/format.h>

#include <pugixml.hpp>
#include <set>
#include <sstream>

#include "ergon/fmi/description/model_description.hpp"

namespace ergon {
namespace {

using Role = ExportedVariable::Role;
using Type = ExportedVariable::Type;
using pugi::xml_node;

void say(xml_node node, const char* key, const std::string& value) {
  node.append_attribute(key) = value.c_str();
}
void say_true(xml_node node, const char* key, bool value = true) {
  if (value) node.append_attribute(key) = "true";
}
void say_number(xml_node node, const char* key, double value) {
  say(node, key, fmt::format("{}", value));  // the shortest text that reads back as the same number
}

std::string type_name(const ExportedVariable& variable) {
  return "Types." + variable.name;  // the standard wants names that no variable has
}

/// Exponents of SI units; angles, which carry no dimension with us, are a base unit of FMI.
void add_unit(xml_node list, const Unit& unit) {
  xml_node node = list.append_child("Unit");
  say(node, "name", unit.text);
  xml_node base = node.append_child("BaseUnit");
  static constexpr const char* names[Unit::base_units] = {"m", "kg", "s", "A", "K", "mol", "cd"};
  static constexpr std::size_t order[Unit::base_units] = {1, 0, 2, 3, 4, 5, 6};
  for (const std::size_t i : order) {
    if (unit.exponents[i] != 0) say(base, names[i], std::to_string(unit.exponents[i]));
  }
  if (unit.names_angle) {
    const bool below =
        unit.text.find("/rad") != std::string::npos || unit.text.find("/deg") != std::string::npos;
    say(base, "rad", below ? "-1" : "1");
  }
  if (unit.factor != 1.0) say_number(base, "factor", unit.factor);
  if (unit.offset != 0.0) say_number(base, "offset", unit.offset);
}

void add_units(xml_node root, const std::vector<ExportedVariable>& variables) {
  std::set<std::string> written;
  xml_node list = root.append_child("UnitDefinitions");
  for (const ExportedVariable& variable : variables) {
    if (!variable.unit.is_unspecified() && written.insert(variable.unit.text).second)
      add_unit(list, variable.unit);
  }
}

void add_types(xml_node root, const std::vector<ExportedVariable>& variables, bool three) {
  xml_node list;
  for (const ExportedVariable& variable : variables) {
    if (variable.type != Type::enumeration) continue;
    if (!list) list = root.append_child("TypeDefinitions");
    xml_node type = list.append_child(three ? "EnumerationType" : "SimpleType");
    say(type, "name", type_name(variable));
    if (!three) type = type.append_child("Enumeration");
    for (std::size_t i = 0; i < variable.choices.size(); ++i) {
      xml_node item = type.append_child("Item");
      say(item, "name", variable.choices[i]);
      say(item, "value", std::to_string(i + 1));
    }
  }
}

const char* causality(Role role) {
  switch (role) {
    case Role::time:
      return "independent";
    case Role::input:
      return "input";
    case Role::output:
    case Role::energy:
      return "output";
    case Role::parameter:
      return "parameter";
    case Role::account:
      return "local";
  }
  return "";
}

void say_start(xml_node node, const ExportedVariable& variable) {
  if (variable.start.empty()) return;
  if (variable.type == Type::boolean) return say(node, "start", variable.start[0] != 0.0 ? "true" : "false");
  std::string text;
  for (const double number : variable.start) text += fmt::format("{}{}", text.empty() ? "" : " ", number);
  say(node, "start", text);
}

void say_kind(xml_node node, const ExportedVariable& variable) {
  if (variable.type == Type::enumeration) say(node, "declaredType", type_name(variable));
  if (variable.type == Type::real) {
    if (!variable.unit.is_unspecified()) say(node, "unit", variable.unit.text);
    if (variable.minimum) say_number(node, "min", *variable.minimum);
  }
  say_start(node, variable);
}

void add_variable_2(xml_node list, const ExportedVariable& variable, std::size_t reference) {
  xml_node node = list.append_child("ScalarVariable");
  say(node, "name", variable.name);
  say(node, "valueReference", std::to_string(reference));
  if (!variable.description.empty()) say(node, "description", variable.description);
  say(node, "causality", causality(variable.role));
  const bool parameter = variable.role == Role::parameter;
  say(node, "variability", parameter ? "fixed" : "continuous");
  if (parameter) say(node, "initial", "exact");
  if (variable.role == Role::output || variable.role == Role::energy || variable.role == Role::account)
    say(node, "initial", "calculated");
  static constexpr const char* names[] = {"Real", "Boolean", "Enumeration"};
  say_kind(node.append_child(names[static_cast<std::size_t>(variable.type)]), variable);
  if (!variable.optional) return;
  xml_node tool = node.append_child("Annotations").append_child("Tool");
  say(tool, "name", fmi::optional_tool);
  tool.append_child(fmi::optional_mark);
}

/// An integrator that looks at its inputs only at the start of a step needs no others.
bool asks_within_steps(const DescribedFmu& described) {
  return described.description.samples_input == InputSampling::continuous &&
         !described.description.inputs.empty();
}

void add_variable_3(xml_node list, const ExportedVariable& variable, std::size_t reference,
                    bool intermediate) {
  static constexpr const char* names[] = {"Float64", "Boolean", "Enumeration"};
  xml_node node = list.append_child(names[static_cast<std::size_t>(variable.type)]);
  say(node, "name", variable.name);
  say(node, "valueReference", std::to_string(reference));
  if (!variable.description.empty()) say(node, "description", variable.description);
  say(node, "causality", causality(variable.role));
  say(node, "variability", variable.role == Role::parameter ? "fixed" : "continuous");
  say_true(node, "intermediateUpdate", intermediate && variable.role == Role::input);
  say_kind(node, variable);
  if (variable.optional)
    say(node.append_child("Annotations").append_child("Annotation"), "type", fmi::optional_annotation);
  if (variable.is_array) say(node.append_child("Dimension"), "start", std::to_string(variable.size));
}

/// Value references (FMI 3) or places counted from one (FMI 2) of the inputs that an output follows at once.
std::string dependencies(const ExportedVariable& output, const DescribedFmu& described) {
  const auto& variables = described.fmu.variables;
  const std::size_t base = described.request.version == ExportFormat::fmi2 ? 1 : 0;
  std::string text;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (variables[i].role != Role::input) continue;
    // What is dissipated or supplied is a sum over the past.
    bool follows =
        output.role == Role::energy && output.name == "energy.stored" && described.stores[variables[i].port];
    for (const FeedthroughPair& pair : described.description.feedthrough)
      follows = follows || (output.role == Role::output && pair.output == output.port &&
                            pair.input == variables[i].port);
    if (follows) text += fmt::format("{}{}", text.empty() ? "" : " ", i + base);
  }
  return text;
}

void add_structure(xml_node root, const DescribedFmu& described) {
  const bool two = described.request.version == ExportFormat::fmi2;
  xml_node structure = root.append_child("ModelStructure");
  const auto& variables = described.fmu.variables;
  std::vector<std::size_t> outputs;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (variables[i].role == Role::output || variables[i].role == Role::energy) outputs.push_back(i);
  }
  if (outputs.empty()) return;
  const auto add = [&](xml_node list, const char* element, std::size_t i) {
    xml_node node = list.append_child(element);
    say(node, two ? "index" : "valueReference", std::to_string(two ? i + 1 : i));
    return node;
  };
  xml_node list = two ? structure.append_child("Outputs") : structure;
  for (const std::size_t i : outputs)
    say(add(list, two ? "Unknown" : "Output", i), "dependencies", dependencies(variables[i], described));
  // At the start outputs follow from initial values and parameters, too: without a list they depend on all that is known.
  list = two ? structure.append_child("InitialUnknowns") : structure;
  for (const std::size_t i : outputs) add(list, two ? "Unknown" : "InitialUnknown", i);
}

void add_capabilities(xml_node root, const DescribedFmu& described) {
  const bool two = described.request.version == ExportFormat::fmi2;
  xml_node node = root.append_child("CoSimulation");
  say(node, "modelIdentifier", described.fmu.identifier);
  say_true(node, "canHandleVariableCommunicationStepSize");
  say_true(node, two ? "canGetAndSetFMUstate" : "canGetAndSetFMUState", described.saves_state);
  say_true(node, two ? "canSerializeFMUstate" : "canSerializeFMUState", described.serializes_state);
  say_true(node, two ? "providesDirectionalDerivative" : "providesDirectionalDerivatives",
           described.has_derivatives);
  if (two) {
    say_true(node, "canInterpolateInputs", asks_within_steps(described));
    say_true(node, "canNotUseMemoryManagementFunctions");
  } else {
    say_true(node, "providesAdjointDerivatives", described.has_derivatives);
    say_true(node, "hasEventMode");
    say_true(node, "providesIntermediateUpdate", asks_within_steps(described));
  }
}

void add_experiment(xml_node root, const FmuExport& request) {
  if (!request.stop_time_s && !request.step_size_s) return;
  xml_node node = root.append_child("DefaultExperiment");
  say(node, "startTime", "0");
  if (request.stop_time_s) say_number(node, "stopTime", *request.stop_time_s);
  if (request.step_size_s) say_number(node, "stepSize", *request.step_size_s);
}

}  // namespace

std::string model_description(const DescribedFmu& described) {
  const bool three = described.request.version == ExportFormat::fmi3;
  pugi::xml_document document;
  xml_node declaration = document.append_child(pugi::node_declaration);
  say(declaration, "version", "1.0");
  say(declaration, "encoding", "UTF-8");
  xml_node root = document.append_child("fmiModelDescription");
  say(root, "fmiVersion", three ? "3.0" : "2.0");
  say(root, "modelName", described.name);
  say(root, three ? "instantiationToken" : "guid", described.request.model.token);
  say(root, "description", described.summary);
  if (!described.request.generator.empty()) say(root, "generationTool", described.request.generator);
  say(root, "variableNamingConvention", "structured");
  add_capabilities(root, described);
  add_units(root, described.fmu.variables);
  add_types(root, described.fmu.variables, three);
  xml_node categories = root.append_child("LogCategories");
  for (const char* name : {"logStatusError", "logStatusDiscard"})
    say(categories.append_child("Category"), "name", name);
  add_experiment(root, described.request);
  xml_node variables = root.append_child("ModelVariables");
  for (std::size_t i = 0; i < described.fmu.variables.size(); ++i) {
    const ExportedVariable& variable = described.fmu.variables[i];
    if (three) {
      add_variable_3(variables, variable, i, asks_within_steps(described));
    } else {
      add_variable_2(variables, variable, i);
    }
  }
  add_structure(root, described);
  std::ostringstream text;
  document.save(text, "  ");
  return text.str();
}

}  // namespace ergon
