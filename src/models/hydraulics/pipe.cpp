#include "ergon/models/hydraulics/pipe.hpp"

#include <numbers>

#include "ergon/models/native_subsystem.hpp"

namespace ergon {

Description Pipe::describe() const {
  const Unit pascal = Unit::of("Pa");
  const Unit flow = Unit::of("m3/s");
  Description description;
  description.inputs = {{"pressure_i", pascal, 1, "at end i"}, {"pressure_j", pascal, 1, "at end j"}};
  for (Port& port : description.inputs) port.nominal = 1e4;
  description.outputs = {{"volume_flow_i", flow, 1, "into what is at end i"},
                         {"volume_flow_j", flow, 1, "into what is at end j: through the pipe from i to j"}};
  return description;
}

ModelInfo pipe_model() {
  ModelInfo info;
  info.name = "hydraulics.pipe";
  info.summary = "inertia and friction of the fluid in a pipe: takes two pressures, gives flows to both ends";
  info.parameters = {
      {"length", "m", 1.0, "of the pipe", {}, 0.0, true},
      {"diameter", "m", 0.02, "inner", {}, 0.0, true},
      {"density", "kg/m3", 1000.0, "of the fluid", {}, 0.0, true},
      {"viscosity", "Pa.s", 1e-3, "dynamic: laminar friction, 128 viscosity length/(pi d^4)", {}, 0.0},
      {"friction_factor", "", 0.0, "f: turbulent loss f length/d rho w^2/2, w the mean speed", {}, 0.0}};
  info.initial = {{"volume_flow", "m3/s", 0.0, "from i to j at the start"}};
  info.make = [](const ModelRequest& request, ProblemList& problems) -> std::unique_ptr<Subsystem> {
    const auto integration = check_integrator(request, problems);
    if (!integration) return nullptr;
    const ParameterSet& given = request.parameters;
    const double length = given.number("length");
    const double d = given.number("diameter");
    const double density = given.number("density");
    const double area = 0.25 * std::numbers::pi * d * d;
    Pipe::Parameters p;
    p.inertance_kg_m4 = density * length / area;
    p.laminar_Pas_m3 = 128.0 * given.number("viscosity") * length / (std::numbers::pi * d * d * d * d);
    p.turbulent_Pas2_m6 = given.number("friction_factor") * length / d * density / (2.0 * area * area);
    return std::make_unique<NativeSubsystem<Pipe>>(
        Pipe(p), *integration, std::vector<double>{request.initial.number("volume_flow")});
  };
  info.examples = {{"of oil",
                    {{"length", {3.0, {}}},
                     {"diameter", {0.05, {}}},
                     {"density", {850.0, {}}},
                     {"viscosity", {0.04, {}}},
                     {"friction_factor", {0.03, {}}}},
                    {{"volume_flow", {2e-3, {}}}}}};
  return info;
}

}  // namespace ergon
