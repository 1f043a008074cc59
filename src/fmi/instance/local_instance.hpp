#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "ergon/core/grouped_steps.hpp"
#include "ergon/fmi/instance/call_guard.hpp"
#include "ergon/fmi/instance/fmi1_api.hpp"
#include "ergon/fmi/instance/fmi3_api.hpp"
#include "ergon/fmi/instance/fmu_instance.hpp"
#include "ergon/fmi/instance/lane_transfer.hpp"

namespace ergon::fmi {

inline constexpr const char* no_states_text = "an FMU for co-simulation does not show its states";

/// An instance in this process; Api is Fmi1Api, Fmi2Api or Fmi3Api. What differs between the versions is in the Api; what an importer
/// decides (which call is legal when, what to do with a discarded step) is here, once; steps are those of co-simulation.
template <class Api>
class LocalInstance : public FmuInstance, private IntermediateListener {
 public:
  LocalInstance(std::shared_ptr<const InstanceSetup> setup, const std::string& name);
  ~LocalInstance() override;

  bool instantiate() override;
  bool initialize(const StartSettings& settings) override;
  bool finish_initialization() override;
  StepEnd step(double t, double h, const InputView& u) override;
  [[nodiscard]] Subsystem::Grouped grouped_steps() override;
  void forget_inputs() override { keeps_inputs_ = false; }
  bool outputs(double t, const double* u, double* y, bool may_set) override;
  void set_discrete(const std::int64_t* integers, const std::string* texts) override;
  bool discrete_outputs(std::int64_t* integers, std::string* texts) override;
  bool set_value(const StartValue& value) override;
  bool get_value(StartValue& value) override;
  std::size_t make_slot() override;
  void free_slot(std::size_t slot) override;
  bool save(std::size_t slot) override;
  bool restore(std::size_t slot) override;
  bool serialize(std::size_t slot, std::vector<std::byte>& bytes) override;
  bool deserialize(std::span<const std::byte> bytes, std::size_t slot) override;
  bool directional_derivative(std::span<const std::uint32_t> unknowns, std::span<const std::uint32_t> knowns,
                              std::span<const double> seed, std::span<double> sensitivity) override;
  bool output_derivatives(std::span<const std::uint32_t> references, std::span<double> values) override;
  // FMUs of co-simulation keep their states to themselves.
  bool states(std::span<double> /*values*/) override { return fail(no_states_text); }
  bool set_states(std::span<const double> /*values*/) override { return fail(no_states_text); }
  bool state_rates(double /*t*/, const double* /*u*/, std::span<double> /*rates*/) override {
    return fail(no_states_text);
  }
  void mute() override { log_.muted = true; }

 protected:
  class DirectSteps;
  /// `step`: of co-simulation, or the continuous-time mode of model exchange. `ended`: it has asked to end the run, holds its last values and is not stepped any more.
  enum class Mode : std::uint8_t { none, instantiated, initialization, step, ended, lost };
  /// What belongs to a state beside what the FMU keeps itself.
  struct Own {
    Mode mode = Mode::none;
    double now_s = 0.0;
    double next_event_s = 0.0;  ///< infinity: none is known
    std::vector<std::uint64_t> ticks;
    LaneValues inputs;
    LaneValues clocked;
    bool discrete_changed = false;  ///< inputs that the FMU has not seen
    bool reals_known = false;       ///< inputs.reals are what the FMU has
    // Of model exchange alone.
    std::vector<double>
        settled_inputs;        ///< real inputs as the last event or the last completed step had them
    bool needs_event = false;  ///< states were set from outside
  };
  struct Slot {
    typename Api::State state = nullptr;
    Own own;
    bool in_use = false;
  };

  void enter(Mode mode) {
    own_.mode = mode;
    steps_directly_ = direct_ && mode == Mode::step;
  }
  StepEnd direct_step(const StepInterval& step, const double* u);
  StepEnd finish_direct_step(const StepInterval& step, const double* u, const typename Api::RawStep& raw);
  bool direct_set(double t, const double* u);
  bool direct_outputs(double t, double* y);
  bool good(FmuStatus status, const char* call);
  bool fail(std::string reason);
  void note_exit();
  void note_end_request(double t);
  /// The length of a step, shortened where rounding would carry its end beyond that of the experiment.
  [[nodiscard]] double length_within_experiment(double t, double h) const {
    return t + h > end_s_ ? shortened(t, h) : h;
  }
  [[nodiscard]] double shortened(double t, double h) const;
  void restore_float_control(const FloatControl& control, const char* text = float_control_text);
  const Batch& batch_of(const StartValue& value);
  bool set_reals(const double* u);
  bool set_discrete_now();
  bool get_reals(double* y);
  bool tell_interval(const PeriodicClock& clock);
  virtual bool leave_initialization();
  bool prepare_to_leave_initialization();
  bool tick_due_clocks(double t);
  bool handle_event(double t, bool initial);
  bool read_clocked();
  void find_oldest_saved();
  [[nodiscard]] bool is_never_set_before(double t) const { return oldest_saved_s_ >= t; }
  double next_tick() const;
  double next_stop() const;
  bool set_derivatives(const InputView& u);
  /// `first`: of a call that was made already.
  StepEnd step_in_parts(double t, double h, const InputView& u, bool inputs_are_set,
                        const StepResult* first = nullptr);
  void intermediate_update(double t, bool set_requested) override;

  // ── What a direct step touches: one line of memory, with the beginning of the Api ──
  alignas(64) double clock_s_ = 0.0;  ///< for the log
  const std::uint32_t* set_references_ = nullptr;
  const std::uint32_t* get_references_ = nullptr;
  std::uint32_t set_count_ = 0, get_count_ = 0;
  bool steps_directly_ = false;  ///< `direct_`, and in step mode
  bool keeps_inputs_ = true;     ///< in direct steps: what the inputs were is remembered
  /// Of the oldest saved state, up to rounding: a step from a later time may be taken back, one from that time begins where the FMU
  /// would be set back to (FMI: noSetFMUStatePriorToCurrentPoint).
  double oldest_saved_s_ = std::numeric_limits<double>::infinity();
  double end_s_ = std::numeric_limits<double>::infinity();  ///< of the experiment, as the FMU knows it
  Api api_;

  std::shared_ptr<const InstanceSetup> setup_;
  LogTarget log_;
  LaneTransfer<Api> transfer_;
  Batch single_;  ///< of set_value and get_value
  Own own_;
  bool instantiated_ = false;
  /// All reals of a side are one batch that lies as the FMU wants it, and a step needs nothing but one call to set, one to step
  /// and one to get: no events, integers, texts or derivatives.
  bool direct_ = false;
  double start_s_ = 0.0;
  std::vector<PeriodicClock> clocks_;
  std::vector<std::uint32_t> due_;
  std::unique_ptr<bool[]> active_;
  std::vector<std::unique_ptr<Slot>> slots_;
  // Within a step: what intermediate updates and derivatives are made of.
  const InputView* step_inputs_ = nullptr;
  double step_start_s_ = 0.0;
  std::vector<double> intermediate_;
  std::vector<double> derivative_values_;
  std::vector<std::uint32_t> derivative_references_;
  std::vector<int> derivative_orders_;
  bool said_discarded_ = false;
  bool said_float_control_ = false;
};

}  // namespace ergon::fmi
