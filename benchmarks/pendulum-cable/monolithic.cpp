#include "benchmarks/pendulum-cable/monolithic.hpp"

#include <algorithm>
#include <cmath>

#include "ergon/numerics/first_order.hpp"

namespace ergon::bench {
namespace {

using Triple = Eigen::RowVector3d;
using ConstNodes = Eigen::Map<const Cable::Nodes>;
using Nodes = Eigen::Map<Cable::Nodes>;

constexpr double rod_length_m = 5.0;
constexpr double rod_width_m = 0.1;
constexpr double rod_mass_kg = 2700.0 * rod_length_m * rod_width_m * rod_width_m;
constexpr double start_angle_rad = M_PI / 6.0;
const Eigen::Vector3d gravity_m_s2(0.0, -9.81, 0.0);

CableParameters published_cable() {
  CableParameters p;
  p.length_m = 8.0;
  p.radius_m = 0.02;
  p.density_kg_m3 = 7200.0;
  p.youngs_modulus_Pa = 2e7;
  p.gravity_m_s2 = gravity_m_s2;
  p.elements = 5;
  return p;
}

}  // namespace

MonolithicPendulumCable::MonolithicPendulumCable() : cable_(published_cable()) {
  effective_mass_kg_ =
      rod_mass_kg * (1.0 / 3.0 + rod_width_m * rod_width_m / (12.0 * rod_length_m * rod_length_m));
  Q_ = a_ = Cable::Nodes::Zero(cable_.rows(), 3);
  // Without forces the reaction to an acceleration of 1 along x.
  cable_.accelerations(Q_, {Triple(1.0, 0.0, 0.0)}, a_);
  cable_mass_at_A_kg_ = cable_.reactions(Q_, a_).a[0];
}

void MonolithicPendulumCable::rates(const double* z, double* z_dot) {
  const Eigen::Index n = cable_.rows();
  const ConstNodes q(z, n, 3), v(z + 3 * n, n, 3);
  cable_.forces(q, Q_);
  cable_.accelerations(Q_, {}, a_);
  const Triple A = q.row(Cable::row_a());
  const double mass = effective_mass_kg_ + cable_mass_at_A_kg_;
  const Triple free = (0.5 * rod_mass_kg * gravity_m_s2.transpose() - cable_.reactions(Q_, a_).a) / mass;
  const double multiplier = (A.dot(free) + v.row(Cable::row_a()).squaredNorm()) / A.squaredNorm();
  cable_.accelerations(Q_, {Triple(free - multiplier * A)}, a_);
  Nodes(z_dot, n, 3) = v;
  Nodes(z_dot + 3 * n, n, 3) = a_;
}

double MonolithicPendulumCable::energy_J(const double* z) const {
  const Eigen::Index n = cable_.rows();
  const Cable::Nodes q = ConstNodes(z, n, 3), v = ConstNodes(z + 3 * n, n, 3);
  return cable_.kinetic_energy_J(v) + cable_.potential_energy_J(q) +
         0.5 * effective_mass_kg_ * v.row(Cable::row_a()).squaredNorm() -
         0.5 * rod_mass_kg * q.row(Cable::row_a()).dot(gravity_m_s2);
}

std::vector<std::array<double, 3>> MonolithicPendulumCable::motion_of_A(double duration_s, double interval_s,
                                                                        double step_s) {
  const Eigen::Index n = cable_.rows();
  const auto size = static_cast<std::size_t>(6 * n);
  std::vector<double> z(size, 0.0), scratch(numerics::first_order_scratch_size(size));
  const Eigen::Vector3d A(rod_length_m * std::cos(start_angle_rad), 0.0,
                          rod_length_m * std::sin(start_angle_rad));
  Nodes(z.data(), n, 3) = cable_.straight(A, A + Eigen::Vector3d(8.0, 0.0, 0.0));
  const double start_J = energy_J(z.data());
  const auto position = [&] {
    const ConstNodes q(z.data(), n, 3);
    return std::array<double, 3>{q(0, 0), q(0, 1), q(0, 2)};
  };
  std::vector<std::array<double, 3>> motion = {position()};
  const long points = std::lround(duration_s / interval_s);
  const long substeps = std::max(1L, std::lround(interval_s / step_s));
  for (long i = 0; i < points; ++i) {
    for (long k = 0; k < substeps; ++k) {
      numerics::rk4_step([&](double /*t*/, const double* x, double* x_dot) { rates(x, x_dot); }, size, 0.0,
                         interval_s / static_cast<double>(substeps), z.data(), scratch);
    }
    max_energy_error_J_ = std::max(max_energy_error_J_, std::abs(energy_J(z.data()) - start_J));
    motion.push_back(position());
  }
  return motion;
}

}  // namespace ergon::bench
