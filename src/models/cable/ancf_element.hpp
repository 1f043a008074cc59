#pragma once

#include <Eigen/Core>
#include <array>

namespace ergon {

/// A gradient-deficient cable element of the absolute nodal coordinate formulation [gonzalez2019, Appendix A; gerstmayr2006].
/// Its centre line is a cubic in the material coordinate x, 0 ≤ x ≤ L, given by the positions r₁, r₂ and the slopes
/// r₁′, r₂′ = ∂r/∂x of its two nodes:
///   r(x) = S₁ r₁ + S₂ r₁′ + S₃ r₂ + S₄ r₂′                                                            (A.4), (A.5)
/// It is stretched and bent, never twisted or sheared:
///   W = ½ ∫ EA ε² dx + ½ ∫ EI κ² dx,   ε = ½(r′·r′ − 1),   κ = |r′ × r″|/|r′|³                         (A.8)–(A.10)
/// The first integral by five Gauss points, which are exact, the second by three. Forces are the derivatives of these sums,
/// so that they have a potential whatever the quadrature leaves out.
class AncfElement {
 public:
  /// Rows: r₁, r₁′, r₂, r₂′.
  using Coordinates = Eigen::Matrix<double, 4, 3>;

  AncfElement(double length_m, double axial_stiffness_N, double bending_stiffness_Nm2);

  /// W at the coordinates.
  [[nodiscard]] double strain_energy_J(const Coordinates& e) const;
  /// forces −= ∂W/∂e                                                                                 (A.11), (A.12)
  void subtract_strain_forces(const Coordinates& e, Coordinates& forces) const;

  /// Consistent mass matrix of one component, per mass per length                                            (A.7)
  [[nodiscard]] static Eigen::Matrix4d mass_per_density(double length_m);
  /// ∫ S dx: how a load per length acts on the coordinates                                                  (A.13)
  [[nodiscard]] static Eigen::Vector4d load_per_length(double length_m);
  /// ∫ EA S′ᵀS′ dx and ∫ EI S″ᵀS″ dx: stiffness of the straight, relaxed element along and across itself.
  [[nodiscard]] Eigen::Matrix4d stiffness_along() const;
  [[nodiscard]] Eigen::Matrix4d stiffness_across() const;

 private:
  static constexpr std::size_t axial_points = 5;
  static constexpr std::size_t bending_points = 3;
  /// S′ and S″ at a Gauss point, and its weight times the stiffness.
  struct Point {
    Eigen::RowVector4d slope;
    Eigen::RowVector4d curvature;
    double weight = 0.0;
  };
  std::array<Point, axial_points> axial_;
  std::array<Point, bending_points> bending_;
};

}  // namespace ergon
