#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ergon/core/subsystem.hpp"
#include "ergon/fmi/instance/fmu_log.hpp"
#include "ergon/fmi/instance/instance_setup.hpp"

namespace ergon::fmi {

/// How a communication step ended.
enum class StepEnd : std::uint8_t { done, failed };

/// One instance of an FMU, of either version, in this process or in a worker. The order of calls:
///   1. instantiate, initialize      then it is in initialisation mode: `outputs` sets and gets, which is always legal there
///   2. step, outputs, …             the first step (or saved state) leaves initialisation mode
/// A call that returns false (or `failed`) has said why in `reason`; the instance is then of no more use.
class FmuInstance {
 public:
  FmuInstance() = default;
  FmuInstance(const FmuInstance&) = delete;
  FmuInstance& operator=(const FmuInstance&) = delete;
  virtual ~FmuInstance() = default;

  virtual bool instantiate() = 0;
  virtual bool initialize(const StartSettings& settings) = 0;
  /// Leaves initialisation mode, as the first step does by itself.
  virtual bool finish_initialization() = 0;

  /// From t to t + h with the real inputs u(τ), one set call per type. What happens on the way (events, ticks of clocks, an early
  /// return, a discarded step that can be repeated in smaller ones) is dealt with inside.
  virtual StepEnd step(double t, double h, const InputView& u) = 0;
  /// Steps and real outputs of several instances in one call, where that is possible.
  [[nodiscard]] virtual Subsystem::Grouped grouped_steps() { return {}; }
  /// Where its steps are taken in another process.
  [[nodiscard]] virtual AsyncSteps* async_steps() { return nullptr; }
  /// From here on `outputs` is never asked to set inputs in step mode, nor states to be saved: what the inputs were need not be
  /// remembered.
  virtual void forget_inputs() {}
  /// Real outputs at the present state, one get call per type. With inputs that differ from those of the state they are set
  /// first, where `may_set`; else outputs are those of the last step.
  virtual bool outputs(double t, const double* u, double* y, bool may_set) = 0;
  /// Inputs that are not reals, from here on. The arrays are those of the lanes.
  virtual void set_discrete(const std::int64_t* integers, const std::string* texts) = 0;
  /// At the state and with the inputs of the last `outputs`.
  virtual bool discrete_outputs(std::int64_t* integers, std::string* texts) = 0;

  /// One parameter that may change between steps.
  virtual bool set_value(const StartValue& value) = 0;
  /// The value of one variable, whose type and number of values `value` says.
  virtual bool get_value(StartValue& value) = 0;

  virtual std::size_t make_slot() = 0;
  virtual void free_slot(std::size_t slot) = 0;
  virtual bool save(std::size_t slot) = 0;
  virtual bool restore(std::size_t slot) = 0;
  virtual bool serialize(std::size_t slot, std::vector<std::byte>& bytes) = 0;
  virtual bool deserialize(std::span<const std::byte> bytes, std::size_t slot) = 0;

  /// ∂unknowns/∂knowns · seed at the present state; all are real.
  virtual bool directional_derivative(std::span<const std::uint32_t> unknowns,
                                      std::span<const std::uint32_t> knowns, std::span<const double> seed,
                                      std::span<double> sensitivity) = 0;
  /// First derivatives of real outputs at the present time.
  virtual bool output_derivatives(std::span<const std::uint32_t> references, std::span<double> values) = 0;

  // ── Model exchange: the continuous states and their rates, after initialisation ──
  virtual bool states(std::span<double> values) = 0;
  /// From here on; what depends on them discretely follows with the next step.
  virtual bool set_states(std::span<const double> values) = 0;
  virtual bool state_rates(double t, const double* u, std::span<double> rates) = 0;

  /// What it says is of no interest (a trial).
  virtual void mute() = 0;
  [[nodiscard]] const std::string& reason() const { return reason_; }
  /// What was wanted of the last failing call cannot be had any more.
  [[nodiscard]] bool is_lost() const { return lost_; }

 protected:
  std::string reason_;
  bool lost_ = false;
};

/// An instance in this process.
std::unique_ptr<FmuInstance> make_local_instance(std::shared_ptr<const InstanceSetup> setup,
                                                 const std::string& name);

}  // namespace ergon::fmi
