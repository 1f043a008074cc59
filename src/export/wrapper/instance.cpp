#include "ergon/export/wrapper/instance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ergon {
namespace {

using Role = ExportedVariable::Role;

const char* mode_name(ExportedInstance::Mode mode) {
  switch (mode) {
    case ExportedInstance::Mode::instantiated:
      return "instantiated";
    case ExportedInstance::Mode::initialization:
      return "in initialization mode";
    case ExportedInstance::Mode::event:
      return "in event mode";
    case ExportedInstance::Mode::step:
      return "between steps";
    case ExportedInstance::Mode::terminated:
      return "terminated";
    case ExportedInstance::Mode::failed:
      return "failed";
  }
  return "";
}

bool same_ports(const std::vector<Port>& a, const std::vector<Port>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Port& left, const Port& right) {
    return left.name == right.name && left.size == right.size;
  });
}

}  // namespace

ExportedInstance::ExportedInstance(std::shared_ptr<const ExportedBlueprint> blueprint, Log log)
    : blueprint_(std::move(blueprint)),
      log_(std::move(log)),
      parameters_(blueprint_->parameters),
      inputs_(blueprint_->input_count * (most_derivatives + 1)),
      outputs_(blueprint_->output_count),
      account_J_(blueprint_->input_count + 2) {
  model_ = make(parameters_);
  reset();
}

CallStatus ExportedInstance::refuse(const std::string& message) {
  log_(CallStatus::error, message.c_str());
  return CallStatus::error;
}

bool ExportedInstance::require(std::initializer_list<Mode> modes, const char* call) {
  if (std::find(modes.begin(), modes.end(), mode_) != modes.end()) [[likely]]
    return true;
  refuse(fmt::format("{} cannot be called: the instance is {}", call, mode_name(mode_)));
  return false;
}

std::shared_ptr<MadeModel> ExportedInstance::make(const std::vector<double>& parameters) const {
  ExportedModel wanted = blueprint_->model;
  const std::string wrong = set_parameters(blueprint_->variables, parameters, wanted);
  if (!wrong.empty()) throw InputError({}, wrong, {});
  ProblemList problems;
  auto made = std::make_shared<MadeModel>();
  made->parameters = parameters;
  made->subsystem = make_exported(wanted, blueprint_->resources, problems);
  if (!made->subsystem) throw InputError(problems);
  const Description description = made->subsystem->describe();
  if (!same_ports(description.inputs, blueprint_->description.inputs) ||
      !same_ports(description.outputs, blueprint_->description.outputs)) {
    throw InputError({}, "These parameters would change the inputs or outputs.",
                     "Export the model with them.");
  }
  return made;
}

void ExportedInstance::follow_parameters() {
  if (!parameters_changed_) return;
  model_ = make(parameters_);
  parameters_changed_ = false;
  if (mode_ == Mode::initialization) model_->subsystem->initialize(experiment_);
}

CallStatus ExportedInstance::set_experiment(const Experiment& experiment) {
  if (!std::isfinite(experiment.start_s)) return refuse("the start time is not finite");
  experiment_ = experiment;
  time_s_ = experiment.start_s;
  return CallStatus::ok;
}

CallStatus ExportedInstance::enter_initialization() {
  if (!require({Mode::instantiated}, "EnterInitializationMode")) return CallStatus::error;
  follow_parameters();
  const StepStatus status = model_->subsystem->initialize(experiment_);
  if (!status.ok) return refuse(status.reason);
  mode_ = Mode::initialization;
  outputs_current_ = energy_current_ = false;
  return CallStatus::ok;
}

CallStatus ExportedInstance::exit_initialization() {
  if (!require({Mode::initialization}, "ExitInitializationMode")) return CallStatus::error;
  follow_parameters();
  if (const StartCondition* condition = model_->subsystem->start_condition()) {
    const std::string inconsistency = condition->inconsistency_at_start(inputs_.data());
    if (!inconsistency.empty()) return refuse(inconsistency);
  }
  if (!evaluate()) return CallStatus::error;
  mode_ = event_mode_used_ ? Mode::event : Mode::step;
  return CallStatus::ok;
}

CallStatus ExportedInstance::enter_event() {
  if (!require({Mode::step}, "EnterEventMode")) return CallStatus::error;
  if (!event_mode_used_) return refuse("EnterEventMode: this instance was made without event mode");
  mode_ = Mode::event;
  return CallStatus::ok;
}

