// The functions of FMI 3.0 that co-simulation needs; fmi3_refused.cpp has the others. They translate types and statuses, and let
// no exception out.
#include "ergon/export/wrapper/fmi3_component.hpp"

#include <algorithm>
#include <cstring>

namespace {

using ergon::CallStatus;
using ergon::Component3;
using ergon::ExportedInstance;
using ergon::guarded3;
using ergon::InstanceState;
using Type = ergon::ExportedVariable::Type;

std::span<const fmi3ValueReference> references(const fmi3ValueReference vr[], size_t n) {
  return {vr, n};
}

template <typename T>
fmi3Status get_as(fmi3Instance i, Type type, const fmi3ValueReference vr[], size_t n, T values[],
                  size_t n_values) {
  return guarded3(i, [&](Component3& fmu) {
    fmu.numbers.resize(n_values);
    const CallStatus status = fmu.instance->get(type, references(vr, n), fmu.numbers.data(), n_values);
    if (status == CallStatus::ok) {
      std::transform(fmu.numbers.begin(), fmu.numbers.end(), values,
                     [](double number) { return static_cast<T>(number); });
    }
    return status;
  });
}

template <typename T>
fmi3Status set_as(fmi3Instance i, Type type, const fmi3ValueReference vr[], size_t n, const T values[],
                  size_t n_values) {
  return guarded3(i, [&](Component3& fmu) {
    fmu.numbers.resize(n_values);
    std::transform(values, values + n_values, fmu.numbers.begin(),
                   [](T value) { return static_cast<double>(value); });
    return fmu.instance->set(type, references(vr, n), fmu.numbers.data(), n_values);
  });
}

template <typename Act>
fmi3Status with_state(fmi3Instance i, fmi3FMUState state, const Act& act) {
  return guarded3(i, [&](Component3& fmu) {
    if (state == nullptr) return fmu.instance->refuse("this is not a saved state");
    return act(fmu, *static_cast<InstanceState*>(state));
  });
}

/// Into the state that is there already, or a new one.
template <typename Act>
fmi3Status into_state(fmi3Instance i, fmi3FMUState* state, const Act& act) {
  return guarded3(i, [&](Component3& fmu) {
    if (*state != nullptr) return act(fmu, *static_cast<InstanceState*>(*state));
    auto made = std::make_unique<InstanceState>();
    const CallStatus status = act(fmu, *made);
    if (status == CallStatus::ok) *state = made.release();
    return status;
  });
}

}  // namespace

const char* fmi3GetVersion(void) {
  return "3.0";
}
fmi3Status fmi3SetDebugLogging(fmi3Instance i, fmi3Boolean /*on*/, size_t /*n*/,
                               const fmi3String /*categories*/[]) {
  return i == nullptr ? fmi3Error : fmi3OK;  // there are messages about errors only
}

