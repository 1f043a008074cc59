#include <fmt/format.h>

#include <unordered_map>

#include "ergon/fmi/description/attributes.hpp"

namespace ergon::fmi {
namespace {

std::optional<VariableType> fmi3_type_named(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(VariableType::clock); ++i) {
    if (name == name_of(static_cast<VariableType>(i))) return static_cast<VariableType>(i);
  }
  return std::nullopt;
}

void read_fmi3_types(const Attributes& a, const pugi::xml_node& definitions, ModelDescription& model) {
  for (const pugi::xml_node& node : definitions.children()) {
    std::string_view kind = node.name();
    if (!kind.ends_with("Type")) continue;
    kind.remove_suffix(4);
    const auto type_kind = fmi3_type_named(kind);
    if (!type_kind) continue;
    TypeInfo type;
    type.name = a.required(node, "name");
    type.type = *type_kind;
    read_type(a, node, type);
    model.types.push_back(std::move(type));
  }
}

std::optional<std::string> from_hex(std::string_view text) {
  std::string bytes;
  int high = -1;
  for (const char c : text) {
    if (std::isspace(static_cast<unsigned char>(c)) != 0) continue;
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return std::nullopt;
    if (high < 0) {
      high = digit;
    } else {
      bytes += static_cast<char>(high * 16 + digit);
      high = -1;
    }
  }
  if (high >= 0) return std::nullopt;
  return bytes;
}

void read_start(const Attributes& a, const pugi::xml_node& node, Variable& v) {
  if (v.type == VariableType::text || v.type == VariableType::binary) {
    for (const pugi::xml_node& start : node.children("Start")) {
      v.has_start = true;
      if (v.type == VariableType::text) {
        v.start_texts.push_back(a.text(start, "value"));
      } else if (auto bytes = from_hex(a.text(start, "value"))) {
        v.start_texts.push_back(std::move(*bytes));
      } else {
        a.error(start, fmt::format("The start value of '{}' is not hexadecimal.", v.name),
                "Have the FMU exported again.");
      }
    }
  } else if (node.attribute("start")) {
    v.start = a.list<double>(node, "start");
    v.has_start = !v.start.empty();
    if (v.type == VariableType::int64)
      v.start_integers = a.list<std::int64_t>(node, "start");
    else if (v.type == VariableType::uint64)
      for (const std::uint64_t start : a.list<std::uint64_t>(node, "start"))
        v.start_integers.push_back(static_cast<std::int64_t>(start));
  }
}

void read_clock(const Attributes& a, const pugi::xml_node& node, Variable& v) {
  ClockInfo& clock = v.clock.emplace();
  const pugi::xml_node type = [&] {
    for (const pugi::xml_node& candidate :
         node.root().child("fmiModelDescription").child("TypeDefinitions").children())
      if (!v.declared_type.empty() && v.declared_type == candidate.attribute("name").value())
        return candidate;
    return pugi::xml_node{};
  }();
  const pugi::xml_node source = node.attribute("intervalVariability") ? node : type;
  const auto interval = a.choice(source, "intervalVariability",
                                 {"constant", "fixed", "tunable", "changing", "countdown", "triggered"});
  clock.interval = interval ? static_cast<ClockInterval>(*interval) : ClockInterval::triggered;
  clock.interval_s = a.number(source, "intervalDecimal");
  clock.shift_s = a.number(source, "shiftDecimal").value_or(0.0);
  const auto resolution = a.count(source, "resolution");
  const auto counter = a.count(source, "intervalCounter");
  if (!clock.interval_s && resolution && counter && *resolution > 0) {
    clock.interval_s = static_cast<double>(*counter) / static_cast<double>(*resolution);
    clock.shift_s =
        static_cast<double>(a.count(source, "shiftCounter").value_or(0)) / static_cast<double>(*resolution);
  }
}

void read_variable(const Attributes& a, const pugi::xml_node& node, VariableType type,
                   ModelDescription& model, std::vector<std::pair<std::size_t, std::uint32_t>>& derivatives) {
  Variable v;
  v.type = type;
  read_name(a, node, v);
  v.intermediate_update = a.flag(node, "intermediateUpdate");
  read_causality(a, node, FmiVersion::fmi3, v);
  v.declared_type = a.text(node, "declaredType");
  v.display_unit = a.text(node, "displayUnit");
  read_limits(a, node, v);
  read_start(a, node, v);
  for (const pugi::xml_node& dimension : node.children("Dimension")) {
    Dimension d;
    if (const auto start = a.count(dimension, "start")) d.start = *start;
    if (const auto reference = a.count(dimension, "valueReference"))
      d.reference = static_cast<std::uint32_t>(*reference);
    v.dimensions.push_back(d);
  }
  v.clocks = a.list<std::uint32_t>(node, "clocks");
  for (const pugi::xml_node& alias : node.children("Alias")) v.aliases.push_back(a.text(alias, "name"));
  for (const pugi::xml_node& annotation : node.child("Annotations").children("Annotation"))
    v.optional = v.optional || a.text(annotation, "type") == optional_annotation;
  if (type == VariableType::clock) read_clock(a, node, v);
  if (const auto of = a.count(node, "derivative"))
    derivatives.emplace_back(model.variables.size(), static_cast<std::uint32_t>(*of));
  model.variables.push_back(std::move(v));
}

class StructureReader {
 public:
  StructureReader(const Attributes& a, const ModelDescription& model) : a_(a), model_(model) {
    for (std::size_t i = 0; i < model.variables.size(); ++i) index_.emplace(model.variables[i].reference, i);
  }
  [[nodiscard]] std::optional<std::size_t> find(std::uint64_t reference) const {
    const auto found = index_.find(static_cast<std::uint32_t>(reference));
    return found == index_.end() ? std::nullopt : std::optional(found->second);
  }
  void read(const pugi::xml_node& structure, const char* element, std::vector<Unknown>& unknowns) const {
    for (const pugi::xml_node& node : structure.children(element)) {
      const auto reference = a_.count(node, "valueReference");
      const auto variable = reference ? find(*reference) : std::nullopt;
      if (!variable) {
        a_.warning(node, fmt::format("There is no variable with the reference {}; this entry is ignored.",
                                     a_.text(node, "valueReference")));
        continue;
      }
      Unknown unknown;
      unknown.variable = *variable;
      if (node.attribute("dependencies")) {
        unknown.dependencies.emplace();
        for (const std::uint32_t dependency : a_.list<std::uint32_t>(node, "dependencies")) {
          const auto index = find(dependency);
          if (!index) {
            a_.warning(node,
                       fmt::format("'{}' depends on reference {}, which is not there: everything is assumed.",
                                   model_.variables[*variable].name, dependency));
            unknown.dependencies.reset();
            break;
          }
          unknown.dependencies->push_back(*index);
        }
      }
      unknown.kinds = words_of(a_.text(node, "dependenciesKind"));
      unknowns.push_back(std::move(unknown));
    }
  }

