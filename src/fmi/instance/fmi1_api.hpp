#pragma once

#include <memory>
#include <string>

#include "ergon/fmi/binary/shared_library.hpp"
#include "ergon/fmi/declarations/fmi1.hpp"
#include "ergon/fmi/instance/fmi2_api.hpp"

namespace ergon::fmi {

struct Fmi1Functions {
#define ERGON_MEMBER(name) fmi1##name##TYPE* name = nullptr;
  ERGON_FMI1_FUNCTIONS(ERGON_MEMBER)
#undef ERGON_MEMBER
};

/// The calls of FMI 1.0 for co-simulation as LocalInstance makes them. It has no initialization mode: InitializeSlave comes where the
/// later versions leave that mode, after all start values and inputs, and nothing can be read before it. It has neither saved states
/// nor derivatives of outputs with respect to inputs.
class Fmi1Api {
 public:
  static constexpr bool has_events = false;
  static constexpr const char* prefix = "fmi";
  static constexpr bool reads_in_initialization = false;
  /// Exporters that take derivatives of inputs take the first one only.
  static constexpr int max_input_derivative = 1;
  using Boolean = fmi1Boolean;
  using Enumeration = fmi1Integer;
  using State = void*;

  /// Empty, or why the library is not usable.
  std::string bind(const InstanceSetup& setup);
  bool instantiate(const InstanceSetup& setup, const LogTarget& target, void* intermediate);
  void free_instance() const { functions_->FreeSlaveInstance(component_); }
  FmuStatus enter_configuration() const { return FmuStatus::ok; }
  FmuStatus exit_configuration() const { return FmuStatus::ok; }
  FmuStatus enter_initialization(const StartSettings& settings) {
    start_s_ = settings.start_s;
    end_s_ = settings.end_s;
    return FmuStatus::ok;
  }
  FmuStatus exit_initialization() const {
    return status(functions_->InitializeSlave(component_, start_s_, end_s_ ? fmi1True : fmi1False,
                                              end_s_.value_or(0.0)));
  }
  FmuStatus terminate() const { return status(functions_->TerminateSlave(component_)); }

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

  /// What DoStep returned, and, where the step is not simply done, what that means.
  struct RawStep {
    fmi1Status status = fmi1OK;
    [[nodiscard]] bool is_whole() const { return status == fmi1OK; }
  };
  /// The last flag says "a new step": false would mean that the last one was rejected, which no exporter supports.
  RawStep call_step(double t, double h, bool /*never_set_back*/) const {
    return {functions_->DoStep(component_, t, h, fmi1True)};
  }
  StepResult result_of(const RawStep& raw, double t, double h) const {
    if (raw.status != fmi1OK) return ask_about_step(t, h, raw.status);
    StepResult result;
    result.time_reached_s = t + h;
    return result;
  }

  // FMI 1.0 has no states to save and no directional derivatives; descriptions never say so.
  FmuStatus get_state(State*) const { return FmuStatus::error; }
  FmuStatus set_state(State) const { return FmuStatus::error; }
  FmuStatus free_state(State*) const { return FmuStatus::ok; }
  FmuStatus serialized_size(State, std::size_t*) const { return FmuStatus::error; }
  FmuStatus serialize(State, std::byte*, std::size_t) const { return FmuStatus::error; }
  FmuStatus deserialize(const std::byte*, std::size_t, State*) const { return FmuStatus::error; }
  FmuStatus directional_derivative(const std::uint32_t*, std::size_t, const std::uint32_t*, std::size_t,
                                   const double*, double*) const {
    return FmuStatus::error;
  }

 private:
  /// What a step that did not simply end has come to.
  [[nodiscard]] StepResult ask_about_step(double t, double h, fmi1Status s) const;
  static FmuStatus status(fmi1Status s) { return static_cast<FmuStatus>(s); }

  // What every step needs comes first: see LocalInstance.
  const Fmi1Functions* functions_ = nullptr;
  fmi1Component component_ = nullptr;
  std::shared_ptr<const SharedLibrary> library_;
  double start_s_ = 0.0;
  std::optional<double> end_s_{};
};

}  // namespace ergon::fmi
