#include "ergon/models/electric/branch.hpp"

#include "ergon/models/native_subsystem.hpp"

namespace ergon {
namespace {

ModelInfo branch_like(std::string name, std::string summary, bool has_capacitor) {
  ModelInfo info;
  info.name = std::move(name);
  info.summary = std::move(summary);
  info.parameters = {{"R", "Ohm", 1.0, "resistance in series", {}, 0.0},
                     {"L", "H", 1.0, "inductance in series", {}, 0.0, true}};
  if (has_capacitor) {
    info.parameters.push_back({"C", "F", 0.0, "capacitance in series; 0: there is none", {}, 0.0});
    info.parameters.push_back(
        {"R_leak", "Ohm", 0.0, "resistance beside the capacitor; 0: there is none", {}, 0.0});
    info.initial.push_back({"capacitor_voltage", "V", 0.0, "at the start"});
  }
  info.initial.push_back({"current", "A", 0.0, "at the start"});
  info.make = [has_capacitor](const ModelRequest& request,
                              ProblemList& problems) -> std::unique_ptr<Subsystem> {
    const auto integration = check_integrator(request, problems);
    if (!integration) return nullptr;
    const ParameterSet& given = request.parameters;
    Branch::Parameters p;
    p.resistance_Ohm = given.number("R");
    p.inductance_H = given.number("L");
    double charge_C = 0.0;
    if (has_capacitor && given.number("C") > 0.0) {
      p.elastance_1_F = 1.0 / given.number("C");
      charge_C = given.number("C") * request.initial.number("capacitor_voltage");
      if (given.number("R_leak") > 0.0) p.leakage_S = 1.0 / given.number("R_leak");
    }
    const double current_A = request.initial.number("current");
    return std::make_unique<NativeSubsystem<Branch>>(Branch(p), *integration,
                                                     std::vector<double>{charge_C, current_A});
  };
  return info;
}

}  // namespace

Description Branch::describe() const {
  const Unit volt = Unit::of("V");
  Description description;
  Port external{"external_voltage", volt, 1, "further voltage at the terminals"};
  external.optional = true;
  description.inputs = {{"voltage", volt, 1, "voltage at the terminals"}, external};
  description.outputs = {{"current", Unit::of("A"), 1, "current into the terminals"},
                         {"voltage_drop", volt, 1, "of the inductor"}};
  if (p_.elastance_1_F > 0.0) {
    description.outputs.push_back({"capacitor_voltage", volt, 1, "voltage of the capacitor"});
    description.outputs.push_back({"capacitor_charge", Unit::of("C"), 1, "charge of the capacitor"});
  }
  description.feedthrough = {{1, 0}, {1, 1}};
  return description;
}

ModelInfo rl_series_model() {
  ModelInfo info =
      branch_like("electric.rl_series",
                  "resistor and inductor in series: takes a voltage, gives the current into it", false);
  info.examples = {{"carrying current", {{"R", {2.0, {}}}, {"L", {0.05, {}}}}, {{"current", {3.0, {}}}}}};
  return info;
}

ModelInfo branch_model() {
  ModelInfo info =
      branch_like("electric.branch",
                  "R and L in series with a capacitor that may leak or be missing: takes a voltage, "
                  "gives the current into it",
                  true);
  info.examples = {{"leaking",
                    {{"R", {0.2, {}}}, {"L", {0.5, {}}}, {"C", {0.02, {}}}, {"R_leak", {3.0, {}}}},
                    {{"capacitor_voltage", {3.0, {}}}, {"current", {-1.0, {}}}}},
                   {"without resistance", {{"R", {0.0, {}}}, {"C", {0.02, {}}}}, {{"current", {2.0, {}}}}}};
  return info;
}

}  // namespace ergon
