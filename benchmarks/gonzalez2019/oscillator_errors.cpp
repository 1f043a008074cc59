#include "benchmarks/gonzalez2019/oscillator_errors.hpp"

#include <algorithm>
#include <cmath>

namespace ergon::bench {

double synchronised_energy_J(const TwoMassOscillator& problem, const std::array<double, 4>& z, double H1_s,
                             double H2_s) {
  const TwoMassOscillator& p = problem;
  auto [x1, x2, v1, v2] = z;
  const double force = p.kc * (x1 - x2) + p.cc * (v1 - v2);
  const double a1 = (-p.k1 * x1 - p.c1 * v1 - force) / p.m1;
  const double a2 = (-p.k2 * x2 - p.c2 * v2 + force) / p.m2;
  return p.energy_J({x1, x2, v1 + 0.5 * H1_s * a1, v2 + 0.5 * H2_s * a2});
}

OscillatorErrors::OscillatorErrors(const TwoMassOscillator& problem, double H1_s, double H2_s,
                                   const std::vector<std::array<double, 4>>& exact)
    : problem_(problem),
      H1_s_(H1_s),
      H2_s_(H2_s),
      exact_(exact),
      points_per_output_(static_cast<std::size_t>(std::lround(output_step_s / H1_s))),
      initial_J_(problem.energy_J(problem.z0)) {}

void OscillatorErrors::add(std::size_t j, const std::array<double, 4>& z, double reported_balance_J,
                           double dissipated_J) {
  if (j == 0) return;
  if (j % points_per_output_ == 0) reported_J_ = std::max(reported_J_, std::abs(reported_balance_J));
  const double balance = synchronised_energy_J(problem_, z, H1_s_, H2_s_) + dissipated_J - initial_J_;
  true_J_ = std::max(true_J_, std::abs(balance));
  const double x1 = z[0] - exact_[j][0];
  const double x2 = z[1] - exact_[j][1];
  square_x1_ += x1 * x1;
  square_x2_ += x2 * x2;
  max_x1_ = std::max(max_x1_, std::abs(x1));
  max_x2_ = std::max(max_x2_, std::abs(x2));
  ++points_;
}

double OscillatorErrors::rms_x1_m() const {
  return std::sqrt(square_x1_ / static_cast<double>(std::max<std::size_t>(points_, 1)));
}

double OscillatorErrors::rms_x2_m() const {
  return std::sqrt(square_x2_ / static_cast<double>(std::max<std::size_t>(points_, 1)));
}

}  // namespace ergon::bench
