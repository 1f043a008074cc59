#include "ergon/models/thermal/heat_transfer.hpp"

namespace ergon {
namespace {

constexpr double stefan_boltzmann_W_m2_K4 = 5.670374419e-8;

Port temperature_port(const char* name, const char* text, double start_K) {
  Port port{name, Unit::of("K"), 1, text, start_K};
  port.nominal = 50.0;
  return port;
}

ParameterInfo area_parameter() {
  return {"area", "m2", 1.0, "of the surface", {}, 0.0};
}
ParameterInfo emissivity_parameter() {
  return {"emissivity", "", 1.0, "of the surface, 0 to 1", {}, 0.0};
}
ParameterInfo surroundings_parameter() {
  return {"surroundings", "K", 293.15, "their temperature where nothing is connected", {}, 0.0};
}

/// ε σ A; nothing after reporting an emissivity above 1.
std::optional<HeatLaw> radiation_law(const ParameterSet& given, ProblemList& problems) {
  const double emissivity = given.number("emissivity");
  if (emissivity > 1.0) {
    problems.error({}, "An 'emissivity' is above 1.", "Give a number from 0 to 1.");
    return std::nullopt;
  }
  return HeatLaw{HeatLaw::Kind::radiation, emissivity * stefan_boltzmann_W_m2_K4 * given.number("area")};
}

}  // namespace

double HeatLaw::flow_W(double from_K, double to_K) const {
  if (kind == Kind::linear) return coefficient * (from_K - to_K);
  const double from2 = from_K * from_K;
  const double to2 = to_K * to_K;
  return coefficient * (from2 + to2) * (from_K + to_K) * (from_K - to_K);
}

double HeatLaw::slope_W_K(double at_K) const {
  return kind == Kind::linear ? coefficient : 4.0 * coefficient * at_K * at_K * at_K;
}

Description HeatTransfer::describe() const {
  const Unit entropy_flow = Unit::of("W/K");
  Description description;
  description.inputs = {temperature_port("temperature_i", "of body i", 293.15),
                        temperature_port("temperature_j", "of body j", 293.15)};
  description.outputs = {{"entropy_flow_i", entropy_flow, 1, "into body i"},
                         {"entropy_flow_j", entropy_flow, 1, "into body j"},
                         {"heat_flow", Unit::of("W"), 1, "from i to j"}};
  for (std::size_t output = 0; output < 3; ++output) {
    for (std::size_t input = 0; input < 2; ++input) description.feedthrough.push_back({output, input});
  }
  description.algebraic = true;
  return description;
}

void HeatTransfer::evaluate(const double* u, double* y) const {
  y[2] = law_.flow_W(u[0], u[1]);
  y[0] = -y[2] / u[0];
  y[1] = y[2] / u[1];
}

void HeatTransfer::output_jacobian(double /*t*/, const double* u, double* jacobian) const {
  const double flow = law_.flow_W(u[0], u[1]);
  const double by_i = law_.slope_W_K(u[0]);
  const double by_j = -law_.slope_W_K(u[1]);
  jacobian[0] = (flow / u[0] - by_i) / u[0];
  jacobian[1] = -by_j / u[0];
  jacobian[2] = by_i / u[1];
  jacobian[3] = (by_j - flow / u[1]) / u[1];
  jacobian[4] = by_i;
  jacobian[5] = by_j;
}

Description HeatLoss::describe() const {
  Description description;
  description.inputs = {temperature_port("temperature", "of the body", 293.15),
                        temperature_port("surroundings", "temperature of the surroundings", surroundings_K_)};
  description.inputs[1].optional = true;
  description.outputs = {{"entropy_flow", Unit::of("W/K"), 1, "into the body"},
                         {"heat_flow", Unit::of("W"), 1, "from the body to the surroundings"}};
  description.feedthrough = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
  description.algebraic = true;
  return description;
}

void HeatLoss::evaluate(const double* u, double* y) const {
  y[1] = law_.flow_W(u[0], u[1]);
  y[0] = -y[1] / u[0];
}

void HeatLoss::output_jacobian(double /*t*/, const double* u, double* jacobian) const {
  const double flow = law_.flow_W(u[0], u[1]);
  jacobian[2] = law_.slope_W_K(u[0]);
  jacobian[3] = -law_.slope_W_K(u[1]);
  jacobian[0] = (flow / u[0] - jacobian[2]) / u[0];
  jacobian[1] = -jacobian[3] / u[0];
}

ElementInfo conductance_element() {
  ElementInfo info;
  info.name = "conductance";
  info.summary = "heat conduction between two bodies: G * (temperature_i - temperature_j)";
  info.parameters = {{"G", "W/K", 1.0, "thermal conductance", {}, 0.0}};
  info.make = [](const ParameterSet& given, ProblemList& /*problems*/) {
    return std::make_unique<HeatTransfer>(HeatLaw{HeatLaw::Kind::linear, given.number("G")});
  };
  info.examples = {{"wall", {{"G", {12.0, {}}}}}};
  return info;
}

ElementInfo heat_exchange_element() {
  ElementInfo info;
  info.name = "heat-radiation";
  info.summary = "radiation between two bodies: emissivity * sigma * area * (T_i^4 - T_j^4)";
  info.parameters = {area_parameter(), emissivity_parameter()};
  info.make = [](const ParameterSet& given, ProblemList& problems) -> std::unique_ptr<Element> {
    const auto law = radiation_law(given, problems);
    if (!law) return nullptr;
    return std::make_unique<HeatTransfer>(*law);
  };
  info.examples = {{"plates", {{"area", {0.5, {}}}, {"emissivity", {0.7, {}}}}}};
  return info;
}

ElementInfo convection_element() {
  ElementInfo info;
  info.name = "convection";
  info.summary = "heat that a body loses to a fluid around it: h * area * (temperature - surroundings)";
  info.parameters = {{"h", "W/m2/K", 10.0, "heat transfer coefficient", {}, 0.0},
                     area_parameter(),
                     surroundings_parameter()};
  info.make = [](const ParameterSet& given, ProblemList& /*problems*/) {
    return std::make_unique<HeatLoss>(
        HeatLaw{HeatLaw::Kind::linear, given.number("h") * given.number("area")},
        given.number("surroundings"));
  };
  info.examples = {{"cold air", {{"h", {25.0, {}}}, {"area", {0.1, {}}}, {"surroundings", {260.0, {}}}}}};
  return info;
}

ElementInfo radiation_element() {
  ElementInfo info;
  info.name = "radiation";
  info.summary = "heat that a body radiates: emissivity * sigma * area * (temperature^4 - surroundings^4)";
  info.parameters = {area_parameter(), emissivity_parameter(), surroundings_parameter()};
  info.make = [](const ParameterSet& given, ProblemList& problems) -> std::unique_ptr<Element> {
    const auto law = radiation_law(given, problems);
    if (!law) return nullptr;
    return std::make_unique<HeatLoss>(*law, given.number("surroundings"));
  };
  info.examples = {{"hot", {{"area", {0.5, {}}}, {"emissivity", {0.8, {}}}, {"surroundings", {400.0, {}}}}}};
  return info;
}

}  // namespace ergon
