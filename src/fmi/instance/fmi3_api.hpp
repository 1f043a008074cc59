#pragma once

#include <memory>
#include <string>

#include "ergon/fmi/binary/shared_library.hpp"
#include "ergon/fmi/declarations/fmi3.hpp"
#include "ergon/fmi/instance/fmi2_api.hpp"
#include "ergon/fmi/instance/fmu_log.hpp"
#include "ergon/fmi/instance/instance_setup.hpp"

namespace ergon::fmi {

struct Fmi3Functions {
#define ERGON_MEMBER(name) fmi3##name##TYPE* name = nullptr;
  ERGON_FMI3_FUNCTIONS(ERGON_MEMBER)
#undef ERGON_MEMBER
};

/// Told by the FMU within a step: at `t` inputs may be set.
class IntermediateListener {
 public:
  virtual ~IntermediateListener() = default;
  virtual void intermediate_update(double t, bool set_requested) = 0;
};

/// What UpdateDiscreteStates said.
struct EventResult {
  FmuStatus status = FmuStatus::ok;
  bool terminate = false;
  bool next_event_defined = false;
  double next_event_s = 0.0;
};

/// The calls of FMI 3.0 as LocalInstance makes them.
class Fmi3Api {
 public:
  static constexpr bool has_events = true;
  static constexpr const char* prefix = "fmi3";
  static constexpr bool reads_in_initialization = true;
  static constexpr int max_input_derivative = 100;
  using Boolean = fmi3Boolean;
  using Enumeration = fmi3Int64;
  using State = fmi3FMUState;

  std::string bind(const InstanceSetup& setup);
  bool instantiate(const InstanceSetup& setup, const LogTarget& target, IntermediateListener* intermediate);
  void free_instance();
  FmuStatus enter_configuration() const { return status(functions_->EnterConfigurationMode(instance_)); }
  FmuStatus exit_configuration() const { return status(functions_->ExitConfigurationMode(instance_)); }
  FmuStatus enter_initialization(const StartSettings& s) const {
    return status(functions_->EnterInitializationMode(instance_, s.tolerance.has_value(),
                                                      s.tolerance.value_or(0.0), s.start_s,
                                                      s.end_s.has_value(), s.end_s.value_or(0.0)));
  }
  FmuStatus exit_initialization() const { return status(functions_->ExitInitializationMode(instance_)); }
  FmuStatus terminate() const { return status(functions_->Terminate(instance_)); }

  FmuStatus set_float64(const std::uint32_t* references, std::size_t n, const double* values,
                        std::size_t count) const {
    return status(functions_->SetFloat64(instance_, references, n, values, count));
  }
  FmuStatus get_float64(const std::uint32_t* references, std::size_t n, double* values,
                        std::size_t count) const {
    return status(functions_->GetFloat64(instance_, references, n, values, count));
  }
  FmuStatus set(VariableType type, const std::uint32_t* references, std::size_t n, const void* values,
                std::size_t count) const;
  FmuStatus get(VariableType type, const std::uint32_t* references, std::size_t n, void* values,
                std::size_t count) const;
  FmuStatus set_binary(const std::uint32_t* references, std::size_t n, const std::size_t* sizes,
                       const std::uint8_t* const* values, std::size_t count) const;
  FmuStatus get_binary(const std::uint32_t* references, std::size_t n, std::size_t* sizes,
                       const std::uint8_t** values, std::size_t count) const;
  FmuStatus set_input_derivatives(const std::uint32_t*, std::size_t, const int*, const double*) const {
    return FmuStatus::error;
  }
  FmuStatus output_derivatives(const std::uint32_t* references, std::size_t n, const int* orders,
                               double* values) const {
    return functions_->GetOutputDerivatives == nullptr
               ? FmuStatus::error
               : status(functions_->GetOutputDerivatives(instance_, references, n, orders, values, n));
  }

