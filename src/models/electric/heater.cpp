#include "ergon/models/electric/heater.hpp"

#include "ergon/models/native_subsystem.hpp"

namespace ergon {

Description Heater::describe() const {
  Description description;
  Port temperature{"temperature", Unit::of("K"), 1, "of the body that it heats", p_.reference_K};
  temperature.nominal = 50.0;
  description.inputs = {{"voltage", Unit::of("V"), 1, "at the terminals"}, temperature};
  description.outputs = {{"current", Unit::of("A"), 1, "into the terminals"},
                         {"entropy_flow", Unit::of("W/K"), 1, "heat_flow / temperature: into the body"},
                         {"heat_flow", Unit::of("W"), 1, "into the body"}};
  description.feedthrough = {{1, 1}, {2, 1}};
  return description;
}

ModelInfo heater_model() {
  ModelInfo info;
  info.name = "electric.heater";
  info.summary = "coil that heats a body: voltage and temperature in, current and entropy flow out";
  info.parameters = {{"R", "Ohm", 1.0, "resistance at the reference temperature", {}, 0.0, true},
                     {"L", "H", 0.1, "inductance", {}, 0.0, true},
                     {"alpha", "1/K", 0.0, "growth of the resistance with temperature"},
                     {"T_ref", "K", 293.15, "reference temperature", {}, 0.0, true}};
  info.initial = {{"current", "A", 0.0, "at the start"}};
  info.make = [](const ModelRequest& request, ProblemList& problems) -> std::unique_ptr<Subsystem> {
    const auto integration = check_integrator(request, problems);
    if (!integration) return nullptr;
    const ParameterSet& given = request.parameters;
    const Heater heater({given.number("R"), given.number("L"), given.number("alpha"), given.number("T_ref")});
    return std::make_unique<NativeSubsystem<Heater>>(heater, *integration,
                                                     std::vector<double>{request.initial.number("current")});
  };
  info.examples = {
      {"warm", {{"R", {2.0, {}}}, {"L", {0.05, {}}}, {"alpha", {4e-4, {}}}}, {{"current", {3.0, {}}}}}};
  return info;
}

}  // namespace ergon
