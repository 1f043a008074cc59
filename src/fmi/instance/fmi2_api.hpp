#pragma once

#include <memory>
#include <string>

#include "ergon/fmi/binary/shared_library.hpp"
#include "ergon/fmi/declarations/fmi2.hpp"
#include "ergon/fmi/instance/fmu_log.hpp"
#include "ergon/fmi/instance/instance_setup.hpp"

namespace ergon::fmi {

struct Fmi2Functions {
#define ERGON_MEMBER(name) fmi2##name##TYPE* name = nullptr;
  ERGON_FMI2_FUNCTIONS(ERGON_MEMBER)
  ERGON_FMI2_EXCHANGE_FUNCTIONS(ERGON_MEMBER)
#undef ERGON_MEMBER
};

/// What one DoStep did.
struct StepResult {
  FmuStatus status = FmuStatus::ok;
  double time_reached_s = 0.0;
  bool terminate = false;
  bool event_needed = false;
};

/// What one update of discrete states said, in model exchange.
struct DiscreteUpdate {
  FmuStatus status = FmuStatus::ok;
  bool needs_another = false;
  bool terminate = false;
  bool nominals_changed = false;
  bool states_changed = false;
  bool next_event_defined = false;
  double next_event_s = 0.0;
};

/// What the FMU said of a step that its integrator has completed.
struct CompletedStep {
  FmuStatus status = FmuStatus::ok;
  bool wants_event = false;
  bool terminate = false;
};

/// The calls of FMI 2.0 as LocalInstance makes them, and, for model exchange, ExchangeInstance.
class Fmi2Api {
 public:
  static constexpr bool has_events = false;
  static constexpr const char* prefix = "fmi2";
  static constexpr bool reads_in_initialization = true;
  static constexpr int max_input_derivative = 100;
  using Boolean = fmi2Boolean;
  using Enumeration = fmi2Integer;
  using State = fmi2FMUstate;

  /// Empty, or why the library is not usable.
  std::string bind(const InstanceSetup& setup);
  bool instantiate(const InstanceSetup& setup, const LogTarget& target, void* intermediate);
  void free_instance() const { functions_->FreeInstance(component_); }
  FmuStatus enter_configuration() const { return FmuStatus::ok; }
  FmuStatus exit_configuration() const { return FmuStatus::ok; }
  FmuStatus enter_initialization(const StartSettings& settings) const;
  FmuStatus exit_initialization() const { return status(functions_->ExitInitializationMode(component_)); }
  FmuStatus terminate() const { return status(functions_->Terminate(component_)); }

  FmuStatus set_float64(const std::uint32_t* references, std::size_t n, const double* values,
                        std::size_t) const {
    return status(functions_->SetReal(component_, references, n, values));
  }
  FmuStatus get_float64(const std::uint32_t* references, std::size_t n, double* values, std::size_t) const {
    return status(functions_->GetReal(component_, references, n, values));
  }
  /// Values in the C type that belongs to `type`.
  FmuStatus set(VariableType type, const std::uint32_t* references, std::size_t n, const void* values,
                std::size_t count) const;
  FmuStatus get(VariableType type, const std::uint32_t* references, std::size_t n, void* values,
                std::size_t count) const;
  FmuStatus set_binary(const std::uint32_t*, std::size_t, const std::size_t*, const std::uint8_t* const*,
                       std::size_t) const {
    return FmuStatus::error;
  }
  FmuStatus get_binary(const std::uint32_t*, std::size_t, std::size_t*, const std::uint8_t**,
                       std::size_t) const {
    return FmuStatus::error;
  }
  FmuStatus set_input_derivatives(const std::uint32_t* references, std::size_t n, const int* orders,
                                  const double* values) const {
    return functions_->SetRealInputDerivatives == nullptr
               ? FmuStatus::error
               : status(functions_->SetRealInputDerivatives(component_, references, n, orders, values));
  }
  FmuStatus output_derivatives(const std::uint32_t* references, std::size_t n, const int* orders,
                               double* values) const {
    return functions_->GetRealOutputDerivatives == nullptr
               ? FmuStatus::error
               : status(functions_->GetRealOutputDerivatives(component_, references, n, orders, values));
  }