fmi3Instance fmi3InstantiateCoSimulation(fmi3String /*instance_name*/, fmi3String instantiation_token,
                                         fmi3String resource_path, fmi3Boolean /*visible*/,
                                         fmi3Boolean /*logging_on*/, fmi3Boolean event_mode_used,
                                         fmi3Boolean /*early_return_allowed*/,
                                         const fmi3ValueReference /*required_intermediate_variables*/[],
                                         size_t /*n*/, fmi3InstanceEnvironment environment,
                                         fmi3LogMessageCallback log_message,
                                         fmi3IntermediateUpdateCallback intermediate_update) {
  std::unique_ptr<Component3> component;
  try {
    component = std::make_unique<Component3>();
    component->environment = environment;
    component->callback = log_message;
    auto blueprint =
        ergon::find_blueprint(resource_path == nullptr ? "" : resource_path, ergon::ExportFormat::fmi3);
    if (instantiation_token == nullptr || blueprint->model.token != instantiation_token) {
      component->log(CallStatus::error,
                     "the token is not that of this FMU: description and library do not belong together");
      return nullptr;
    }
    component->instance = std::make_unique<ExportedInstance>(
        std::move(blueprint),
        [fmu = component.get()](CallStatus status, const char* message) { fmu->log(status, message); });
    component->instance->set_event_mode_used(event_mode_used);
    if (intermediate_update != nullptr) {
      component->instance->set_intermediate([environment, intermediate_update](double t_s) {
        fmi3Boolean early_return = fmi3False;
        fmi3Float64 early_return_time = t_s;
        intermediate_update(environment, t_s, fmi3True, fmi3False, fmi3False, fmi3False, &early_return,
                            &early_return_time);
      });
    }
    return component.release();
  } catch (const std::exception& error) {
    if (component) component->log(CallStatus::error, error.what());
  } catch (...) {
  }
  return nullptr;
}
void fmi3FreeInstance(fmi3Instance i) {
  delete static_cast<Component3*>(i);
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance i, fmi3Boolean tolerance_defined, fmi3Float64 tolerance,
                                       fmi3Float64 start_time, fmi3Boolean stop_time_defined,
                                       fmi3Float64 stop_time) {
  return guarded3(i, [&](Component3& fmu) {
    if (!fmu.instance->require({ExportedInstance::Mode::instantiated}, "EnterInitializationMode"))
      return CallStatus::error;
    ergon::Experiment experiment{.start_s = start_time};
    if (stop_time_defined) experiment.end_s = stop_time;
    if (tolerance_defined) experiment.tolerance = tolerance;
    const CallStatus status = fmu.instance->set_experiment(experiment);
    return status == CallStatus::ok ? fmu.instance->enter_initialization() : status;
  });
}
fmi3Status fmi3ExitInitializationMode(fmi3Instance i) {
  return guarded3(i, [](Component3& fmu) { return fmu.instance->exit_initialization(); });
}
fmi3Status fmi3EnterEventMode(fmi3Instance i) {
  return guarded3(i, [](Component3& fmu) { return fmu.instance->enter_event(); });
}
fmi3Status fmi3EnterStepMode(fmi3Instance i) {
  return guarded3(i, [](Component3& fmu) { return fmu.instance->enter_step(); });
}
fmi3Status fmi3Terminate(fmi3Instance i) {
  return guarded3(i, [](Component3& fmu) { return fmu.instance->terminate(); });
}
fmi3Status fmi3Reset(fmi3Instance i) {
  return guarded3(i, [](Component3& fmu) { return fmu.instance->reset(); });
}
fmi3Status fmi3UpdateDiscreteStates(fmi3Instance i, fmi3Boolean* need_update, fmi3Boolean* terminate,
                                    fmi3Boolean* nominals_changed, fmi3Boolean* states_changed,
                                    fmi3Boolean* next_event_time_defined, fmi3Float64* next_event_time) {
  return guarded3(i, [&](Component3& fmu) {
    if (!fmu.instance->require({ExportedInstance::Mode::event}, "UpdateDiscreteStates"))
      return CallStatus::error;
    for (fmi3Boolean* answer :
         {need_update, terminate, nominals_changed, states_changed, next_event_time_defined})
      if (answer != nullptr) *answer = fmi3False;
    if (next_event_time != nullptr) *next_event_time = 0.0;
    return CallStatus::ok;
  });
}

fmi3Status fmi3GetFloat64(fmi3Instance i, const fmi3ValueReference vr[], size_t n, fmi3Float64 values[],
                          size_t n_values) {
  return guarded3(
      i, [&](Component3& fmu) { return fmu.instance->get(Type::real, references(vr, n), values, n_values); });
}
fmi3Status fmi3SetFloat64(fmi3Instance i, const fmi3ValueReference vr[], size_t n, const fmi3Float64 values[],
                          size_t n_values) {
  return guarded3(
      i, [&](Component3& fmu) { return fmu.instance->set(Type::real, references(vr, n), values, n_values); });
}
fmi3Status fmi3GetInt64(fmi3Instance i, const fmi3ValueReference vr[], size_t n, fmi3Int64 values[],
                        size_t n_values) {
  return get_as(i, Type::enumeration, vr, n, values, n_values);
}
fmi3Status fmi3SetInt64(fmi3Instance i, const fmi3ValueReference vr[], size_t n, const fmi3Int64 values[],
                        size_t n_values) {
  return set_as(i, Type::enumeration, vr, n, values, n_values);
}
fmi3Status fmi3GetBoolean(fmi3Instance i, const fmi3ValueReference vr[], size_t n, fmi3Boolean values[],
                          size_t n_values) {
  return get_as(i, Type::boolean, vr, n, values, n_values);
}
fmi3Status fmi3SetBoolean(fmi3Instance i, const fmi3ValueReference vr[], size_t n, const fmi3Boolean values[],
                          size_t n_values) {
  return set_as(i, Type::boolean, vr, n, values, n_values);
}