CallStatus ExportedInstance::enter_step() {
  if (!require({Mode::event}, "EnterStepMode")) return CallStatus::error;
  mode_ = Mode::step;
  return CallStatus::ok;
}

CallStatus ExportedInstance::terminate() {
  if (!require({Mode::step, Mode::event}, "Terminate")) return CallStatus::error;
  mode_ = Mode::terminated;
  return CallStatus::ok;
}

CallStatus ExportedInstance::reset() {
  mode_ = Mode::instantiated;
  experiment_ = {};
  time_s_ = 0.0;
  parameters_ = blueprint_->parameters;
  parameters_changed_ = model_->parameters != parameters_;
  std::fill(inputs_.begin(), inputs_.end(), 0.0);
  std::copy(blueprint_->start_inputs.begin(), blueprint_->start_inputs.end(), inputs_.begin());
  degree_ = 0;
  outputs_current_ = energy_current_ = false;
  return CallStatus::ok;
}

bool ExportedInstance::evaluate() {
  if (outputs_current_) return true;
  model_->subsystem->outputs(time_s_, inputs_.data(), outputs_.data());
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    if (std::isfinite(outputs_[i])) [[likely]]
      continue;
    refuse(fmt::format("output '{}' is {} at {} s", blueprint_->outputs[i], outputs_[i], time_s_));
    return false;
  }
  outputs_current_ = true;
  return true;
}

void ExportedInstance::sample_energy() {
  if (energy_current_) return;
  AccountSample sample;
  sample.received_J = std::span(account_J_).first(blueprint_->input_count);
  model_->subsystem->energy_account()->sample({time_s_, inputs_.data(), inputs_.data()}, sample);
  energy_J_[0] = sample.stored_J;
  energy_J_[1] = sample.dissipated_J;
  energy_J_[2] = sample.supplied_J;
  account_J_[blueprint_->input_count] = sample.synchronised_J;
  account_J_[blueprint_->input_count + 1] = sample.kinetic_J;
  energy_current_ = true;
}

double* ExportedInstance::row_of(Role role) {
  switch (role) {
    case Role::time:
      return &time_s_;
    case Role::input:
      return inputs_.data();
    case Role::output:
      return outputs_.data();
    case Role::energy:
      return energy_J_;
    case Role::parameter:
      return parameters_.data();
    case Role::account:
      return account_J_.data();
  }
  return nullptr;
}

const ExportedVariable* ExportedInstance::find(std::uint32_t reference, ExportedVariable::Type type) {
  if (reference < blueprint_->variables.size()) [[likely]] {
    const ExportedVariable& variable = blueprint_->variables[reference];
    if (variable.type == type) [[likely]]
      return &variable;
    refuse(fmt::format("'{}' (value reference {}) is of another type", variable.name, reference));
    return nullptr;
  }
  refuse(fmt::format("there is no variable with value reference {}", reference));
  return nullptr;
}

CallStatus ExportedInstance::get(ExportedVariable::Type type, std::span<const std::uint32_t> references,
                                 double* values, std::size_t count) {
  const double* const end = values + count;
  for (const std::uint32_t reference : references) {
    const ExportedVariable* variable = find(reference, type);
    if (variable == nullptr) return CallStatus::error;
    if (variable->size > static_cast<std::size_t>(end - values))
      return refuse("there is no room for all values");
    const bool is_account = variable->role == Role::energy || variable->role == Role::account;
    if (variable->role == Role::output || is_account) {
      if (mode_ == Mode::instantiated) [[unlikely]]
        return refuse(fmt::format("'{}' is known from initialization mode on", variable->name));
      follow_parameters();
      if (is_account) {
        sample_energy();
      } else if (!evaluate()) {
        return CallStatus::error;
      }
    }
    const double* from = row_of(variable->role) + variable->first;
    for (std::size_t i = 0; i < variable->size; ++i) *values++ = from[i];
  }
  return values == end ? CallStatus::ok : refuse("more values than the variables have");
}

