#pragma once

#include <Eigen/Core>
#include <Eigen/LU>
#include <cstdint>
#include <vector>

#include "ergon/coupling/schemes/implicit/interface_structure.hpp"
#include "ergon/coupling/state/archive.hpp"
#include "ergon/numerics/sparse_lu.hpp"

namespace ergon {

/// G = ∂g/∂u and its factors: dense for few unknowns, with the pattern that the graph tells for many. Then a step costs as
/// many operations per subsystem in a long chain as in a short one (docs/adr/0020).
class InterfaceJacobian {
 public:
  /// Up to so many unknowns the dense factorisation is as fast.
  static constexpr std::size_t most_dense = 64;

  /// `dense`: whatever the size, for who fills entries that are not in the pattern.
  void set_structure(const InterfaceStructure& structure, bool dense = false);

  void set_identity();
  /// G(rows[k], column) −= value, `rows` being those of the unknown `column`.
  void subtract(std::uint32_t column, std::size_t k, double value) {
    if (is_dense_) {
      dense_((*unknowns_)[column].rows[k], column) -= value;
    } else {
      values_[starts_[column] + k] -= value;
    }
  }
  void factorize();
  /// x = G⁻¹g
  void solve(const Eigen::VectorXd& g, Eigen::VectorXd& x) const;
  /// The whole matrix where it is dense.
  [[nodiscard]] Eigen::MatrixXd& matrix() { return dense_; }
  void archive(Archive& archive);

 private:
  const std::vector<InterfaceUnknown>* unknowns_ = nullptr;
  bool is_dense_ = true;
  Eigen::MatrixXd dense_;
  Eigen::PartialPivLU<Eigen::MatrixXd> dense_solver_;
  std::vector<std::uint32_t>
      starts_;  ///< columns: the rows of the unknown, then the diagonal where it is not among them
  std::vector<std::uint32_t> diagonals_;  ///< place of each in `values_`
  std::vector<double> values_;
  std::vector<double> factorized_;  ///< the values that the factors belong to
  numerics::SparseLu sparse_solver_;
};

}  // namespace ergon
