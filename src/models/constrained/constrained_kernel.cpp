#include "ergon/models/constrained/constrained_kernel.hpp"

#include <algorithm>

#include "ergon/models/leapfrog.hpp"

namespace ergon {
namespace {

Eigen::VectorXd vector_of(std::span<const double> values) {
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

std::size_t scalars(const std::vector<Port>& ports) {
  std::size_t count = 0;
  for (const Port& port : ports) count += port.size;
  return count;
}

void copy(const Eigen::VectorXd& from, double* to) {
  std::copy(from.begin(), from.end(), to);
}

}  // namespace

ConstrainedKernel::ConstrainedKernel(std::unique_ptr<ConstrainedModel> model,
                                     const ConstrainedIntegration& options, std::span<const double> q0,
                                     std::span<const double> v0)
    : model_(std::move(model)),
      options_(options),
      q0_(vector_of(q0)),
      v0_(vector_of(v0)),
      model_outputs_(scalars(model_->describe().outputs)),
      sizes_(q0.size(), v0.size(), scalars(model_->describe().inputs),
             options.integration.method == NativeMethod::newmark
                 ? q0.size() + static_cast<std::size_t>(model_->constraints().rows()) + 1
                 : 0) {
  q_ = q0_;
  v_ = a_ = v_mean_ = v0_;
  phi_ = phi_rate_ = lambda_ = Eigen::VectorXd::Zero(model_->constraints().rows());
  J_ = Eigen::MatrixXd::Zero(phi_.size(), q0_.size());
  u_start_ = rate_at_start_ = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(sizes_.inputs()));
  if (options_.integration.method == NativeMethod::newmark) {
    index3_.emplace(*model_, options_.index3);
  } else {
    acceleration_.emplace(*model_, options_.acceleration);
  }
}

Description ConstrainedKernel::describe() const {
  Description description = model_->describe();
  // Rows differ in their units: m², m or 1.
  description.outputs.push_back(
      {"constraint_error", Unit::of("1"), 1, "largest |Phi| of the constraints, SI units"});
  description.outputs.back().role = PortRole::diagnostic;
  description.outputs.push_back(
      {"constraint_rate_error", Unit::of("1/s"), 1, "largest rate of change of the constraints, SI units"});
  description.outputs.back().role = PortRole::diagnostic;
  return description;
}

void ConstrainedKernel::start(Row& row) const {
  copy(q0_, row.q());
  copy(v0_, row.v());
}

void ConstrainedKernel::load(const Row& row) const {
  std::copy_n(row.q(), q_.size(), q_.data());
  std::copy_n(row.v(), v_.size(), v_.data());
}

const char* ConstrainedKernel::begin(Row& /*row*/, double /*h*/, double internal, const InputView& /*u*/) {
  if (acceleration_ && internal >= options_.acceleration.largest_stable_step_s()) {
    return "constraint_omega times the internal step is too large: the constraints would be driven apart; "
           "take a smaller step or a smaller constraint_omega";
  }
  return nullptr;
}

const char* ConstrainedKernel::advance(Row& row, double tau, double h, const StepInputs& u) {
  return acceleration_ ? semi_implicit_euler(row, tau, h, u) : newmark(row, tau, h, u);
}

const char* ConstrainedKernel::semi_implicit_euler(Row& row, double tau, double h, const StepInputs& u) {
  load(row);
  if (const char* failure = acceleration_->solve(u.at(tau), q_, v_, a_)) return failure;
  leapfrog(
      row, h, a_.data(), v_mean_.data(),
      [&](const double* v, const double* v_work, const auto& tell) {
        model_->powers(u.at(tau), u.rates_at(tau), row.q(), v, v_work, tell);
      },
      [](const double* /*q*/, const double* v) { return v; });
  return nullptr;
}

const char* ConstrainedKernel::newmark(Row& row, double tau, double h, const StepInputs& u) {
  const auto n = a_.size();
  double* a_kept = row.carried();
  double* lambda_kept = a_kept + n;
  double& started = lambda_kept[lambda_.size()];
  load(row);
  std::copy_n(a_kept, n, a_.data());
  std::copy_n(lambda_kept, lambda_.size(), lambda_.data());
  std::copy_n(u.rates_at(tau), rate_at_start_.size(), rate_at_start_.data());
  if (!options_.stored_start_acceleration || started == 0.0) {
    std::copy_n(u.at(tau), u_start_.size(), u_start_.data());
    if (const char* failure = index3_->consistent_acceleration(u_start_.data(), q_, v_, a_)) return failure;
    started = 1.0;
  } else {
    std::copy_n(row.u_last(), u_start_.size(), u_start_.data());  // that made the stored acceleration
  }
  const double* u_end = u.at(tau + h);
  if (const char* failure = index3_->step(h, u_end, q_, v_, a_, lambda_)) return failure;
  for (Eigen::Index i = 0; i < n; ++i) v_mean_[i] = (q_[i] - row.q()[i]) / h;
  const auto book = [&](std::size_t i, double power) { row.w()[i] += 0.5 * h * power; };
  model_->powers(u_start_.data(), rate_at_start_.data(), row.q(), row.v(), v_mean_.data(), book);
  model_->powers(u_end, u.rates_at(tau + h), q_.data(), v_.data(), v_mean_.data(), book);
  copy(q_, row.q());
  copy(v_, row.v());
  copy(a_, a_kept);
  copy(lambda_, lambda_kept);
  std::copy_n(u_end, u_start_.size(), row.u_last());
  return nullptr;
}

bool ConstrainedKernel::acceleration(const double* u, const Row& row, double* a) const {
  load(row);
  const char* failure =
      acceleration_ ? acceleration_->solve(u, q_, v_, a_) : index3_->returning_acceleration(u, q_, v_, a_);
  if (failure != nullptr) return false;
  copy(a_, a);
  return true;
}

void ConstrainedKernel::outputs(const double* u, const Row& row, double* y) const {
  load(row);
  model_->outputs(u, q_.data(), v_.data(), y);
  model_->constraints().values(q_, phi_);
  model_->constraints().jacobian(q_, J_);
  phi_rate_.noalias() = J_ * v_;
  y[model_outputs_] = phi_.lpNorm<Eigen::Infinity>();
  y[model_outputs_ + 1] = phi_rate_.lpNorm<Eigen::Infinity>();
}

void ConstrainedKernel::output_jacobian(const double* u, const Row& row, double* jacobian) const {
  model_->output_jacobian(u, row.q(), row.v(), jacobian);
  std::fill_n(jacobian + model_outputs_ * sizes_.inputs(), 2 * sizes_.inputs(), 0.0);
}

}  // namespace ergon