  /// What DoStep returned, and, where it is not simply done, what that means.
  struct RawStep {
    fmi2Status status = fmi2OK;
    [[nodiscard]] bool is_whole() const { return status == fmi2OK; }
  };
  RawStep call_step(double t, double h, bool never_set_back) const {
    return {functions_->DoStep(component_, t, h, never_set_back ? fmi2True : fmi2False)};
  }
  StepResult result_of(const RawStep& raw, double t, double h) const {
    if (raw.status != fmi2OK) return ask_about_step(t, h, raw.status);
    StepResult result;
    result.time_reached_s = t + h;
    return result;
  }

  // ── Model exchange ──
  FmuStatus enter_event_mode() const { return status(functions_->EnterEventMode(component_)); }
  FmuStatus enter_continuous_time_mode() const {
    return status(functions_->EnterContinuousTimeMode(component_));
  }
  DiscreteUpdate update_once() const {
    fmi2EventInfo info{};
    const FmuStatus s = status(functions_->NewDiscreteStates(component_, &info));
    return {s,
            info.newDiscreteStatesNeeded != 0,
            info.terminateSimulation != 0,
            info.nominalsOfContinuousStatesChanged != 0,
            info.valuesOfContinuousStatesChanged != 0,
            info.nextEventTimeDefined != 0,
            info.nextEventTime};
  }
  CompletedStep completed_step(bool never_set_back) const {
    fmi2Boolean event = 0;
    fmi2Boolean terminate = 0;
    const FmuStatus s =
        status(functions_->CompletedIntegratorStep(component_, never_set_back ? 1 : 0, &event, &terminate));
    return {s, event != 0, terminate != 0};
  }
  FmuStatus set_time(double t) const { return status(functions_->SetTime(component_, t)); }
  FmuStatus set_continuous_states(const double* x, std::size_t n) const {
    return status(functions_->SetContinuousStates(component_, x, n));
  }
  FmuStatus continuous_states(double* x, std::size_t n) const {
    return status(functions_->GetContinuousStates(component_, x, n));
  }
  FmuStatus derivatives(double* dx, std::size_t n) const {
    return status(functions_->GetDerivatives(component_, dx, n));
  }
  FmuStatus event_indicators(double* z, std::size_t n) const {
    return status(functions_->GetEventIndicators(component_, z, n));
  }
  FmuStatus nominals(double* x, std::size_t n) const {
    return status(functions_->GetNominalsOfContinuousStates(component_, x, n));
  }
  /// As the description has them.
  FmuStatus exchange_counts(std::size_t*, std::size_t*) const { return FmuStatus::ok; }

  FmuStatus get_state(State* state) const { return status(functions_->GetFMUstate(component_, state)); }
  FmuStatus set_state(State state) const { return status(functions_->SetFMUstate(component_, state)); }
  FmuStatus free_state(State* state) const { return status(functions_->FreeFMUstate(component_, state)); }
  FmuStatus serialized_size(State state, std::size_t* size) const {
    return status(functions_->SerializedFMUstateSize(component_, state, size));
  }
  FmuStatus serialize(State state, std::byte* bytes, std::size_t size) const {
    return status(functions_->SerializeFMUstate(component_, state, reinterpret_cast<fmi2Byte*>(bytes), size));
  }
  FmuStatus deserialize(const std::byte* bytes, std::size_t size, State* state) const {
    return status(
        functions_->DeSerializeFMUstate(component_, reinterpret_cast<const fmi2Byte*>(bytes), size, state));
  }
  FmuStatus directional_derivative(const std::uint32_t* unknowns, std::size_t n_unknowns,
                                   const std::uint32_t* knowns, std::size_t n_knowns, const double* seed,
                                   double* sensitivity) const {
    return status(functions_->GetDirectionalDerivative(component_, unknowns, n_unknowns, knowns, n_knowns,
                                                       seed, sensitivity));
  }

 private:
  /// What a step that did not simply end has come to.
  [[nodiscard]] StepResult ask_about_step(double t, double h, fmi2Status s) const;
  static FmuStatus status(fmi2Status s) { return static_cast<FmuStatus>(s); }

  // What every step needs comes first: see LocalInstance.
  const Fmi2Functions* functions_ = nullptr;
  fmi2Component component_ = nullptr;
  std::shared_ptr<const SharedLibrary> library_;
  /// FMUs keep the pointer: it lives as long as the instance.
  std::unique_ptr<fmi2CallbackFunctions> callbacks_;
};

}  // namespace ergon::fmi