fmi3Status fmi3GetFMUState(fmi3Instance i, fmi3FMUState* state) {
  return into_state(i, state, [](Component3& fmu, InstanceState& to) { return fmu.instance->save(to); });
}
fmi3Status fmi3SetFMUState(fmi3Instance i, fmi3FMUState state) {
  return with_state(i, state,
                    [](Component3& fmu, InstanceState& from) { return fmu.instance->restore(from); });
}
fmi3Status fmi3FreeFMUState(fmi3Instance i, fmi3FMUState* state) {
  return guarded3(i, [&](Component3& /*fmu*/) {
    delete static_cast<InstanceState*>(*state);
    *state = nullptr;
    return CallStatus::ok;
  });
}
fmi3Status fmi3SerializedFMUStateSize(fmi3Instance i, fmi3FMUState state, size_t* size) {
  return with_state(i, state, [&](Component3& fmu, InstanceState& from) {
    const CallStatus status = fmu.instance->serialize(from, fmu.bytes);
    *size = fmu.bytes.size();
    return status;
  });
}
fmi3Status fmi3SerializeFMUState(fmi3Instance i, fmi3FMUState state, fmi3Byte bytes[], size_t size) {
  return with_state(i, state, [&](Component3& fmu, InstanceState& from) {
    const CallStatus status = fmu.instance->serialize(from, fmu.bytes);
    if (status != CallStatus::ok) return status;
    if (size < fmu.bytes.size()) return fmu.instance->refuse("there is no room for the state");
    std::memcpy(bytes, fmu.bytes.data(), fmu.bytes.size());
    return CallStatus::ok;
  });
}
fmi3Status fmi3DeserializeFMUState(fmi3Instance i, const fmi3Byte bytes[], size_t size, fmi3FMUState* state) {
  return into_state(i, state, [&](Component3& fmu, InstanceState& to) {
    return fmu.instance->deserialize({reinterpret_cast<const std::byte*>(bytes), size}, to);
  });
}

fmi3Status fmi3GetDirectionalDerivative(fmi3Instance i, const fmi3ValueReference unknowns[],
                                        size_t n_unknowns, const fmi3ValueReference knowns[], size_t n_knowns,
                                        const fmi3Float64 seed[], size_t n_seed, fmi3Float64 sensitivity[],
                                        size_t n_sensitivity) {
  return guarded3(i, [&](Component3& fmu) {
    return fmu.instance->derivative(references(unknowns, n_unknowns), references(knowns, n_knowns),
                                    {seed, n_seed}, {sensitivity, n_sensitivity}, false);
  });
}
fmi3Status fmi3GetAdjointDerivative(fmi3Instance i, const fmi3ValueReference unknowns[], size_t n_unknowns,
                                    const fmi3ValueReference knowns[], size_t n_knowns,
                                    const fmi3Float64 seed[], size_t n_seed, fmi3Float64 sensitivity[],
                                    size_t n_sensitivity) {
  return guarded3(i, [&](Component3& fmu) {
    return fmu.instance->derivative(references(unknowns, n_unknowns), references(knowns, n_knowns),
                                    {seed, n_seed}, {sensitivity, n_sensitivity}, true);
  });
}

fmi3Status fmi3DoStep(fmi3Instance i, fmi3Float64 current_communication_point, fmi3Float64 step_size,
                      fmi3Boolean /*no_set_fmu_state_prior*/, fmi3Boolean* event_handling_needed,
                      fmi3Boolean* terminate_simulation, fmi3Boolean* early_return,
                      fmi3Float64* last_successful_time) {
  return guarded3(i, [&](Component3& fmu) {
    for (fmi3Boolean* answer : {event_handling_needed, terminate_simulation, early_return})
      if (answer != nullptr) *answer = fmi3False;
    const CallStatus status = fmu.instance->do_step(current_communication_point, step_size);
    if (last_successful_time != nullptr) *last_successful_time = fmu.instance->time_s();
    return status;
  });
}
