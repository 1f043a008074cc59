#include "ergon/models/cable/cable_subsystem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ergon {
namespace {

/// An end over a communication step: it goes along with its input, and makes up within `catch_up_s` for what it is off.
Eigen::RowVector3d velocity_of_end(const InputView& u, std::size_t first, double h, double catch_up_s,
                                   const Eigen::RowVector3d& now) {
  Eigen::RowVector3d velocity;
  for (Eigen::Index i = 0; i < 3; ++i) {
    const std::size_t k = first + static_cast<std::size_t>(i);
    velocity[i] = (u(k, h) - u.start(k)) / h + (u.start(k) - now[i]) / catch_up_s;
  }
  return velocity;
}

}  // namespace

CableSubsystem::CableSubsystem(const Setting& setting) : setting_(setting), cable_(setting.cable) {
  Q_.resize(cable_.rows(), 3);
  acceleration_.resize(cable_.rows(), 3);
  too_long_step_ = fmt::format(
      "the internal step is above the stability limit of {:.3g} s: take a smaller one, or fewer elements",
      2.0 / cable_.highest_frequency_rad_s());
  initialize(0.0);
  before_ = state_;
}

Description CableSubsystem::describe() const {
  Description description;
  description.inputs = {{"a_position", Unit::of("m"), 3, "where end A is"}};
  if (setting_.drives_b) description.inputs.push_back({"b_position", Unit::of("m"), 3, "where end B is"});
  description.outputs = {{"a_force", Unit::of("N"), 3, "pull at what holds end A, mean over the step"},
                         {"b_force", Unit::of("N"), 3, "pull at what holds end B, mean over the step"},
                         {"nodes", Unit::of("m"), static_cast<std::size_t>(3 * (setting_.cable.elements + 1)),
                          "positions of the nodes, from A to B"}};
  description.samples_input = InputSampling::continuous;
  return description;
}

StepStatus CableSubsystem::initialize(double /*t*/) {
  state_ = State{};
  state_.q = cable_.straight(setting_.a_m, setting_.b_m);
  state_.v = Cable::Nodes::Zero(cable_.rows(), 3);
  cable_.forces(state_.q, Q_);
  cable_.accelerations(Q_, {}, acceleration_);
  state_.reaction = cable_.reactions(Q_, acceleration_);
  return {};
}

StepStatus CableSubsystem::step(double /*t*/, double h, const InputView& u) {
  before_ = state_;
  if (const char* failure = integrate(h, u)) {
    state_ = before_;
    return {false, failure};
  }
  return {};
}

const char* CableSubsystem::integrate(double h, const InputView& u) {
  constexpr double slack = 1e-9;  // h/step of 10.000000001 means ten steps: both came from decimals
  constexpr double most_steps = 1e9;
  const double wanted = setting_.step_s ? std::ceil(h / *setting_.step_s - slack) : 1.0;
  if (!(wanted <= most_steps)) return "more than 1e9 internal steps in one communication step";
  const auto n = std::max<long>(1, static_cast<long>(wanted));
  const double h_C = h / static_cast<double>(n);
  if (!(h_C * cable_.highest_frequency_rad_s() < 2.0)) return too_long_step_.c_str();

  const Eigen::Index A = Cable::row_a();
  const Eigen::Index B = cable_.row_b();
  // After a long step, a short one must not make up for all at once: that would be a blow of many times the velocity.
  state_.catch_up_s = std::max(h, state_.catch_up_s - 0.5 * h);
  const double T = state_.catch_up_s;
  const Eigen::RowVector3d v_A = velocity_of_end(u, 0, h, T, state_.q.row(A));
  Eigen::RowVector3d v_B = Eigen::RowVector3d::Zero();
  if (setting_.drives_b) v_B = velocity_of_end(u, 3, h, T, state_.q.row(B));
  Cable::Ends sum;
  for (long i = 0; i < n; ++i) {
    const Cable::Ends given{(v_A - state_.v.row(A)) / h_C, (v_B - state_.v.row(B)) / h_C};
    cable_.forces(state_.q, Q_);
    cable_.accelerations(Q_, given, acceleration_);
    const Cable::Ends reaction = cable_.reactions(Q_, acceleration_);
    sum.a += reaction.a;
    sum.b += reaction.b;
    const Eigen::RowVector3d mean_A = 0.5 * (state_.v.row(A) + v_A);
    const Eigen::RowVector3d mean_B = 0.5 * (state_.v.row(B) + v_B);
    state_.received_J.row(0) += h_C * reaction.a.cwiseProduct(mean_A);
    state_.received_J.row(1) += h_C * reaction.b.cwiseProduct(mean_B);
    state_.v += h_C * acceleration_;
    // Exactly: what is left of a rounded Δv/h_C·h_C would be a small impulse in each step.
    state_.v.row(A) = v_A;
    state_.v.row(B) = v_B;
    state_.q += h_C * state_.v;
  }
  state_.reaction.a = sum.a / static_cast<double>(n);
  state_.reaction.b = sum.b / static_cast<double>(n);
  state_.h_last = h_C;
  if (!state_.q.allFinite() || !state_.v.allFinite())
    return "the motion of the cable is not finite: it was stretched beyond the stability of its steps";
  return nullptr;
}