CallStatus ExportedInstance::set(ExportedVariable::Type type, std::span<const std::uint32_t> references,
                                 const double* values, std::size_t count) {
  const bool before = mode_ == Mode::instantiated || mode_ == Mode::initialization;
  if (!before && mode_ != Mode::step && mode_ != Mode::event)
    return refuse(fmt::format("nothing can be set: the instance is {}", mode_name(mode_)));
  const double* const end = values + count;
  for (const std::uint32_t reference : references) {
    const ExportedVariable* variable = find(reference, type);
    if (variable == nullptr) return CallStatus::error;
    if (variable->size > static_cast<std::size_t>(end - values)) return refuse("there are too few values");
    const bool is_input = variable->role == Role::input;
    if (!is_input && variable->role != Role::parameter)
      return refuse(fmt::format("'{}' is neither an input nor a parameter", variable->name));
    if (!is_input && !before)
      return refuse(fmt::format("parameter '{}' is fixed after initialization", variable->name));
    double* to = row_of(variable->role) + variable->first;
    for (std::size_t i = 0; i < variable->size; ++i, ++values) {
      if (!std::isfinite(*values)) return refuse(fmt::format("'{}' cannot be {}", variable->name, *values));
      to[i] = *values;
    }
    if (!is_input) parameters_changed_ = true;
  }
  outputs_current_ = energy_current_ = false;
  return values == end ? CallStatus::ok : refuse("more values than the variables have");
}

CallStatus ExportedInstance::set_input_derivatives(std::span<const std::uint32_t> references,
                                                   const int* orders, const double* values) {
  if (!require({Mode::instantiated, Mode::initialization, Mode::step}, "SetRealInputDerivatives"))
    return CallStatus::error;
  for (std::size_t i = 0; i < references.size(); ++i) {
    const ExportedVariable* variable = find(references[i], ExportedVariable::Type::real);
    if (variable == nullptr) return CallStatus::error;
    if (variable->role != Role::input) return refuse(fmt::format("'{}' is not an input", variable->name));
    if (orders[i] < 1 || orders[i] > most_derivatives)
      return refuse(fmt::format("derivatives of order {} are not taken, those of order 1 to {} are",
                                orders[i], most_derivatives));
    if (!std::isfinite(values[i]))
      return refuse(fmt::format("the derivative of '{}' is not finite", variable->name));
    double factorial = 1.0;
    for (int k = 2; k <= orders[i]; ++k) factorial *= k;
    inputs_[static_cast<std::size_t>(orders[i]) * blueprint_->input_count + variable->first] =
        values[i] / factorial;
    degree_ = std::max(degree_, orders[i]);
  }
  return CallStatus::ok;
}

void ExportedInstance::forget_derivatives() {
  std::fill(inputs_.begin() + static_cast<std::ptrdiff_t>(blueprint_->input_count), inputs_.end(), 0.0);
  degree_ = 0;
}

void ExportedInstance::ask_inputs_within(double t_s, double h_s) {
  const std::size_t n = blueprint_->input_count;
  thirds_.resize(4 * n);
  std::copy_n(inputs_.begin(), n, thirds_.begin());
  for (std::size_t third = 1; third <= 3; ++third) {
    ask_inputs_(third == 3 ? t_s + h_s : t_s + h_s * static_cast<double>(third) / 3.0);
    std::copy_n(inputs_.begin(), n, thirds_.begin() + static_cast<std::ptrdiff_t>(third * n));
  }
  std::copy_n(thirds_.begin(), n, inputs_.begin());
  // Newton's polynomial in s = 3τ/h through s = 0, 1, 2, 3, by its differences; what is held has none.
  const double scale = 3.0 / h_s;
  for (std::size_t i = 0; i < n; ++i) {
    const double u[4] = {thirds_[i], thirds_[n + i], thirds_[2 * n + i], thirds_[3 * n + i]};
    const double d1 = u[1] - u[0];
    const double d2 = u[2] - 2.0 * u[1] + u[0];
    const double d3 = u[3] - 3.0 * u[2] + 3.0 * u[1] - u[0];
    if (u[1] == u[0] && u[2] == u[0] && u[3] == u[0]) continue;
    inputs_[n + i] = (d1 - d2 / 2.0 + d3 / 3.0) * scale;
    inputs_[2 * n + i] = (d2 / 2.0 - d3 / 2.0) * scale * scale;
    inputs_[3 * n + i] = d3 / 6.0 * scale * scale * scale;
    degree_ = most_derivatives;
  }
}