 private:
  const Attributes& a_;
  const ModelDescription& model_;
  std::unordered_map<std::uint32_t, std::size_t> index_;
};

void read_fmi3_interface(const Attributes& a, const pugi::xml_node& node, FmuInterface& in) {
  in.model_identifier = a.required(node, "modelIdentifier");
  in.needs_execution_tool = a.flag(node, "needsExecutionTool");
  in.once_per_process = a.flag(node, "canBeInstantiatedOnlyOncePerProcess");
  in.can_serialize_state = a.flag(node, "canSerializeFMUState");
  in.can_save_state = a.flag(node, "canGetAndSetFMUState") || in.can_serialize_state;
  in.directional_derivatives = a.flag(node, "providesDirectionalDerivatives");
}

}  // namespace

void read_fmi3(const Attributes& a, const pugi::xml_node& root, ModelDescription& model) {
  model.token = a.required(root, "instantiationToken");
  if (const pugi::xml_node node = root.child("ModelExchange")) {
    model.has_model_exchange = true;
    ModelExchange& me = model.model_exchange.emplace();
    read_fmi3_interface(a, node, me);
    me.needs_completed_step = a.flag(node, "needsCompletedIntegratorStep");
  }
  model.has_scheduled_execution = static_cast<bool>(root.child("ScheduledExecution"));
  if (const pugi::xml_node node = root.child("CoSimulation")) {
    CoSimulation& cs = model.co_simulation.emplace();
    read_fmi3_interface(a, node, cs);
    cs.variable_step = a.flag(node, "canHandleVariableCommunicationStepSize");
    cs.internal_step_s = a.number(node, "fixedInternalStepSize");
    cs.output_derivative_order = static_cast<unsigned>(a.count(node, "maxOutputDerivativeOrder").value_or(0));
    cs.intermediate_update = a.flag(node, "providesIntermediateUpdate");
    cs.might_return_early = a.flag(node, "mightReturnEarlyFromDoStep");
    cs.can_return_early_after_update = a.flag(node, "canReturnEarlyAfterIntermediateUpdate");
    cs.event_mode = a.flag(node, "hasEventMode");
    cs.evaluates_discrete_states = a.flag(node, "providesEvaluateDiscreteStates");
  }
  read_units(a, root.child("UnitDefinitions"), model.units);
  read_fmi3_types(a, root.child("TypeDefinitions"), model);
  for (const pugi::xml_node& node : root.child("LogCategories").children("Category"))
    model.log_categories.push_back(a.text(node, "name"));
  read_experiment(a, root.child("DefaultExperiment"), model.experiment);
  std::vector<std::pair<std::size_t, std::uint32_t>> derivatives;
  for (const pugi::xml_node& node : root.child("ModelVariables").children()) {
    if (node.type() != pugi::node_element) continue;
    if (const auto type = fmi3_type_named(node.name())) {
      read_variable(a, node, *type, model, derivatives);
    } else {
      a.warning(node, fmt::format("<{}> is not a variable of FMI 3; it is ignored.", node.name()));
    }
  }
  const StructureReader reader(a, model);
  for (const auto& [variable, of] : derivatives) model.variables[variable].derivative_of = reader.find(of);
  const pugi::xml_node structure = root.child("ModelStructure");
  reader.read(structure, "Output", model.outputs);
  reader.read(structure, "ContinuousStateDerivative", model.derivatives);
  reader.read(structure, "EventIndicator", model.indicators);
  model.has_initial_unknowns = static_cast<bool>(structure.child("InitialUnknown"));
  reader.read(structure, "InitialUnknown", model.initial_unknowns);
}

}  // namespace ergon::fmi
