#include "ergon/models/electric/circuits.hpp"

#include <algorithm>

#include "ergon/models/native_subsystem.hpp"

namespace ergon {
namespace {

using Form = CircuitForm;

std::vector<Port> circuit_inputs(Form form) {
  const bool series = form == Form::series;
  const Unit unit = Unit::of(series ? "V" : "A");
  Port external{series ? "external_voltage" : "external_current", unit, 1,
                series ? "further voltage at the terminals" : "current fed into the terminals"};
  external.optional = true;
  return {series ? Port{"voltage", unit, 1, "voltage at the terminals"}
                 : Port{"current", unit, 1, "current drawn from the terminals"},
          external};
}

ParameterInfo resistance() {
  return {"R", "Ohm", 1.0, "resistance", {}, 0.0, true};
}
ParameterInfo capacitance() {
  return {"C", "F", 1.0, "capacitance", {}, 0.0, true};
}
ParameterInfo inductance() {
  return {"L", "H", 1.0, "inductance", {}, 0.0, true};
}

ModelInfo rc_model(std::string name, std::string summary, Form form) {
  const char* state = form == Form::series ? "capacitor_voltage" : "voltage";
  ModelInfo info;
  info.name = std::move(name);
  info.summary = std::move(summary);
  info.parameters = {resistance(), capacitance()};
  info.initial = {{state, "V", 0.0, "voltage of the capacitor at the start"}};
  info.make = [form, state](const ModelRequest& request,
                            ProblemList& problems) -> std::unique_ptr<Subsystem> {
    const auto integration = check_integrator(request, problems);
    if (!integration) return nullptr;
    const double start_V = request.initial.number(state);
    const RcCircuit circuit(form, request.parameters.number("R"), request.parameters.number("C"));
    return std::make_unique<NativeSubsystem<RcCircuit>>(circuit, *integration, std::vector<double>{start_V});
  };
  info.examples = {{"charged", {{"R", {2.0, {}}}, {"C", {0.05, {}}}}, {{state, {3.0, {}}}}}};
  return info;
}

ModelInfo rlc_model(std::string name, std::string summary, Form form) {
  const bool series = form == Form::series;
  const char* position = series ? "capacitor_voltage" : "inductor_current";
  const char* velocity = series ? "current" : "voltage";
  ModelInfo info;
  info.name = std::move(name);
  info.summary = std::move(summary);
  info.parameters = {resistance(), inductance(), capacitance()};
  // A series circuit without resistance is an oscillator; a parallel one has its resistance beside, never 0.
  if (series) info.parameters[0].minimum_excluded = false;
  info.initial = {{position, series ? "V" : "A", 0.0, "at the start"},
                  {velocity, series ? "A" : "V", 0.0, "at the start"}};
  info.make = [=](const ModelRequest& request, ProblemList& problems) -> std::unique_ptr<Subsystem> {
    const auto integration = check_integrator(request, problems);
    if (!integration) return nullptr;
    const ParameterSet& given = request.parameters;
    const RlcCircuit circuit(form, given.number("R"), given.number("L"), given.number("C"));
    // Charge of the capacitor, C·V, or flux linkage of the inductor, L·I.
    const double q = given.number(series ? "C" : "L") * request.initial.number(position);
    const double v = request.initial.number(velocity);
    return std::make_unique<NativeSubsystem<RlcCircuit>>(circuit, *integration, std::vector<double>{q, v});
  };
  info.examples = {{"ringing",
                    {{"R", {series ? 0.2 : 5.0, {}}}, {"L", {0.5, {}}}, {"C", {0.02, {}}}},
                    {{position, {3.0, {}}}, {velocity, {-1.0, {}}}}}};
  return info;
}

}  // namespace

Description RlcCircuit::describe() const {
  Description description;
  description.inputs = circuit_inputs(form_);
  if (form_ == Form::series) {
    description.outputs = {{"current", Unit::of("A"), 1, "current into the terminals"},
                           {"capacitor_voltage", Unit::of("V"), 1, "voltage of the capacitor"},
                           {"charge", Unit::of("C"), 1, "charge of the capacitor"}};
  } else {
    description.outputs = {{"voltage", Unit::of("V"), 1, "voltage at the terminals"},
                           {"inductor_current", Unit::of("A"), 1, "current of the inductor"},
                           {"flux", Unit::of("Wb"), 1, "flux linkage of the inductor"}};
  }
  return description;
}

void RlcCircuit::output_jacobian(const double* /*u*/, const double* /*q*/, const double* /*v*/,
                                 double* jacobian) const {
  std::fill_n(jacobian, 3 * input_count(), 0.0);
}

Description RcCircuit::describe() const {
  Description description;
  description.inputs = circuit_inputs(form_);
  if (form_ == Form::series) {
    description.outputs = {{"current", Unit::of("A"), 1, "current into the terminals"},
                           {"capacitor_voltage", Unit::of("V"), 1, "voltage of the capacitor"}};
    description.feedthrough = {{0, 0}, {0, 1}};
  } else {
    description.outputs = {{"voltage", Unit::of("V"), 1, "voltage at the terminals"}};
  }
  return description;
}

void RcCircuit::outputs(const double* u, const double* /*q*/, const double* v, double* y) const {
  if (form_ == Form::series) {
    y[0] = series_current_A(u, v[0]);
    y[1] = v[0];
  } else {
    y[0] = v[0];
  }
}

void RcCircuit::output_jacobian(const double* /*u*/, const double* /*q*/, const double* /*v*/,
                                double* jacobian) const {
  if (form_ == Form::series) {
    jacobian[0] = jacobian[1] = 1.0 / resistance_Ohm_;
    jacobian[2] = jacobian[3] = 0.0;
  } else {
    jacobian[0] = jacobian[1] = 0.0;
  }
}

ModelInfo rc_series_model() {
  return rc_model("electric.rc_series",
                  "resistor and capacitor in series: takes a voltage, gives the current into it",
                  Form::series);
}
ModelInfo rc_parallel_model() {
  return rc_model("electric.rc_parallel",
                  "resistor and capacitor in parallel: takes the current drawn from it, gives its voltage",
                  Form::parallel);
}
ModelInfo rlc_series_model() {
  return rlc_model("electric.rlc_series",
                   "resistor, inductor and capacitor in series: takes a voltage, gives the current into it",
                   Form::series);
}
ModelInfo rlc_parallel_model() {
  return rlc_model(
      "electric.rlc_parallel",
      "resistor, inductor and capacitor in parallel: takes the current drawn from it, gives its voltage",
      Form::parallel);
}

}  // namespace ergon
