#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

namespace ergon {

/// Where an unknown of a box-constrained problem is.
enum class RowState : std::uint8_t {
  active,  ///< between its bounds: w = 0
  lower,   ///< tight at its lower bound: w ≥ 0
  upper,   ///< tight at its upper bound: w ≤ 0
};

/// maxᵢ |xᵢ − mid(loᵢ, xᵢ − wᵢ, upᵢ)|: 0 exactly for solutions of  w ⟂ x ∈ [lo, up].
double natural_residual(Eigen::Ref<const Eigen::VectorXd> x, Eigen::Ref<const Eigen::VectorXd> w,
                        Eigen::Ref<const Eigen::VectorXd> lo, Eigen::Ref<const Eigen::VectorXd> up);

/// The box-constrained linear complementarity problem with a dense symmetric positive semi-definite matrix:
///   w = W x + q,   w ⟂ x ∈ [lo, up],   bounds may be infinite
///
/// Block principal pivoting [judice1994]: solve for the active rows, move all rows that are on the wrong side at once; where that
/// does not lessen their number for some rounds, move only the last one until it does, which ends for every positive definite
/// matrix (Murty's least-index rule). A singular set of active rows is solved by proximal steps, W + δI with q − δx,
/// whose fixed points are the solutions of the problem itself. What is left goes to projected Gauss–Seidel.
///
/// Everything is sized by `reserve`; smaller problems allocate nothing.
class BoxLcp {
 public:
  enum class Method { pivoting, proximal, gauss_seidel };
  struct Result {
    bool converged = false;
    double residual = 0.0;  ///< natural, of the scaled problem: relative to the largest |q|/√W of a row
    int pivots = 0;         ///< rounds of solving for the active rows
    Method method = Method::pivoting;
  };
  struct Problem {
    Eigen::Ref<const Eigen::MatrixXd> W;
    Eigen::Ref<const Eigen::VectorXd> q, lo, up;
  };

  void reserve(Eigen::Index rows);
  /// The next problem has another matrix: forgets what was factorised.
  void matrix_changed() { factorised_ = false; }
  /// `x` and `states` are the start and the result.
  Result solve(const Problem& problem, Eigen::Ref<Eigen::VectorXd> x, std::vector<RowState>& states);

 private:
  using Index = Eigen::Index;
  bool pivot(const Problem& problem, double shift, Eigen::Ref<Eigen::VectorXd> x,
             std::vector<RowState>& states, int& rounds);
  bool proximal(const Problem& problem, Eigen::Ref<Eigen::VectorXd> x, std::vector<RowState>& states,
                int& rounds);
  void sweep(const Problem& problem, Eigen::Ref<Eigen::VectorXd> x, std::vector<RowState>& states);
  bool factorise(const Problem& problem, double shift, const std::vector<RowState>& states);
  void solve_active(const Problem& problem, Eigen::Ref<Eigen::VectorXd> x,
                    const std::vector<RowState>& states);
  double measure(const Problem& problem, Eigen::Ref<const Eigen::VectorXd> x);

  Eigen::MatrixXd factor_;  ///< lower triangle, of the active rows
  std::vector<Index> active_;
  bool factorised_ = false;
  double factorised_shift_ = 0.0;
  Eigen::VectorXd reduced_, w_, q_, kept_;
  std::vector<RowState> wanted_;
};

}  // namespace ergon
