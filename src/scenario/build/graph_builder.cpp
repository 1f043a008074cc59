#include "ergon/scenario/build/graph_builder.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ergon/models/joints/joint_element.hpp"
#include "ergon/scenario/build/port_names.hpp"
#include "ergon/scenario/problem_order.hpp"

namespace ergon {

void GraphBuilder::make_elements() {
  for (const ElementEntry& entry : scenario_.elements) {
    if (entry.usable) {
      make_element(entry);
    } else {
      failed_.insert(entry.name.value);
    }
  }
}

void GraphBuilder::make_element(const ElementEntry& entry) {
  const std::string& name = entry.name.value;
  const ElementInfo* law = find_element(entry.law.value);
  if (!law) {
    problems_.error(entry.law.where, fmt::format("There is no law '{}'.", entry.law.value),
                    did_you_mean(entry.law.value, names_of(elements())));
    failed_.insert(name);
    return;
  }
  const auto given = parameters_of(entry, *law);
  if (!given) {
    failed_.insert(name);
    return;
  }
  ProblemList found;
  const ParameterSet parameters(law->parameters, *given, fmt::format("'{}' ({})", name, law->name), found);
  ProblemList of_stand_in;
  ProblemList& of_law = found.has_errors() ? of_stand_in : found;
  std::unique_ptr<Element> element;
  std::shared_ptr<const JointLaw> joint;
  if (law->make_joint) {
    joint = law->make_joint(parameters, of_law);
    if (joint && entry.form == JointForm::force_force) element = std::make_unique<JointElement>(joint);
    if (joint && entry.form == JointForm::multiplier) element = std::make_unique<MultiplierElement>(joint);
    if (joint && joint->dependence().opposite_torques) opposite_torques_.insert(name);
  } else {
    if (entry.form != JointForm::force_force) {
      problems_.error(entry.where, fmt::format("'{}' is not a law that a body can evaluate.", law->name),
                      "Use form = \"force/force\", or leave it out.");
    }
    element = law->make(parameters, of_law);
  }
  for (Problem p : found.all()) {
    if (p.where.file.empty()) p.where = entry.where;  // a law does not know where it is used
    append(p, problems_);
  }
  const bool attaches = joint && entry.form != JointForm::force_force;
  const bool attached = attaches && attach_joint(entry, joint);
  if (attached && !element) return;
  if (!element || (attaches && !attached)) {
    failed_.insert(name);
    return;
  }
  descriptions_[name] = element->shared_description();
  graph_.add_element(name, std::move(element), entry.evaluate, entry.where);
}

const Description* GraphBuilder::instance(const std::string& name, const Said<std::string>& reference) {
  // A name that two entries have is among the failed, too: nobody knows which of them is meant.
  if (failed_.contains(name)) return nullptr;
  if (const auto found = descriptions_.find(name); found != descriptions_.end()) return found->second.get();
  if (!scenario_.complete) return nullptr;
  Names names;
  for (const auto& [known, description] : descriptions_) names.push_back(known);
  names.insert(names.end(), failed_.begin(), failed_.end());
  problems_.error(reference.where,
                  fmt::format("'{}': there is no subsystem or element '{}'.", reference.value, name),
                  did_you_mean(name, names));
  return nullptr;
}

/// Looks for the names only, to show a slip in the line where it stands; everything else is freeze's.
bool GraphBuilder::check_ports(const std::vector<Said<std::string>>& references) {
  bool ok = true;
  std::set<std::string> unknown;  // a misspelt instance is told once, not for every port of its end
  for (const Said<std::string>& reference : references) {
    const auto dot = reference.value.find('.');
    if (dot == std::string::npos) {
      problems_.error(reference.where, fmt::format("'{}' does not name a port.", reference.value),
                      "Write 'subsystem.port', for example 'left.force'.");
      ok = false;
      continue;
    }
    const std::string name = reference.value.substr(0, dot);
    const Description* description = unknown.contains(name) ? nullptr : instance(name, reference);
    if (!description) {
      unknown.insert(name);
      ok = false;
      continue;
    }
    const std::string_view port = std::string_view(reference.value).substr(dot + 1);
    if (find_referenced_port(description->inputs, port) || find_referenced_port(description->outputs, port))
      continue;
    Names names = names_of(description->outputs);
    const Names inputs = names_of(description->inputs);
    names.insert(names.end(), inputs.begin(), inputs.end());
    problems_.error(reference.where, fmt::format("'{}' has no port '{}'.", name, port),
                    did_you_mean(port, names));
    ok = false;
  }
  return ok;
}

namespace {

/// What a law between two ends exchanges with each: it gives what acts there, and is given how the end moves. Both names are
/// those of the ports of an end; a law has them with _i and _j.
struct EndQuantities {
  const char* acting;
  const char* rate;          ///< times `acting`: a power
  const char* displacement;  ///< its integral; null where there is none
};
constexpr EndQuantities end_quantities[] = {{"force", "velocity", "position"},
                                            {"torque", "angular_velocity", "angle"},
                                            {"entropy_flow", "temperature", nullptr},
                                            {"volume_flow", "pressure", nullptr}};

/// Those of this law; nothing where it does not act between two ends.
const EndQuantities* quantities_at(const Description& law, char side) {
  for (const EndQuantities& quantities : end_quantities) {
    if (find_port(law.outputs, fmt::format("{}_{}", quantities.acting, side))) return &quantities;
  }
  return nullptr;
}

}  // namespace

void GraphBuilder::bond_element(const ElementEntry& element, char side, const Said<std::string>& end) {
  const std::string& law = element.name.value;
  const auto colon = end.value.find(':');
  const std::string name = end.value.substr(0, colon);
  const Description* mover = instance(name, end);
  const Description* giver = instance(law, element.name);
  if (!mover || !giver) return;
  const EndQuantities* quantities = quantities_at(*giver, side);
  if (quantities == nullptr) {
    problems_.error(end.where, fmt::format("The law '{}' does not act between two ends.", element.law.value),
                    "Remove 'ends' and wire its ports by [[connection]].");
    return;
  }
  const std::string marker = colon == std::string::npos ? quantities->acting : end.value.substr(colon + 1);
  if (!find_referenced_port(mover->inputs, marker)) {
    Names inputs = names_of(mover->inputs);
    problems_.error(
        end.where,
        fmt::format("'{}' has no input '{}' for the {} of '{}'.", name, marker, quantities->acting, law),
        fmt::format("Name the input that takes it, as in \"{}:{}1\". Available: {}.", name,
                    quantities->acting, fmt::join(inputs, ", ")));
    return;
  }
  // A marker with a number or an index (force2, force[2]) moves with position2 or position[2], where there is such.
  const auto stem_end = marker.find_last_not_of("0123456789[]:");
  const std::string suffix = marker.substr(stem_end == std::string::npos ? 0 : stem_end + 1);
  const auto motion = [&](const std::string& quantity) -> std::string {
    const Port* plain = find_port(mover->outputs, quantity);
    const bool sliced = suffix.starts_with('[') && plain && plain->size > 1;
    const bool own = !suffix.empty() && (sliced || find_port(mover->outputs, quantity + suffix));
    if (own || plain) return name + "." + quantity + (own ? suffix : "");
    problems_.error(end.where, fmt::format("'{}' has no output '{}' for '{}'.", name, quantity, law),
                    quantities->displacement == nullptr
                        ? fmt::format("An end of this element gives its {} and takes a {}.", quantities->rate,
                                      quantities->acting)
                        : fmt::format("An end of an element gives its {} and {} and takes a {}.",
                                      quantities->displacement, quantities->rate, quantities->acting));
    return {};
  };
  BondSpec bond;
  bond.name = fmt::format("{}.{}", law, side);
  bond.where = element.where;
  bond.a.effort = {fmt::format("{}.{}_{}", law, quantities->acting, side)};
  bond.b.effort = {name + "." + marker};
  const std::string rate = motion(quantities->rate);
  if (rate.empty()) return;
  bond.b.flow = {rate};
  if (const auto port = fmt::format("{}_{}", quantities->rate, side); find_port(giver->inputs, port))
    bond.a.flow = {law + "." + port};
  if (quantities->displacement != nullptr) {
    const auto port = fmt::format("{}_{}", quantities->displacement, side);
    if (find_port(giver->inputs, port)) {
      const std::string displacement = motion(quantities->displacement);
      if (displacement.empty()) return;
      bond.a.displacement = {law + "." + port};
      bond.b.displacement = {displacement};
    }
  }
  graph_.bond(std::move(bond));
}

void GraphBuilder::wire() {
  for (const ConnectionEntry& connection : scenario_.connections) {
    if (check_ports(connection.ports) && connection.usable) graph_.connect(connection.spec);
  }
  for (const BondEntry& bond : scenario_.bonds) {
    if (check_ports(bond.ports) && bond.usable) graph_.bond(bond.spec);
  }
  for (const ElementEntry& element : scenario_.elements) {
    if (failed_.contains(element.name.value)) continue;
    if (element.markers.size() == 2) {
      if (element.form == JointForm::force_force) {
        wire_joint(element, 'i', element.markers[0]);
        wire_joint(element, 'j', element.markers[1]);
      } else {
        wire_attached_joint(element);
      }
    }
    if (element.ends.size() != 2) continue;
    bond_element(element, 'i', element.ends[0]);
    bond_element(element, 'j', element.ends[1]);
  }
}

std::vector<std::string> GraphBuilder::signal_names(bool inputs) const {
  std::vector<std::string> names;
  for (const auto& [name, description] : descriptions_) {
    for (const Port& port : inputs ? description->inputs : description->outputs) {
      for (std::size_t i = 0; i < port.size; ++i) {
        names.push_back(fmt::format("{}.{}{}", name, port.name, port.size > 1 ? fmt::format("[{}]", i) : ""));
      }
    }
  }
  return names;
}

void GraphBuilder::collect_history(std::map<std::string, std::vector<double>>& history) {
  Names outputs;  // looked up where there is a history
  for (const SubsystemEntry& entry : scenario_.subsystems) {
    if (entry.initial_history.empty() || !descriptions_.contains(entry.name.value)) continue;
    if (outputs.empty()) outputs = signal_names(false);
    for (const auto& [port, values] : entry.initial_history) {
      const std::string name = entry.name.value + "." + port;
      if (std::find(outputs.begin(), outputs.end(), name) == outputs.end()) {
        problems_.error(values.where,
                        fmt::format("'initial_history' lists '{}', which is not an output.", name),
                        did_you_mean(name, outputs));
        continue;
      }
      history[name] = values.value;
    }
  }
}

}  // namespace ergon
