#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace ergon {

/// P H Pᵀ = L D Lᵀ of a sparse symmetric positive semi-definite matrix whose pattern stays: it is analysed once, with the
/// places that every update of the elimination goes to, so that a factorisation searches and allocates nothing. (Eigen's
/// SimplicialLDLT copies and permutes the matrix anew in each call.)
///
/// A pivot that is 0 to rounding belongs to a row that depends on those eliminated before it: it is left out, 1/D = 0. In a
/// consistent system its unknown is then 0, and the others solve it.
class SparseLdlt {
 public:
  using Index = Eigen::Index;
  struct Place {
    Index row = 0;
    Index column = 0;
  };

  /// Entries of the lower triangle, every diagonal entry included, each once; `factorize` takes their values in this order.
  void analyze(Index size, std::span<const Place> lower);
  /// Returns how many pivots were left out: those below `relative_zero` times the diagonal entry that they started from.
  Index factorize(std::span<const double> values, double relative_zero = 1e-13);

  /// x ← H⁻¹x
  void solve(double* x) const;
  /// z = D^(−1/2) L⁻¹ P x: with it yᵀH⁻¹x = z(y)·z(x). Zeros at the beginning of P x cost nothing.
  void half_solve(const double* x, double* z) const;
  /// x = Pᵀ L⁻ᵀ D^(−1/2) z, the other half.
  void finish_solve(const double* z, double* x) const;

  /// y += H x, with values in the order of the pattern.
  void add_product(std::span<const double> values, const double* x, double* y) const;

  [[nodiscard]] Index size() const { return size_; }
  /// Nonzeros of L below its diagonal.
  [[nodiscard]] std::size_t fill() const { return row_.size(); }

 private:
  void eliminate_below(std::size_t column);

  Index size_ = 0;
  std::vector<Place> places_;                ///< of the values of H
  std::vector<std::uint32_t> permuted_;      ///< place of each row in the order of elimination
  std::vector<std::uint32_t> column_start_;  ///< of L
  std::vector<std::uint32_t> row_;           ///< of each entry of L
  std::vector<std::uint32_t> entry_;  ///< where a value of H goes: diagonal k is k, entry p of L is size + p
  std::vector<std::uint32_t>
      target_;  ///< where each update of the elimination goes, in the order they are made
  std::vector<std::uint32_t> target_start_;
  std::vector<double> numbers_;  ///< diagonal, then L
  std::vector<double> root_;     ///< D^(−1/2), 0 for a pivot left out
  std::vector<double> inverse_;  ///< 1/D
  mutable std::vector<double> work_;
};

}  // namespace ergon
