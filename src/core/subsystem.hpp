#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ergon/core/api.hpp"
#include "ergon/core/capabilities.hpp"
#include "ergon/core/input_view.hpp"
#include "ergon/core/port_type.hpp"
#include "ergon/core/unit.hpp"

namespace ergon {

class EndsInitialization;  // core/ends_initialization.hpp
class Geometry;            // core/geometry.hpp
class GroupedSteps;        // core/grouped_steps.hpp
class GroupedTrials;       // likewise

/// What the values of an output are, for comparisons of runs.
enum class PortRole {
  quantity,
  orientation,  ///< a unit quaternion: q and −q are one orientation
  diagnostic,   ///< a residual of a constraint or a solver: its size matters, its error does not
};

/// A named, sized, unit-carrying group of inputs or outputs.
struct Port {
  std::string name;
  Unit unit;
  std::size_t size = 1;
  std::string description;
  double start = 0.0;     ///< value of an unconnected input
  bool optional = false;  ///< may stay unconnected without a word (an external force, say)
  std::string rate_of{};  ///< of an output: the output port whose rate of change this is, where there is one
  double nominal = 1.0;   ///< usual size of its values, from `start` on: what tests try
  PortType type = PortType::real;
  std::vector<EnumerationItem> items{};  ///< of an enumeration
  std::int64_t integer_start =
      0;                     ///< `start` of an integer, a boolean (0 or 1), an enumeration (value of an item)
  std::string text_start{};  ///< … of a text or bytes
  PortRole role = PortRole::quantity;
  // Start values of components that differ, one for each; empty: all have the one above.
  std::vector<double> starts{};
  std::vector<std::int64_t> integer_starts{};
  std::vector<std::string> text_starts{};

  [[nodiscard]] double start_of(std::size_t component) const {
    return starts.empty() ? start : starts[component];
  }
  [[nodiscard]] std::int64_t integer_start_of(std::size_t component) const {
    return integer_starts.empty() ? integer_start : integer_starts[component];
  }
  [[nodiscard]] const std::string& text_start_of(std::size_t component) const {
    return text_starts.empty() ? text_start : text_starts[component];
  }
};

/// How many scalars these ports have.
[[nodiscard]] inline ValueCounts count_values(std::span<const Port> ports) {
  ValueCounts counts;
  for (const Port& port : ports) counts.of(value_kind_of(port.type)) += port.size;
  return counts;
}

/// Output port `output` depends on input port `input` at the same instant; they may have different types.
struct FeedthroughPair {
  std::size_t output = 0;
  std::size_t input = 0;
};

/// When a subsystem looks at its inputs during a step.
enum class InputSampling {
  start,       ///< only at τ = 0: an explicit one-step integrator with one step per communication step
  continuous,  ///< at internal times: it follows the polynomial
};

struct Description {
  std::vector<Port> inputs;
  std::vector<Port> outputs;
  std::vector<FeedthroughPair> feedthrough;
  /// Output ports that may depend on every input at the same instant, ascending: one entry instead of a pair per input.
  std::vector<std::size_t> outputs_of_all_inputs{};
  bool algebraic = false;           ///< no state: evaluated in the exchange, never stepped (see Element)
  bool reevaluates_outputs = true;  ///< `outputs` may be asked again with other inputs, without stepping
  InputSampling samples_input = InputSampling::continuous;
  /// Real outputs of time and parameters alone: may be asked at any time, and steps change nothing (a source).
  bool is_signal = false;

  // ── What a foreign simulator may not be able to do ──
  /// What this is an instance of, for the two flags about instances: the same text for all of a kind.
  std::string kind{};
  bool one_per_process = false;  ///< a second instance of its kind would share its memory
  bool thread_safe = true;       ///< else stepped by the calling thread, never beside another of its kind
  bool fixed_step = false;       ///< all its steps have one length: no shortened last one, no step control
  double internal_step_s = 0.0;  ///< > 0: communication steps are whole multiples of it
  double solver_step_s = 0.0;    ///< > 0: of a solver inside, whatever the communication steps are

  [[nodiscard]] bool has_feedthrough() const {
    return !feedthrough.empty() || (!outputs_of_all_inputs.empty() && !inputs.empty());
  }
};

/// What a run will be, as far as it is known before it starts.
struct Experiment {
  double start_s = 0.0;
  std::optional<double> end_s{};
  std::optional<double> tolerance{};  ///< relative, that step control keeps to
};

enum class StepOutcome : unsigned char {
  done,
  ended_early,  ///< the state is that of `time_reached()`: something happened there. The rest is stepped at once.
  discarded,  ///< the state is as before the step, which can be repeated up to `time_reached()` at most
  failed,     ///< for good
};

/// How a step ended. A numerical failure is a value, never an exception: the run goes on to keep its results.
/// Two words: returned in registers.
struct StepStatus {
  bool ok = true;  ///< it is done
  StepOutcome outcome = StepOutcome::done;
  const char* reason = "";  ///< owned by the subsystem, valid until its next step

