#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>

#include "ergon/core/capabilities.hpp"
#include "ergon/models/cable/ancf_element.hpp"

namespace ergon {

struct CableParameters {
  double length_m = 1.0;  ///< relaxed
  double radius_m = 0.01;
  double density_kg_m3 = 1000.0;
  double youngs_modulus_Pa = 1e6;
  Eigen::Vector3d gravity_m_s2 = Eigen::Vector3d::Zero();
  Eigen::Index elements = 5;
};

/// A cable of circular section, made of ANCF elements, whose two ends A and B follow given paths; their slopes are free.
/// Coordinates: one row per position or slope, r₀, r₀′, r₁, r₁′, … from A to B.
///   M q̈ = Q(q) + reactions at r_A and r_B,   Q = weight − ∂W/∂q
class Cable {
 public:
  using Nodes = Eigen::Matrix<double, Eigen::Dynamic, 3>;
  /// Accelerations of the ends (given), and the forces on the ends that they take.
  struct Ends {
    Eigen::RowVector3d a = Eigen::RowVector3d::Zero();
    Eigen::RowVector3d b = Eigen::RowVector3d::Zero();
  };

  explicit Cable(const CableParameters& parameters);

  [[nodiscard]] Eigen::Index rows() const { return 2 * (p_.elements + 1); }
  [[nodiscard]] static Eigen::Index row_a() { return 0; }
  [[nodiscard]] Eigen::Index row_b() const { return 2 * p_.elements; }
  /// Straight from A to B, evenly stretched.
  [[nodiscard]] Nodes straight(const Eigen::Vector3d& a, const Eigen::Vector3d& b) const;

  /// Q(q)
  void forces(const Nodes& q, Nodes& Q) const;
  /// M_ff q̈_f = Q_f − M_fA q̈_A − M_fB q̈_B for the free rows; those of the ends are set as given.
  void accelerations(const Nodes& Q, const Ends& given, Nodes& a) const;
  /// M_Af q̈_f + M_AA q̈_A − Q_A, and the same at B: what the ends are pulled with.
  [[nodiscard]] Ends reactions(const Nodes& Q, const Nodes& a) const;

  [[nodiscard]] double kinetic_energy_J(const Nodes& v) const;
  [[nodiscard]] Momentum momentum(const Nodes& v) const;
  /// Strain energy, and that of the weight, which is 0 at the origin of the world.
  [[nodiscard]] double potential_energy_J(const Nodes& q) const;
  [[nodiscard]] double strain_energy_J(const Nodes& q) const;

  /// Highest natural frequency of the straight, relaxed cable: an explicit integrator needs h·ω < 2, and less where the cable
  /// is stretched.
  [[nodiscard]] double highest_frequency_rad_s() const { return highest_frequency_rad_s_; }

 private:
  void find_highest_frequency(const Eigen::Matrix4d& element_mass);

  CableParameters p_;
  AncfElement element_;
  Eigen::SparseMatrix<double> mass_;  ///< of one component, all rows
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>, Eigen::Lower, Eigen::NaturalOrdering<int>> free_mass_;
  Eigen::VectorXd column_a_, column_b_;  ///< M_fA, M_fB
  Eigen::VectorXd weights_;              ///< ∫ρA S dx per row
  double highest_frequency_rad_s_ = 0.0;
  mutable Nodes free_;
};

}  // namespace ergon