void CableSubsystem::outputs(double /*t*/, const double* /*u*/, double* y) {
  for (Eigen::Index i = 0; i < 3; ++i) {
    y[i] = -state_.reaction.a[i];
    y[3 + i] = -state_.reaction.b[i];
  }
  y += 6;
  for (Eigen::Index row = 0; row < cable_.rows(); row += 2) {
    for (Eigen::Index i = 0; i < 3; ++i) *y++ = state_.q(row, i);
  }
}

std::size_t CableSubsystem::row_size() const {
  return static_cast<std::size_t>(2 * state_.q.size() + 3 + 3 + 6 + 2);
}

void CableSubsystem::write_row(std::span<double> row) const {
  double* state = row.data();
  const auto put = [&](const auto& part) { state = std::copy_n(part.data(), part.size(), state); };
  put(state_.q);
  put(state_.v);
  put(state_.reaction.a);
  put(state_.reaction.b);
  put(state_.received_J);
  state[0] = state_.h_last;
  state[1] = state_.catch_up_s;
}

void CableSubsystem::read_row(std::span<const double> row) {
  const double* state = row.data();
  const auto get = [&](auto& part) {
    std::copy_n(state, part.size(), part.data());
    state += part.size();
  };
  get(state_.q);
  get(state_.v);
  get(state_.reaction.a);
  get(state_.reaction.b);
  get(state_.received_J);
  state_.h_last = state[0];
  state_.catch_up_s = state[1];
}

/// No output depends on an input.
void CableSubsystem::output_jacobian(double /*t*/, const double* /*u*/, double* jacobian) const {
  std::fill_n(jacobian, static_cast<std::size_t>(6 + 3 * (setting_.cable.elements + 1)) * inputs(), 0.0);
}

std::string CableSubsystem::misfit_at_start(const double* u) const {
  const double tolerance_m = 1e-6 * setting_.cable.length_m;
  std::string misfit;
  const auto compare = [&](char end, const char* input, const Eigen::Vector3d& is_m,
                           const Eigen::Vector3d& told_m) {
    if ((told_m - is_m).norm() <= tolerance_m) return;  // false for NaN
    misfit += fmt::format("{}end {} of the cable is at ({}, {}, {}) m, but '{}' at ({}, {}, {}) m",
                          misfit.empty() ? "" : "; ", end, is_m[0], is_m[1], is_m[2], input, told_m[0],
                          told_m[1], told_m[2]);
  };
  compare('A', "a_position", setting_.a_m, Eigen::Map<const Eigen::Vector3d>(u));
  if (setting_.drives_b) compare('B', "b_position", setting_.b_m, Eigen::Map<const Eigen::Vector3d>(u + 3));
  return misfit;
}

/// The ends keep the velocity of their path; the rest of the cable is half an internal step behind.
void CableSubsystem::sample(const AccountInputs& /*inputs*/, AccountSample& sample) const {
  const double potential_J = cable_.potential_energy_J(state_.q);
  sample.stored_J = cable_.kinetic_energy_J(state_.v) + potential_J;
  sample.dissipated_J = 0.0;
  if (state_.h_last == 0.0) {
    acceleration_ = state_.v;
  } else {
    cable_.forces(state_.q, Q_);
    cable_.accelerations(Q_, {}, acceleration_);
    acceleration_ = state_.v + 0.5 * state_.h_last * acceleration_;
  }
  sample.kinetic_J = cable_.kinetic_energy_J(acceleration_);
  sample.synchronised_J = sample.kinetic_J + potential_J;
  sample.has_momentum = true;
  sample.momentum = cable_.momentum(acceleration_);
  for (std::size_t i = 0; i < inputs(); ++i) {
    sample.received_J[i] =
        state_.received_J(static_cast<Eigen::Index>(i / 3), static_cast<Eigen::Index>(i % 3));
  }
}

}  // namespace ergon
