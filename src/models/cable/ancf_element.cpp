#include "ergon/models/cable/ancf_element.hpp"

#include <Eigen/Geometry>

namespace ergon {
namespace {

using Row = Eigen::RowVector3d;

/// S′(ξ) and S″(ξ), ξ = x/L                                                                 [gonzalez2019, (A.5)]
Eigen::RowVector4d slopes(double xi, double L) {
  return {(-6.0 * xi + 6.0 * xi * xi) / L, 1.0 - 4.0 * xi + 3.0 * xi * xi, (6.0 * xi - 6.0 * xi * xi) / L,
          -2.0 * xi + 3.0 * xi * xi};
}
Eigen::RowVector4d curvatures(double xi, double L) {
  return {(-6.0 + 12.0 * xi) / (L * L), (-4.0 + 6.0 * xi) / L, (6.0 - 12.0 * xi) / (L * L),
          (-2.0 + 6.0 * xi) / L};
}

/// Abscissae in [−1, 1] and weights of Gauss's quadrature.
struct GaussPoint {
  double x;
  double weight;
};
constexpr std::array<GaussPoint, 3> gauss3 = {{{-0.774596669241483377035853079956, 5.0 / 9.0},
                                               {0.0, 8.0 / 9.0},
                                               {0.774596669241483377035853079956, 5.0 / 9.0}}};
constexpr std::array<GaussPoint, 5> gauss5 = {
    {{-0.906179845938663992797626878299, 0.236926885056189087514264040720},
     {-0.538469310105683091036314420700, 0.478628670499366468041291514836},
     {0.0, 0.568888888888888888888888888889},
     {0.538469310105683091036314420700, 0.478628670499366468041291514836},
     {0.906179845938663992797626878299, 0.236926885056189087514264040720}}};

template <typename Points, typename Gauss>
void place(const Gauss& gauss, double L, double stiffness, Points& points) {
  for (std::size_t i = 0; i < gauss.size(); ++i) {
    const double xi = 0.5 * (1.0 + gauss[i].x);
    points[i].slope = slopes(xi, L);
    points[i].curvature = curvatures(xi, L);
    points[i].weight = 0.5 * L * gauss[i].weight * stiffness;
  }
}

}  // namespace

AncfElement::AncfElement(double length_m, double axial_stiffness_N, double bending_stiffness_Nm2) {
  place(gauss5, length_m, axial_stiffness_N, axial_);
  place(gauss3, length_m, bending_stiffness_Nm2, bending_);
}

double AncfElement::strain_energy_J(const Coordinates& e) const {
  double energy = 0.0;
  for (const Point& p : axial_) {
    const Row t = p.slope * e;
    const double strain = 0.5 * (t.squaredNorm() - 1.0);
    energy += 0.5 * p.weight * strain * strain;
  }
  for (const Point& p : bending_) {
    const Row t = p.slope * e;
    const Row b = p.curvature * e;
    const double g = t.squaredNorm();
    energy += 0.5 * p.weight * t.cross(b).squaredNorm() / (g * g * g);
  }
  return energy;
}

void AncfElement::subtract_strain_forces(const Coordinates& e, Coordinates& forces) const {
  for (const Point& p : axial_) {
    const Row t = p.slope * e;
    const double tension = p.weight * 0.5 * (t.squaredNorm() - 1.0);
    forces.noalias() -= p.slope.transpose() * (tension * t);
  }
  // κ² = c·c/g³ with c = t × b, g = t·t:  ½∂κ²/∂t = (b × c)/g³ − 3 (c·c) t/g⁴,  ½∂κ²/∂b = (c × t)/g³
  for (const Point& p : bending_) {
    const Row t = p.slope * e;
    const Row b = p.curvature * e;
    const Row c = t.cross(b);
    const double g = t.squaredNorm();
    const double factor = p.weight / (g * g * g);
    const Row by_slope = factor * (b.cross(c) - 3.0 * c.squaredNorm() / g * t);
    const Row by_curvature = factor * c.cross(t);
    forces.noalias() -= p.slope.transpose() * by_slope;
    forces.noalias() -= p.curvature.transpose() * by_curvature;
  }
}

Eigen::Matrix4d AncfElement::mass_per_density(double length_m) {
  const double L = length_m;
  Eigen::Matrix4d M;
  M << 13.0 / 35.0, 11.0 * L / 210.0, 9.0 / 70.0, -13.0 * L / 420.0,      //
      11.0 * L / 210.0, L * L / 105.0, 13.0 * L / 420.0, -L * L / 140.0,  //
      9.0 / 70.0, 13.0 * L / 420.0, 13.0 / 35.0, -11.0 * L / 210.0,       //
      -13.0 * L / 420.0, -L * L / 140.0, -11.0 * L / 210.0, L * L / 105.0;
  return L * M;
}

Eigen::Vector4d AncfElement::load_per_length(double length_m) {
  return {length_m / 2.0, length_m * length_m / 12.0, length_m / 2.0, -length_m * length_m / 12.0};
}

Eigen::Matrix4d AncfElement::stiffness_along() const {
  Eigen::Matrix4d K = Eigen::Matrix4d::Zero();
  for (const Point& p : axial_) K += p.weight * p.slope.transpose() * p.slope;
  return K;
}

Eigen::Matrix4d AncfElement::stiffness_across() const {
  Eigen::Matrix4d K = Eigen::Matrix4d::Zero();
  for (const Point& p : bending_) K += p.weight * p.curvature.transpose() * p.curvature;
  return K;
}

}  // namespace ergon
