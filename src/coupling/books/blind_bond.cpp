#include "ergon/coupling/books/blind_bond.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ergon {
namespace {

/// ∫ a·b over a step H for lines from a₀ to a₁ and b₀ to b₁.
double product(double a0, double a1, double b0, double b1, double H_s) {
  return H_s / 6.0 * (2.0 * a0 * b0 + a0 * b1 + a1 * b0 + 2.0 * a1 * b1);
}

/// Solves the normal equations for the unknowns in `used`, the others being 0; false where they are singular.
template <std::size_t n>
bool solve_for(const std::array<double, n * n>& normal, const std::array<double, n>& right, unsigned used,
               std::array<double, n>& x) {
  std::array<double, n*(n + 1)> a{};
  std::array<std::size_t, n> which{};
  std::size_t size = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if ((used >> i & 1U) != 0) which[size++] = i;
  }
  // Rows and columns scaled to a unit diagonal: their units differ.
  std::array<double, n> scale{};
  for (std::size_t i = 0; i < size; ++i) {
    const double diagonal = normal[which[i] * n + which[i]];
    if (!(diagonal > 0.0)) return false;
    scale[i] = 1.0 / std::sqrt(diagonal);
  }
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j)
      a[i * (n + 1) + j] = normal[which[i] * n + which[j]] * scale[i] * scale[j];
    a[i * (n + 1) + n] = right[which[i]] * scale[i];
  }
  constexpr double singular = 1e-11;
  for (std::size_t k = 0; k < size; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < size; ++i) {
      if (std::abs(a[i * (n + 1) + k]) > std::abs(a[pivot * (n + 1) + k])) pivot = i;
    }
    if (std::abs(a[pivot * (n + 1) + k]) < singular) return false;
    for (std::size_t j = 0; j <= n; ++j) std::swap(a[k * (n + 1) + j], a[pivot * (n + 1) + j]);
    for (std::size_t i = 0; i < size; ++i) {
      if (i == k) continue;
      const double factor = a[i * (n + 1) + k] / a[k * (n + 1) + k];
      for (std::size_t j = k; j <= n; ++j) a[i * (n + 1) + j] -= factor * a[k * (n + 1) + j];
    }
  }
  x.fill(0.0);
  for (std::size_t i = 0; i < size; ++i) x[which[i]] = scale[i] * a[i * (n + 1) + n] / a[i * (n + 1) + i];
  return true;
}

}  // namespace

void BlindBond::Fit::learn(const std::array<double, unknowns>& row, double value) {
  for (std::size_t i = 0; i < unknowns; ++i) {
    for (std::size_t j = 0; j < unknowns; ++j) normal[i * unknowns + j] += row[i] * row[j];
    right[i] += row[i] * value;
  }
  square += value * value;
}

/// All sets of mass, damper and spring that may be zero are tried: there are eight.
std::array<double, BlindBond::Fit::unknowns> BlindBond::Fit::solve(double& rest) const {
  std::array<double, unknowns> best{};
  rest = square;
  for (unsigned used = 8; used < 16; ++used) {
    std::array<double, unknowns> x{};
    if (!solve_for<unknowns>(normal, right, used, x)) continue;
    if (std::any_of(x.begin(), x.begin() + 3, [](double value) { return value < 0.0; })) continue;
    double left = square;
    for (std::size_t i = 0; i < unknowns; ++i) {
      left -= 2.0 * x[i] * right[i];
      for (std::size_t j = 0; j < unknowns; ++j) left += x[i] * normal[i * unknowns + j] * x[j];
    }
    if (left >= rest) continue;
    rest = left;
    best = x;
  }
  rest = square > 0.0 ? std::sqrt(std::max(rest, 0.0) / square) : 1.0;
  return best;
}

