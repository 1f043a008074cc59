#pragma once

#include <Eigen/Core>
#include <vector>

namespace ergon::numerics {

/// φ_k(Z) = Σ_j Z^j/(j + k)! of a square matrix: φ_0 = exp, and z' = Z z + Σ_d w_d τ^d/d!, z(0) = 0, has
///   z(1) = Σ_d φ_{d+1}(Z) w_d.
/// By scaling and squaring. For k = 0 … p these are the blocks of one exponential, that of Z bordered by p identities
/// [almohy2011, Theorem 2.1], of which the Taylor polynomial is taken: what comes out belongs, but for rounding, to a Z
/// and to w_d that differ from those given by less than one rounding error, however large Z is.
/// Products of n × n matrices: 6 + p, and p + 1 for each doubling of the norm beyond 0.93.
class PhiFunctions {
 public:
  /// The argument, to be filled in. Nothing is allocated where size and `highest` were the same before.
  Eigen::MatrixXd& argument(Eigen::Index size);
  /// Values that are not numbers give values that are none.
  void compute(int highest);
  const Eigen::MatrixXd& operator[](int k) const { return phi_[static_cast<std::size_t>(k)]; }
  /// Doublings of the last `compute`.
  int squarings() const { return squarings_; }

 private:
  void choose_scaling();
  void evaluate_polynomials();
  void square();

  Eigen::MatrixXd z_;  ///< scaled by `compute`
  Eigen::MatrixXd z2_;
  Eigen::MatrixXd z3_;
  Eigen::MatrixXd z4_;
  Eigen::MatrixXd product_;
  Eigen::VectorXd sums_;
  Eigen::VectorXd next_sums_;
  std::vector<Eigen::MatrixXd> phi_;
  int squarings_ = 0;
};

}  // namespace ergon::numerics
