#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ergon/core/api.hpp"
#include "ergon/core/input_view.hpp"
#include "ergon/core/port_type.hpp"
#include "ergon/core/unit.hpp"

namespace ergon {

// What a subsystem may offer beyond its steps: typed interfaces, each asked for once before t₀. All are optional.

/// The inputs of one subsystem that are not reals: scalars of its integer, boolean and enumeration ports, in their order, and
/// those of its text and binary ports. They hold until the next ones arrive.
struct DiscreteInputs {
  const std::int64_t* integers = nullptr;
  const std::string* texts = nullptr;
};
struct DiscreteOutputs {
  std::int64_t* integers = nullptr;
  std::string* texts = nullptr;  ///< to be assigned to: a text that does not grow needs no memory
};

/// Has ports that are not reals.
class ERGON_API DiscretePorts {
 public:
  virtual ~DiscretePorts() = default;
  /// Called before every step and before every evaluation of outputs: these hold from here on.
  virtual void set_discrete_inputs(const DiscreteInputs& u) = 0;
  /// Called after `outputs`: at the same state, with the same inputs; u are the real ones.
  virtual void discrete_outputs(double t, const double* u, const DiscreteOutputs& y) = 0;
};

/// Takes its steps elsewhere, such as in another process: all such members of a stage begin before the first is waited for.
class ERGON_API AsyncSteps {
 public:
  virtual ~AsyncSteps() = default;
  /// Begins the step that the next call of `step`, with the same arguments, waits for; integers and texts at its inputs are those given
  /// last. What goes wrong is reported by that `step`. Any other call abandons the step: its messages and results are dropped, and the
  /// state is that of its end until it is restored.
  virtual void begin_step(double t, double h, const InputView& u, bool is_timed) = 0;
  /// Begun, and neither waited for nor abandoned.
  [[nodiscard]] virtual bool is_under_way() const = 0;
  /// How long the last step took where it was taken; 0 where it was not timed.
  [[nodiscard]] virtual double step_cost_s() const = 0;
};

/// A parameter that may change during a run.
struct TunableParameter {
  std::string name;
  Unit unit;
  std::string description;
  PortType type = PortType::real;
  std::vector<EnumerationItem> items{};
};

/// Has parameters that may change during a run: at communication points, between two steps, and at no other time.
class ERGON_API Tunable {
 public:
  virtual ~Tunable() = default;
  [[nodiscard]] virtual std::vector<TunableParameter> tunable_parameters() const = 0;
  /// Its present value, of the alternative that belongs to its type: an enumeration is an integer here.
  [[nodiscard]] virtual TypedValue parameter(std::size_t number) const = 0;
  /// What is wrong with the value, as part of a sentence ("must be positive"); empty where it was taken.
  [[nodiscard]] virtual std::string set_parameter(std::size_t number, const TypedValue& value) = 0;
};

/// A saved state: an object that the subsystem makes in advance, because the state of a foreign simulator is a handle and
/// not a row of numbers. It belongs to the instance that made it; nobody else can read it.
class ERGON_API StateSlot {
 public:
  StateSlot() = default;
  StateSlot(const StateSlot&) = delete;
  StateSlot& operator=(const StateSlot&) = delete;
  virtual ~StateSlot() = default;
};

/// Can be set back: step after restore repeats the step after save, bit for bit.
class ERGON_API Rewindable {
 public:
  virtual ~Rewindable() = default;
  /// Room for one state, made before the run so that saving into it allocates nothing.
  [[nodiscard]] virtual std::unique_ptr<StateSlot> make_slot() const = 0;
  /// Only slots that this very instance has made.
  virtual void save(StateSlot& slot) const = 0;
  virtual void restore(const StateSlot& slot) = 0;
  /// The numbers that a step changes, where to copy them is all that `save` and `restore` do; else nothing. They stay where they
  /// are as long as the instance lives.
  [[nodiscard]] virtual std::span<double> state_numbers() { return {}; }
};

/// Can turn a saved state into bytes and back: what other instances, files and other processes get.
class ERGON_API Serializable {
 public:
  virtual ~Serializable() = default;
  /// Replaces what is in `bytes`.
  virtual void serialize(const StateSlot& slot, std::vector<std::byte>& bytes) const = 0;
  /// False where the bytes are not a state of such a subsystem; `slot` then is as before.
  virtual bool deserialize(std::span<const std::byte> bytes, StateSlot& slot) const = 0;
};

/// Knows ∂y/∂u at the present state (row-major, outputs × inputs).
class ERGON_API Differentiable {
 public:
  virtual ~Differentiable() = default;
  virtual void output_jacobian(double t, const double* u, double* jacobian) const = 0;
};

/// Knows how the rates of its states, ẋ = f(x, u), and its outputs change with states and inputs, at the present state.
class ERGON_API DirectionalDerivatives {
 public:
  virtual ~DirectionalDerivatives() = default;
  [[nodiscard]] virtual std::size_t state_count() const = 0;
  /// `rate_change` = ∂f/∂x·state_change + ∂f/∂u·input_change; `output_change` likewise.
  virtual void directional_derivative(double t, const double* u, const double* state_change,
                                      const double* input_change, double* rate_change,
                                      double* output_change) const = 0;
};

/// Translational momentum of a subsystem and the mass that carries it: what tells a common motion from a relative one.
struct Momentum {
  double mass_kg = 0.0;
  std::array<double, 3> momentum_kg_m_s{};  ///< a motion along one line has its first component only
};

/// One look into the books of a subsystem at a communication point. Energies in J; dissipated, supplied and received are cumulative
/// since t₀, and Δstored + Δdissipated = Δreceived + Δsupplied up to the subsystem's own integration error (docs/adr/0038).
struct AccountSample {
  double stored_J = 0.0;      ///< with the inputs that the outputs used
  double dissipated_J = 0.0;  ///< ≥ 0, never falls: taken out by dampers, friction, resistors, an outlet
  double supplied_J = 0.0;    ///< ≥ 0, never falls: brought in by sources inside, such as a pump or a motor
  /// W_nc = dissipated − supplied: the work against all non-conservative forces inside, as energy balances need it.
  [[nodiscard]] double non_conservative_J() const { return dissipated_J - supplied_J; }
  /// Of a subsystem whose non-conservative forces all have one sign, so that one number tells both.
  void set_non_conservative_J(double work_J) {
    dissipated_J = work_J > 0.0 ? work_J : work_J < 0.0 ? 0.0 : work_J;  // NaN stays NaN
    supplied_J = work_J < 0.0 ? -work_J : 0.0;
  }
  /// Stored energy with the newest inputs, and with positions and velocities of one instant: for integrators that keep
  /// their velocities half a step behind (semi-implicit Euler is a leapfrog) with v + ½h·a(u).
  double synchronised_J = 0.0;
  double kinetic_J = 0.0;  ///< the part of `synchronised_J` that is kinetic (in circuits: magnetic)
  bool has_momentum = false;
  Momentum momentum{};  ///< with the velocities of `synchronised_J`
  /// Work received through each input scalar, with the newest inputs. The caller's array, as long as there are inputs.
  std::span<double> received_J{};
};

/// What an account is asked with. Energies depend on inputs: a coupling spring inside a subsystem stretches to the
/// displacement that it is given, so the jump from the input last used in a step to the newest one counts as received.
struct AccountInputs {
  double t_s = 0.0;
  const double* used = nullptr;    ///< with which the present outputs were evaluated
  const double* newest = nullptr;  ///< the newest samples at all connected inputs
};

/// Keeps its energy books.
class ERGON_API EnergyAccount {
 public:
  virtual ~EnergyAccount() = default;
  /// Fills everything in `sample`, all numbers of `received_J` included.
  virtual void sample(const AccountInputs& inputs, AccountSample& sample) const = 0;
  /// `received_J` alone, where that is cheaper: the same numbers.
  virtual void received(const AccountInputs& inputs, std::span<double> received_J) const {
    AccountSample whole;
    whole.received_J = received_J;
    sample(inputs, whole);
  }
};

/// A place where a subsystem meets an interface model: an effort λ and the flow w that it works at. Numbers of scalars of this
/// subsystem.
struct InterfacePort {
  std::size_t effort = 0;      ///< of an input; of an output where it is motion-driven
  std::size_t flow = 0;        ///< of an output; of an input where it is motion-driven
  bool motion_driven = false;  ///< its flow is told to it, and it tells the effort that this takes
};

/// Reduced model of what a subsystem is at several ports at once: M̃ ẇ = λ̃ + λ          [peiret2019, (5)–(7), (21)]
class ERGON_API InterfaceInertia {
 public:
  virtual ~InterfaceInertia() = default;
  /// Asked once before t₀ with the ports, in the order of the interface; makes room. False where they are no such interface.
  virtual bool prepare_interface(std::span<const InterfacePort> ports) = 0;
  /// At the present state, before a step of length h_s: M̃ (n×n, row-major) and λ̃ (n), both without the efforts at the
  /// ports and with motion-driven ports free; other inputs as in u. In the units of the ports. Allocates nothing.
  virtual void interface_inertia(double t, double h_s, const double* u, double* mass, double* force) = 0;
};

/// Knows its state by name and how fast it changes: what solving for a static equilibrium needs. Asked and set before the
/// first step only. A subsystem without states, such as a source, has an empty list of names: it is never in motion.
class ERGON_API StateDerivative {
 public:
  virtual ~StateDerivative() = default;
  /// One name per number, as the user knows it from `initial`: "x", "position[0]".
  [[nodiscard]] virtual std::vector<std::string> state_names() const = 0;
  virtual void states(double* z) const = 0;
  virtual void set_states(const double* z) = 0;
  /// dz/dt at the present state with the inputs u; false where it has none (a chamber without volume).
  virtual bool derivative(double t, const double* u, double* z_dot) const = 0;
};

/// A signal that depends on time and parameters alone: it can be read at any time, between its samples, too, and by any thread while the
/// subsystem is being stepped. Parameters change at communication points only (Tunable).
class ERGON_API TimeSignal {
 public:
  virtual ~TimeSignal() = default;
  /// All outputs at t: what `Subsystem::outputs` gives there.
  virtual void signal(double t, double* y) const = 0;
};

/// A subsystem that was built for certain inputs at t₀: a cable starts where its ends are. Asked once, with the inputs that
/// arrive at t₀. (A subsystem cannot see them in its first step: in a Gauss–Seidel sweep those are later ones.)
class ERGON_API StartCondition {
 public:
  virtual ~StartCondition() = default;
  /// What does not fit, as a sentence; empty where all is well.
  [[nodiscard]] virtual std::string inconsistency_at_start(const double* u) const = 0;
};

}  // namespace ergon
