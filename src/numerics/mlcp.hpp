#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "ergon/numerics/box_lcp.hpp"
#include "ergon/numerics/sparse_ldlt.hpp"

namespace ergon {

/// The mixed problem with bilateral rows b and box rows c:
///   [w_b]   [H_bb  H_bc] [x_b]   [b_b]
///   [w_c] = [H_cb  H_cc] [x_c] + [b_c],   w_b = 0,   w_c ⟂ x_c ∈ [lo, up]
/// Bilateral rows are eliminated with a sparse factorisation whose pattern is kept,
///   W = H_cc − H_cb H_bb⁻¹ H_bc,   q = b_c − H_cb H_bb⁻¹ b_b,   x_b = −H_bb⁻¹(b_b + H_bc x_c),
/// and what is left is a dense box problem (BoxLcp). Redundant bilateral rows are those whose pivots the factorisation leaves out.
class BoxMlcp {
 public:
  using Index = Eigen::Index;
  struct Problem {
    std::span<const double> H_bb;  ///< in the order of the analysed pattern
    Eigen::Ref<const Eigen::MatrixXd> H_cb;
    Eigen::Ref<const Eigen::MatrixXd> H_cc;
    Eigen::Ref<const Eigen::VectorXd> b_b, b_c, lo, up;
  };
  struct Result {
    bool converged = false;
    double residual = 0.0;  ///< natural, of all rows
    Index left_out = 0;     ///< pivots of bilateral rows that depend on others
    BoxLcp::Result box{};
  };

  void analyze(Index bilateral, std::span<const SparseLdlt::Place> lower) {
    bilateral_.analyze(bilateral, lower);
  }
  /// `x_c` and `states` are the start and the result.
  Result solve(const Problem& problem, Eigen::Ref<Eigen::VectorXd> x_b, Eigen::Ref<Eigen::VectorXd> x_c,
               std::vector<RowState>& states);
  [[nodiscard]] const SparseLdlt& bilateral() const { return bilateral_; }

 private:
  SparseLdlt bilateral_;
  BoxLcp box_;
  Eigen::MatrixXd half_;  ///< D^(−1/2) L⁻¹ P [H_bc, b_b]
  Eigen::MatrixXd W_;
  Eigen::VectorXd q_, column_;
};

}  // namespace ergon
