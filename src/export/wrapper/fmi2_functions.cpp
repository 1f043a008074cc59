// The 34 functions of FMI 2.0. They translate types and statuses, and let no exception out.
#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ergon/export/wrapper/instance.hpp"

#define ERGON_FMI2_PROTOTYPES
#include "ergon/fmi/declarations/fmi2.hpp"

namespace {

using ergon::CallStatus;
using ergon::ExportedInstance;
using ergon::InstanceState;
using Type = ergon::ExportedVariable::Type;

struct Component {
  std::string name;
  fmi2CallbackFunctions callbacks{};
  std::unique_ptr<ExportedInstance> instance{};
  std::vector<double> numbers{};   ///< of integers and booleans on their way
  std::vector<std::byte> bytes{};  ///< of a state on its way

  void log(CallStatus status, const char* message) const {
    if (callbacks.logger == nullptr) return;
    const char* category = status == CallStatus::discard ? "logStatusDiscard" : "logStatusError";
    callbacks.logger(callbacks.componentEnvironment, name.c_str(), static_cast<fmi2Status>(status), category,
                     "%s", message);
  }
};

/// Calls `act` with the component; what is thrown becomes an error with its message.
template <typename Act>
fmi2Status guarded(fmi2Component c, const Act& act) {
  auto* component = static_cast<Component*>(c);
  if (component == nullptr) return fmi2Error;
  try {
    return static_cast<fmi2Status>(act(*component));
  } catch (const std::exception& error) {
    component->log(CallStatus::error, error.what());
  } catch (...) {
    component->log(CallStatus::error, "unknown exception");
  }
  return fmi2Error;
}

std::span<const fmi2ValueReference> references(const fmi2ValueReference vr[], size_t n) {
  return {vr, n};
}

template <typename T>
fmi2Status get_as(fmi2Component c, Type type, const fmi2ValueReference vr[], size_t n, T values[]) {
  return guarded(c, [&](Component& fmu) {
    fmu.numbers.resize(n);
    const CallStatus status = fmu.instance->get(type, references(vr, n), fmu.numbers.data(), n);
    if (status == CallStatus::ok)
      std::transform(fmu.numbers.begin(), fmu.numbers.end(), values,
                     [](double number) { return static_cast<T>(number); });
    return status;
  });
}

template <typename T>
fmi2Status set_as(fmi2Component c, Type type, const fmi2ValueReference vr[], size_t n, const T values[]) {
  return guarded(c, [&](Component& fmu) {
    fmu.numbers.assign(values, values + n);
    return fmu.instance->set(type, references(vr, n), fmu.numbers.data(), n);
  });
}

fmi2Status refused(fmi2Component c, const char* message) {
  return guarded(c, [&](Component& fmu) { return fmu.instance->refuse(message); });
}

/// Nothing is pending here, ever: a question about it has no answer.
fmi2Status no_status(fmi2Component c) {
  return c == nullptr ? fmi2Error : fmi2Discard;
}

}  // namespace

const char* fmi2GetTypesPlatform(void) {
  return "default";
}
const char* fmi2GetVersion(void) {
  return "2.0";
}
fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean /*on*/, size_t /*n*/,
                               const fmi2String /*categories*/[]) {
  return c == nullptr ? fmi2Error : fmi2OK;  // there are messages about errors only
}

