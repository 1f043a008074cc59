// Joints whose law is evaluated inside bodies: force/displacement, displacement/force, displacement/displacement.

#include <fmt/format.h>

#include "models/joints/joint_law.hpp"
#include "scenario/graph_builder.hpp"
#include "scenario/joint_names.hpp"
#include "scenario/setting_names.hpp"

namespace ergon {
namespace {

bool evaluates(JointForm form, std::size_t end) {
  return form == JointForm::displacement_displacement ||
         form == (end == 0 ? JointForm::displacement_force : JointForm::force_displacement);
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
  bool ok = true;
  for (std::size_t end = 0; end < 2; ++end) {
    const auto [body, marker] = split_marker(joint.markers[end].value);
    if (!evaluates(joint.form, end)) continue;
    if (!drafts_.at(body).model->takes_joints) {
      problems_.error(
          joint.markers[end].where,
          fmt::format("'{}' cannot evaluate the law of '{}', which form = \"{}\" asks of it.", body, name,
                      form),
          fmt::format("Use form = \"{}\".", end == 0 ? "force/displacement" : "displacement/force"));
      ok = false;
    }
    if (find_port(descriptions_.at(body).outputs, name + "_partner_position")) {
      problems_.error(joint.where,
                      fmt::format("'{}' has a marker '{}_partner', whose ports are named as those of '{}'.",
                                  body, name, name),
                      "Rename the marker or the joint.");
      ok = false;
    }
  }
  if (!ok) return false;
  for (std::size_t end = 0; end < 2; ++end) {
    if (!evaluates(joint.form, end)) continue;
    const auto [body, marker] = split_marker(joint.markers[end].value);
    // Where both evaluate the law, its energy is in the books of body j.
    const bool is_guest = end == 0 && evaluates(joint.form, 1);
    drafts_.at(body).joints.push_back(
        {name, law, end == 0 ? JointAttachment::End::i : JointAttachment::End::j, marker,
         is_guest ? JointAttachment::Part::guest : JointAttachment::Part::owner});
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
  }
}

void GraphBuilder::wire_holder(const ElementEntry& joint, std::size_t holder, bool gives_wrench,
                               const std::string& bond_name) {
  const std::string own = split_marker(joint.markers[holder].value).body;
  const auto [partner, marker] = split_marker(joint.markers[1 - holder].value);
  const std::string prefix = joint.name.value + "_partner_";
  const Description& evaluator = descriptions_.at(own);
  const Description& mover = descriptions_.at(partner);
  BondSpec bond;
  bond.name = bond_name;
  bond.where = joint.where;
  const auto receive = [&](const char* quantity, const std::string& output, std::vector<std::string>& to,
                           std::vector<std::string>& from) {
    if (!find_port(evaluator.inputs, prefix + quantity)) return;
    to.push_back(fmt::format("{}.{}{}", own, prefix, quantity));
    from.push_back(fmt::format("{}.{}", partner, output));
  };
  receive("position", marker + "_position", bond.a.displacement, bond.b.displacement);
  receive("axes", frame_output(marker, mover), bond.a.displacement, bond.b.displacement);
  receive("velocity", marker + "_velocity", bond.a.flow, bond.b.flow);
  receive("angular_velocity", "angular_velocity", bond.a.flow, bond.b.flow);
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

}  // namespace ergon
