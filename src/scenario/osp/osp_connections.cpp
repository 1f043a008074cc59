#include <fmt/format.h>

#include <algorithm>

#include "ergon/scenario/osp/osp_reader.hpp"

namespace ergon {
namespace {

using fmi::Causality;

/// "in[2]" → 2; nothing where it is not of this form.
std::optional<std::size_t> index_of_input(const std::string& name) {
  if (!name.starts_with("in[") || !name.ends_with("]")) return std::nullopt;
  std::size_t index = 0;
  for (const char c : name.substr(3, name.size() - 4)) {
    if (c < '0' || c > '9' || index > 100000) return std::nullopt;
    index = 10 * index + static_cast<std::size_t>(c - '0');
  }
  return name.size() > 4 ? std::optional(index) : std::nullopt;
}

}  // namespace

void OspReader::read_functions(const pugi::xml_node& functions) {
  constexpr double most = 1000.0;
  for (const pugi::xml_node& node : functions.children()) {
    if (node.type() != pugi::node_element) continue;
    const SourceLocation where = view_.where(node);
    const std::string kind(XmlView::local_name(node));
    const std::string name = view_.required(node, "name");
    if (name.empty()) continue;
    if (kind != "LinearTransformation" && kind != "Sum" && kind != "VectorSum") {
      view_.error(node, fmt::format("There is no function <{}>.", kind),
                  "Choose LinearTransformation, Sum or VectorSum.");
      continue;
    }
    if (functions_.contains(name)) {
      view_.error(node, fmt::format("There are two functions '{}'.", name), "Rename one of them.");
      continue;
    }
    const auto count = [&](const char* attribute) {
      const double number = view_.number(node, attribute).value_or(0.0);
      if (number >= 1.0 && number <= most) return static_cast<std::size_t>(number);
      view_.error(node, fmt::format("'{}' of <{}> '{}' is {}.", attribute, kind, name, number),
                  fmt::format("Give a whole number from 1 to {}.", most));
      return std::size_t{1};
    };
    Function function{kind, {}, 1};
    if (kind != "LinearTransformation") function.inputs = count("inputCount");
    const std::size_t dimension = kind == "VectorSum" ? count("dimension") : 1;
    for (std::size_t i = 0; i < dimension; ++i) {
      const std::string wanted = kind == "VectorSum" ? fmt::format("{}/{}", name, i) : name;
      const std::string element = names_.add(wanted, where, problems_);
      function.elements.push_back(element);
      Value table = located(table_value({}), where);
      Value& parameters = table_at(table, "parameters", where);
      if (kind == "LinearTransformation") {
        set_entry(parameters, "gain",
                  located(number_value(view_.number(node, "factor").value_or(1.0)), where));
        set_entry(parameters, "offset",
                  located(number_value(view_.number(node, "offset").value_or(0.0)), where));
      } else {
        set_entry(parameters, "inputs",
                  located(integer_value(static_cast<std::int64_t>(function.inputs)), where));
      }
      set_entry(table, "name", located(text_value(element), where));
      set_entry(table, "law", located(text_value(kind == "LinearTransformation" ? "gain" : "sum"), where));
      append_to(result_.document, "element", std::move(table));
    }
    functions_[name] = std::move(function);
  }
}

std::optional<std::vector<OspReader::End>> OspReader::ends_of_simulator(const pugi::xml_node& node,
                                                                        bool is_group) {
  const std::string simulator = view_.required(node, "simulator");
  const std::string name = view_.required(node, "name");
  if (simulator.empty() || name.empty()) return std::nullopt;
  const auto found = simulators_.find(simulator);
  if (found == simulators_.end()) {
    std::vector<std::string> names;
    for (const auto& [known, s] : simulators_) names.push_back(known);
    view_.error(node, fmt::format("There is no simulator '{}'.", simulator), did_you_mean(simulator, names));
    return std::nullopt;
  }
  const Simulator& owner = found->second;
  if (owner.name.empty()) return std::nullopt;
  std::vector<std::string> variables = {name};
  if (is_group) {
    const auto group = std::find_if(owner.groups.begin(), owner.groups.end(),
                                    [&](const VariableGroup& g) { return g.name == name; });
    if (group == owner.groups.end()) {
      std::vector<std::string> names;
      for (const VariableGroup& g : owner.groups) names.push_back(g.name);
      view_.error(node, fmt::format("'{}' has no variable group '{}'.", simulator, name),
                  names.empty() ? fmt::format("Put {}_OspModelDescription.xml beside the FMU.",
                                              owner.fmu ? owner.fmu->description().model_name : simulator)
                                : did_you_mean(name, names));
      return std::nullopt;
    }
    variables.clear();
    for (const VariableGroup::Variable& v : group->variables) variables.push_back(v.name);
  }
  std::vector<End> ends;
  for (const std::string& variable : variables) {
    End end{owner.name + "." + variable, &owner, nullptr, false, false, variable};
    if (owner.fmu) {
      end.variable = owner.fmu->find(variable);
      if (end.variable == nullptr) {
        std::vector<std::string> names;
        for (const fmi::Variable& v : owner.fmu->description().variables) {
          if (v.causality == Causality::input || v.causality == Causality::output) names.push_back(v.name);
        }
        view_.error(node, fmt::format("'{}' has no variable '{}'.", simulator, variable),
                    did_you_mean(variable, names));
        return std::nullopt;
      }
      end.is_sink = end.variable->causality == Causality::input ||
                    (end.variable->causality == Causality::parameter &&
                     end.variable->variability == fmi::Variability::tunable);
      end.is_source = !end.is_sink && end.variable->causality != Causality::independent;
    }
    ends.push_back(std::move(end));
  }
  return ends;
}

std::optional<std::vector<OspReader::End>> OspReader::ends_of_function(const pugi::xml_node& node) {
  const std::string name = view_.required(node, "function");
  const std::string signal = view_.required(node, "name");
  if (name.empty() || signal.empty()) return std::nullopt;
  const auto found = functions_.find(name);
  if (found == functions_.end()) {
    std::vector<std::string> names;
    for (const auto& [known, f] : functions_) names.push_back(known);
    view_.error(node, fmt::format("There is no function '{}'.", name), did_you_mean(name, names));
    return std::nullopt;
  }
  const Function& function = found->second;
  const bool is_output = signal == "out";
  std::string port = "out";
  if (!is_output && function.kind == "LinearTransformation" && signal == "in") {
    port = "in";
  } else if (!is_output) {
    const auto index = index_of_input(signal);
    if (function.kind == "LinearTransformation" || !index || *index >= function.inputs) {
      view_.error(node, fmt::format("'{}' has no signal '{}'.", name, signal),
                  function.kind == "LinearTransformation"
                      ? "It has: in, out."
                      : fmt::format("It has: in[0] to in[{}], out.", function.inputs - 1));
      return std::nullopt;
    }
    port = fmt::format("in{}", *index + 1);
  }
  std::vector<End> ends;
  for (const std::string& element : function.elements)
    ends.push_back({element + "." + port, nullptr, nullptr, is_output, !is_output, port});
  return ends;
}

std::optional<std::vector<OspReader::End>> OspReader::ends_of(const pugi::xml_node& node) {
  const std::string_view kind = XmlView::local_name(node);
  if (kind == "Variable") return ends_of_simulator(node, false);
  if (kind == "VariableGroup") return ends_of_simulator(node, true);
  if (kind == "Signal" || kind == "SignalGroup") return ends_of_function(node);
  view_.error(node, fmt::format("<{}> is not an end of a connection.", node.name()),
              "Write Variable, VariableGroup, Signal or SignalGroup.");
  return std::nullopt;
}

void OspReader::read_connections(const pugi::xml_node& connections) {
  for (const pugi::xml_node& node : connections.children()) {
    if (node.type() != pugi::node_element) continue;
    const std::string_view kind = XmlView::local_name(node);
    if (!kind.ends_with("Connection")) {
      view_.error(node, fmt::format("<{}> is not a connection.", node.name()),
                  "There are: VariableConnection, SignalConnection, VariableGroupConnection, "
                  "SignalGroupConnection.");
      continue;
    }
    std::vector<std::optional<std::vector<End>>> sides;
    for (const pugi::xml_node& end : node.children()) {
      if (end.type() == pugi::node_element) sides.push_back(ends_of(end));
    }
    if (sides.size() != 2) {
      view_.error(node, fmt::format("<{}> has {} ends.", node.name(), sides.size()), "Give it two.");
      continue;
    }
    if (!sides[0] || !sides[1]) continue;
    if (sides[0]->size() != sides[1]->size()) {
      view_.error(node,
                  fmt::format("The ends of <{}> have {} and {} variables.", node.name(), sides[0]->size(),
                              sides[1]->size()),
                  "Groups are connected variable by variable: connect groups of one size.");
      continue;
    }
    for (std::size_t i = 0; i < sides[0]->size(); ++i) connect(node, (*sides[0])[i], (*sides[1])[i]);
  }
  make_bonds();
}

void OspReader::connect(const pugi::xml_node& node, const End& one, const End& other) {
  const SourceLocation where = view_.where(node);
  // Without its FMU an end may be either: the first one then is the source.
  const auto unknown = [](const End& end) { return !end.is_source && !end.is_sink; };
  const bool forward = (one.is_source || unknown(one)) && (other.is_sink || unknown(other));
  const bool backward = (other.is_source || unknown(other)) && (one.is_sink || unknown(one));
  if (!forward && !backward) {
    view_.error(
        node,
        fmt::format("'{}' and '{}' are both {}.", one.port, other.port, one.is_source ? "outputs" : "inputs"),
        "Connect an output with an input.");
    return;
  }
  const End& from = forward ? one : other;
  const End& to = forward ? other : one;
  expose(from, "outputs", where);
  expose(to, "inputs", where);
  const std::string bond = XmlView::text(node, "powerBond");
  if (bond.empty()) return connect_plainly(where, from, to);
  auto there = std::find_if(bonds_.begin(), bonds_.end(), [&](const auto& b) { return b.first == bond; });
  if (there == bonds_.end()) {
    bonds_.push_back({bond, {{}, where}});
    there = std::prev(bonds_.end());
  }
  there->second.ways.push_back({from, to});
}

/// A variable that is no port by itself: a local output, a tunable parameter.
void OspReader::expose(const End& end, const char* key, const SourceLocation& where) {
  if (end.variable == nullptr || end.variable->causality == Causality::input ||
      end.variable->causality == Causality::output)
    return;
  for (Value& subsystem : result_.document.find("subsystem")->value.items) {
    if (subsystem.find("name")->value.text != end.simulator->name) continue;
    const Entry* list = subsystem.find(key);
    const bool there = list != nullptr && std::any_of(list->value.items.begin(), list->value.items.end(),
                                                      [&](const Value& v) { return v.text == end.name; });
    if (!there) append_to(subsystem, key, located(text_value(end.name), where));
  }
}

void OspReader::connect_plainly(const SourceLocation& where, const End& from, const End& to) {
  Value connection = located(table_value({}), where);
  set_entry(connection, "from", located(text_value(from.port), where));
  set_entry(connection, "to", located(text_value(to.port), where));
  if (from.variable != nullptr && to.variable != nullptr) {
    const Unit a = fmi::unit_of(from.simulator->fmu->description(), *from.variable);
    const Unit b = fmi::unit_of(to.simulator->fmu->description(), *to.variable);
    if (!is_same_unit(a, b)) {
      problems_.warning(where,
                        fmt::format("'{}' [{}] feeds '{}' [{}]; the number is passed on as it is, since OSP "
                                    "connections do not convert units.",
                                    from.port, a.text, to.port, b.text),
                        "Put a LinearTransformation between them if this is not meant.");
      set_entry(connection, "convert_units", located(boolean_value(false), where));
    }
  }
  append_to(result_.document, "connection", std::move(connection));
}

std::optional<std::size_t> OspReader::effort_way(const EccoBond& bond) const {
  enum class Kind { unknown, effort, flow };
  const auto kind_of = [](const End& end) {
    if (end.variable == nullptr) return Kind::unknown;
    const Unit unit = fmi::unit_of(end.simulator->fmu->description(), *end.variable);
    // Forces, torques, voltages and pressures contain a mass, velocities, currents and volume flows do not.
    if (!unit.is_unspecified()) return unit.exponents[1] > 0 ? Kind::effort : Kind::flow;
    for (const VariableGroup& group : end.simulator->groups) {
      for (const VariableGroup::Variable& v : group.variables) {
        if (v.name == end.name && v.is_effort) return Kind::effort;
        if (v.name == end.name && v.is_flow) return Kind::flow;
      }
    }
    return Kind::unknown;
  };
  for (std::size_t i = 0; i < 2; ++i) {
    for (const End* end : {&bond.ways[i].from, &bond.ways[i].to}) {
      if (kind_of(*end) == Kind::effort) return i;
      if (kind_of(*end) == Kind::flow) return 1 - i;
    }
  }
  // The file says that both are a power: where there are no units, the names are left.
  for (std::size_t i = 0; i < 2; ++i) {
    for (const End* end : {&bond.ways[i].from, &bond.ways[i].to}) {
      for (const char* word : {"force", "torque", "voltage", "pressure"}) {
        if (end->name.find(word) == std::string::npos) continue;
        problems_.warning(bond.where,
                          fmt::format("The variables of a power bond have no units; by its name '{}' is "
                                      "taken for the effort.",
                                      end->port));
        return i;
      }
    }
  }
  return std::nullopt;
}

void OspReader::make_bonds() {
  std::size_t made = 0;
  for (const auto& [name, bond] : bonds_) {
    const bool is_pair = bond.ways.size() == 2 && bond.ways[0].from.simulator == bond.ways[1].to.simulator &&
                         bond.ways[0].to.simulator == bond.ways[1].from.simulator &&
                         bond.ways[0].from.simulator != nullptr && bond.ways[0].to.simulator != nullptr;
    const auto effort = is_pair ? effort_way(bond) : std::nullopt;
    if (!effort) {
      problems_.warning(
          bond.where,
          is_pair
              ? fmt::format("Power bond '{}': neither units nor variable groups say which of its variables "
                            "are efforts (forces, torques, voltages, pressures); its connections are made "
                            "without an energy balance.",
                            name)
              : fmt::format("Power bond '{}' is not a pair of connections in opposite directions; its "
                            "connections are made without an energy balance.",
                            name),
          "Describe the variables in a group such as LinearMechanicalPort of an OspModelDescription, or give "
          "them units.");
      for (const EccoBond::Way& way : bond.ways) connect_plainly(bond.where, way.from, way.to);
      continue;
    }
    const EccoBond::Way& e = bond.ways[*effort];
    const EccoBond::Way& f = bond.ways[1 - *effort];
    Value table = located(table_value({}), bond.where);
    SystemNames plain;
    set_entry(table, "name", located(text_value(plain.add(name, bond.where, problems_)), bond.where));
    const auto end = [&](const End& effort_port, const End& flow_port) {
      Value ports = located(table_value({}), bond.where);
      set_entry(ports, "effort", located(text_value(effort_port.port), bond.where));
      set_entry(ports, "flow", located(text_value(flow_port.port), bond.where));
      return ports;
    };
    set_entry(table, "a", end(e.from, f.to));
    set_entry(table, "b", end(e.to, f.from));
    // ECCO compares what was sent with what was held over the step; of outputs that are read again with new inputs it would see nothing.
    if (ecco_where_) set_entry(table, "feedthrough", located(text_value("stale"), *ecco_where_));
    append_to(result_.document, "bond", std::move(table));
    ++made;
  }
  if (ecco_where_ && made == 0) {
    problems_.warning(*ecco_where_, "No power bond is declared, so the steps cannot be controlled by one.",
                      "Steps are fixed. Give connections a powerBond.");
    std::erase_if(result_.document.entries, [](const Entry& e) { return e.key == "step_control"; });
  }
}

}  // namespace ergon