fmi2Component fmi2Instantiate(fmi2String instance_name, fmi2Type type, fmi2String guid,
                              fmi2String resource_uri, const fmi2CallbackFunctions* functions,
                              fmi2Boolean /*visible*/, fmi2Boolean /*logging_on*/) {
  std::unique_ptr<Component> component;
  try {
    component = std::make_unique<Component>();
    component->name = instance_name == nullptr ? "" : instance_name;
    if (functions != nullptr) component->callbacks = *functions;
    auto blueprint = ergon::find_blueprint(ergon::folder_of_uri(resource_uri), ergon::ExportFormat::fmi2);
    if (type != fmi2CoSimulation) {
      component->log(CallStatus::error, "this FMU is for co-simulation");
      return nullptr;
    }
    if (guid == nullptr || blueprint->model.token != guid) {
      component->log(CallStatus::error,
                     "the GUID is not that of this FMU: description and library do not belong together");
      return nullptr;
    }
    component->instance = std::make_unique<ExportedInstance>(
        std::move(blueprint),
        [fmu = component.get()](CallStatus status, const char* message) { fmu->log(status, message); });
    return component.release();
  } catch (const std::exception& error) {
    if (component) component->log(CallStatus::error, error.what());
  } catch (...) {
  }
  return nullptr;
}
void fmi2FreeInstance(fmi2Component c) {
  delete static_cast<Component*>(c);
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean tolerance_defined, fmi2Real tolerance,
                               fmi2Real start_time, fmi2Boolean stop_time_defined, fmi2Real stop_time) {
  return guarded(c, [&](Component& fmu) {
    if (!fmu.instance->require({ExportedInstance::Mode::instantiated}, "SetupExperiment"))
      return CallStatus::error;
    ergon::Experiment experiment{.start_s = start_time};
    if (stop_time_defined != fmi2False) experiment.end_s = stop_time;
    if (tolerance_defined != fmi2False) experiment.tolerance = tolerance;
    return fmu.instance->set_experiment(experiment);
  });
}
fmi2Status fmi2EnterInitializationMode(fmi2Component c) {
  return guarded(c, [](Component& fmu) { return fmu.instance->enter_initialization(); });
}
fmi2Status fmi2ExitInitializationMode(fmi2Component c) {
  return guarded(c, [](Component& fmu) { return fmu.instance->exit_initialization(); });
}
fmi2Status fmi2Terminate(fmi2Component c) {
  return guarded(c, [](Component& fmu) { return fmu.instance->terminate(); });
}
fmi2Status fmi2Reset(fmi2Component c) {
  return guarded(c, [](Component& fmu) { return fmu.instance->reset(); });
}

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real values[]) {
  return guarded(c,
                 [&](Component& fmu) { return fmu.instance->get(Type::real, references(vr, n), values, n); });
}
fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Integer values[]) {
  return get_as(c, Type::enumeration, vr, n, values);
}
fmi2Status fmi2GetBoolean(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Boolean values[]) {
  return get_as(c, Type::boolean, vr, n, values);
}
fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference /*vr*/[], size_t n,
                         fmi2String /*values*/[]) {
  return n == 0 && c != nullptr ? fmi2OK : refused(c, "this FMU has no texts");
}
fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Real values[]) {
  return guarded(c,
                 [&](Component& fmu) { return fmu.instance->set(Type::real, references(vr, n), values, n); });
}
fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                          const fmi2Integer values[]) {
  return set_as(c, Type::enumeration, vr, n, values);
}
fmi2Status fmi2SetBoolean(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                          const fmi2Boolean values[]) {
  return set_as(c, Type::boolean, vr, n, values);
}
fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference /*vr*/[], size_t n,
                         const fmi2String /*values*/[]) {
  return n == 0 && c != nullptr ? fmi2OK : refused(c, "this FMU has no texts");
}

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate* state) {
  return guarded(c, [&](Component& fmu) {
    if (*state != nullptr) return fmu.instance->save(*static_cast<InstanceState*>(*state));
    auto made = std::make_unique<InstanceState>();
    const CallStatus status = fmu.instance->save(*made);
    if (status == CallStatus::ok) *state = made.release();
    return status;
  });
}
fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state) {
  return guarded(c, [&](Component& fmu) {
    if (state == nullptr) return fmu.instance->refuse("this is not a saved state");
    return fmu.instance->restore(*static_cast<const InstanceState*>(state));
  });
}
fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate* state) {
  return guarded(c, [&](Component& /*fmu*/) {
    delete static_cast<InstanceState*>(*state);
    *state = nullptr;
    return CallStatus::ok;
  });
}
fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t* size) {
  return guarded(c, [&](Component& fmu) {
    if (state == nullptr) return fmu.instance->refuse("this is not a saved state");
    const CallStatus status = fmu.instance->serialize(*static_cast<const InstanceState*>(state), fmu.bytes);
    *size = fmu.bytes.size();
    return status;
  });
}
fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size) {
  return guarded(c, [&](Component& fmu) {
    if (state == nullptr) return fmu.instance->refuse("this is not a saved state");
    const CallStatus status = fmu.instance->serialize(*static_cast<const InstanceState*>(state), fmu.bytes);
    if (status != CallStatus::ok) return status;
    if (size < fmu.bytes.size()) return fmu.instance->refuse("there is no room for the state");
    std::memcpy(bytes, fmu.bytes.data(), fmu.bytes.size());
    return CallStatus::ok;
  });
}
fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size,
                                   fmi2FMUstate* state) {
  return guarded(c, [&](Component& fmu) {
    const std::span from(reinterpret_cast<const std::byte*>(bytes), size);
    if (*state != nullptr) return fmu.instance->deserialize(from, *static_cast<InstanceState*>(*state));
    auto made = std::make_unique<InstanceState>();
    const CallStatus status = fmu.instance->deserialize(from, *made);
    if (status == CallStatus::ok) *state = made.release();
    return status;
  });
}
fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknowns[],
                                        size_t n_unknowns, const fmi2ValueReference knowns[], size_t n_knowns,
                                        const fmi2Real known_change[], fmi2Real unknown_change[]) {
  return guarded(c, [&](Component& fmu) {
    return fmu.instance->derivative(references(unknowns, n_unknowns), references(knowns, n_knowns),
                                    {known_change, n_knowns}, {unknown_change, n_unknowns}, false);
  });
}

fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                                       const fmi2Integer order[], const fmi2Real values[]) {
  return guarded(c, [&](Component& fmu) {
    return fmu.instance->set_input_derivatives(references(vr, n), order, values);
  });
}
fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference /*vr*/[], size_t /*n*/,
                                        const fmi2Integer /*order*/[], fmi2Real /*values*/[]) {
  return refused(c, "this FMU gives no derivatives of outputs by time");
}
fmi2Status fmi2DoStep(fmi2Component c, fmi2Real current_communication_point, fmi2Real step_size,
                      fmi2Boolean /*no_set_fmu_state_prior_to_current_point*/) {
  return guarded(
      c, [&](Component& fmu) { return fmu.instance->do_step(current_communication_point, step_size); });
}
fmi2Status fmi2CancelStep(fmi2Component c) {
  return refused(c, "no step is in progress");
}
fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind /*kind*/, fmi2Status* /*value*/) {
  return no_status(c);
}
fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real* value) {
  if (kind != fmi2LastSuccessfulTime) return no_status(c);
  return guarded(c, [&](Component& fmu) {
    *value = fmu.instance->time_s();
    return CallStatus::ok;
  });
}
fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind /*kind*/, fmi2Integer* /*value*/) {
  return no_status(c);
}
fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean* value) {
  if (kind != fmi2Terminated) return no_status(c);
  return guarded(c, [&](Component& /*fmu*/) {
    *value = fmi2False;
    return CallStatus::ok;
  });
}
fmi2Status fmi2GetStringStatus(fmi2Component c, const fmi2StatusKind /*kind*/, fmi2String* /*value*/) {
  return no_status(c);
}
