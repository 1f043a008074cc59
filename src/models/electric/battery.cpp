#include "ergon/models/electric/battery.hpp"

#include <fmt/format.h>

#include "ergon/models/native_subsystem.hpp"

namespace ergon {
namespace {

constexpr double coulombs_per_ampere_hour = 3600.0;

/// E(s), or nothing after reporting what is wrong with its points.
std::optional<Curve> open_circuit_curve(const ModelRequest& request, ProblemList& problems) {
  const std::vector<double>& charge = request.parameters.list("soc");
  const std::vector<double>& voltage = request.parameters.list("ocv");
  if (charge.size() < 2 || charge.size() != voltage.size()) {
    problems.error(
        request.where,
        fmt::format("'{}': 'soc' has {} numbers and 'ocv' {}.", request.name, charge.size(), voltage.size()),
        "Give one voltage for each state of charge, two at least.");
    return std::nullopt;
  }
  for (std::size_t i = 1; i < charge.size(); ++i) {
    if (charge[i] > charge[i - 1]) continue;
    problems.error(
        request.where,
        fmt::format("'{}': 'soc' does not increase: {} follows {}.", request.name, charge[i], charge[i - 1]),
        "List states of charge from empty (0) to full (1).");
    return std::nullopt;
  }
  return Curve::table(charge, voltage);
}

std::unique_ptr<Subsystem> make_battery(const ModelRequest& request, ProblemList& problems) {
  const auto integration = check_integrator(request, problems);
  const auto curve = open_circuit_curve(request, problems);
  const double start = request.initial.number("state_of_charge");
  if (start > 1.0) {
    problems.error(request.where,
                   fmt::format("'{}': the state of charge at the start is {}.", request.name, start),
                   "Give a number from 0 (empty) to 1 (full).");
    return nullptr;
  }
  if (!integration || !curve) return nullptr;
  const ParameterSet& given = request.parameters;
  Battery::Parameters p;
  p.capacity_C = given.number("capacity_Ah") * coulombs_per_ampere_hour;
  p.open_circuit_V = *curve;
  p.resistance_Ohm = given.number("R");
  p.pair_resistance_Ohm = given.number("R1");
  p.pair_capacitance_F = given.number("C1");
  return std::make_unique<NativeSubsystem<Battery>>(
      Battery(p), *integration, std::vector<double>{start, request.initial.number("pair_voltage")});
}

}  // namespace

Description Battery::describe() const {
  const Unit volt = Unit::of("V");
  Description description;
  description.inputs = {{"current", Unit::of("A"), 1, "drawn from it; negative: it is charged"}};
  description.outputs = {{"voltage", volt, 1, "at the terminals"},
                         {"state_of_charge", Unit::of("1"), 1, "from 0, empty, to 1, full"},
                         {"open_circuit_voltage", volt, 1, "without a current, in the long run"},
                         {"heat_flow", Unit::of("W"), 1, "of its resistances"}};
  description.feedthrough = {{0, 0}, {3, 0}};
  return description;
}

ModelInfo battery_model() {
  using List = std::vector<double>;
  ModelInfo info;
  info.name = "electric.battery";
  info.summary =
      "battery with open-circuit voltage over state of charge: takes the current drawn, gives its voltage";
  info.parameters = {
      {"capacity_Ah", "A.h", 1.0, "charge between empty and full", {}, 0.0, true},
      {"soc", "", List{0.0, 1.0}, "states of charge at which the voltage is known, increasing"},
      {"ocv", "V", List{3.0, 4.2}, "open-circuit voltage at each of them"},
      {"R", "Ohm", 0.05, "resistance in series", {}, 0.0},
      {"R1", "Ohm", 0.0, "resistance of the RC pair; 0: there is none", {}, 0.0},
      {"C1", "F", 1.0, "capacitance of the RC pair", {}, 0.0, true}};
  info.initial = {{"state_of_charge", "", 0.5, "at the start, from 0 to 1", {}, 0.0},
                  {"pair_voltage", "V", 0.0, "of the RC pair at the start"}};
  info.make = make_battery;
  info.examples = {{"with a pair",
                    {{"capacity_Ah", {0.01, {}}},
                     {"soc", {List{0.0, 0.1, 0.9, 1.0}, {}}},
                     {"ocv", {List{9.0, 11.5, 12.8, 14.0}, {}}},
                     {"R", {0.2, {}}},
                     {"R1", {0.1, {}}},
                     {"C1", {2.0, {}}}},
                    {{"state_of_charge", {0.6, {}}}, {"pair_voltage", {0.05, {}}}}}};
  return info;
}

}  // namespace ergon