  /// What DoStep returned, and, where it is not simply done, what that means.
  struct RawStep {
    fmi3Status status = fmi3OK;
    fmi3Boolean event_needed = false;
    fmi3Boolean terminate = false;
    fmi3Boolean early_return = false;
    fmi3Float64 reached_s = 0.0;
    [[nodiscard]] bool is_whole() const {
      return status == fmi3OK && !event_needed && !terminate && !early_return;
    }
  };
  RawStep call_step(double t, double h, bool never_set_back) const {
    RawStep raw;
    raw.reached_s = t + h;
    raw.status = functions_->DoStep(instance_, t, h, never_set_back, &raw.event_needed, &raw.terminate,
                                    &raw.early_return, &raw.reached_s);
    return raw;
  }
  StepResult result_of(const RawStep& raw, double t, double h) const {
    StepResult result;
    result.status = status(raw.status);
    result.terminate = raw.terminate;
    result.event_needed = raw.event_needed;
    // Discarded: the state is as before. Some FMUs do not say how far they came where they came all the way.
    result.time_reached_s = raw.status == fmi3Discard ? t : raw.early_return ? raw.reached_s : t + h;
    return result;
  }
  FmuStatus enter_event_mode() const { return status(functions_->EnterEventMode(instance_)); }
  FmuStatus enter_step_mode() const { return status(functions_->EnterStepMode(instance_)); }
  FmuStatus set_clocks(const std::uint32_t* references, std::size_t n, const bool* active) const {
    return status(functions_->SetClock(instance_, references, n, active));
  }
  /// Interval and shift of a clock, as the FMU says them.
  FmuStatus clock_interval(std::uint32_t reference, double* interval, double* shift) const;
  /// … and as it is told them.
  FmuStatus set_clock_interval(std::uint32_t reference, double interval, double shift) const;
  EventResult update_discrete_states() const;

  // ── Model exchange ──
  FmuStatus enter_continuous_time_mode() const {
    return status(functions_->EnterContinuousTimeMode(instance_));
  }
  DiscreteUpdate update_once() const {
    fmi3Boolean needed = false, terminate = false, nominals = false, states = false, next_defined = false;
    fmi3Float64 next = 0.0;
    const FmuStatus s = status(functions_->UpdateDiscreteStates(instance_, &needed, &terminate, &nominals,
                                                                &states, &next_defined, &next));
    return {s, needed, terminate, nominals, states, next_defined, next};
  }
  CompletedStep completed_step(bool never_set_back) const {
    fmi3Boolean event = false, terminate = false;
    const FmuStatus s =
        status(functions_->CompletedIntegratorStep(instance_, never_set_back, &event, &terminate));
    return {s, event, terminate};
  }
  FmuStatus set_time(double t) const { return status(functions_->SetTime(instance_, t)); }
  FmuStatus set_continuous_states(const double* x, std::size_t n) const {
    return status(functions_->SetContinuousStates(instance_, x, n));
  }
  FmuStatus continuous_states(double* x, std::size_t n) const {
    return status(functions_->GetContinuousStates(instance_, x, n));
  }
  FmuStatus derivatives(double* dx, std::size_t n) const {
    return status(functions_->GetContinuousStateDerivatives(instance_, dx, n));
  }
  FmuStatus event_indicators(double* z, std::size_t n) const {
    return status(functions_->GetEventIndicators(instance_, z, n));
  }
  FmuStatus nominals(double* x, std::size_t n) const {
    return status(functions_->GetNominalsOfContinuousStates(instance_, x, n));
  }
  /// Structural parameters may have changed those of the description.
  FmuStatus exchange_counts(std::size_t* states, std::size_t* indicators) const;

  FmuStatus get_state(State* state) const { return status(functions_->GetFMUState(instance_, state)); }
  FmuStatus set_state(State state) const { return status(functions_->SetFMUState(instance_, state)); }
  FmuStatus free_state(State* state) const { return status(functions_->FreeFMUState(instance_, state)); }
  FmuStatus serialized_size(State state, std::size_t* size) const {
    return status(functions_->SerializedFMUStateSize(instance_, state, size));
  }
  FmuStatus serialize(State state, std::byte* bytes, std::size_t size) const {
    return status(functions_->SerializeFMUState(instance_, state, reinterpret_cast<fmi3Byte*>(bytes), size));
  }
  FmuStatus deserialize(const std::byte* bytes, std::size_t size, State* state) const {
    return status(
        functions_->DeserializeFMUState(instance_, reinterpret_cast<const fmi3Byte*>(bytes), size, state));
  }
  FmuStatus directional_derivative(const std::uint32_t* unknowns, std::size_t n_unknowns,
                                   const std::uint32_t* knowns, std::size_t n_knowns, const double* seed,
                                   double* sensitivity) const {
    return status(functions_->GetDirectionalDerivative(instance_, unknowns, n_unknowns, knowns, n_knowns,
                                                       seed, n_knowns, sensitivity, n_unknowns));
  }

 private:
  static FmuStatus status(fmi3Status s) { return static_cast<FmuStatus>(s); }

  // What every step needs comes first: see LocalInstance.
  const Fmi3Functions* functions_ = nullptr;
  fmi3Instance instance_ = nullptr;
  std::shared_ptr<const SharedLibrary> library_;
  void* environment_ = nullptr;
};

}  // namespace ergon::fmi
