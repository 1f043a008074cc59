#include "ergon/run/record/system_file.hpp"

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "ergon/core/result_format.hpp"
#include "ergon/run/version.hpp"

namespace ergon {
namespace {

using Json = nlohmann::ordered_json;

/// Instance → what it was made of, as the scenario says it.
std::map<std::string, std::string> models_of(const Scenario* scenario) {
  std::map<std::string, std::string> models;
  if (scenario == nullptr) return models;
  for (const SubsystemEntry& entry : scenario->subsystems) models[entry.name.value] = entry.model.value;
  for (const ElementEntry& entry : scenario->elements) models[entry.name.value] = entry.law.value;
  return models;
}

Json nodes_json(const CoupledSystem& system, const Scenario* scenario) {
  const auto models = models_of(scenario);
  Json nodes = Json::array();
  for (const Node& node : system.nodes) {
    Json json{{"name", node.name}, {"element", node.description->algebraic}};
    if (const auto model = models.find(node.name); model != models.end()) json["model"] = model->second;
    if (!node.description->algebraic) json["step_s"] = node.step_s.value();
    nodes.push_back(std::move(json));
  }
  return nodes;
}

/// Columns of results.csv and of the files of slower subsystems.
Json variables_json(const CoupledSystem& system, const std::vector<ResultsFile>& files) {
  Json variables = Json::array();
  for (const ResultsFile& file : files) {
    const auto add = [&](const SignalName& name, const Port& port, bool is_input) {
      Json variable{{"name", name.text},
                    {"node", system.nodes[name.node].name},
                    {"unit", port.unit.text},
                    {"description", port.description}};
      if (is_input) variable["input"] = true;
      if (&file != &files.front()) variable["file"] = file.name;
      variables.push_back(std::move(variable));
    };
    for (const Index output : file.signals.outputs)
      add(system.outputs[output], system.output_port(output), false);
    for (const Index input : file.signals.inputs) add(system.inputs[input], system.input_port(input), true);
  }
  return variables;
}

/// Bonds, and the outputs and inputs that are theirs.
Json bonds_json(const CoupledSystem& system, std::set<std::pair<Index, Index>>& wires) {
  Json bonds = Json::array();
  for (const PowerBond& bond : system.bonds) {
    const BondComponent& c = bond.components.front();
    const auto unit = [&](Index output) { return system.output_port(output).unit.text; };
    bonds.push_back({{"name", bond.name},
                     {"effort_from", system.nodes[bond.effort_node].name},
                     {"flow_from", system.nodes[bond.flow_node].name},
                     {"effort", system.outputs[c.effort_output].text},
                     {"effort_unit", unit(c.effort_output)},
                     {"flow", system.outputs[c.flow_output].text},
                     {"flow_unit", unit(c.flow_output)},
                     {"components", bond.components.size()}});
    for (const Index input : bond.effort_node_inputs) wires.emplace(input, bond.flow_node);
    for (const Index input : bond.flow_node_inputs) wires.emplace(input, bond.effort_node);
  }
  return bonds;
}

/// Signals between two nodes that belong to no bond, as one arrow.
Json signals_json(const CoupledSystem& system, const std::set<std::pair<Index, Index>>& wires) {
  std::map<std::pair<Index, Index>, Json> between;
  for (const auto& link : system.links) {
    if (!link) continue;
    const Index to = system.inputs[link->input].node;
    for (const LinkTerm& term : link->terms) {
      const Index from = system.outputs[term.output].node;
      if (wires.contains({link->input, from})) continue;
      Json& ports = between.try_emplace({from, to}, Json::array()).first->second;
      ports.push_back({system.outputs[term.output].text, system.inputs[link->input].text});
    }
  }
  Json signals = Json::array();
  for (auto& [nodes, ports] : between) {
    signals.push_back({{"from", system.nodes[nodes.first].name},
                       {"to", system.nodes[nodes.second].name},
                       {"ports", std::move(ports)}});
  }
  return signals;
}

Json scene_json(const SystemPicture& picture) {
  Json parts = Json::array();
  for (const SystemPicture::Part& part : picture.parts()) {
    Json bodies = Json::array();
    for (const VisibleBody& body : part.scene.bodies) {
      Json shapes = Json::array();
      for (const VisibleShape& shape : body.shapes) {
        shapes.push_back({{"kind", name_of(shape.kind)},
                          {"size", shape.size_m},
                          {"position", shape.in_body.position_m},
                          {"orientation", shape.in_body.orientation}});
      }
      bodies.push_back({{"name", body.name}, {"fixed", body.fixed}, {"shapes", std::move(shapes)}});
    }
    Json lines = Json::array();
    for (const VisibleLine& line : part.scene.lines)
      lines.push_back({{"name", line.name}, {"points", line.points}, {"radius", line.radius_m}});
    parts.push_back({{"owner", part.owner},
                     {"bodies", std::move(bodies)},
                     {"lines", std::move(lines)},
                     {"arrows", part.scene.arrows},
                     {"up", part.scene.up}});
  }
  return parts;
}

}  // namespace

std::string system_json(const Engine& engine, const BuiltScenario& built, const Scenario* scenario,
                        const SystemPicture& picture, const std::vector<ResultsFile>& files) {
  const CoupledSystem& system = *built.system;
  std::set<std::pair<Index, Index>> wires;
  Json json;
  json["format"] = result_format;
  json["ergon_version"] = version();
  json["start_time_s"] = engine.grid().time_s(0);
  json["stop_time_s"] = engine.grid().time_s(engine.grid().end());
  json["variable_steps"] = engine.record().step_control() != nullptr;
  json["scheme"] = built.coupling.scheme;
  json["nodes"] = nodes_json(system, scenario);
  json["bonds"] = bonds_json(system, wires);
  json["signals"] = signals_json(system, wires);
  json["variables"] = variables_json(system, files);
  if (!picture.empty()) json["scene"] = scene_json(picture);
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace ergon
