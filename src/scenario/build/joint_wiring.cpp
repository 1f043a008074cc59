#include <fmt/format.h>

#include <algorithm>

#include "ergon/scenario/build/graph_builder.hpp"
#include "ergon/scenario/build/port_names.hpp"

namespace ergon {
namespace {

constexpr std::string_view position_suffix = "_position";

/// Markers are told by their outputs NAME_position.
std::vector<std::string> markers_of(const Description& body) {
  std::vector<std::string> names;
  for (const Port& port : body.outputs) {
    if (port.name.ends_with(position_suffix))
      names.push_back(port.name.substr(0, port.name.size() - position_suffix.size()));
  }
  return names;
}

}  // namespace

std::optional<GivenParameters> GraphBuilder::parameters_of(const ElementEntry& entry,
                                                           const ElementInfo& law) {
  if (entry.markers.size() != 2) return entry.parameters;
  std::vector<std::size_t> dimensions;
  for (const Said<std::string>& said : entry.markers) {
    const auto [body, marker] = split_marker(said.value);
    const Description* description = instance(body, said);
    if (!description) continue;
    const Port* position = find_port(description->outputs, marker + std::string(position_suffix));
    if (position && !marker.empty()) {
      dimensions.push_back(position->size);
      continue;
    }
    const auto markers = markers_of(*description);
    problems_.error(said.where,
                    marker.empty() ? fmt::format("'{}' does not name a marker.", said.value)
                                   : fmt::format("'{}' has no marker '{}'.", body, marker),
                    markers.empty()
                        ? "Joints act between markers of bodies, as in \"rod.top\"; this has none."
                    : marker.empty() ? fmt::format("Write '{}.{}', for example.", body, markers.front())
                                     : did_you_mean(marker, markers));
  }
  if (dimensions.size() != 2) return std::nullopt;
  if (dimensions[0] != dimensions[1]) {
    problems_.error(entry.where,
                    fmt::format("'{}' joins a body in the plane with one in space.", entry.name.value),
                    "Use bodies of one kind.");
    return std::nullopt;
  }
  const bool planar = dimensions[0] == 2;
  const bool has_planar_form = std::any_of(law.parameters.begin(), law.parameters.end(),
                                           [](const ParameterInfo& info) { return info.name == "planar"; });
  if (planar && !has_planar_form) {
    problems_.error(entry.where, fmt::format("'{}' makes no sense between bodies in the plane.", law.name),
                    "A revolute or translational joint does.");
    return std::nullopt;
  }
  GivenParameters given = entry.parameters;
  if (has_planar_form) given["planar"] = {planar, entry.where};
  return given;
}

void GraphBuilder::wire_joint(const ElementEntry& joint, char side, const Said<std::string>& said) {
  const auto [body, marker] = split_marker(said.value);
  const std::string& law = joint.name.value;
  const Description& mover = described(body);
  const Description& giver = described(law);
  BondSpec bond;
  bond.name = fmt::format("{}.{}", law, side);
  bond.where = joint.where;
  // Of the ground nothing takes the wrench: what it gives is connected, and no power is exchanged.
  const bool takes_wrench = find_port(mover.inputs, marker + "_force") != nullptr;
  const auto receive = [&](const std::string& input, const std::string& output, std::vector<std::string>* to,
                           std::vector<std::string>* from) {
    if (!find_port(giver.inputs, fmt::format("{}_{}", input, side))) return;
    const std::string source = fmt::format("{}.{}", body, output);
    const std::string receiver = fmt::format("{}.{}_{}", law, input, side);
    if (to && takes_wrench) {
      to->push_back(receiver);
      from->push_back(source);
      return;
    }
    ConnectionSpec connection;
    connection.from = {source};
    connection.to = receiver;
    connection.where = joint.where;
    graph_.connect(std::move(connection));
  };
  receive("position", marker + "_position", &bond.a.displacement, &bond.b.displacement);
  receive("velocity", marker + "_velocity", &bond.a.flow, &bond.b.flow);
  receive("angular_velocity", angular_velocity_output(marker, mover), &bond.a.flow, &bond.b.flow);
  receive("axes", frame_output(marker, mover), nullptr, nullptr);
  if (!takes_wrench) return;
  // What is the opposite at end j is sent once, to both: one coupling variable less for schemes that solve for them.
  for (const std::string effort : {"force", "torque"}) {
    if (!find_port(giver.outputs, fmt::format("{}_{}", effort, side))) continue;
    const bool is_reaction = side == 'j' && (effort == "force" || opposite_torques_.contains(law));
    bond.a.effort.push_back(fmt::format("{}.{}_{}", law, effort, is_reaction ? 'i' : side));
    bond.b.effort.push_back(fmt::format("{}.{}_{}", body, marker, effort));
    bond.effort_gain.push_back(is_reaction ? -1.0 : 1.0);
  }
  if (!bond.a.effort.empty()) graph_.bond(std::move(bond));
}

}  // namespace ergon
