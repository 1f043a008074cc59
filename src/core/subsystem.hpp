#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "ergon/core/capabilities.hpp"
#include "ergon/core/input_view.hpp"
#include "ergon/core/unit.hpp"

namespace ergon {

class Geometry;  // core/geometry.hpp

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

/// One simulator. The engine calls, in this order:
///   1. describe()                          once, at freeze
///   2. initialize(t₀)                      once; from here on `outputs` may be asked
///   3. step(t, h, u)                       moves the state from t to t + h; a step that fails leaves it as it was
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
  virtual const Serializable* serializable() const { return nullptr; }
  virtual StateDerivative* state_derivative() { return nullptr; }
  virtual const StartCondition* start_condition() const { return nullptr; }
  virtual const Geometry* geometry() const { return nullptr; }
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
