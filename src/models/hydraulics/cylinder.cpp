#include "ergon/models/hydraulics/cylinder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ergon/models/native_subsystem.hpp"

namespace ergon {
namespace {

bool check_limits(const ModelRequest& request, const ValvedCylinder::Parameters& p, ProblemList& problems) {
  bool ok = true;
  const auto refuse = [&](const std::string& what, const std::string& remedy) {
    problems.error(request.where, fmt::format("'{}': {}", request.name, what), remedy);
    ok = false;
  };
  if (!(p.shortest_chamber_m < 0.5 * p.length_m)) {
    refuse(fmt::format("shortest_chamber = {} m leaves no way for the piston in a length of {} m.",
                       p.shortest_chamber_m, p.length_m),
           "Make it less than half of the length.");
  }
  if (p.highest_pressure_Pa == 0.0) return ok;
  if (!(p.highest_pressure_Pa > p.pump_Pa)) {
    refuse(fmt::format("highest_pressure = {} Pa is not above pump_pressure = {} Pa.", p.highest_pressure_Pa,
                       p.pump_Pa),
           "Give both as absolute pressures, in Pa; 0 means that there is no limit.");
  } else if (!(p.fluid.compliance(p.highest_pressure_Pa) > 0.0)) {
    refuse(fmt::format("at highest_pressure = {} Pa the fluid has no bulk modulus: a + 2 b p must be "
                       "positive there.",
                       p.highest_pressure_Pa),
           fmt::format("Make it less than {:.4g} Pa.", -0.5 * p.fluid.a_1_Pa / p.fluid.b_1_Pa2));
  }
  return ok;
}

std::unique_ptr<Subsystem> make_cylinder(const ModelRequest& request, ProblemList& problems) {
  const auto integration = check_integrator(request, problems);
  auto parameters = read_cylinder(request, problems);
  if (!integration || !parameters) return nullptr;
  parameters->middle_m = request.parameters.number("s0");
  parameters->shortest_chamber_m = request.parameters.number("shortest_chamber");
  parameters->highest_pressure_Pa = request.parameters.number("highest_pressure");
  if (!check_limits(request, *parameters, problems)) return nullptr;
  std::vector<double> start = {request.initial.number("p1"), request.initial.number("p2")};
  return std::make_unique<NativeSubsystem<ValvedCylinder>>(ValvedCylinder(*parameters), *integration,
                                                           std::move(start));
}

}  // namespace

ValvedCylinder::ValvedCylinder(const Parameters& parameters) : p_(parameters) {
  p_.orifice.density_kg_m3 = p_.fluid.density_kg_m3;
}

Description ValvedCylinder::describe() const {
  Description description;
  Port position{"position_in", Unit::of("m"), 1, "length of the actuator", p_.middle_m};
  position.nominal = 0.05 * p_.length_m;
  Port velocity{"velocity_in", Unit::of("m/s"), 1, "its rate"};
  velocity.nominal = 0.05 * p_.length_m;
  Port spool{"spool", Unit{}, 1, "displacement of the valve's spool, 0 to 1", 0.5};
  spool.nominal = 0.3;
  description.inputs = {position, velocity, spool};
  const auto output = [&](const char* name, const char* unit, const char* text) {
    description.outputs.push_back({name, Unit::of(unit), 1, text});
  };
  output("force", "N", "of the actuator; positive: it extends");
  output("pressure_1", "Pa", "in the chamber that shrinks when the actuator extends");
  output("pressure_2", "Pa", "in the other chamber");
  output("mass_1", "kg", "fluid in chamber 1");
  output("mass_2", "kg", "fluid in chamber 2");
  output("mass_flow_1", "kg/s", "through the valve into chamber 1");
  output("mass_flow_2", "kg/s", "through the valve into chamber 2");
  output("pump_power", "W", "given by the pump");
  output("tank_power", "W", "carried to the tank");
  output("loss_power", "W", "lost in the valve and by friction");
  const std::size_t force = 0, mass_1 = 3, mass_2 = 4, flow_1 = 5, flow_2 = 6, pump = 7, tank = 8, loss = 9;
  description.feedthrough = {{force, 1}, {mass_1, 0}, {mass_2, 0}, {flow_1, 2}, {flow_2, 2},
                             {pump, 2},  {tank, 2},   {loss, 1},   {loss, 2}};
  return description;
}

ValvedCylinder::ValveFlows ValvedCylinder::valve_flows(double spool, double p, int chamber) const {
  // std::clamp lets NaN pass.
  const double gamma = std::clamp(spool, 0.0, 1.0);
  const double to_pump = chamber == 0 ? gamma : 1.0 - gamma;
  return {p_.valve_area_m2 * to_pump * p_.orifice.flow_per_area_m_s(p_.pump_Pa - p),
          p_.valve_area_m2 * (1.0 - to_pump) * p_.orifice.flow_per_area_m_s(p - p_.tank_Pa)};
}

void ValvedCylinder::acceleration(const double* u, const double* /*q*/, const double* p,
                                  double* p_dot) const {
  for (int chamber = 0; chamber < 2; ++chamber) {
    const double inflow = inflow_m3_s(u[2], p[chamber], chamber) - volume_per_length_m2(chamber) * u[1];
    p_dot[chamber] = p_.fluid.bulk_modulus_Pa(p[chamber]) / volume_m3(u[0], chamber) * inflow;
  }
}

double ValvedCylinder::stored_J(const double* u, const double* /*q*/, const double* p) const {
  double stored = 0.0;
  for (int chamber = 0; chamber < 2; ++chamber)
    stored += volume_m3(u[0], chamber) * p_.fluid.energy_density_J_m3(p[chamber]);
  return stored;
}

void ValvedCylinder::add_jump_work_J(const double* u_old, const double* u_new, const double* /*q*/,
                                     const double* p, double share, double* received) const {
  for (int chamber = 0; chamber < 2; ++chamber) {
    const double density = p_.fluid.energy_density_J_m3(p[chamber]);
    if (is_stopped(u_new[0], chamber) || is_stopped(u_old[0], chamber)) {
      received[0] += share * density * (volume_m3(u_new[0], chamber) - volume_m3(u_old[0], chamber));
    } else {
      received[0] += share * density * volume_per_length_m2(chamber) * (u_new[0] - u_old[0]);
    }
  }
}

double ValvedCylinder::keep_within(const double* u, double* p) const {
  if (p_.highest_pressure_Pa == 0.0) return 0.0;
  double left_J = 0.0;
  for (int chamber = 0; chamber < 2; ++chamber) {
    const double kept = std::clamp(p[chamber], 0.0, p_.highest_pressure_Pa);  // NaN passes
    if (kept == p[chamber]) continue;
    left_J += volume_m3(u[0], chamber) *
              (p_.fluid.energy_density_J_m3(p[chamber]) - p_.fluid.energy_density_J_m3(kept));
    p[chamber] = kept;
  }
  return left_J;
}

void ValvedCylinder::outputs(const double* u, const double* /*q*/, const double* p, double* y) const {
  double pump_W = 0.0;
  double tank_W = 0.0;
  double loss_W = p_.friction_Ns_m * u[1] * u[1];
  const double pump_Pa = p_.fluid.enthalpy_Pa(p_.pump_Pa);
  const double tank_Pa = p_.fluid.enthalpy_Pa(p_.tank_Pa);
  y[0] = force_N(u, p);
  for (int chamber = 0; chamber < 2; ++chamber) {
    const double pressure = p[chamber];
    const ValveFlows flows = valve_flows(u[2], pressure, chamber);
    const double ratio = p_.fluid.ratio(pressure);
    const double chamber_Pa = p_.fluid.enthalpy_Pa(pressure);
    pump_W += ratio * flows.from_pump_m3_s * pump_Pa;
    tank_W += ratio * flows.to_tank_m3_s * tank_Pa;
    loss_W +=
        ratio * (flows.from_pump_m3_s * (pump_Pa - chamber_Pa) + flows.to_tank_m3_s * (chamber_Pa - tank_Pa));
    const double density = p_.fluid.density_at_kg_m3(pressure);
    y[1 + chamber] = pressure;
    y[3 + chamber] = density * volume_m3(u[0], chamber);
    y[5 + chamber] = density * (flows.from_pump_m3_s - flows.to_tank_m3_s);
  }
  y[7] = pump_W;
  y[8] = tank_W;
  y[9] = loss_W;
}

void ValvedCylinder::output_jacobian(const double* u, const double* /*q*/, const double* p,
                                     double* jacobian) const {
  std::fill_n(jacobian, output_count() * input_count(), 0.0);
  const auto entry = [&](std::size_t output, std::size_t input) -> double& {
    return jacobian[output * input_count() + input];
  };
  entry(0, 1) = -p_.friction_Ns_m;
  entry(9, 1) = 2.0 * p_.friction_Ns_m * u[1];
  const bool spool_moves = u[2] >= 0.0 && u[2] <= 1.0;
  for (int chamber = 0; chamber < 2; ++chamber) {
    const auto index = static_cast<std::size_t>(chamber);
    const double density = p_.fluid.density_at_kg_m3(p[chamber]);
    if (!is_stopped(u[0], chamber)) entry(3 + index, 0) = density * volume_per_length_m2(chamber);
    if (!spool_moves) continue;
    // Flows are linear in the spool: what the pump gets more, the tank gets less.
    const double sign = chamber == 0 ? 1.0 : -1.0;
    const double ratio = p_.fluid.ratio(p[chamber]);
    const double chamber_Pa = p_.fluid.enthalpy_Pa(p[chamber]);
    const double from_pump = sign * p_.valve_area_m2 * p_.orifice.flow_per_area_m_s(p_.pump_Pa - p[chamber]);
    const double to_tank = -sign * p_.valve_area_m2 * p_.orifice.flow_per_area_m_s(p[chamber] - p_.tank_Pa);
    const double pump_Pa = p_.fluid.enthalpy_Pa(p_.pump_Pa);
    const double tank_Pa = p_.fluid.enthalpy_Pa(p_.tank_Pa);
    entry(5 + index, 2) = density * (from_pump - to_tank);
    entry(7, 2) += ratio * from_pump * pump_Pa;
    entry(8, 2) += ratio * to_tank * tank_Pa;
    entry(9, 2) += ratio * (from_pump * (pump_Pa - chamber_Pa) + to_tank * (chamber_Pa - tank_Pa));
  }
}

const char* ValvedCylinder::violation(const double* u, const double* /*q*/, const double* p) const {
  static constexpr const char* no_length[] = {
      "chamber 1 has no length left: the piston is at its end, or its position is not a number",
      "chamber 2 has no length left: the piston is at its end, or its position is not a number"};
  static constexpr const char* negative[] = {
      "the pressure of chamber 1 fell below 0, or is not a number: cavitation, or too large a step",
      "the pressure of chamber 2 fell below 0, or is not a number: cavitation, or too large a step"};
  static constexpr const char* thinned[] = {
      "the pressure of chamber 1 is beyond a + 2 b p = 0, where the fluid has no bulk modulus",
      "the pressure of chamber 2 is beyond a + 2 b p = 0, where the fluid has no bulk modulus"};
  for (int chamber = 0; chamber < 2; ++chamber) {
    const double length = chamber_length_m(u[0], chamber);
    const bool has_length = p_.shortest_chamber_m > 0.0 ? !std::isnan(length) : length > 0.0;
    if (!has_length) return no_length[chamber];
    const bool pressed = p_.highest_pressure_Pa > 0.0 ? !std::isnan(p[chamber]) : p[chamber] >= 0.0;
    if (!pressed) return negative[chamber];
    if (!(p_.fluid.compliance(p[chamber]) > 0.0)) return thinned[chamber];
  }
  return nullptr;
}

std::string ValvedCylinder::inconsistency(const double* u, const double* q, const double* p) const {
  if (!(chamber_length_m(u[0], 0) > 0.0 && chamber_length_m(u[0], 1) > 0.0)) {
    return fmt::format("the actuator is {} m long, outside its stroke from {} to {} m", u[0],
                       p_.middle_m - 0.5 * p_.length_m, p_.middle_m + 0.5 * p_.length_m);
  }
  const char* other = violation(u, q, p);
  return other == nullptr ? std::string() : other;
}

std::vector<ParameterInfo> cylinder_parameters() {
  return {
      {"area_1", "m2", 65e-4, "of the piston in the chamber that shrinks when extending", {}, 0.0, true},
      {"area_2", "m2", 65e-4, "of the piston in the other chamber", {}, 0.0, true},
      {"length", "m", 0.442, "of both chambers together", {}, 0.0, true},
      {"friction", "N.s/m", 1e5, "coefficient of viscous friction", {}, 0.0},
      {"valve_area", "m2", 5e-6, "opening of the valve from end to end of the spool's way", {}, 0.0, true},
      {"discharge", "", 0.67, "discharge coefficient of the valve", {}, 0.0, true},
      {"transition_pressure", "Pa", 1e3, "below it the flow is regularised", {}, 0.0, true},
      {"density", "kg/m3", 850.0, "of the fluid without pressure", {}, 0.0, true},
      {"a", "1/Pa", 6.53e-10, "compressibility: density grows with 1 + a p + b p^2"},
      {"b", "1/Pa2", -1.19e-18, "compressibility, see a"},
      {"pump_pressure", "Pa", 7.6e6, "absolute", {}, 0.0, true},
      {"tank_pressure", "Pa", 1e5, "absolute", {}, 0.0},
  };
}

std::vector<ParameterInfo> cylinder_initial() {
  return {{"p1", "Pa", 3.85e6, "pressure in chamber 1 at the start, absolute", {}, 0.0},
          {"p2", "Pa", 3.85e6, "pressure in chamber 2 at the start, absolute", {}, 0.0}};
}

std::optional<ValvedCylinder::Parameters> read_cylinder(const ModelRequest& request, ProblemList& problems) {
  const ParameterSet& given = request.parameters;
  ValvedCylinder::Parameters p;
  p.area_m2 = {given.number("area_1"), given.number("area_2")};
  p.length_m = given.number("length");
  p.friction_Ns_m = given.number("friction");
  p.valve_area_m2 = given.number("valve_area");
  p.orifice.discharge = given.number("discharge");
  p.orifice.transition_pressure_Pa = given.number("transition_pressure");
  p.fluid = {given.number("a"), given.number("b"), given.number("density")};
  p.pump_Pa = given.number("pump_pressure");
  p.tank_Pa = given.number("tank_pressure");
  bool ok = true;
  if (!(p.pump_Pa > p.tank_Pa)) {
    problems.error(request.where,
                   fmt::format("'{}': pump_pressure = {} Pa is not above tank_pressure = {} Pa.",
                               request.name, p.pump_Pa, p.tank_Pa),
                   "Give both as absolute pressures, in Pa.");
    ok = false;
  }
  const auto check_fluid = [&](const char* whose, double pressure) {
    if (p.fluid.compliance(pressure) > 0.0 && p.fluid.ratio(pressure) > 0.0) return;
    problems.error(request.where,
                   fmt::format("'{}': a = {}, b = {} give no bulk modulus at {} = {} Pa: a + 2 b p and "
                               "1 + a p + b p^2 must be positive there.",
                               request.name, p.fluid.a_1_Pa, p.fluid.b_1_Pa2, whose, pressure),
                   "For mineral oil a = 6.53e-10 and b = -1.19e-18; both belong to pressures in Pa.");
    ok = false;
  };
  // Between the lowest and the highest both are monotonous or have their least at an end.
  check_fluid("tank_pressure", p.tank_Pa);
  check_fluid("pump_pressure", p.pump_Pa);
  check_fluid("p1", request.initial.number("p1"));
  check_fluid("p2", request.initial.number("p2"));
  if (!ok) return std::nullopt;
  return p;
}

ModelInfo cylinder_model() {
  ModelInfo info;
  info.name = "hydraulics.cylinder";
  info.summary = "double-acting cylinder behind a spool valve: takes length and rate, gives its force";
  info.parameters = cylinder_parameters();
  info.parameters.push_back({"s0", "m", 0.0, "length of the actuator with the piston in the middle"});
  info.parameters.push_back({"shortest_chamber",
                             "m",
                             0.0,
                             "minimum chamber length; 0: the run fails when a chamber is empty",
                             {},
                             0.0});
  info.parameters.push_back(
      {"highest_pressure", "Pa", 0.0, "pressures stop at 0 and here; 0: a run ends below 0", {}, 0.0});
  info.initial = cylinder_initial();
  info.make = make_cylinder;
  info.examples = {{"differential",
                    {{"area_1", {30e-4, {}}},
                     {"area_2", {50e-4, {}}},
                     {"length", {0.6, {}}},
                     {"s0", {0.8, {}}},
                     {"friction", {2e3, {}}},
                     {"tank_pressure", {2e5, {}}}},
                    {{"p1", {5e6, {}}}, {"p2", {2e6, {}}}}},
                   {"with stops", {{"shortest_chamber", {0.02, {}}}, {"highest_pressure", {1.5e8, {}}}}}};
  return info;
}

}  // namespace ergon
