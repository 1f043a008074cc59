#include "benchmarks/pendula/coupled_pendula.hpp"

#include <cmath>

#include "ergon/numerics/first_order.hpp"

namespace ergon::bench {
namespace {

constexpr double g_m_s2 = 9.81;
constexpr std::array<double, 2> mass_kg = {1.0, 2.0};
constexpr std::array<double, 2> length_m = {2.5, 3.5};
constexpr std::array<double, 2> pivot_x_m = {0.0, 7.0};
constexpr std::array<double, 4> start = {-M_PI / 4.0, -M_PI / 18.0, 0.0, 0.0};

CoupledPendula::Tips tips_of(const double* z) {
  CoupledPendula::Tips tips{};
  for (std::size_t i = 0; i < 2; ++i) {
    const double c = std::cos(z[i]);
    const double s = std::sin(z[i]);
    tips.position_m[2 * i] = pivot_x_m[i] + length_m[i] * c;
    tips.position_m[2 * i + 1] = length_m[i] * s;
    tips.velocity_m_s[2 * i] = -length_m[i] * s * z[2 + i];
    tips.velocity_m_s[2 * i + 1] = length_m[i] * c * z[2 + i];
  }
  return tips;
}

double distance_m(const CoupledPendula::Tips& tips) {
  return std::hypot(tips.position_m[0] - tips.position_m[2], tips.position_m[1] - tips.position_m[3]);
}

double relaxed_length_m() {
  return distance_m(tips_of(start.data()));
}

}  // namespace

double CoupledPendula::energy_J(const Tips& tips) const {
  const double stretch = distance_m(tips) - relaxed_length_m();
  double energy = 0.5 * stiffness_N_m * stretch * stretch;
  for (std::size_t i = 0; i < 2; ++i) {
    const double vx = tips.velocity_m_s[2 * i];
    const double vy = tips.velocity_m_s[2 * i + 1];
    energy += mass_kg[i] * (0.5 * (vx * vx + vy * vy) + g_m_s2 * (length_m[i] + tips.position_m[2 * i + 1]));
  }
  return energy;
}

std::vector<CoupledPendula::Tips> CoupledPendula::motion() const {
  const double relaxed = relaxed_length_m();
  const auto rates = [&](double /*t*/, const double* z, double* z_dot) {
    const Tips tips = tips_of(z);
    const double s = distance_m(tips);
    const double force = stiffness_N_m * (s - relaxed);
    const double ex = (tips.position_m[0] - tips.position_m[2]) / s;  // from tip 2 to tip 1
    const double ey = (tips.position_m[1] - tips.position_m[3]) / s;
    for (std::size_t i = 0; i < 2; ++i) {
      const double sign = i == 0 ? -1.0 : 1.0;
      const double fx = sign * force * ex;
      const double fy = sign * force * ey - mass_kg[i] * g_m_s2;
      z_dot[i] = z[2 + i];
      z_dot[2 + i] = (-std::sin(z[i]) * fx + std::cos(z[i]) * fy) / (mass_kg[i] * length_m[i]);
    }
  };
  std::array<double, 4> z = start;
  std::array<double, numerics::first_order_scratch_size(4)> scratch{};
  std::vector<Tips> all = {tips_of(z.data())};
  constexpr int substeps = 10;
  const long points = std::lround(duration_s / step_s);
  for (long j = 0; j < points; ++j) {
    for (int i = 0; i < substeps; ++i)
      numerics::rk4_step(rates, 4, 0.0, step_s / substeps, z.data(), scratch);
    all.push_back(tips_of(z.data()));
  }
  return all;
}

}  // namespace ergon::bench
