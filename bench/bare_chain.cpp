#include "bare_chain.hpp"

#include <chrono>
#include <vector>

namespace ergon::bench {
namespace {

struct Mass {
  double m = 1.0, k = 10.0, c = 0.1, kc = 100.0, cc = 0.1;
  double x = 0.0, v = 0.0;
  double xi = 0.0, xi_dot = 0.0;  // position and velocity of the right neighbour
  double force_in = 0.0;          // from the left neighbour
  double force = 0.0;             // on the right neighbour
  double last_xi = 0.0, x_before = 0.0;
  double dissipated = 0.0, received_spring = 0.0, received_damper = 0.0, received_force = 0.0;

  void step(double h) {
    // The far end has jumped: half of it before the last motion, half after.
    for (const double at : {x_before, x}) {
      const double old_stretch = at - last_xi;
      const double new_stretch = at - xi;
      received_spring += 0.5 * (0.5 * kc * new_stretch * new_stretch - 0.5 * kc * old_stretch * old_stretch);
    }
    const double stretch = x - xi;
    const double coupling = kc * stretch + cc * (v - xi_dot);
    const double a = (-k * x - c * v - coupling + force_in) / m;
    const double v_mean = v + 0.5 * h * a;
    v += h * a;
    x_before = x;
    x += h * v;
    const double slip = v - xi_dot;
    dissipated += h * (c * v * v + cc * slip * slip);
    received_damper += h * (-cc * slip * xi_dot);
    received_force += h * (force_in * v_mean);
    last_xi = xi;
    force = kc * (x - xi) + cc * (v - xi_dot);
  }
};

}  // namespace

double run_bare_chain(std::size_t masses, long steps, double h, double& seconds) {
  std::vector<Mass> chain(masses);
  for (std::size_t i = 0; i < masses; ++i) chain[i].v = i % 2 == 0 ? 1.0 : -1.0;
  const auto exchange = [&] {
    for (std::size_t i = 0; i + 1 < masses; ++i) {
      chain[i].xi = chain[i + 1].x;
      chain[i].xi_dot = chain[i + 1].v;
      chain[i + 1].force_in = chain[i].force;
    }
  };
  exchange();
  for (Mass& mass : chain) {
    mass.last_xi = mass.xi;
    mass.x_before = mass.x;
    mass.force = mass.kc * (mass.x - mass.xi) + mass.cc * (mass.v - mass.xi_dot);
  }
  exchange();
  const auto begin = std::chrono::steady_clock::now();
  for (long s = 0; s < steps; ++s) {
    for (Mass& mass : chain) mass.step(h);
    exchange();
  }
  seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return chain.back().x;
}

}  // namespace ergon::bench