std::optional<BlindBond> BlindBond::probed(const CoupledSystem& system, Index index,
                                           const StepRecord& start) {
  const PowerBond& bond = system.bonds[index];
  if (bond.components.size() != 1 || bond.observed_only) return std::nullopt;
  const BondComponent& c = bond.components.front();
  const Node& giver = system.nodes[bond.effort_node];
  if (giver.description->algebraic || !giver.subsystem || c.effort_input_shared ||
      giver.input_lanes.reals != giver.input_count)
    return std::nullopt;
  BlindBond blind;
  blind.effort_output_ = c.effort_output;
  blind.effort_input_ = c.effort_input;
  blind.flow_output_ = c.flow_output;
  blind.displacement_output_ = c.displacement_output;
  if (c.flow_differentiated || !c.displacement_output) return std::nullopt;
  if (c.has_flow_input) blind.flow_input_ = c.flow_input;
  bool has_displacement = false;
  for (const Index input : bond.effort_node_inputs) {
    if (c.has_flow_input && input == c.flow_input) continue;
    blind.displacement_input_ = input;
    has_displacement = true;
  }
  if (!has_displacement) return std::nullopt;
  const auto unit = [&](Index input) {
    const SignalName& name = system.inputs[input];
    return system.nodes[name.node].description->inputs[name.port].unit.to_SI();
  };
  blind.to_SI_ = {bond.scale * c.effort_output_to_SI,
                  bond.scale * c.effort_input_to_SI,
                  c.flow_output_to_SI,
                  c.displacement_output_to_SI,
                  c.has_flow_input ? c.flow_input_to_SI : 1.0,
                  unit(blind.displacement_input_)};

  // Set an input and read the outputs, where that is allowed; else what the subsystem knows of itself.
  std::vector<double> u(giver.input_count);
  for (Index i = 0; i < giver.input_count; ++i) u[i] = start.applied_input(giver.first_input + i);
  const Index output = c.effort_output - giver.first_output;
  const auto gain = [&](Index input) -> std::optional<double> {
    const Index local = input - giver.first_input;
    if (giver.description->reevaluates_outputs) {
      std::vector<double> y(giver.output_count);
      std::vector<double> moved = u;
      const double change = 1e-5 * std::max(1.0, std::abs(u[local]));
      moved[local] = u[local] + change;
      giver.subsystem->outputs(start.time_s(), moved.data(), y.data());
      const double above = y[output];
      moved[local] = u[local] - change;
      giver.subsystem->outputs(start.time_s(), moved.data(), y.data());
      const double below = y[output];
      giver.subsystem->outputs(start.time_s(), u.data(), y.data());
      return (above - below) / (2.0 * change);
    }
    if (const Differentiable* knows = giver.subsystem->differentiable()) {
      std::vector<double> jacobian(giver.output_count * giver.input_count);
      knows->output_jacobian(start.time_s(), u.data(), jacobian.data());
      return jacobian[output * giver.input_count + local];
    }
    return std::nullopt;
  };
  const auto stiffness = gain(blind.displacement_input_);
  if (!stiffness) return std::nullopt;
  blind.stiffness_ = -*stiffness * blind.to_SI_[0] / blind.to_SI_[5];
  if (blind.flow_input_) {
    const auto damping = gain(*blind.flow_input_);
    blind.damping_ = damping ? -*damping * blind.to_SI_[0] / blind.to_SI_[4] : 0.0;
  }
  if (!(blind.stiffness_ > 0.0)) return std::nullopt;
  return blind;
}

BlindBond::Instant BlindBond::read(const StepRecord& record) const {
  Instant now;
  now.e = record.output(effort_output_) * to_SI_[0];
  now.e_applied = record.applied_input(effort_input_) * to_SI_[1];
  now.f = record.output(flow_output_) * to_SI_[2];
  now.xi = record.output(*displacement_output_) * to_SI_[3];
  if (flow_input_) now.f_used = record.applied_input(*flow_input_) * to_SI_[4];
  now.xi_used = record.applied_input(displacement_input_) * to_SI_[5];
  return now;
}

void BlindBond::learn(const StepRecord& record, double H_s, std::size_t window) {
  Instant now = read(record);
  now.H_s = H_s;
  // g = k_c x₁ + c_c v₁, a line over the step. With a damper that is an equation for x₁ that forgets its start.
  now.g = now.e + stiffness_ * now.xi_used + damping_ * now.f_used;
  // Where it forgets within a step or two it tells v₁ half a step late: differences serve there.
  constexpr double most_decay = 0.5;
  const bool integrated = damping_ > 0.0 && stiffness_ * H_s < most_decay * damping_;
  now.x1 = now.g / stiffness_;
  now.v1 = now.f;
  if (integrated && known_ > 0 && H_s > 0.0) {
    const double rate = stiffness_ / damping_;
    const double lag = (now.g - last_[0].g) / (stiffness_ * H_s * rate);
    now.x1 = now.g / stiffness_ - lag + (last_[0].x1 - last_[0].g / stiffness_ + lag) * std::exp(-rate * H_s);
    now.v1 = rate * (now.g / stiffness_ - now.x1);
  }
  last_[2] = last_[1];
  last_[1] = last_[0];
  last_[0] = now;
  ++known_;
  elapsed_s_ += H_s;
  if (known_ < 3) return;
  if (!integrated) differentiate();
  // Until a wrong start is forgotten to five digits.
  constexpr double time_constants = 11.5;
  if (elapsed_s_ * stiffness_ < time_constants * damping_) return;
  learn_step(last_[2], last_[1], window);
}

