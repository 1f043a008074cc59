#include "ergon/verdict/principal_axis.hpp"

#include <algorithm>
#include <cmath>

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

void PrincipalAxis::Fit::observe(const std::array<double, unknowns>& row, double value) {
  for (std::size_t i = 0; i < unknowns; ++i) {
    for (std::size_t j = 0; j < unknowns; ++j) normal[i * unknowns + j] += row[i] * row[j];
    right[i] += row[i] * value;
  }
  square += value * value;
}

/// All sets of mass, damper and spring that may be zero are tried: there are eight.
PrincipalAxis::Side PrincipalAxis::Fit::solve() const {
  Side side;
  side.square = side.rest = square;
  for (unsigned used = 8; used < 16; ++used) {
    std::array<double, unknowns> x{};
    if (!solve_for<unknowns>(normal, right, used, x)) continue;
    if (std::any_of(x.begin(), x.begin() + 3, [](double value) { return value < 0.0; })) continue;
    double left = square;
    for (std::size_t i = 0; i < unknowns; ++i) {
      left -= 2.0 * x[i] * right[i];
      for (std::size_t j = 0; j < unknowns; ++j) left += x[i] * normal[i * unknowns + j] * x[j];
    }
    if (left >= side.rest) continue;
    side.rest = std::max(left, 0.0);
    side.figures = x;
  }
  return side;
}

void PrincipalAxis::observe(const Sample& sample, double H_s, std::size_t window) {
  Instant now;
  now.at = sample;
  now.H_s = H_s;
  // g = k_c x₁ + c_c v₁, a line over the step. With a damper that is an equation for x₁ that forgets its start.
  now.g = sample.e + stiffness_ * sample.xi_used + damping_ * sample.f_used;
  // Where it forgets within a step or two it tells v₁ half a step late: differences serve there.
  constexpr double most_decay = 0.5;
  const bool integrated = damping_ > 0.0 && stiffness_ * H_s < most_decay * damping_;
  now.x1 = now.g / stiffness_;
  now.v1 = sample.f;
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
  observe_step(last_[2], last_[1], window);
}

/// v₁ = ġ/k_c − (c_c/k_c) g̈/k_c + … of the point before the newest.
void PrincipalAxis::differentiate() {
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

void PrincipalAxis::observe_step(const Instant& a, const Instant& b, std::size_t window) {
  const double H_s = b.H_s;
  const Sample& from = a.at;
  const Sample& to = b.at;
  const auto right_effort = [&](const Instant& i) {
    return stiffness_ * (i.x1 - i.at.xi) + damping_ * (i.v1 - i.at.f);
  };
  const double ea = right_effort(a);
  const double eb = right_effort(b);
  // What was applied goes from the newest sample at the start to what it was at the end. Who samples at the start of its steps
  // never looked there: its last sample is carried on by one of them.
  const double e_end = to.e_applied + steps_.flow_source * (to.e - from.e);
  const double xi_end = to.xi_applied + steps_.effort_source * (to.xi - from.xi);
  const double f_end = to.f_applied + steps_.effort_source * (to.f - from.f);
  Cell& cell = windows_[window];
  cell.time_s += H_s;
  cell.created_J += product(from.e - ea, e_end - eb, from.f, to.f, H_s) +
                    product(0.0, stiffness_ * (xi_end - to.xi) + damping_ * (f_end - to.f), a.v1, b.v1, H_s);
  cell.f2 += product(from.f, to.f, from.f, to.f, H_s);
  cell.v2 += product(a.v1, b.v1, a.v1, b.v1, H_s);
  cell.rate2 += product(a.v1 - from.f, b.v1 - to.f, a.v1 - from.f, b.v1 - to.f, H_s);
  cell.xi = to.xi;
  cell.f = to.f;
  cell.e = eb;
  cell.lag_s = 0.5 * steps_.flow_source * H_s;
  cell.x1 = b.x1;
  cell.v1 = b.v1;
  const auto felt_by_flow_source = [&](double start, double end) {
    return 0.5 * H_s * ((1.0 + steps_.flow_source) * start + (1.0 - steps_.flow_source) * end);
  };
  flow_source_.observe(
      {to.f - from.f, steps_.flow_source > 0.0 ? felt_by_flow_source(from.f, to.f) : to.xi - from.xi,
       felt_by_flow_source(from.xi, to.xi), H_s},
      0.5 * H_s * (from.e + to.e_applied));
  // Velocities of this end are differences about the points, as its forces are.
  const double felt =
      0.5 * H_s * (stiffness_ * (a.x1 - from.xi + b.x1 - xi_end) + damping_ * (a.v1 - from.f + b.v1 - f_end));
  effort_source_.observe({b.v1 - a.v1, b.x1 - a.x1, 0.5 * H_s * (a.x1 + b.x1), H_s}, -felt);
}

PrincipalAxis::Side PrincipalAxis::flow_source() const {
  return flow_source_.solve();
}
PrincipalAxis::Side PrincipalAxis::effort_source() const {
  return effort_source_.solve();
}

PrincipalAxis::Energies PrincipalAxis::energies(std::size_t window, const Side& flow_source,
                                                const Side& effort_source) const {
  const Cell& c = windows_[window];
  const auto& [m2, c2, k2, e2] = flow_source.figures;
  const auto& [m1, c1, k1, e1] = effort_source.figures;
  Energies energies;
  energies.known = c.time_s > 0.0;
  // The velocity of who samples at the start of its steps is late by half of one.
  const double f = m2 > 0.0 ? c.f + c.lag_s * (c.e + e2 - k2 * c.xi - c2 * c.f) / m2 : c.f;
  energies.kinetic_J = 0.5 * (m2 * f * f + m1 * c.v1 * c.v1);
  energies.potential_J = 0.5 * k2 * c.xi * c.xi - e2 * c.xi + 0.5 * k1 * c.x1 * c.x1 - e1 * c.x1 +
                         0.5 * stiffness_ * (c.x1 - c.xi) * (c.x1 - c.xi);
  energies.lost_J = c2 * c.f2 + c1 * c.v2 + damping_ * c.rate2;
  energies.created_J = c.created_J;
  return energies;
}

void PrincipalAxis::archive(Archive& archive) {
  archive(last_);
  archive(known_);
  archive(elapsed_s_);
  archive(flow_source_);
  archive(effort_source_);
  archive(windows_);
}

}  // namespace ergon
