#include "ergon/models/hydraulics/hydraulic_crane.hpp"

#include <algorithm>

#include "ergon/models/native_subsystem.hpp"

namespace ergon {
namespace {

std::unique_ptr<Subsystem> make_hydraulic_crane(const ModelRequest& request, ProblemList& problems) {
  const auto integration = check_integrator(request, problems);
  const auto crane = read_crane(request, problems);
  auto cylinder = read_cylinder(request, problems);
  if (!integration || !crane || !cylinder) return nullptr;
  const ParameterSet& initial = request.initial;
  cylinder->middle_m = PlanarCrane(*crane).actuator(initial.number("theta1")).length_m;
  std::vector<double> start;
  for (const char* name : {"theta1", "theta2", "omega1", "omega2", "p1", "p2"})
    start.push_back(initial.number(name));
  return std::make_unique<NativeSubsystem<HydraulicCrane>>(HydraulicCrane(*crane, *cylinder), *integration,
                                                           start);
}

}  // namespace

Description HydraulicCrane::describe() const {
  Description description;
  Port spool{"spool", Unit{}, 1, "displacement of the valve's spool, 0 to 1", 0.5};
  spool.nominal = 0.3;
  description.inputs = {spool};
  description.outputs = {{"position", Unit::of("m"), 1, "length of the actuator"},
                         {"velocity", Unit::of("m/s"), 1, "its rate"},
                         {"theta1", Unit::of("rad"), 1, "angle of link 1 against world x"},
                         {"theta2", Unit::of("rad"), 1, "angle of link 2 against world x"},
                         {"force", Unit::of("N"), 1, "of the actuator; positive: it extends"},
                         {"pressure_1", Unit::of("Pa"), 1, "in the chamber that shrinks when extending"},
                         {"pressure_2", Unit::of("Pa"), 1, "in the other chamber"}};
  return description;
}

double HydraulicCrane::stored_J(const double* u, const double* q, const double* v) const {
  const Motion motion = motion_of(u, q, v);
  return crane_.stored_J(nullptr, q, v) + cylinder_.stored_J(motion.u, nullptr, v + 2);
}

void HydraulicCrane::outputs(const double* u, const double* q, const double* v, double* y) const {
  const Motion motion = motion_of(u, q, v);
  y[0] = motion.u[0];
  y[1] = motion.u[1];
  y[2] = q[0];
  y[3] = q[1];
  y[4] = cylinder_.force_N(motion.u, v + 2);
  y[5] = v[2];
  y[6] = v[3];
}

void HydraulicCrane::output_jacobian(const double* /*u*/, const double* /*q*/, const double* /*v*/,
                                     double* jacobian) const {
  std::fill_n(jacobian, output_count() * input_count(), 0.0);
}

const char* HydraulicCrane::violation(const double* u, const double* q, const double* v) const {
  return cylinder_.violation(motion_of(u, q, v).u, nullptr, v + 2);
}

std::string HydraulicCrane::inconsistency(const double* u, const double* q, const double* v) const {
  return cylinder_.inconsistency(motion_of(u, q, v).u, nullptr, v + 2);
}

ModelInfo hydraulic_crane_model() {
  ModelInfo info;
  info.name = "hydraulics.crane";
  info.summary = "multibody.planar_crane with its hydraulics.cylinder, in one: no interface";
  info.parameters = crane_parameters();
  for (ParameterInfo& parameter : cylinder_parameters()) info.parameters.push_back(std::move(parameter));
  info.initial = crane_initial();
  for (ParameterInfo& value : cylinder_initial()) info.initial.push_back(std::move(value));
  info.make = make_hydraulic_crane;
  info.examples = {
      {"moving",
       {{"valve_area", {1e-5, {}}}, {"friction", {8e4, {}}}, {"a", {5e-9, {}}}, {"b", {0.0, {}}}},
       {{"omega1", {0.02, {}}}, {"omega2", {0.1, {}}}, {"p1", {3e6, {}}}, {"p2", {4.5e6, {}}}}}};
  return info;
}

}  // namespace ergon
