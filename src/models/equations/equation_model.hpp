#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ergon/core/subsystem.hpp"
#include "ergon/models/equations/compiled_equations.hpp"
#include "ergon/models/registry.hpp"

namespace ergon {

/// Equations given by the user as a native model: ẋ = f(x, u, t), y = g(x, u, t). `of_second_order`: the states are positions and, in the
/// same order, their velocities.
template <bool of_second_order>
class EquationModel {
 public:
  explicit EquationModel(std::shared_ptr<const CompiledEquations> compiled)
      : c_(std::move(compiled)),
        rates_(c_->rates.make_frame()),
        outputs_(c_->output_terms.make_frame()),
        powers_(c_->powers.make_frame()),
        energies_(c_->energies.make_frame()),
        feedthrough_(c_->feedthrough.make_frame()),
        derivatives_(c_->derivatives.make_frame()),
        jump_(c_->inputs) {}

  [[nodiscard]] std::size_t dof() const requires(of_second_order) { return c_->positions; }
  [[nodiscard]] std::size_t position_count() const requires(!of_second_order) { return c_->positions; }
  [[nodiscard]] std::size_t velocity_count() const requires(!of_second_order) {
    return c_->place.size() - c_->positions;
  }
  [[nodiscard]] std::size_t input_count() const { return c_->inputs; }
  [[nodiscard]] Description describe() const { return c_->description; }
  [[nodiscard]] std::vector<std::string> state_names() const { return c_->state_names; }
  [[nodiscard]] bool supplies() const { return c_->supplies; }
  [[nodiscard]] bool keeps_account() const { return c_->keeps_account; }
  [[nodiscard]] bool responds_to_efforts() const { return c_->responds_to_efforts; }

  /// Formulas may have the time in them: that of the step and, within it, the seconds since its start.
  [[nodiscard]] bool uses_time() const { return c_->uses_time; }
  void set_time(double t_s) const {
    start_s_ = t_s;
    time_s_ = t_s;
  }
  void set_time_in_step(double tau_s) const { time_s_ = start_s_ + tau_s; }

  void position_rates(const double* q, const double* v, double* q_dot) const requires(!of_second_order) {
    for (std::size_t p = 0; p < c_->positions; ++p) {
      const std::size_t from = c_->position_rates[p];
      q_dot[p] = from < c_->positions ? q[from] : v[from - c_->positions];
    }
  }
  void normalise(double* /*q*/) const requires(!of_second_order) {}

  void acceleration(const double* u, const double* q, const double* v, double* a) const {
    run(c_->rates, rates_, u, q, v);
    c_->rates.results(rates_.data(), a);
  }
  void outputs(const double* u, const double* q, const double* v, double* y) const {
    run(c_->output_terms, outputs_, u, q, v);
    c_->output_terms.results(outputs_.data(), y);
  }
  void output_jacobian(const double* u, const double* q, const double* v, double* jacobian) const {
    std::fill_n(jacobian, c_->outputs * c_->inputs, 0.0);
    run(c_->feedthrough, feedthrough_, u, q, v);
    for (std::size_t k = 0; k < c_->feedthrough_entries.size(); ++k) {
      const auto& [row, column] = c_->feedthrough_entries[k];
      jacobian[row * c_->inputs + column] = c_->feedthrough.result(feedthrough_.data(), k);
    }
  }
  void directional_derivative(const double* u, const double* q, const double* v, const double* state_change,
                              const double* input_change, double* rate_change, double* output_change) const {
    const std::size_t states = c_->place.size();
    std::fill_n(rate_change, states, 0.0);
    std::fill_n(output_change, c_->outputs, 0.0);
    run(c_->derivatives, derivatives_, u, q, v);
    for (std::size_t k = 0; k < c_->derivative_entries.size(); ++k) {
      const auto& [row, column] = c_->derivative_entries[k];
      const double change = column < states ? state_change[column] : input_change[column - states];
      if (change == 0.0) continue;
      double& to = row < states ? rate_change[row] : output_change[row - states];
      to += c_->derivatives.result(derivatives_.data(), k) * change;
    }
  }

  template <typename Tell>
  void powers(const double* u, const double* u_rate, const double* q, const double* /*v*/,
              const double* v_work, Tell tell) const {
    if (!c_->keeps_account) return;
    run(c_->powers, powers_, u, q, v_work);
    const auto power = [&](std::size_t number) { return c_->powers.result(powers_.data(), number); };
    tell(0, power(0));
    for (std::size_t i = 0; i < c_->inputs; ++i) {
      double received = power(1 + i);
      // An input that what is stored depends on does work where it moves.
      if (u_rate != nullptr) received += power(2 + c_->inputs + i) * u_rate[i];
      tell(1 + i, received);
    }
    if (c_->supplies) tell(1 + c_->inputs, power(1 + c_->inputs));
  }
  [[nodiscard]] double stored_J(const double* u, const double* q, const double* v) const {
    if (!c_->keeps_account) return 0.0;
    run(c_->energies, energies_, u, q, v);
    return c_->energies.result(energies_.data(), 0);
  }
  [[nodiscard]] double kinetic_J(const double* q, const double* v) const {
    if (!c_->keeps_account) return 0.0;
    std::fill(jump_.begin(), jump_.end(), 0.0);
    run(c_->energies, energies_, jump_.data(), q, v);
    return c_->energies.result(energies_.data(), 1);
  }
  /// Inputs jump one after the other.
  void add_jump_work_J(const double* u_old, const double* u_new, const double* q, const double* v,
                       double share, double* received) const {
    if (!c_->stored_depends_on_inputs) return;
    std::copy_n(u_old, c_->inputs, jump_.begin());
    double before_J = stored_J(jump_.data(), q, v);
    for (std::size_t i = 0; i < c_->inputs; ++i) {
      if (u_new[i] == jump_[i]) continue;
      jump_[i] = u_new[i];
      const double after_J = stored_J(jump_.data(), q, v);
      received[i] += share * (after_J - before_J);
      before_J = after_J;
    }
  }

 private:
  [[gnu::always_inline]] void run(const expression::Program& program, std::vector<double>& frame,
                                  const double* u, const double* q, const double* v) const {
    double* numbers = frame.data();
    const std::uint32_t* place = c_->place.data();
    const std::size_t positions = c_->positions;
    const std::size_t states = c_->place.size();
    for (std::size_t i = 0; i < positions; ++i) numbers[place[i]] = q[i];
    for (std::size_t i = positions; i < states; ++i) numbers[place[i]] = v[i - positions];
    for (std::size_t i = 0; i < c_->inputs; ++i) numbers[c_->first_input + i] = u[i];
    numbers[c_->time] = time_s_;
    program.run(numbers);
  }

  std::shared_ptr<const CompiledEquations> c_;
  mutable double start_s_ = 0.0;
  mutable double time_s_ = 0.0;
  // Scratch of evaluations: nothing is kept in them from one to the next.
  mutable std::vector<double> rates_, outputs_, powers_, energies_, feedthrough_, derivatives_, jump_;
};

/// The system as a subsystem with the integrator of the request; nothing after reporting what is wrong.
std::unique_ptr<Subsystem> make_equations(EquationSystem system, const ModelRequest& request,
                                          ProblemList& problems);

}  // namespace ergon
