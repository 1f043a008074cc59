#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ergon/export/wrapper/exported_blueprint.hpp"

namespace ergon {

/// How a call ended; the numbers are those of FMI 2 and FMI 3 alike.
enum class CallStatus : int { ok = 0, warning = 1, discard = 2, error = 3 };

/// Gets every message of an instance.
using Log = std::function<void(CallStatus, const char* message)>;

/// A model made with certain parameters. A parameter that changes makes another one; states that were saved keep theirs.
struct MadeModel {
  std::vector<double> parameters;
  std::unique_ptr<Subsystem> subsystem;
};

/// What FMI calls a state: all that changes.
struct InstanceState {
  std::shared_ptr<MadeModel> model;
  std::unique_ptr<StateSlot> slot;
  std::vector<double> inputs;
  std::uint32_t mode = 0;
  std::int32_t degree = 0;
  double time_s = 0.0;
};

/// An instance of an exported FMU, for both versions of FMI. The C functions translate types and statuses, and let no exception
/// out; whether a call is legal and what it does is decided here.
///
/// Outputs are those of the newest inputs: they are evaluated when they are read, wherever FMI lets an importer set and get
/// (in event mode of FMI 3; FMI 2 does not, between steps, but importers do it). A step that fails leaves all as it was.
class ExportedInstance {
 public:
  enum class Mode : std::uint32_t { instantiated, initialization, event, step, terminated, failed };

  ExportedInstance(std::shared_ptr<const ExportedBlueprint> blueprint, Log log);

  [[nodiscard]] Mode mode() const { return mode_; }
  [[nodiscard]] double time_s() const { return time_s_; }
  [[nodiscard]] const ExportedBlueprint& blueprint() const { return *blueprint_; }

  /// Logs, and answers error.
  CallStatus refuse(const std::string& message);
  /// Error where the instance is in none of `modes`.
  bool require(std::initializer_list<Mode> modes, const char* call);

  void set_event_mode_used(bool used) { event_mode_used_ = used; }
  /// Asks the importer for the inputs at a time within a step; it answers by `set`. Nothing: inputs are held.
  void set_intermediate(std::function<void(double t_s)> ask) { ask_inputs_ = std::move(ask); }
  CallStatus set_experiment(const Experiment& experiment);
  CallStatus enter_initialization();
  CallStatus exit_initialization();
  CallStatus enter_event();
  CallStatus enter_step();
  CallStatus terminate();
  CallStatus reset();

  /// All numbers of the variables, one after the other; `count` is how many there must be.
  CallStatus get(ExportedVariable::Type type, std::span<const std::uint32_t> references, double* values,
                 std::size_t count);
  CallStatus set(ExportedVariable::Type type, std::span<const std::uint32_t> references, const double* values,
                 std::size_t count);
  /// d^order u / dt^order at the start of the next step.
  CallStatus set_input_derivatives(std::span<const std::uint32_t> references, const int* orders,
                                   const double* values);

  CallStatus do_step(double t_s, double h_s);

  /// ∂unknowns/∂knowns times `seed`, or its transpose times `seed`.
  CallStatus derivative(std::span<const std::uint32_t> unknowns, std::span<const std::uint32_t> knowns,
                        std::span<const double> seed, std::span<double> sensitivity, bool adjoint);

  CallStatus save(InstanceState& state);
  CallStatus restore(const InstanceState& state);
  CallStatus serialize(const InstanceState& state, std::vector<std::byte>& bytes);
  /// `state` is as before where the bytes are not a state of this FMU.
  CallStatus deserialize(std::span<const std::byte> bytes, InstanceState& state);

 private:
  static constexpr int most_derivatives = 3;

  const ExportedVariable* find(std::uint32_t reference, ExportedVariable::Type type);
  /// Throws InputError where a value does not fit, or would change the ports.
  std::shared_ptr<MadeModel> make(const std::vector<double>& parameters) const;
  /// The model follows parameters that were set.
  void follow_parameters();
  bool evaluate();
  /// Inputs of the step as polynomials through what the importer says at thirds of it: exact up to cubic extrapolation.
  void ask_inputs_within(double t_s, double h_s);
  void forget_derivatives();
  void sample_energy();
  /// The last rows of the Jacobian.
  void differentiate_energy(const std::vector<std::size_t>& columns);
  double* row_of(ExportedVariable::Role role);

  std::shared_ptr<const ExportedBlueprint> blueprint_;
  Log log_;
  Mode mode_ = Mode::instantiated;
  bool event_mode_used_ = false;
  double time_s_ = 0.0;
  Experiment experiment_;
  std::shared_ptr<MadeModel> model_;
  std::vector<double> parameters_;
  bool parameters_changed_ = false;
  std::vector<double> inputs_;  ///< polynomials in the seconds since the start of the step, see InputView
  int degree_ = 0;
  std::function<void(double)> ask_inputs_;
  std::vector<double> thirds_;  ///< inputs at the start and after one, two, three thirds of the step
  std::vector<double> outputs_;
  bool outputs_current_ = false;
  static constexpr std::size_t energy_count = 3;  ///< stored, dissipated, supplied
  double energy_J_[energy_count] = {};
  bool energy_current_ = false;
  std::vector<double> account_J_;  ///< received through each input, synchronised, kinetic
  std::vector<double> jacobian_;
};

}  // namespace ergon
