#include "ergon/models/hydraulics/reservoir.hpp"

#include <fmt/format.h>

#include "ergon/models/native_subsystem.hpp"

namespace ergon {
namespace {

constexpr double max_flow_ports = 10000.0;
constexpr double gravity_m_s2 = 9.80665;

using ReservoirKind = Reservoir::Kind;

std::unique_ptr<Subsystem> make_reservoir(ReservoirKind kind, const ModelRequest& request,
                                          ProblemList& problems) {
  const auto integration = check_integrator(request, problems);
  const ParameterSet& given = request.parameters;
  const double ports = given.number("ports");
  bool ok = integration.has_value();
  if (ports != std::floor(ports) || ports > max_flow_ports) {
    problems.error(request.where, fmt::format("'{}': ports is {}.", request.name, ports),
                   fmt::format("Give a whole number from 1 to {}.", max_flow_ports));
    ok = false;
  }
  const double volume = request.initial.number("volume");
  Reservoir::Parameters p;
  p.kind = kind;
  if (kind == ReservoirKind::tank) {
    p.area_m2 = given.number("area");
    p.stiffness_Pa_m3 = given.number("density") * gravity_m_s2 / p.area_m2;
  } else {
    p.gas_m3 = given.number("gas_volume");
    p.precharge_Pa = given.number("precharge");
    p.exponent = given.number("exponent");
    if (volume >= p.gas_m3) {
      problems.error(request.where,
                     fmt::format("'{}': {} m3 of fluid at the start leave no room for the gas of {} m3.",
                                 request.name, volume, p.gas_m3),
                     "Give a smaller volume, or a larger gas_volume.");
      ok = false;
    }
  }
  if (!ok) return nullptr;
  p.ports = static_cast<std::size_t>(ports);
  return std::make_unique<NativeSubsystem<Reservoir>>(Reservoir(p), *integration,
                                                      std::vector<double>{volume});
}

ModelInfo reservoir_model(ReservoirKind kind, std::string name, std::string summary,
                          std::vector<ParameterInfo> parameters) {
  ModelInfo info;
  info.name = std::move(name);
  info.summary = std::move(summary);
  info.parameters = std::move(parameters);
  info.parameters.push_back(
      {"ports", "", 1.0, "number of inlets: volume_flow, or volume_flow1, volume_flow2, ...", {}, 1.0});
  info.make = [kind](const ModelRequest& request, ProblemList& problems) {
    return make_reservoir(kind, request, problems);
  };
  return info;
}

}  // namespace

Description Reservoir::describe() const {
  Description description;
  const Unit flow = Unit::of("m3/s");
  for (std::size_t i = 1; i <= p_.ports; ++i) {
    Port port{p_.ports == 1 ? "volume_flow" : fmt::format("volume_flow{}", i), flow, 1, "into it"};
    port.nominal = p_.kind == Kind::tank ? 0.1 * p_.area_m2 : 0.1 * p_.gas_m3;
    description.inputs.push_back(port);
  }
  description.outputs = {{"pressure", Unit::of("Pa"), 1, "above that of the atmosphere"},
                         {"volume", Unit::of("m3"), 1, "of the fluid in it"}};
  if (p_.kind == Kind::tank) description.outputs.push_back({"level", Unit::of("m"), 1, "of the fluid in it"});
  return description;
}

double Reservoir::stored_J(const double* /*u*/, const double* /*q*/, const double* v) const {
  if (p_.kind == Kind::tank) return 0.5 * p_.stiffness_Pa_m3 * v[0] * v[0];
  const double ratio = p_.gas_m3 / (p_.gas_m3 - v[0]);
  const double by_gas =
      p_.exponent == 1.0 ? std::log(ratio) : (std::pow(ratio, p_.exponent - 1.0) - 1.0) / (p_.exponent - 1.0);
  return p_.precharge_Pa * p_.gas_m3 * by_gas - atmosphere_Pa * v[0];
}

ModelInfo tank_model() {
  ModelInfo info = reservoir_model(ReservoirKind::tank, "hydraulics.tank",
                                   "open tank: takes volume flows, gives the pressure at its bottom",
                                   {{"area", "m2", 1.0, "cross section", {}, 0.0, true},
                                    {"density", "kg/m3", 1000.0, "of the fluid", {}, 0.0, true}});
  info.initial = {{"volume", "m3", 1.0, "of fluid at the start", {}, 0.0}};
  info.examples = {{"of two inlets", {{"area", {0.5, {}}}, {"ports", {2.0, {}}}}, {{"volume", {0.3, {}}}}}};
  return info;
}

ModelInfo accumulator_model() {
  ModelInfo info =
      reservoir_model(ReservoirKind::accumulator, "hydraulics.accumulator",
                      "gas-charged accumulator: takes volume flows, gives its pressure",
                      {{"gas_volume", "m3", 1e-3, "of the gas without fluid", {}, 0.0, true},
                       {"precharge", "Pa", 5e6, "absolute pressure of the gas without fluid", {}, 0.0, true},
                       {"exponent", "", 1.4, "polytropic: 1 slow, 1.4 fast", {}, 1.0}});
  info.initial = {{"volume", "m3", 3e-4, "of fluid at the start", {}, 0.0}};
  info.examples = {
      {"slow",
       {{"gas_volume", {2e-3, {}}}, {"precharge", {2e6, {}}}, {"exponent", {1.0, {}}}, {"ports", {2.0, {}}}},
       {{"volume", {1e-3, {}}}}}};
  return info;
}

}  // namespace ergon