/// v₁ = ġ/k_c − (c_c/k_c) g̈/k_c + … of the point before the newest.
void BlindBond::differentiate() {
  Instant& middle = last_[1];
  const double span_s = last_[0].H_s + middle.H_s;
  const double before = (middle.g - last_[2].g) / middle.H_s;
  const double after = (last_[0].g - middle.g) / last_[0].H_s;
  const double slope = (before * last_[0].H_s + after * middle.H_s) / span_s;
  const double curvature = 2.0 * (after - before) / span_s;
  middle.v1 = (slope - damping_ / stiffness_ * curvature) / stiffness_;
  middle.x1 = (middle.g - damping_ * middle.v1) / stiffness_;
  if (known_ > 3) return;
  last_[2].v1 = middle.v1;
  last_[2].x1 = (last_[2].g - damping_ * last_[2].v1) / stiffness_;
}

void BlindBond::learn_step(const Instant& a, const Instant& b, std::size_t window) {
  const double H_s = b.H_s;
  const auto right_effort = [&](const Instant& i) {
    return stiffness_ * (i.x1 - i.xi) + damping_ * (i.v1 - i.f);
  };
  const double ea = right_effort(a);
  const double eb = right_effort(b);
  // What was applied goes from the newest sample at the start to what it was at the end.
  const double applied_a = b.e_applied == a.e ? b.e_applied : a.e;
  const double xi_a = a.xi;
  Cell& cell = windows_[window];
  cell.time_s += H_s;
  cell.created_J += product(applied_a - ea, b.e_applied - eb, a.f, b.f, H_s) +
                    stiffness_ * product(xi_a - a.xi, b.xi_used - b.xi, a.v1, b.v1, H_s);
  cell.f2 += product(a.f, b.f, a.f, b.f, H_s);
  cell.v2 += product(a.v1, b.v1, a.v1, b.v1, H_s);
  cell.rate2 += product(a.v1 - a.f, b.v1 - b.f, a.v1 - a.f, b.v1 - b.f, H_s);
  cell.xi = b.xi;
  cell.f = b.f;
  cell.x1 = b.x1;
  cell.v1 = b.v1;
  mover_.learn({b.f - a.f, b.xi - a.xi, 0.5 * H_s * (a.xi + b.xi), H_s},
               0.5 * H_s * (applied_a + b.e_applied));
  const double felt = 0.5 * H_s *
                      (stiffness_ * (a.x1 - xi_a + b.x1 - b.xi_used) +
                       damping_ * (a.v1 - a.f + b.v1 - (flow_input_ ? b.f_used : b.f)));
  giver_.learn({b.v1 - a.v1, b.x1 - a.x1, 0.5 * H_s * (a.x1 + b.x1), H_s}, -felt);
}

BlindBond::Judgement BlindBond::judge() const {
  Judgement judgement;
  double rest_of_mover = 1.0;
  double rest_of_giver = 1.0;
  const auto mover = mover_.solve(rest_of_mover);
  const auto giver = giver_.solve(rest_of_giver);
  judgement.unexplained = std::max(rest_of_mover, rest_of_giver);
  std::size_t used = 0;
  for (std::size_t i = 0; i < windows_.size(); ++i) {
    if (windows_[i].time_s > 0.0) used = i + 1;
  }
  const auto potential = [&](const Cell& c) {
    return 0.5 * mover[2] * c.xi * c.xi - mover[3] * c.xi + 0.5 * giver[2] * c.x1 * c.x1 - giver[3] * c.x1 +
           0.5 * stiffness_ * (c.x1 - c.xi) * (c.x1 - c.xi);
  };
  double lowest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < used; ++i) lowest = std::min(lowest, potential(windows_[i]));
  double spurious = 0.0;
  double all_lost = 0.0;
  const std::size_t few = std::max<std::size_t>(used / 8, 1);
  for (std::size_t i = 0; i < used; ++i) {
    const Cell& cell = windows_[i];
    const double energy =
        0.5 * (mover[0] * cell.f * cell.f + giver[0] * cell.v1 * cell.v1) + potential(cell) - lowest;
    const double lost = mover[1] * cell.f2 + giver[1] * cell.v2 + damping_ * cell.rate2;
    all_lost += lost;
    if (i < few) judgement.drift_J -= (energy + all_lost) / static_cast<double>(few);
    if (i + few >= used) judgement.drift_J += (energy + all_lost) / static_cast<double>(few);
    if (energy > 0.0) spurious *= std::exp(-lost / energy);
    spurious += cell.created_J;
    if (std::abs(spurious) > std::abs(judgement.spurious_J)) judgement.spurious_J = spurious;
    const double honest = energy - spurious;
    if (honest * 1e6 > std::abs(spurious)) judgement.scale_J = std::max(judgement.scale_J, honest);
  }
  return judgement;
}

void BlindBond::archive(Archive& archive) {
  archive(last_);
  archive(known_);
  archive(elapsed_s_);
  archive(mover_);
  archive(giver_);
  archive(windows_);
}

}  // namespace ergon
