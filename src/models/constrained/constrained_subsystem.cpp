#include "ergon/models/constrained/constrained_subsystem.hpp"

#include <algorithm>
#include <cmath>

namespace ergon {
namespace {

Eigen::VectorXd vector_of(std::span<const double> values) {
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

}  // namespace

ConstrainedSubsystem::ConstrainedSubsystem(std::unique_ptr<ConstrainedModel> model,
                                           const ConstrainedIntegration& options, std::span<const double> q0,
                                           std::span<const double> v0)
    : model_(std::move(model)), options_(options), q0_(vector_of(q0)), v0_(vector_of(v0)) {
  std::vector<double> start_inputs;
  for (const Port& port : model_->describe().inputs)
    start_inputs.insert(start_inputs.end(), port.size, port.start);
  for (const Port& port : model_->describe().outputs) model_outputs_ += port.size;
  phi_ = phi_rate_ = Eigen::VectorXd::Zero(model_->constraints().rows());
  J_ = Eigen::MatrixXd::Zero(phi_.size(), q0_.size());
  u0_ = vector_of(start_inputs);
  u_ = u_rate_ = rate_at_start_ = u0_;
  v_mean_ = v_now_ = a_now_ = v0_;
  if (options_.integration.method == NativeMethod::newmark) {
    index3_.emplace(*model_, options_.index3);
  } else {
    acceleration_.emplace(*model_, options_.acceleration);
  }
  reset();
  before_ = state_;
}

void ConstrainedSubsystem::reset() {
  state_.q = state_.q_before = q0_;
  state_.v = v0_;
  state_.a = Eigen::VectorXd::Zero(q0_.size());
  state_.lambda = Eigen::VectorXd::Zero(model_->constraints().rows());
  state_.w = Eigen::VectorXd::Zero(1 + u0_.size());
  state_.u_last = u0_;
  state_.h_last = state_.started = 0.0;
}

Description ConstrainedSubsystem::describe() const {
  Description description = model_->describe();
  // Rows differ in their units: m², m or 1.
  description.outputs.push_back(
      {"constraint_error", Unit::of("1"), 1, "largest |Phi| of the constraints, SI units"});
  description.outputs.push_back(
      {"constraint_rate_error", Unit::of("1/s"), 1, "largest rate of change of the constraints, SI units"});
  description.samples_input =
      options_.integration.samples_start() ? InputSampling::start : InputSampling::continuous;
  return description;
}

StepStatus ConstrainedSubsystem::initialize(double /*t*/) {
  reset();
  return {};
}

StepStatus ConstrainedSubsystem::step(double /*t*/, double h, const InputView& u) {
  before_ = state_;
  add_jump_work(u.coefficients, state_.w.data() + 1);
  if (const char* failure = integrate(h, u)) {
    state_ = before_;
    return {false, failure};
  }
  const double tau_last = options_.integration.samples_start() ? 0.0 : h;
  for (Eigen::Index i = 0; i < u_.size(); ++i) state_.u_last[i] = u(static_cast<std::size_t>(i), tau_last);
  return {};
}

/// The internal step is shortened to divide h: n = ⌈h/step⌉ equal steps.
const char* ConstrainedSubsystem::integrate(double h, const InputView& u) {
  constexpr double slack = 1e-9;  // h/step of 10.000000001 means ten steps: both came from decimals
  constexpr double most_steps = 1e9;
  const auto& step_s = options_.integration.step_s;
  const double wanted = step_s ? std::ceil(h / *step_s - slack) : 1.0;
  if (!(wanted <= most_steps)) return "more than 1e9 internal steps in one communication step";
  const auto n = std::max<long>(1, static_cast<long>(wanted));
  const double internal = h / static_cast<double>(n);
  if (acceleration_ && internal >= options_.acceleration.largest_stable_step_s()) {
    return "constraint_omega times the internal step is too large: the constraints would be driven apart; "
           "take a "
           "smaller step or a smaller constraint_omega";
  }
  for (long i = 0; i < n; ++i) {
    const double tau = static_cast<double>(i) * internal;
    const char* failure = acceleration_ ? semi_implicit_euler(tau, internal, u) : newmark(tau, internal, u);
    if (failure != nullptr) return failure;
  }
  return nullptr;
}

void ConstrainedSubsystem::look_at_inputs(double tau, const InputView& u) {
  for (Eigen::Index i = 0; i < u_.size(); ++i) {
    u_[i] = u(static_cast<std::size_t>(i), tau);
    u_rate_[i] = u.rate(static_cast<std::size_t>(i), tau);
  }
}

const char* ConstrainedSubsystem::semi_implicit_euler(double tau, double h, const InputView& u) {
  look_at_inputs(tau, u);
  if (const char* failure = acceleration_->solve(u_.data(), state_.q, state_.v, state_.a)) return failure;
  v_mean_ = state_.v + 0.5 * h * state_.a;
  state_.v += h * state_.a;
  const double* rates = options_.integration.samples_start() ? nullptr : u_rate_.data();
  model_->powers(u_.data(), rates, state_.q.data(), state_.v.data(), v_mean_.data(),
                 [&](std::size_t i, double power) { state_.w[static_cast<Eigen::Index>(i)] += h * power; });
  state_.q_before = state_.q;
  state_.q += h * state_.v;
  state_.h_last = h;
  return nullptr;
}

const char* ConstrainedSubsystem::newmark(double tau, double h, const InputView& u) {
  look_at_inputs(tau, u);
  if (!options_.stored_start_acceleration || state_.started == 0.0) {
    if (const char* failure = index3_->consistent_acceleration(u_.data(), state_.q, state_.v, state_.a))
      return failure;
    state_.started = 1.0;
  } else {
    u_ = state_.u_last;  // the inputs that made the stored acceleration
  }
  const auto book = [&](std::size_t i, double power) {
    state_.w[static_cast<Eigen::Index>(i)] += 0.5 * h * power;
  };
  v_now_ = state_.v;
  state_.q_before = state_.q;
  state_.u_last = u_;
  u_rate_.swap(rate_at_start_);
  look_at_inputs(tau + h, u);
  if (const char* failure = index3_->step(h, u_.data(), state_.q, state_.v, state_.a, state_.lambda))
    return failure;
  v_mean_ = (state_.q - state_.q_before) / h;
  model_->powers(state_.u_last.data(), rate_at_start_.data(), state_.q_before.data(), v_now_.data(),
                 v_mean_.data(), book);
  model_->powers(u_.data(), u_rate_.data(), state_.q.data(), state_.v.data(), v_mean_.data(), book);
  state_.u_last = u_;
  state_.q_before = state_.q;
  return nullptr;
}

/// Half of it at the positions before the last motion and half after: the books of a leapfrog (equal positions otherwise).
void ConstrainedSubsystem::add_jump_work(const double* u, double* received) const {
  model_->add_jump_work_J(state_.u_last.data(), u, state_.q_before.data(), 0.5, received);
  model_->add_jump_work_J(state_.u_last.data(), u, state_.q.data(), 0.5, received);
}

void ConstrainedSubsystem::outputs(double /*t*/, const double* u, double* y) {
  model_->outputs(u, state_.q.data(), state_.v.data(), y);
  model_->constraints().values(state_.q, phi_);
  model_->constraints().jacobian(state_.q, J_);
  phi_rate_.noalias() = J_ * state_.v;
  y[model_outputs_] = phi_.lpNorm<Eigen::Infinity>();
  y[model_outputs_ + 1] = phi_rate_.lpNorm<Eigen::Infinity>();
}

std::size_t ConstrainedSubsystem::row_size() const {
  Eigen::Index size = 2;
  visit_vectors(state_, [&](const Eigen::VectorXd& part) { size += part.size(); });
  return static_cast<std::size_t>(size);
}

void ConstrainedSubsystem::write_row(std::span<double> row) const {
  double* state = row.data();
  visit_vectors(state_,
                [&](const Eigen::VectorXd& part) { state = std::copy(part.begin(), part.end(), state); });
  state[0] = state_.h_last;
  state[1] = state_.started;
}

void ConstrainedSubsystem::read_row(std::span<const double> row) {
  const double* state = row.data();
  visit_vectors(state_, [&](Eigen::VectorXd& part) {
    std::copy_n(state, part.size(), part.data());
    state += part.size();
  });
  state_.h_last = state[0];
  state_.started = state[1];
}

void ConstrainedSubsystem::states(double* z) const {
  std::copy_n(state_.q.data(), state_.q.size(), z);
  std::copy_n(state_.v.data(), state_.v.size(), z + state_.q.size());
}

void ConstrainedSubsystem::set_states(const double* z) {
  std::copy_n(z, state_.q.size(), state_.q.data());
  std::copy_n(z + state_.q.size(), state_.v.size(), state_.v.data());
  state_.q_before = state_.q;
}

bool ConstrainedSubsystem::derivative(double /*t*/, const double* u, double* z_dot) const {
  const char* failure = acceleration_ ? acceleration_->solve(u, state_.q, state_.v, a_now_)
                                      : index3_->returning_acceleration(u, state_.q, state_.v, a_now_);
  if (failure != nullptr) return false;
  std::copy_n(state_.v.data(), state_.v.size(), z_dot);
  std::copy_n(a_now_.data(), a_now_.size(), z_dot + state_.v.size());
  return true;
}

void ConstrainedSubsystem::output_jacobian(double /*t*/, const double* u, double* jacobian) const {
  model_->output_jacobian(u, state_.q.data(), state_.v.data(), jacobian);
  const auto inputs = static_cast<std::size_t>(u0_.size());
  std::fill_n(jacobian + model_outputs_ * inputs, 2 * inputs, 0.0);
}

void ConstrainedSubsystem::sample(const AccountInputs& inputs, AccountSample& sample) const {
  v_now_ = state_.v;
  // Without an acceleration there is no later velocity; the step that comes next will fail and say why.
  if (acceleration_ && state_.h_last != 0.0 &&
      acceleration_->solve(inputs.newest, state_.q, state_.v, a_now_) == nullptr) {
    v_now_ = state_.v + 0.5 * state_.h_last * a_now_;
  }
  sample.stored_J = model_->stored_J(inputs.used, state_.q.data(), state_.v.data());
  sample.dissipated_J = state_.w[0];
  sample.synchronised_J = model_->stored_J(inputs.newest, state_.q.data(), v_now_.data());
  sample.kinetic_J = model_->kinetic_J(v_now_.data());
  sample.has_momentum = true;
  sample.momentum = model_->momentum(state_.q.data(), v_now_.data());
  std::copy_n(state_.w.data() + 1, u0_.size(), sample.received_J.begin());
  add_jump_work(inputs.newest, sample.received_J.data());
}

}  // namespace ergon
