#include "ergon/models/mechanics/moving_mass.hpp"

#include <fmt/format.h>

#include <cmath>

#include "ergon/models/native_subsystem.hpp"

namespace ergon {
namespace {

using MassKind = MovingMass::Kind;

constexpr double max_effort_ports = 10000.0;

struct MassWords {
  const char *effort, *position, *velocity, *acceleration;
  const char *effort_unit, *position_unit, *velocity_unit, *acceleration_unit;
  const char *x, *v;  ///< initial values
};
MassWords words_of(MassKind kind) {
  if (kind == MassKind::translational)
    return {"force", "position", "velocity", "acceleration", "N", "m", "m/s", "m/s2", "x", "v"};
  return {"torque", "angle", "angular_velocity", "angular_acceleration", "N.m", "rad", "rad/s", "rad/s2",
          "phi",    "omega"};
}

std::unique_ptr<Subsystem> make_moving_mass(MassKind kind, const ModelRequest& request,
                                            ProblemList& problems) {
  const auto integration = check_integrator(request, problems);
  const bool on_line = kind == MassKind::translational;
  const ParameterSet& given = request.parameters;
  const std::string ports_name = on_line ? "force_ports" : "torque_ports";
  const double ports = given.number(ports_name);
  if (ports != std::floor(ports) || ports > max_effort_ports) {
    problems.error(request.where, fmt::format("'{}': {} is {}.", request.name, ports_name, ports),
                   fmt::format("Give a whole number up to {}.", max_effort_ports));
    return nullptr;
  }
  if (!integration) return nullptr;
  MovingMass::Parameters p;
  p.kind = kind;
  p.inertia = given.number(on_line ? "m" : "J");
  p.damping = given.number(on_line ? "c" : "d");
  p.weight = on_line ? p.inertia * given.number("gravity") : 0.0;
  p.ports = static_cast<std::size_t>(ports);
  const MassWords words = words_of(kind);
  return std::make_unique<NativeSubsystem<MovingMass>>(
      MovingMass(p), *integration,
      std::vector<double>{request.initial.number(words.x), request.initial.number(words.v)});
}

ModelInfo moving_mass_model(MassKind kind, std::string name, std::string summary) {
  const MassWords words = words_of(kind);
  ModelInfo info;
  info.name = std::move(name);
  info.summary = std::move(summary);
  info.initial = {{words.x, words.position_unit, 0.0, fmt::format("{} at the start", words.position)},
                  {words.v, words.velocity_unit, 0.0, fmt::format("{} at the start", words.velocity)}};
  info.make = [kind](const ModelRequest& request, ProblemList& problems) {
    return make_moving_mass(kind, request, problems);
  };
  return info;
}

}  // namespace

Description MovingMass::describe() const {
  const MassWords words = words_of(p_.kind);
  Description description;
  const Unit effort = Unit::of(words.effort_unit);
  for (std::size_t i = 1; i <= p_.ports; ++i) {
    description.inputs.push_back(
        {p_.ports == 1 ? words.effort : fmt::format("{}{}", words.effort, i), effort, 1, "acts on it"});
  }
  Port external{fmt::format("external_{}", words.effort), effort, 1, "acts on it as well"};
  external.optional = true;
  description.inputs.push_back(external);
  description.outputs = {{words.position, Unit::of(words.position_unit), 1, "where it is"},
                         {words.velocity, Unit::of(words.velocity_unit), 1, "how fast it moves"},
                         {words.acceleration, Unit::of(words.acceleration_unit), 1,
                          "rate of its velocity, with the efforts of the same instant"}};
  description.outputs[1].rate_of = words.position;
  for (std::size_t i = 0; i < input_count(); ++i) description.feedthrough.push_back({2, i});
  return description;
}

ModelInfo translational_mass_model() {
  ModelInfo info = moving_mass_model(MassKind::translational, "translational.mass",
                                     "mass with its weight, driven by forces; gives its acceleration, too");
  info.parameters = {
      {"m", "kg", 1.0, "mass", {}, 0.0, true},
      {"c", "N.s/m", 0.0, "coefficient of the damper to the ground", {}, 0.0},
      {"gravity", "m/s2", 0.0, "pulls it towards smaller positions"},
      {"force_ports", "", 1.0, "number of force inputs: force, or force1, force2, ...", {}, 0.0}};
  info.examples = {{"heavy",
                    {{"m", {3.0, {}}}, {"c", {0.5, {}}}, {"gravity", {9.81, {}}}, {"force_ports", {2.0, {}}}},
                    {{"x", {0.2, {}}}, {"v", {-1.0, {}}}}}};
  return info;
}

ModelInfo rotational_inertia_model() {
  ModelInfo info = moving_mass_model(MassKind::rotational, "rotational.inertia",
                                     "inertia on a shaft with bearing friction, driven by torques");
  info.parameters = {
      {"J", "kg.m2", 1.0, "moment of inertia", {}, 0.0, true},
      {"d", "N.m.s", 0.0, "coefficient of viscous friction in its bearings", {}, 0.0},
      {"torque_ports", "", 1.0, "number of torque inputs: torque, or torque1, torque2, ...", {}, 0.0}};
  info.examples = {{"in bearings",
                    {{"J", {0.4, {}}}, {"d", {0.3, {}}}, {"torque_ports", {2.0, {}}}},
                    {{"phi", {0.2, {}}}, {"omega", {-1.0, {}}}}}};
  return info;
}

}  // namespace ergon
