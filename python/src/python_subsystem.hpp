#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ergon/core/flat_state.hpp"
#include "ergon/core/subsystem.hpp"
#include "python_call.hpp"

namespace ergon::python {

/// A subsystem whose law is written in Python (python/ergon/_subsystem.py plans the calls). This class keeps what both kinds share:
/// ports, outputs and the energy account. One call into Python per direction: a step, the outputs, an energy.
class PythonSubsystem : public Subsystem, public EnergyAccount, public Differentiable {
 public:
  explicit PythonSubsystem(const py::dict& plan);
  ~PythonSubsystem() override;

  [[nodiscard]] Description describe() const override { return description_; }
  StepStatus initialize(const Experiment& experiment) override;
  void outputs(double t, const double* u, double* y) override;

  [[nodiscard]] const EnergyAccount* energy_account() const override { return has_account_ ? this : nullptr; }
  void sample(const AccountInputs& inputs, AccountSample& sample) const override;
  [[nodiscard]] const Differentiable* differentiable() const override {
    return has_jacobian_ ? this : nullptr;
  }
  void output_jacobian(double t, const double* u, double* jacobian) const override;

 protected:
  struct Moment {
    double t = 0.0;
    double h = 0.0;
    const double* u = nullptr;
  };
  /// What a method of Python is called with; a new reference.
  [[nodiscard]] PyObject* argument(const Argument& argument, const Moment& moment) const;
  [[nodiscard]] PyObject* input(std::size_t port, const double* u) const;
  /// Scalars of all inputs.
  [[nodiscard]] std::size_t input_count() const { return input_count_; }
  /// Of the subsystem's state, where it has one that the engine keeps.
  [[nodiscard]] virtual const double* state_row() const { return nullptr; }
  [[nodiscard]] virtual std::size_t state_size() const { return 0; }
  virtual void set_initial_state() {}
  [[nodiscard]] py::object call(const Method& method, const Moment& moment) const;

  struct Calls {
    Method initialize, step, derivatives, outputs, energy, jacobian;
    py::object save, restore, serialize, deserialize;  ///< empty where the object cannot
  };
  std::unique_ptr<Calls> calls_;  ///< destroyed with the interpreter lock
  Description description_;

 private:
  struct Energy {
    double stored = 0.0, dissipated = 0.0, supplied = 0.0, kinetic = 0.0, synchronised = 0.0;
    std::optional<std::vector<double>> received{};
  };
  [[nodiscard]] Energy energy_at(double t, const double* u) const;
  void read_outputs(const py::object& returned, double* y) const;

  std::size_t input_count_ = 0;
  std::size_t output_count_ = 0;
  std::vector<std::size_t> first_input_;
  bool has_account_ = false;
  bool has_jacobian_ = false;
  bool energy_of_inputs_ = false;  ///< energies depend on inputs
  std::optional<std::size_t>
      through_;  ///< the input through which all work is received, where it is not told apart
  mutable std::optional<double> initial_J_;  ///< what was stored at t₀
  mutable std::string reason_;
};

/// A class with a method `step`: its state is in the object.
class SteppedSubsystem final : public PythonSubsystem, public Rewindable, public Serializable {
 public:
  explicit SteppedSubsystem(const py::dict& plan) : PythonSubsystem(plan) {}
  StepStatus step(double t, double h, const InputView& u) override;
  [[nodiscard]] Rewindable* rewindable() override { return calls_->save ? this : nullptr; }
  [[nodiscard]] const Serializable* serializable() const override {
    return calls_->serialize ? this : nullptr;
  }

  [[nodiscard]] std::unique_ptr<StateSlot> make_slot() const override;
  void save(StateSlot& slot) const override;
  void restore(const StateSlot& slot) override;
  void serialize(const StateSlot& slot, std::vector<std::byte>& bytes) const override;
  bool deserialize(std::span<const std::byte> bytes, StateSlot& slot) const override;

 private:
  std::vector<double> at_start_;
};

/// A class with a method `derivatives`, ẋ = f(t, x, u): its states are kept here and integrated by the classical Runge–Kutta method of
/// order 4, in `substeps` equal steps per communication step.
class IntegratedSubsystem final : public PythonSubsystem, public FlatState, public StateDerivative {
 public:
  explicit IntegratedSubsystem(const py::dict& plan);
  StepStatus step(double t, double h, const InputView& u) override;
  [[nodiscard]] Rewindable* rewindable() override { return this; }
  [[nodiscard]] const Serializable* serializable() const override { return this; }
  [[nodiscard]] StateDerivative* state_derivative() override { return this; }
  [[nodiscard]] std::span<double> state_numbers() override { return x_; }

  [[nodiscard]] std::vector<std::string> state_names() const override { return names_; }
  void states(double* z) const override;
  void set_states(const double* z) override;
  bool derivative(double t, const double* u, double* z_dot) const override;

 protected:
  [[nodiscard]] const double* state_row() const override { return at_; }
  [[nodiscard]] std::size_t state_size() const override { return x_.size(); }
  void set_initial_state() override { x_ = initial_; }
  [[nodiscard]] std::size_t row_size() const override { return x_.size(); }
  void write_row(std::span<double> row) const override;
  void read_row(std::span<const double> row) override;

 private:
  /// f at these states.
  void evaluate(double t, const double* x, const double* u, double* rates) const;

  std::vector<std::string> names_;
  std::vector<double> initial_;
  std::vector<double> x_;
  mutable const double* at_ = nullptr;  ///< the states that methods are given
  std::size_t substeps_ = 1;
  std::vector<double> u_, stage_, k1_, k2_, k3_, k4_;
};

/// Needs the interpreter lock.
[[nodiscard]] std::unique_ptr<Subsystem> make_python_subsystem(const py::dict& plan);

}  // namespace ergon::python
