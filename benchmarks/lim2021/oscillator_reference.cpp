#include "benchmarks/lim2021/oscillator_reference.hpp"

#include <cmath>

#include "benchmarks/reference/linear_solution.hpp"

namespace ergon::bench {

double TwoMassOscillator::energy_J(const std::array<double, 4>& z) const {
  const auto [x1, x2, v1, v2] = z;
  return 0.5 * (m1 * v1 * v1 + m2 * v2 * v2 + k1 * x1 * x1 + k2 * x2 * x2 + kc * (x1 - x2) * (x1 - x2));
}

std::array<double, 16> TwoMassOscillator::matrix() const {
  return {0.0,
          0.0,
          1.0,
          0.0,  //
          0.0,
          0.0,
          0.0,
          1.0,  //
          -(k1 + kc) / m1,
          kc / m1,
          -(c1 + cc) / m1,
          cc / m1,  //
          kc / m2,
          -(k2 + kc) / m2,
          cc / m2,
          -(c2 + cc) / m2};
}

std::vector<std::array<double, 4>> TwoMassOscillator::sample_solution(double duration_s,
                                                                      double step_s) const {
  const auto a = matrix();
  const numerics::LinearSolution solution(a, z0);
  std::vector<std::array<double, 4>> samples(static_cast<std::size_t>(std::lround(duration_s / step_s)) + 1);
  for (std::size_t i = 0; i < samples.size(); ++i) solution.at(static_cast<double>(i) * step_s, samples[i]);
  return samples;
}

}  // namespace ergon::bench
