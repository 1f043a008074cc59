#include "ergon/models/thermal/heat_capacity.hpp"

#include <fmt/format.h>

#include <cmath>

#include "ergon/models/native_subsystem.hpp"

namespace ergon {
namespace {

constexpr double max_thermal_ports = 10000.0;

std::unique_ptr<Subsystem> make_heat_capacity(const ModelRequest& request, ProblemList& problems) {
  const auto integration = check_integrator(request, problems);
  const ParameterSet& given = request.parameters;
  const double ports = given.number("ports");
  if (ports != std::floor(ports) || ports > max_thermal_ports) {
    problems.error(request.where, fmt::format("'{}': ports is {}.", request.name, ports),
                   fmt::format("Give a whole number up to {}.", max_thermal_ports));
    return nullptr;
  }
  if (!integration) return nullptr;
  const HeatCapacity body({given.number("C"), given.number("T_ref"), static_cast<std::size_t>(ports)});
  return std::make_unique<NativeSubsystem<HeatCapacity>>(
      body, *integration, std::vector<double>{request.initial.number("temperature")});
}

}  // namespace

Description HeatCapacity::describe() const {
  Description description;
  const Unit entropy_flow = Unit::of("W/K");
  for (std::size_t i = 1; i <= p_.ports; ++i) {
    description.inputs.push_back({p_.ports == 1 ? "entropy_flow" : fmt::format("entropy_flow{}", i),
                                  entropy_flow, 1, "into it; times its temperature: heat flow"});
  }
  Port heat{"heat_flow", Unit::of("W"), 1, "into it, without a bond"};
  heat.optional = true;
  description.inputs.push_back(heat);
  description.outputs = {{"temperature", Unit::of("K"), 1, "of the body"}};
  return description;
}

ModelInfo heat_capacity_model() {
  ModelInfo info;
  info.name = "thermal.capacity";
  info.summary = "body of one temperature, heated by entropy and heat flows";
  info.parameters = {{"C", "J/K", 1.0, "heat capacity", {}, 0.0, true},
                     {"T_ref", "K", 293.15, "temperature from which its energy is counted", {}, 0.0},
                     {"ports",
                      "",
                      1.0,
                      "number of thermal ports: entropy_flow, or entropy_flow1, entropy_flow2, ...",
                      {},
                      0.0}};
  info.initial = {{"temperature", "K", 293.15, "at the start", {}, 0.0, true}};
  info.make = make_heat_capacity;
  info.examples = {{"of two ports",
                    {{"C", {20.0, {}}}, {"T_ref", {250.0, {}}}, {"ports", {2.0, {}}}},
                    {{"temperature", {350.0, {}}}}}};
  return info;
}

}  // namespace ergon
