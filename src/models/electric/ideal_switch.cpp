#include "ergon/models/electric/ideal_switch.hpp"

#include "ergon/models/native_subsystem.hpp"

namespace ergon {
namespace {

/// There is nothing to integrate but accounts.
const std::vector<std::string>& methods_of_switches() {
  static const std::vector<std::string> all = {"semi-implicit-euler", "explicit-euler", "rk4"};
  return all;
}

}  // namespace

Description IdealSwitch::describe() const {
  const Unit volt = Unit::of("V");
  const Unit ampere = Unit::of("A");
  Description description;
  description.inputs = {{"source_voltage", volt, 1, "of the source"},
                        {"load_current", ampere, 1, "into the load"},
                        {"closed", Unit::of("1"), 1, "0: open, 1: closed, in between: duty cycle", 0.5}};
  description.inputs[2].nominal = 0.4;
  description.outputs = {{"load_voltage", volt, 1, "at the load"},
                         {"source_current", ampere, 1, "drawn from the source"}};
  description.feedthrough = {{0, 0}, {0, 2}, {1, 1}, {1, 2}};
  return description;
}

ModelInfo ideal_switch_model() {
  ModelInfo info;
  info.name = "electric.switch";
  info.summary = "ideal switch or chopper between a source and a load with a freewheeling diode";
  info.parameters = {{"reversible", "", false, "closed may go down to -1: a bridge"}};
  info.integrators = methods_of_switches();
  info.make = [](const ModelRequest& request, ProblemList& problems) -> std::unique_ptr<Subsystem> {
    const auto integration = check_integrator(request, methods_of_switches(), problems);
    if (!integration) return nullptr;
    return std::make_unique<NativeSubsystem<IdealSwitch>>(
        IdealSwitch(request.parameters.flag("reversible") ? -1.0 : 0.0), *integration, std::vector<double>{});
  };
  info.examples = {{"bridge", {{"reversible", {true, {}}}}}};
  return info;
}

}  // namespace ergon
