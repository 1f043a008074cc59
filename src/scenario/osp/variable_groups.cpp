#include "ergon/scenario/osp/variable_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ergon/scenario/systems/system_grammar.hpp"
#include "ergon/scenario/systems/xml_view.hpp"

namespace ergon {
namespace {

constexpr std::array<std::string_view, 4> effort_groups = {"Force", "Torque", "Voltage", "Pressure"};
constexpr std::array<std::string_view, 4> flow_groups = {"LinearVelocity", "AngularVelocity", "Current",
                                                         "VolumeFlowRate"};

bool is_among(const std::array<std::string_view, 4>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The groups below `node`, each with the variables of those inside of it.
void collect_groups(const XmlView& view, const pugi::xml_node& node, std::vector<VariableGroup>& all,
                    std::vector<VariableGroup::Variable>& variables) {
  for (const pugi::xml_node& child : node.children()) {
    if (child.type() != pugi::node_element) continue;
    const std::string_view kind = XmlView::local_name(child);
    if (kind == "Variable") {
      const std::string_view owner = XmlView::local_name(node);
      variables.push_back(
          {view.required(child, "ref"), is_among(effort_groups, owner), is_among(flow_groups, owner)});
      continue;
    }
    VariableGroup group{std::string(kind), view.required(child, "name"), {}};
    const std::size_t place = all.size();
    all.push_back(group);
    collect_groups(view, child, all, group.variables);
    variables.insert(variables.end(), group.variables.begin(), group.variables.end());
    all[place].variables = std::move(group.variables);
  }
}

}  // namespace

bool VariableGroup::is_power_port() const {
  const auto efforts =
      std::count_if(variables.begin(), variables.end(), [](const Variable& v) { return v.is_effort; });
  const auto flows =
      std::count_if(variables.begin(), variables.end(), [](const Variable& v) { return v.is_flow; });
  return kind.ends_with("Port") && efforts > 0 && efforts == flows;
}

std::optional<std::vector<VariableGroup>> read_variable_groups(const std::filesystem::path& file,
                                                               ProblemList& problems) {
  fmi::XmlFile xml;
  if (!xml.load(file, file.string(), problems)) return std::nullopt;
  const XmlView view(xml, problems);
  if (XmlView::local_name(xml.root()) != "OspModelDescription") {
    view.error(xml.root(), fmt::format("<{}> is not an OspModelDescription.", xml.root().name()),
               "Name the description of variable groups of the FMU so, or remove it.");
    return std::nullopt;
  }
  check_system_grammar(view, xml.root());
  std::vector<VariableGroup> all;
  std::vector<VariableGroup::Variable> variables;
  collect_groups(view, XmlView::child(xml.root(), "VariableGroups"), all, variables);
  return all;
}

}  // namespace ergon
