#include "ergon/models/hydraulics/flow_laws.hpp"

#include <algorithm>
#include <cmath>

namespace ergon {
namespace {

Port pressure_port(const char* name, const char* text) {
  Port port{name, Unit::of("Pa"), 1, text};
  port.nominal = 1e5;
  return port;
}

}  // namespace

Description FlowOrifice::describe() const {
  const Unit flow = Unit::of("m3/s");
  Description description;
  Port opening{"opening", Unit::of("1"), 1, "from 0, closed, to 1, open", 1.0};
  opening.optional = true;
  opening.nominal = 0.5;
  description.inputs = {pressure_port("pressure_i", "at end i"), pressure_port("pressure_j", "at end j"),
                        opening};
  description.outputs = {{"volume_flow_i", flow, 1, "into what is at end i"},
                         {"volume_flow_j", flow, 1, "into what is at end j"}};
  for (std::size_t output = 0; output < 2; ++output) {
    for (std::size_t input = 0; input < 3; ++input) description.feedthrough.push_back({output, input});
  }
  description.algebraic = true;
  return description;
}

double FlowOrifice::full_flow_m3_s(double difference_Pa) const {
  return conductance_ * difference_Pa /
         std::sqrt(std::hypot(difference_Pa, transition_Pa_));  // hypot: (Δp² + p_t²)^½
}

void FlowOrifice::evaluate(const double* u, double* y) const {
  y[1] = std::clamp(u[2], 0.0, 1.0) * full_flow_m3_s(u[0] - u[1]);
  y[0] = -y[1];
}

double FlowOrifice::dissipation_W(const double* u) const {
  return std::clamp(u[2], 0.0, 1.0) * full_flow_m3_s(u[0] - u[1]) * (u[0] - u[1]);
}

void FlowOrifice::output_jacobian(double /*t*/, const double* u, double* jacobian) const {
  const double difference = u[0] - u[1];
  const double size = std::hypot(difference, transition_Pa_);
  const double share = difference / size;
  const double slope =
      std::clamp(u[2], 0.0, 1.0) * conductance_ / std::sqrt(size) * (1.0 - 0.5 * share * share);
  const double by_opening = u[2] > 0.0 && u[2] < 1.0 ? full_flow_m3_s(difference) : 0.0;
  const double row[3] = {slope, -slope, by_opening};
  for (std::size_t i = 0; i < 3; ++i) {
    jacobian[i] = -row[i];
    jacobian[3 + i] = row[i];
  }
}

Description Pump::describe() const {
  const Unit flow = Unit::of("m3/s");
  Description description;
  Port speed{"angular_velocity", Unit::of("rad/s"), 1, "of the shaft"};
  speed.nominal = 100.0;
  description.inputs = {speed, pressure_port("pressure_i", "at the inlet"),
                        pressure_port("pressure_j", "at the outlet")};
  description.outputs = {{"torque", Unit::of("N.m"), 1, "on the shaft"},
                         {"volume_flow_i", flow, 1, "into what is at the inlet"},
                         {"volume_flow_j", flow, 1, "into what is at the outlet"}};
  for (std::size_t output = 0; output < 3; ++output) {
    for (std::size_t input = 0; input < 3; ++input) description.feedthrough.push_back({output, input});
  }
  description.algebraic = true;
  return description;
}

void Pump::evaluate(const double* u, double* y) const {
  const double difference = u[2] - u[1];
  const double flow = displacement_ * u[0] - leakage_ * difference;
  y[0] = -displacement_ * difference - friction_ * u[0];
  y[1] = -flow;
  y[2] = flow;
}

double Pump::dissipation_W(const double* u) const {
  const double difference = u[2] - u[1];
  return leakage_ * difference * difference + friction_ * u[0] * u[0];
}

void Pump::output_jacobian(double /*t*/, const double* /*u*/, double* jacobian) const {
  const double D = displacement_, g = leakage_;
  const double rows[9] = {-friction_, D, -D, -D, -g, g, D, g, -g};
  std::copy_n(rows, 9, jacobian);
}

ElementInfo orifice_element() {
  ElementInfo info;
  info.name = "orifice";
  info.summary = "orifice or valve between two volumes: flow with the root of the pressure difference";
  info.parameters = {{"area", "m2", 1e-4, "fully open", {}, 0.0},
                     {"discharge", "", 0.62, "discharge coefficient", {}, 0.0},
                     {"density", "kg/m3", 1000.0, "of the fluid", {}, 0.0, true},
                     {"transition_pressure", "Pa", 100.0, "below it the flow is laminar", {}, 0.0, true}};
  info.make = [](const ParameterSet& given, ProblemList& /*problems*/) {
    return std::make_unique<FlowOrifice>(
        given.number("area") * given.number("discharge") * std::sqrt(2.0 / given.number("density")),
        given.number("transition_pressure"));
  };
  info.examples = {{"wide", {{"area", {0.01, {}}}, {"transition_pressure", {1e5, {}}}}}};
  return info;
}

ElementInfo pump_element() {
  ElementInfo info;
  info.name = "pump";
  info.summary = "displacement pump or motor between a shaft and two volumes";
  info.parameters = {{"displacement", "m3/rad", 1e-6, "volume per angle of the shaft"},
                     {"leakage", "m3/s/Pa", 0.0, "flow back per pressure difference", {}, 0.0},
                     {"friction", "N.m.s", 0.0, "viscous, of the shaft", {}, 0.0}};
  info.make = [](const ParameterSet& given, ProblemList& /*problems*/) {
    return std::make_unique<Pump>(given.number("displacement"), given.number("leakage"),
                                  given.number("friction"));
  };
  info.examples = {
      {"worn", {{"displacement", {5e-6, {}}}, {"leakage", {1e-11, {}}}, {"friction", {0.01, {}}}}}};
  return info;
}

}  // namespace ergon
