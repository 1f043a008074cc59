#include "ergon/models/cable/cable_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ergon {
namespace {

constexpr std::size_t carried_numbers = 7;  // reactions at A and B, T

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

void load(const double* numbers, Cable::Nodes& nodes) {
  std::copy_n(numbers, nodes.size(), nodes.data());
}
void store(const Cable::Nodes& nodes, double* numbers) {
  std::copy_n(nodes.data(), nodes.size(), numbers);
}
void store(const Cable::Ends& ends, double* numbers) {
  std::copy_n(ends.a.data(), 3, numbers);
  std::copy_n(ends.b.data(), 3, numbers + 3);
}

}  // namespace

CableKernel::CableKernel(const CableSetting& setting)
    : setting_(setting),
      cable_(setting.cable),
      sizes_(static_cast<std::size_t>(3 * cable_.rows()), static_cast<std::size_t>(3 * cable_.rows()),
             setting.drives_b ? 6 : 3, carried_numbers),
      too_long_step_(fmt::format("the internal step is above the stability limit of {:.3g} s: take a smaller "
                                 "one, or fewer elements",
                                 2.0 / cable_.highest_frequency_rad_s())) {
  for (Cable::Nodes* nodes : {&q_, &v_, &Q_, &acceleration_}) nodes->resize(cable_.rows(), 3);
}

Description CableKernel::describe() const {
  Description description;
  description.inputs = {{"a_position", Unit::of("m"), 3, "where end A is"}};
  if (setting_.drives_b) description.inputs.push_back({"b_position", Unit::of("m"), 3, "where end B is"});
  description.outputs = {{"a_force", Unit::of("N"), 3, "pull at what holds end A, mean over the step"},
                         {"b_force", Unit::of("N"), 3, "pull at what holds end B, mean over the step"},
                         {"nodes", Unit::of("m"), static_cast<std::size_t>(3 * (setting_.cable.elements + 1)),
                          "positions of the nodes, from A to B"}};
  return description;
}

void CableKernel::start(Row& row) const {
  q_ = cable_.straight(setting_.a_m, setting_.b_m);
  cable_.forces(q_, Q_);
  cable_.accelerations(Q_, {}, acceleration_);
  store(q_, row.q());
  store(cable_.reactions(Q_, acceleration_), row.carried());
}

const char* CableKernel::begin(Row& row, double h, double internal, const InputView& u) {
  if (!(internal * cable_.highest_frequency_rad_s() < 2.0)) return too_long_step_.c_str();
  load(row.q(), q_);
  load(row.v(), v_);
  // After a long step, a short one must not make up for all at once: that would be a blow of many times the velocity.
  double& catch_up_s = row.carried()[carried_numbers - 1];
  catch_up_s = std::max(h, catch_up_s - 0.5 * h);
  v_ends_.a = velocity_of_end(u, 0, h, catch_up_s, q_.row(Cable::row_a()));
  v_ends_.b.setZero();
  if (setting_.drives_b) v_ends_.b = velocity_of_end(u, 3, h, catch_up_s, q_.row(cable_.row_b()));
  reaction_sum_ = {};
  return nullptr;
}

const char* CableKernel::advance(Row& row, double /*tau*/, double h_C, const StepInputs& /*u*/) {
  const Eigen::Index A = Cable::row_a();
  const Eigen::Index B = cable_.row_b();
  const Cable::Ends given{(v_ends_.a - v_.row(A)) / h_C, (v_ends_.b - v_.row(B)) / h_C};
  cable_.forces(q_, Q_);
  cable_.accelerations(Q_, given, acceleration_);
  const Cable::Ends reaction = cable_.reactions(Q_, acceleration_);
  reaction_sum_.a += reaction.a;
  reaction_sum_.b += reaction.b;
  double* received = row.w() + 1;
  const auto book = [&](const Eigen::RowVector3d& force, const Eigen::RowVector3d& mean) {
    for (Eigen::Index i = 0; i < 3; ++i) *received++ += h_C * (force[i] * mean[i]);
  };
  book(reaction.a, 0.5 * (v_.row(A) + v_ends_.a));
  if (setting_.drives_b) book(reaction.b, 0.5 * (v_.row(B) + v_ends_.b));
  v_ += h_C * acceleration_;
  // Exactly: what is left of a rounded Δv/h_C·h_C would be a small impulse in each step.
  v_.row(A) = v_ends_.a;
  v_.row(B) = v_ends_.b;
  store(q_, row.q_before());
  q_ += h_C * v_;
  return nullptr;
}

const char* CableKernel::end(Row& row, double n, double internal) {
  if (!q_.allFinite() || !v_.allFinite())
    return "the motion of the cable is not finite: it was stretched beyond the stability of its steps";
  store(q_, row.q());
  store(v_, row.v());
  row.h_last() = internal;
  store(Cable::Ends{reaction_sum_.a / n, reaction_sum_.b / n}, row.carried());
  return nullptr;
}

void CableKernel::outputs(const double* /*u*/, const Row& row, double* y) const {
  for (std::size_t i = 0; i < 6; ++i) *y++ = -row.carried()[i];
  load(row.q(), q_);
  for (Eigen::Index node = 0; node < cable_.rows(); node += 2) {
    for (Eigen::Index i = 0; i < 3; ++i) *y++ = q_(node, i);
  }
}

/// No output depends on an input.
void CableKernel::output_jacobian(const double* /*u*/, const Row& /*row*/, double* jacobian) const {
  const auto outputs = static_cast<std::size_t>(6 + 3 * (setting_.cable.elements + 1));
  std::fill_n(jacobian, outputs * sizes_.inputs(), 0.0);
}

bool CableKernel::acceleration(const double* /*u*/, const Row& row, double* a) const {
  load(row.q(), q_);
  cable_.forces(q_, Q_);
  cable_.accelerations(Q_, {}, acceleration_);
  store(acceleration_, a);
  return true;
}

double CableKernel::stored_J(const double* /*u*/, const double* q, const double* v) const {
  load(q, q_);
  return kinetic_J(q, v) + cable_.potential_energy_J(q_);
}

double CableKernel::kinetic_J(const double* /*q*/, const double* v) const {
  load(v, v_);
  return cable_.kinetic_energy_J(v_);
}

Momentum CableKernel::momentum(const double* /*q*/, const double* v) const {
  load(v, v_);
  return cable_.momentum(v_);
}

}  // namespace ergon
