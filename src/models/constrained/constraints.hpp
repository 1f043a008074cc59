#pragma once

#include <Eigen/Core>
#include <vector>

namespace ergon {

/// A vector of a system in natural coordinates: a point or a direction that moves with q, or one that stays.
class VectorOf {
 public:
  /// q[first], q[first + 1], …
  static VectorOf coordinates(Eigen::Index first) { return VectorOf(first, Eigen::Vector3d::Zero()); }
  static VectorOf fixed(const Eigen::Vector3d& value) { return VectorOf(-1, value); }

  [[nodiscard]] bool moves() const { return first_ >= 0; }
  [[nodiscard]] Eigen::Index first() const { return first_; }
  [[nodiscard]] double at(const Eigen::VectorXd& q, Eigen::Index i) const {
    return moves() ? q[first_ + i] : value_[i];
  }
  [[nodiscard]] double rate(const Eigen::VectorXd& v, Eigen::Index i) const {
    return moves() ? v[first_ + i] : 0.0;
  }

 private:
  VectorOf(Eigen::Index first, const Eigen::Vector3d& value) : first_(first), value_(value) {}
  Eigen::Index first_;
  Eigen::Vector3d value_;
};

/// From one point to another; a direction that is a coordinate vector itself starts at 0.
struct Arrow {
  VectorOf to;
  VectorOf from = VectorOf::fixed(Eigen::Vector3d::Zero());
};

/// The kinematic constraints Φ(q) = 0 of natural coordinates [garcia1994]. Each is at most of second degree in q, so that its
/// Jacobian Φ_q is linear in q and its second derivative constant:
///   constant length   ½(a·a − l²)        unit vector   ½(u·u − 1)
///   perpendicularity  a·b                coincidence   p − r, one row per component
/// `dimension` is 2 in the plane and 3 in space. Nothing here allocates once the list is complete.
class ConstraintSet {
 public:
  explicit ConstraintSet(Eigen::Index dimension) : dimension_(dimension) {}

  void constant_length(const Arrow& a, double length_m);
  void unit_vector(const VectorOf& u);
  void perpendicular(const Arrow& a, const Arrow& b);
  void coincidence(const VectorOf& p, const VectorOf& r);

  [[nodiscard]] Eigen::Index rows() const { return rows_; }
  /// Φ(q)
  void values(const Eigen::VectorXd& q, Eigen::VectorXd& phi) const;
  /// Φ_q(q), rows × coordinates
  void jacobian(const Eigen::VectorXd& q, Eigen::MatrixXd& J) const;
  /// Φ̇_q q̇, so that Φ̈ = Φ_q q̈ + Φ̇_q q̇
  void velocity_terms(const Eigen::VectorXd& v, Eigen::VectorXd& terms) const;
  /// K += Σ σ_k ∂²Φ_k/∂q²
  void add_curvature(const Eigen::VectorXd& sigma, Eigen::MatrixXd& K) const;

 private:
  /// scale · a·b − value
  struct Product {
    Arrow a;
    Arrow b;
    double scale;
    double value;
    Eigen::Index row;
  };
  /// p − r
  struct Difference {
    VectorOf p;
    VectorOf r;
    Eigen::Index row;
  };

  Eigen::Index dimension_;
  Eigen::Index rows_ = 0;
  std::vector<Product> products_;
  std::vector<Difference> differences_;
};

}  // namespace ergon
