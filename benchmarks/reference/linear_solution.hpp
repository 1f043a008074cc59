#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace ergon::numerics {

/// Analytic solution z(t) = expm(A (t - t0)) z0 of z' = A z for a small dense A, as the yardstick of
/// numerical ones. Where the eigenvectors of A are well conditioned the decomposition A = V L V^-1 is kept
/// and a value costs one exponential per eigenvalue; else (defective A: rigid-body motion, critical damping)
/// every value takes a matrix exponential [higham2005]. Works in long double inside, so that a value is that
/// of the double A to the last few bits.
class LinearSolution {
 public:
  /// `a_row_major` has z0.size()^2 entries. Throws std::invalid_argument for another size or values not
  /// finite.
  LinearSolution(std::span<const double> a_row_major, std::span<const double> z0, double t0 = 0.0);
  ~LinearSolution();
  LinearSolution(LinearSolution&&) noexcept;
  LinearSolution& operator=(LinearSolution&&) noexcept;

  /// Writes z(t); z has the size of z0.
  void at(double t, std::span<double> z) const;

  std::size_t size() const;
  /// Whether values come from the eigendecomposition (quick, no allocation) or from matrix exponentials.
  bool is_diagonalised() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ergon::numerics
