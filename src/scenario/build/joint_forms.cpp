// Joints of which bodies evaluate a part: force/displacement, displacement/force, displacement/displacement, multiplier.

#include <fmt/format.h>

#include <optional>

#include "ergon/models/joints/joint_law.hpp"
#include "ergon/scenario/build/graph_builder.hpp"
#include "ergon/scenario/build/port_names.hpp"
#include "ergon/scenario/setting_names.hpp"

namespace ergon {
namespace {

using Part = JointAttachment::Part;

/// The part of the body at an end, i or j; nothing: it takes the wrench as any other force.
std::optional<Part> part_of(JointForm form, std::size_t end) {
  const bool is_i = end == 0;
  switch (form) {
    case JointForm::force_force:
      return std::nullopt;
    case JointForm::force_displacement:
      return is_i ? std::nullopt : std::optional(Part::owner);
    case JointForm::displacement_force:
      return is_i ? std::optional(Part::owner) : std::nullopt;
    case JointForm::displacement_displacement:
      return is_i ? Part::guest : Part::owner;  // one of both has its energy in the books
    case JointForm::multiplier:
      return Part::guided;
  }
  return std::nullopt;
}

}  // namespace

bool GraphBuilder::attach_joint(const ElementEntry& joint, const std::shared_ptr<const JointLaw>& law) {
  const std::string& name = joint.name.value;
  const auto form = joint_form_names.name(joint.form);
  if (split_marker(joint.markers[0].value).body == split_marker(joint.markers[1].value).body) {
    problems_.error(joint.where, fmt::format("'{}' joins a body with itself.", name),
                    "Between markers of one body only form = \"force/force\" makes sense.");
    return false;
  }
  if (joint.form == JointForm::multiplier && law->multiplier_count() == 0) {
    problems_.error(joint.where, fmt::format("The law of '{}' has no multipliers.", name),
                    "Use another form.");
    return false;
  }
  bool ok = true;
  for (std::size_t end = 0; end < 2; ++end) {
    const auto [body, marker] = split_marker(joint.markers[end].value);
    const Draft& draft = drafts_.at(body);
    // Of the ground nothing takes part, and it needs not: it only tells where it is.
    const bool is_ground = !find_port(described(body).inputs, marker + "_force");
    const auto part = part_of(joint.form, end);
    if (!part || (is_ground && part == Part::guided)) continue;
    if (!draft.model->takes_joints) {
      const char* other = end == 0 ? "force/displacement" : "displacement/force";
      problems_.error(joint.markers[end].where,
                      fmt::format("'{}' cannot evaluate the law of '{}', which form = \"{}\" requires.", body,
                                  name, form),
                      fmt::format("Use form = \"{}\".", part == Part::guided ? "force/force" : other));
      ok = false;
    }
    if (find_port(described(body).outputs, name + "_partner_position")) {
      problems_.error(joint.where,
                      fmt::format("'{}' has a marker '{}_partner', whose ports are named as those of '{}'.",
                                  body, name, name),
                      "Rename the marker or the joint.");
      ok = false;
    }
  }
  if (!ok) return false;
  for (std::size_t end = 0; end < 2; ++end) {
    const auto [body, marker] = split_marker(joint.markers[end].value);
    Draft& draft = drafts_.at(body);
    const auto part = part_of(joint.form, end);
    if (!part || !draft.model->takes_joints) continue;
    draft.joints.push_back(
        {name, law, end == 0 ? JointAttachment::End::i : JointAttachment::End::j, marker, *part});
  }
  return true;
}

void GraphBuilder::wire_attached_joint(const ElementEntry& joint) {
  const std::string& name = joint.name.value;
  switch (joint.form) {
    case JointForm::force_force:
      return;
    case JointForm::force_displacement:
      return wire_holder(joint, 1, true, name);
    case JointForm::displacement_force:
      return wire_holder(joint, 0, true, name);
    case JointForm::displacement_displacement:
      // As with an element, the bond NAME.i is the one at which body i moves.
      wire_holder(joint, 1, false, name + ".i");
      wire_holder(joint, 0, false, name + ".j");
      return;
    case JointForm::multiplier:
      wire_guided(joint, 0);
      wire_guided(joint, 1);
      return;
  }
}

void GraphBuilder::wire_holder(const ElementEntry& joint, std::size_t holder, bool gives_wrench,
                               const std::string& bond_name) {
  const std::string own = split_marker(joint.markers[holder].value).body;
  const auto [partner, marker] = split_marker(joint.markers[1 - holder].value);
  const std::string prefix = joint.name.value + "_partner_";
  const Description& evaluator = described(own);
  const Description& mover = described(partner);
  BondSpec bond;
  bond.name = bond_name;
  bond.where = joint.where;
  bond.law_booked_once = !gives_wrench;
  const auto receive = [&](const char* quantity, const std::string& output, std::vector<std::string>& to,
                           std::vector<std::string>& from) {
    if (!find_port(evaluator.inputs, prefix + quantity)) return;
    to.push_back(fmt::format("{}.{}{}", own, prefix, quantity));
    from.push_back(fmt::format("{}.{}", partner, output));
  };
  receive("position", marker + "_position", bond.a.displacement, bond.b.displacement);
  receive("axes", frame_output(marker, mover), bond.a.displacement, bond.b.displacement);
  receive("velocity", marker + "_velocity", bond.a.flow, bond.b.flow);
  receive("angular_velocity", angular_velocity_output(marker, mover), bond.a.flow, bond.b.flow);
  // Of the ground nothing takes the wrench: what it gives is connected, and no power is exchanged.
  if (!find_port(mover.inputs, marker + "_force")) {
    for (const auto& [to, from] :
         {std::pair{&bond.a.displacement, &bond.b.displacement}, std::pair{&bond.a.flow, &bond.b.flow}}) {
      for (std::size_t i = 0; i < to->size(); ++i) {
        ConnectionSpec connection;
        connection.from = {(*from)[i]};
        connection.to = (*to)[i];
        connection.where = joint.where;
        graph_.connect(std::move(connection));
      }
    }
    return;
  }
  for (const char* effort : {"force", "torque"}) {
    if (!find_port(evaluator.outputs, prefix + effort)) continue;
    bond.a.effort.push_back(fmt::format("{}.{}{}", own, prefix, effort));
    if (gives_wrench) bond.b.effort.push_back(fmt::format("{}.{}_{}", partner, marker, effort));
  }
  graph_.bond(std::move(bond));
}

void GraphBuilder::wire_guided(const ElementEntry& joint, std::size_t end) {
  const std::string& name = joint.name.value;
  const auto [body, marker] = split_marker(joint.markers[end].value);
  const auto [partner, partner_marker] = split_marker(joint.markers[1 - end].value);
  const char side = end == 0 ? 'i' : 'j';
  const Description& description = described(body);
  const auto connect = [&](const std::string& from, const std::string& to, bool geometry) {
    ConnectionSpec connection;
    connection.from = {from};
    connection.to = to;
    connection.where = joint.where;
    connection.geometry = geometry;
    graph_.connect(std::move(connection));
  };
  // The motion of this end, to the element.
  const std::pair<const char*, std::string> motion[] = {
      {"position", marker + "_position"},
      {"velocity", marker + "_velocity"},
      {"axes", frame_output(marker, description)},
      {"angular_velocity", angular_velocity_output(marker, description)}};
  for (const auto& [quantity, output] : motion) {
    const std::string input = fmt::format("{}_{}", quantity, side);
    if (find_port(described(name).inputs, input))
      connect(fmt::format("{}.{}", body, output), fmt::format("{}.{}", name, input), false);
  }
  if (!find_port(description.inputs, name + "_lambda")) return;
  // The place and the axes of the other end, to this body.
  if (find_port(description.inputs, name + "_partner_position"))
    connect(fmt::format("{}.{}_position", partner, partner_marker),
            fmt::format("{}.{}_partner_position", body, name), true);
  if (find_port(description.inputs, name + "_partner_axes"))
    connect(fmt::format("{}.{}", partner, frame_output(partner_marker, described(partner))),
            fmt::format("{}.{}_partner_axes", body, name), true);
  BondSpec bond;
  bond.name = fmt::format("{}.{}", name, side);
  bond.where = joint.where;
  bond.a.effort = {name + ".lambda"};
  bond.b.effort = {fmt::format("{}.{}_lambda", body, name)};
  bond.b.flow = {fmt::format("{}.{}_rate", body, name)};
  graph_.bond(std::move(bond));
}

}  // namespace ergon
