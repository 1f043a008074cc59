#include "ergon/models/electric/dc_motor.hpp"

#include "ergon/models/native_subsystem.hpp"

namespace ergon {

Description DcMotor::describe() const {
  const Unit torque = Unit::of("N.m");
  Description description;
  Port external{"external_torque", torque, 1, "further torque on the rotor"};
  external.optional = true;
  description.inputs = {{"voltage", Unit::of("V"), 1, "at the terminals"},
                        {"torque", torque, 1, "on the rotor, from what is on its shaft"},
                        external};
  description.outputs = {
      {"current", Unit::of("A"), 1, "into the terminals"},
      {"angle", Unit::of("rad"), 1, "of the rotor"},
      {"angular_velocity", Unit::of("rad/s"), 1, "of the rotor"},
      {"angular_acceleration", Unit::of("rad/s2"), 1, "of the rotor, with the torques of the same instant"},
      {"motor_torque", torque, 1, "k I: of the current on the rotor"},
      {"heat_flow", Unit::of("W"), 1, "R I^2: heat of the winding"}};
  description.outputs[2].rate_of = "angle";
  description.feedthrough = {{3, 1}, {3, 2}};
  return description;
}

ModelInfo dc_motor_model() {
  ModelInfo info;
  info.name = "electric.dc_motor";
  info.summary = "direct-current motor with its rotor: voltage and torque in, current and motion out";
  info.parameters = {{"R", "Ohm", 1.0, "resistance of the winding", {}, 0.0},
                     {"L", "H", 0.02, "inductance of the winding", {}, 0.0, true},
                     {"k", "N.m/A", 0.1, "torque per current = voltage per angular velocity"},
                     {"J", "kg.m2", 1e-3, "moment of inertia of the rotor", {}, 0.0, true},
                     {"d", "N.m.s", 0.0, "coefficient of viscous friction in its bearings", {}, 0.0}};
  info.initial = {{"phi", "rad", 0.0, "angle at the start"},
                  {"omega", "rad/s", 0.0, "angular velocity at the start"},
                  {"current", "A", 0.0, "current at the start"}};
  info.make = [](const ModelRequest& request, ProblemList& problems) -> std::unique_ptr<Subsystem> {
    const auto integration = check_integrator(request, problems);
    if (!integration) return nullptr;
    const ParameterSet& given = request.parameters;
    const DcMotor motor(
        {given.number("R"), given.number("L"), given.number("k"), given.number("J"), given.number("d")});
    const ParameterSet& start = request.initial;
    return std::make_unique<NativeSubsystem<DcMotor>>(
        motor, *integration,
        std::vector<double>{start.number("phi"), start.number("omega"), start.number("current")});
  };
  info.examples = {
      {"running",
       {{"R", {0.5, {}}}, {"L", {0.02, {}}}, {"k", {0.3, {}}}, {"J", {0.02, {}}}, {"d", {0.01, {}}}},
       {{"phi", {0.3, {}}}, {"omega", {5.0, {}}}, {"current", {2.0, {}}}}}};
  return info;
}

}  // namespace ergon
