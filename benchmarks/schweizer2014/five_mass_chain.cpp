#include "benchmarks/schweizer2014/five_mass_chain.hpp"

#include <vector>

namespace ergon::bench {
namespace {

constexpr std::size_t chain_masses = five_masses;
constexpr double chain_stiffness_N_m = 1000.0;
constexpr double chain_damping_Ns_m = 10.0;

}  // namespace

numerics::LinearSolution five_mass_chain() {
  constexpr std::size_t n = 2 * chain_masses;
  std::vector<double> a(n * n, 0.0);
  std::vector<double> z0(n, 0.0);
  for (std::size_t i = 0; i < chain_masses; ++i) {
    a[i * n + chain_masses + i] = 1.0;
    z0[chain_masses + i] = i % 2 == 0 ? 100.0 : -100.0;
    const double mass_kg = static_cast<double>(i + 1);
    const auto couple = [&](std::size_t other, double sign) {
      a[(chain_masses + i) * n + other] += sign * chain_stiffness_N_m / mass_kg;
      a[(chain_masses + i) * n + chain_masses + other] += sign * chain_damping_Ns_m / mass_kg;
    };
    couple(i, -1.0);  // spring to the left: to the wall for the first
    if (i > 0) couple(i - 1, 1.0);
    if (i + 1 < chain_masses) {
      couple(i, -1.0);
      couple(i + 1, 1.0);
    }
  }
  return {a, z0};
}

}  // namespace ergon::bench