  constexpr StepStatus() = default;
  constexpr StepStatus(bool ok_, const char* reason_)
      : ok(ok_), outcome(ok_ ? StepOutcome::done : StepOutcome::failed), reason(reason_) {}
  constexpr StepStatus(StepOutcome outcome_, const char* reason_)
      : ok(outcome_ == StepOutcome::done), outcome(outcome_), reason(reason_) {}
};

/// One simulator. The engine calls, in this order:
///   1. describe()                          once, at freeze
///   2. initialize(experiment)              once; from here on `outputs` may be asked
///   3. step(t, h, u)                       moves the state from t to t + h; a step that fails leaves it as it was
///   4. outputs(t, u, y)                    y at the present state with the inputs u; the *caller* decides which u
///                                          (held, predicted or refreshed), and may ask again with others
/// u and y are the real ports, in order; others go through DiscretePorts. Whatever is thrown becomes a failure of this subsystem.
class ERGON_API Subsystem {
 public:
  Subsystem() = default;
  Subsystem(const Subsystem&) = delete;
  Subsystem& operator=(const Subsystem&) = delete;
  virtual ~Subsystem() = default;

  [[nodiscard]] virtual Description describe() const = 0;
  /// The same, in one object that instances may share.
  [[nodiscard]] virtual std::shared_ptr<const Description> shared_description() const {
    return std::make_shared<const Description>(describe());
  }
  virtual StepStatus initialize(const Experiment& experiment) = 0;
  virtual StepStatus step(double t, double h, const InputView& u) = 0;
  virtual void outputs(double t, const double* u, double* y) = 0;

  /// Asked after a step that ended early or was discarded: how far it got. NaN where that is not known.
  [[nodiscard]] virtual double time_reached() const { return std::numeric_limits<double>::quiet_NaN(); }

  /// How it is stepped in one call with others: all with the same `steps` can be. `self` is how these know it.
  struct Grouped {
    const GroupedSteps* steps = nullptr;  ///< nothing: it cannot be
    void* self = nullptr;
  };
  [[nodiscard]] virtual Grouped grouped_steps() { return {}; }
  /// The same object for all that can be tried in one call; nothing where its state is not a row of numbers.
  [[nodiscard]] virtual const GroupedTrials* grouped_trials() const { return nullptr; }
  virtual AsyncSteps* async_steps() { return nullptr; }
  virtual EndsInitialization* ends_initialization() { return nullptr; }
  virtual DiscretePorts* discrete_ports() { return nullptr; }
  virtual Tunable* tunable() { return nullptr; }
  virtual Rewindable* rewindable() { return nullptr; }
  virtual const Differentiable* differentiable() const { return nullptr; }
  virtual const DirectionalDerivatives* directional_derivatives() const { return nullptr; }
  virtual const EnergyAccount* energy_account() const { return nullptr; }
  virtual InterfaceInertia* interface_inertia() { return nullptr; }
  virtual const Serializable* serializable() const { return nullptr; }
  virtual StateDerivative* state_derivative() { return nullptr; }
  virtual const StartCondition* start_condition() const { return nullptr; }
  virtual const TimeSignal* time_signal() const { return nullptr; }
  virtual const Geometry* geometry() const { return nullptr; }
};

/// A stateless law between ports (a coupling spring, a gain): an algebraic subsystem that is evaluated in place in
/// the exchange, at its own sampling points, and never stepped.
class ERGON_API Element : public Subsystem {
 public:
  /// y = law(u)
  virtual void evaluate(const double* u, double* y) const = 0;
  /// Energy stored in the law at these inputs, 0 where it stores none.
  [[nodiscard]] virtual double stored_J(const double* /*u*/) const { return 0.0; }
  /// Power that the law takes out at these inputs; d(stored)/dt + dissipation is the power it receives at its ends.
  [[nodiscard]] virtual double dissipation_W(const double* /*u*/) const { return 0.0; }

  StepStatus initialize(const Experiment& /*experiment*/) final { return {}; }
  StepStatus step(double /*t*/, double /*h*/, const InputView& /*u*/) final { return {}; }
  void outputs(double /*t*/, const double* u, double* y) final { evaluate(u, y); }
};

}  // namespace ergon
