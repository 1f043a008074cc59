#include "ergon/fmi/instance/fmi3_api.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "ergon/fmi/instance/bind_functions.hpp"

namespace ergon::fmi {
namespace {

void log_callback(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category,
                  fmi3String message) {
  LogTarget::say(environment, nullptr, static_cast<FmuStatus>(status), category, message);
}

// Whom a callback within a step is for: looked up by the environment, which is not trusted.
std::mutex listeners_mutex;
std::map<void*, IntermediateListener*>& listeners() {
  static std::map<void*, IntermediateListener*> all;
  return all;
}

void intermediate_callback(fmi3InstanceEnvironment environment, fmi3Float64 time, fmi3Boolean set_requested,
                           fmi3Boolean /*get_allowed*/, fmi3Boolean /*step_finished*/,
                           fmi3Boolean /*can_return*/, fmi3Boolean* early_return_requested,
                           fmi3Float64* early_return_time) {
  if (early_return_requested != nullptr) *early_return_requested = false;
  if (early_return_time != nullptr) *early_return_time = time;
  IntermediateListener* listener = nullptr;
  {
    const std::lock_guard guard(listeners_mutex);
    const auto found = listeners().find(environment);
    if (found != listeners().end()) listener = found->second;
  }
  if (listener != nullptr) listener->intermediate_update(time, set_requested);
}

}  // namespace

std::string Fmi3Api::bind(const InstanceSetup& setup) {
  std::string why = bind_functions<Fmi3Functions>(setup, library_, functions_,
                                                  [](const SharedLibrary& library, Fmi3Functions& f) {
#define ERGON_BIND(name) f.name = reinterpret_cast<fmi3##name##TYPE*>(library.symbol("fmi3" #name));
                                                    ERGON_FMI3_FUNCTIONS(ERGON_BIND)
#undef ERGON_BIND
                                                  });
  if (!why.empty()) return why;
  const Fmi3Functions& f = *functions_;
  FunctionChecker checker;
  if (setup.exchange) {
    checker.needs("fmi3InstantiateModelExchange", f.InstantiateModelExchange);
    checker.needs("fmi3EnterEventMode", f.EnterEventMode);
    checker.needs("fmi3UpdateDiscreteStates", f.UpdateDiscreteStates);
    checker.needs("fmi3EnterContinuousTimeMode", f.EnterContinuousTimeMode);
    checker.needs("fmi3SetTime", f.SetTime);
    if (setup.exchange->needs_completed_step)
      checker.needs("fmi3CompletedIntegratorStep", f.CompletedIntegratorStep);
    if (setup.exchange->state_count > 0) {
      checker.needs("fmi3SetContinuousStates", f.SetContinuousStates);
      checker.needs("fmi3GetContinuousStates", f.GetContinuousStates);
      checker.needs("fmi3GetContinuousStateDerivatives", f.GetContinuousStateDerivatives);
      checker.needs("fmi3GetNominalsOfContinuousStates", f.GetNominalsOfContinuousStates);
    }
    if (setup.exchange->indicator_count > 0) checker.needs("fmi3GetEventIndicators", f.GetEventIndicators);
  } else {
    checker.needs("fmi3InstantiateCoSimulation", f.InstantiateCoSimulation);
    checker.needs("fmi3DoStep", f.DoStep);
  }
  checker.needs("fmi3FreeInstance", f.FreeInstance);
  checker.needs("fmi3EnterInitializationMode", f.EnterInitializationMode);
  checker.needs("fmi3ExitInitializationMode", f.ExitInitializationMode);
  checker.needs("fmi3Terminate", f.Terminate);
  checker.needs("fmi3GetFloat64", f.GetFloat64);
  checker.needs("fmi3SetFloat64", f.SetFloat64);
  if (setup.events_used) {
    checker.claimed("hasEventMode", "fmi3EnterEventMode", f.EnterEventMode);
    checker.claimed("hasEventMode", "fmi3EnterStepMode", f.EnterStepMode);
    checker.claimed("hasEventMode", "fmi3UpdateDiscreteStates", f.UpdateDiscreteStates);
  }
  if (!setup.clocks.empty()) checker.needs("fmi3SetClock", f.SetClock);
  if (setup.can_save_state) {
    checker.claimed("canGetAndSetFMUState", "fmi3GetFMUState", f.GetFMUState);
    checker.claimed("canGetAndSetFMUState", "fmi3SetFMUState", f.SetFMUState);
    checker.claimed("canGetAndSetFMUState", "fmi3FreeFMUState", f.FreeFMUState);
  }
  if (setup.can_serialize_state) {
    checker.claimed("canSerializeFMUState", "fmi3SerializedFMUStateSize", f.SerializedFMUStateSize);
    checker.claimed("canSerializeFMUState", "fmi3SerializeFMUState", f.SerializeFMUState);
    checker.claimed("canSerializeFMUState", "fmi3DeserializeFMUState", f.DeserializeFMUState);
  }
  if (setup.directional_derivatives)
    checker.claimed("providesDirectionalDerivatives", "fmi3GetDirectionalDerivative",
                    f.GetDirectionalDerivative);
  return checker.complaint();
}

bool Fmi3Api::instantiate(const InstanceSetup& setup, const LogTarget& target,
                          IntermediateListener* intermediate) {
  environment_ = target.environment();
  if (setup.exchange) {
    const std::string folder = setup.resources.empty() ? "" : setup.resources + "/";
    instance_ = functions_->InstantiateModelExchange(target.name().c_str(), setup.token.c_str(),
                                                     folder.empty() ? nullptr : folder.c_str(), false, false,
                                                     environment_, &log_callback);
    return instance_ != nullptr;
  }
  const bool listens = intermediate != nullptr && !setup.intermediate_references.empty();
  if (listens) {
    const std::lock_guard guard(listeners_mutex);
    listeners()[environment_] = intermediate;
  }
  const std::string resources = setup.resources.empty() ? "" : setup.resources + "/";
  instance_ = functions_->InstantiateCoSimulation(
      target.name().c_str(), setup.token.c_str(), resources.empty() ? nullptr : resources.c_str(), false,
      false, setup.events_used, setup.early_return_allowed,
      listens ? setup.intermediate_references.data() : nullptr,
      listens ? setup.intermediate_references.size() : 0, environment_, &log_callback,
      listens ? &intermediate_callback : nullptr);
  return instance_ != nullptr;
}

void Fmi3Api::free_instance() {
  functions_->FreeInstance(instance_);
  const std::lock_guard guard(listeners_mutex);
  listeners().erase(environment_);
}

// clang-format off
#define ERGON_FMI3_TYPES(X)                                                                              \
  X(float32, Float32) X(float64, Float64) X(int8, Int8) X(uint8, UInt8) X(int16, Int16)                  \
  X(uint16, UInt16) X(int32, Int32) X(uint32, UInt32) X(int64, Int64) X(uint64, UInt64)                  \
  X(enumeration, Int64) X(boolean, Boolean) X(text, String)
// clang-format on

FmuStatus Fmi3Api::set(VariableType type, const std::uint32_t* references, std::size_t n, const void* values,
                       std::size_t count) const {
  switch (type) {
#define ERGON_CASE(kind, Name)                                     \
  case VariableType::kind:                                         \
    if (functions_->Set##Name == nullptr) return FmuStatus::error; \
    return status(                                                 \
        functions_->Set##Name(instance_, references, n, static_cast<const fmi3##Name*>(values), count));
    ERGON_FMI3_TYPES(ERGON_CASE)
#undef ERGON_CASE
    default:
      return FmuStatus::error;
  }
}

FmuStatus Fmi3Api::get(VariableType type, const std::uint32_t* references, std::size_t n, void* values,
                       std::size_t count) const {
  switch (type) {
#define ERGON_CASE(kind, Name)                                     \
  case VariableType::kind:                                         \
    if (functions_->Get##Name == nullptr) return FmuStatus::error; \
    return status(functions_->Get##Name(instance_, references, n, static_cast<fmi3##Name*>(values), count));
    ERGON_FMI3_TYPES(ERGON_CASE)
#undef ERGON_CASE
    default:
      return FmuStatus::error;
  }
}
#undef ERGON_FMI3_TYPES

FmuStatus Fmi3Api::set_binary(const std::uint32_t* references, std::size_t n, const std::size_t* sizes,
                              const std::uint8_t* const* values, std::size_t count) const {
  if (functions_->SetBinary == nullptr) return FmuStatus::error;
  return status(functions_->SetBinary(instance_, references, n, sizes, values, count));
}

FmuStatus Fmi3Api::get_binary(const std::uint32_t* references, std::size_t n, std::size_t* sizes,
                              const std::uint8_t** values, std::size_t count) const {
  if (functions_->GetBinary == nullptr) return FmuStatus::error;
  return status(functions_->GetBinary(instance_, references, n, sizes, values, count));
}

FmuStatus Fmi3Api::clock_interval(std::uint32_t reference, double* interval, double* shift) const {
  fmi3IntervalQualifier qualifier = fmi3IntervalNotYetKnown;
  if (functions_->GetIntervalDecimal == nullptr) return FmuStatus::error;
  const FmuStatus s = status(functions_->GetIntervalDecimal(instance_, &reference, 1, interval, &qualifier));
  if (s > FmuStatus::warning || qualifier == fmi3IntervalNotYetKnown) return FmuStatus::error;
  if (functions_->GetShiftDecimal == nullptr ||
      status(functions_->GetShiftDecimal(instance_, &reference, 1, shift)) > FmuStatus::warning)
    *shift = 0.0;
  return s;
}

FmuStatus Fmi3Api::set_clock_interval(std::uint32_t reference, double interval, double shift) const {
  if (functions_->SetIntervalDecimal == nullptr) return FmuStatus::error;
  const FmuStatus s = status(functions_->SetIntervalDecimal(instance_, &reference, 1, &interval));
  if (s > FmuStatus::warning || shift == 0.0) return s;
  if (functions_->SetShiftDecimal == nullptr) return FmuStatus::error;
  return std::max(s, status(functions_->SetShiftDecimal(instance_, &reference, 1, &shift)));
}

FmuStatus Fmi3Api::exchange_counts(std::size_t* states, std::size_t* indicators) const {
  FmuStatus s = FmuStatus::ok;
  if (functions_->GetNumberOfContinuousStates != nullptr)
    s = status(functions_->GetNumberOfContinuousStates(instance_, states));
  if (functions_->GetNumberOfEventIndicators != nullptr)
    s = std::max(s, status(functions_->GetNumberOfEventIndicators(instance_, indicators)));
  return s;
}

EventResult Fmi3Api::update_discrete_states() const {
  EventResult result;
  // An FMU that never comes to rest is not waited for.
  for (int i = 0; i < 1000; ++i) {
    fmi3Boolean need_update = false;
    fmi3Boolean terminate = false;
    fmi3Boolean nominals = false;
    fmi3Boolean states = false;
    fmi3Boolean next_defined = false;
    fmi3Float64 next = 0.0;
    result.status = status(functions_->UpdateDiscreteStates(instance_, &need_update, &terminate, &nominals,
                                                            &states, &next_defined, &next));
    result.terminate = result.terminate || terminate;
    result.next_event_defined = next_defined;
    result.next_event_s = next;
    if (result.status > FmuStatus::warning || !need_update || terminate) return result;
  }
  result.status = FmuStatus::error;
  return result;
}

}  // namespace ergon::fmi