CallStatus ExportedInstance::do_step(double t_s, double h_s) {
  if (!require({Mode::step}, "DoStep")) return CallStatus::error;
  if (!(std::isfinite(h_s) && h_s > 0.0)) return refuse(fmt::format("a step of {} s cannot be done", h_s));
  // Importers compute their times in different ways; what differs in the last digits is one point.
  constexpr double rounding = 1e-9;
  if (!(std::abs(t_s - time_s_) <= rounding * (std::abs(t_s) + h_s)))
    return refuse(fmt::format("a step from {} s cannot be done: the instance is at {} s", t_s, time_s_));
  const bool asks = ask_inputs_ && blueprint_->description.samples_input == InputSampling::continuous;
  if (asks) ask_inputs_within(t_s, h_s);
  const InputView view{inputs_.data(), blueprint_->input_count, degree_};
  const StepStatus status = model_->subsystem->step(t_s, h_s, view);
  if (!status.ok) {
    if (asks) forget_derivatives();
    log_(CallStatus::discard,
         fmt::format("the step from {} s over {} s failed: {}", t_s, h_s, status.reason).c_str());
    return CallStatus::discard;
  }
  if (degree_ > 0) {
    const double* end = thirds_.data() + 3 * blueprint_->input_count;
    for (std::size_t i = 0; i < blueprint_->input_count; ++i) inputs_[i] = asks ? end[i] : view(i, h_s);
    forget_derivatives();
  }
  time_s_ = t_s + h_s;
  outputs_current_ = energy_current_ = false;
  if (evaluate()) return CallStatus::ok;
  mode_ = Mode::failed;
  return CallStatus::error;
}

CallStatus ExportedInstance::derivative(std::span<const std::uint32_t> unknowns,
                                        std::span<const std::uint32_t> knowns, std::span<const double> seed,
                                        std::span<double> sensitivity, bool adjoint) {
  if (!require({Mode::initialization, Mode::event, Mode::step, Mode::terminated}, "a derivative"))
    return CallStatus::error;
  follow_parameters();
  const Differentiable* differentiable = model_->subsystem->differentiable();
  if (differentiable == nullptr) return refuse("this model provides no derivatives");
  // Rows and columns of the Jacobian that the variables name; energies come after the outputs.
  const std::size_t n = blueprint_->input_count;
  const std::size_t output_count = blueprint_->output_count;
  const auto places = [&](std::span<const std::uint32_t> references, bool of_inputs,
                          std::vector<std::size_t>& found) {
    for (const std::uint32_t reference : references) {
      const ExportedVariable* variable = find(reference, ExportedVariable::Type::real);
      if (variable == nullptr) return false;
      const bool fits = of_inputs ? variable->role == Role::input
                                  : variable->role == Role::output || variable->role == Role::energy;
      if (!fits) {
        refuse(fmt::format("derivatives are those of outputs by inputs, and '{}' is none", variable->name));
        return false;
      }
      const std::size_t first = variable->first + (variable->role == Role::energy ? output_count : 0);
      for (std::size_t i = 0; i < variable->size; ++i) found.push_back(first + i);
    }
    return true;
  };
  std::vector<std::size_t> rows;
  std::vector<std::size_t> columns;
  if (!places(unknowns, false, rows) || !places(knowns, true, columns)) return CallStatus::error;
  if (seed.size() != (adjoint ? rows : columns).size() ||
      sensitivity.size() != (adjoint ? columns : rows).size())
    return refuse("the number of seeds or sensitivities is not that of the variables");
  jacobian_.assign((output_count + energy_count) * n, 0.0);
  differentiable->output_jacobian(time_s_, inputs_.data(), jacobian_.data());
  if (std::any_of(rows.begin(), rows.end(), [&](std::size_t row) { return row >= output_count; }))
    differentiate_energy(columns);
  std::fill(sensitivity.begin(), sensitivity.end(), 0.0);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t c = 0; c < columns.size(); ++c)
      sensitivity[adjoint ? c : r] += jacobian_[rows[r] * n + columns[c]] * seed[adjoint ? r : c];
  }
  return CallStatus::ok;
}

void ExportedInstance::differentiate_energy(const std::vector<std::size_t>& columns) {
  // Accounts have no derivatives of their own. Springs that inputs stretch store squares, of which a central difference is exact.
  const std::size_t n = blueprint_->input_count;
  for (const std::size_t column : columns) {
    const double u = inputs_[column];
    const double change = 1e-4 * std::max(1.0, std::abs(u));
    double energies[2][energy_count];
    for (const int side : {0, 1}) {
      inputs_[column] = side == 0 ? u - change : u + change;
      energy_current_ = false;
      sample_energy();
      std::copy_n(energy_J_, energy_count, energies[side]);
    }
    inputs_[column] = u;
    energy_current_ = false;
    for (std::size_t e = 0; e < energy_count; ++e)
      jacobian_[(blueprint_->output_count + e) * n + column] =
          (energies[1][e] - energies[0][e]) / (2.0 * change);
  }
}

}  // namespace ergon
