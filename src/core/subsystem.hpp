#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "ergon/core/input_view.hpp"
#include "ergon/core/unit.hpp"

namespace ergon {

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
};

/// Output port `output` depends on input port `input` at the same instant.
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
  bool algebraic = false;           ///< no state: evaluated in the exchange, never stepped (see Element)
  bool reevaluates_outputs = true;  ///< `outputs` may be asked again with other inputs, without stepping
  InputSampling samples_input = InputSampling::continuous;
};

/// How a step ended. A numerical failure is a value, never an exception: the run goes on to keep its results.
struct StepStatus {
  bool ok = true;
  const char* reason =
      "";  ///< owned by the subsystem, valid until its next step (two words: returned in registers)
};

// ── Optional capabilities, asked for once before t₀ ─────────────────────────────────────────────────────────

/// Can be set back: step after restore repeats the step after save, bit for bit.
class Rewindable {
 public:
  virtual ~Rewindable() = default;
  [[nodiscard]] virtual std::size_t state_size() const = 0;
  virtual void save(double* state) const = 0;
  virtual void restore(const double* state) = 0;
};

/// Knows ∂y/∂u at the present state (row-major, outputs × inputs).
class Differentiable {
 public:
  virtual ~Differentiable() = default;
  virtual void output_jacobian(double t, const double* u, double* jacobian) const = 0;
};

/// Knows how the rates of its states, ẋ = f(x, u), and its outputs change with states and inputs, at the present state.
class DirectionalDerivatives {
 public:
  virtual ~DirectionalDerivatives() = default;
  [[nodiscard]] virtual std::size_t state_count() const = 0;
  /// `rate_change` = ∂f/∂x·state_change + ∂f/∂u·input_change; `output_change` likewise.
  virtual void directional_derivative(double t, const double* u, const double* state_change,
                                      const double* input_change, double* rate_change,
                                      double* output_change) const = 0;
};

/// Cumulative since t₀; Δstored + Δdissipated = Δreceived up to the subsystem's own integration error.
struct EnergySample {
  double stored_J = 0.0;
  double dissipated_J = 0.0;  ///< taken out by non-conservative forces: dampers ≥ 0, motors ≤ 0
};

/// Keeps its energy books. Energies are asked *with inputs*: a coupling spring inside a subsystem stretches to the
/// displacement it is given, so the jump from the input last used in a step to `u` counts as received.
class EnergyAccount {
 public:
  virtual ~EnergyAccount() = default;
  [[nodiscard]] virtual EnergySample energy(double t, const double* u) const = 0;
  /// Work received through each input since t₀ (one number per input scalar).
  virtual void received_J(double t, const double* u, std::span<double> per_input) const = 0;
  /// Stored energy with positions and velocities of one instant, for integrators that keep their velocities half a step
  /// behind (semi-implicit Euler is a leapfrog): with v + ½h·a(u).
  [[nodiscard]] virtual double synchronised_J(double t, const double* u) const {
    return energy(t, u).stored_J;
  }
};

/// Reduced model of what an effort at an input meets: ẇ = f/M̃ + free acceleration.
class EffectiveInertia {
 public:
  virtual ~EffectiveInertia() = default;
  /// Mass seen by a force at input scalar `input`, and the acceleration of that point without it.
  virtual void effective_inertia(double t, std::size_t input, double& mass_kg,
                                 double& free_acceleration_m_s2) const = 0;
};

/// Can write its whole state into a checkpoint and read it back in another process.
class Serializable {
 public:
  virtual ~Serializable() = default;
  [[nodiscard]] virtual std::vector<double> serialize() const = 0;
  virtual bool deserialize(std::span<const double> data) = 0;
};

/// Knows its state by name and how fast it changes: what solving for a static equilibrium needs. Asked and set before the
/// first step only.
class StateDerivative {
 public:
  virtual ~StateDerivative() = default;
  /// One name per number, as the user knows it from `initial`: "x", "position[0]".
  [[nodiscard]] virtual std::vector<std::string> state_names() const = 0;
  virtual void states(double* z) const = 0;
  virtual void set_states(const double* z) = 0;
  /// dz/dt at the present state with the inputs u; false where it has none (a chamber without volume).
  virtual bool derivative(double t, const double* u, double* z_dot) const = 0;
};

// ── The subsystem ───────────────────────────────────────────────────────────────────────────────────────────

/// One simulator. The engine calls, in this order:
///   1. describe()                          once, at freeze
///   2. initialize(t₀)                      once; from here on `outputs` may be asked
///   3. step(t, h, u)                       moves the state from t to t + h
///   4. outputs(t, u, y)                    y at the present state with the inputs u; the *caller* decides which u
///                                          (held, predicted or refreshed), and may ask again with others
class Subsystem {
 public:
  Subsystem() = default;
  Subsystem(const Subsystem&) = delete;
  Subsystem& operator=(const Subsystem&) = delete;
  virtual ~Subsystem() = default;

  [[nodiscard]] virtual Description describe() const = 0;
  virtual StepStatus initialize(double t) = 0;
  virtual StepStatus step(double t, double h, const InputView& u) = 0;
  virtual void outputs(double t, const double* u, double* y) = 0;

  virtual Rewindable* rewindable() { return nullptr; }
  virtual const Differentiable* differentiable() const { return nullptr; }
  virtual const DirectionalDerivatives* directional_derivatives() const { return nullptr; }
  virtual const EnergyAccount* energy_account() const { return nullptr; }
  virtual const EffectiveInertia* effective_inertia() const { return nullptr; }
  virtual Serializable* serializable() { return nullptr; }
  virtual StateDerivative* state_derivative() { return nullptr; }
};

/// A stateless law between ports (a coupling spring, a gain): an algebraic subsystem that is evaluated in place in
/// the exchange, at its own sampling points, and never stepped.
class Element : public Subsystem {
 public:
  /// y = law(u)
  virtual void evaluate(const double* u, double* y) const = 0;
  /// Energy stored in the law at these inputs, 0 where it stores none.
  [[nodiscard]] virtual double stored_J(const double* /*u*/) const { return 0.0; }
  /// Power that the law takes out at these inputs; d(stored)/dt + dissipation is the power it receives at its ends.
  [[nodiscard]] virtual double dissipation_W(const double* /*u*/) const { return 0.0; }

  StepStatus initialize(double /*t*/) final { return {}; }
  StepStatus step(double /*t*/, double /*h*/, const InputView& /*u*/) final { return {}; }
  void outputs(double /*t*/, const double* u, double* y) final { evaluate(u, y); }
};

}  // namespace ergon
