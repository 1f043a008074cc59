#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace ergon {

/// P K Pᵀ = L Lᵀ of a sparse symmetric positive definite matrix of 6×6 blocks, one row of blocks for each rigid body. The pattern
/// is ordered by approximate minimum degree and analysed once; filling in, factorising and solving allocate nothing.
class BlockCholesky {
 public:
  static constexpr Eigen::Index width = 6;
  using Block = Eigen::Matrix<double, 6, 6>;
  using Vector = Eigen::Matrix<double, 6, 1>;
  using Pair = std::pair<std::uint32_t, std::uint32_t>;

  /// Off-diagonal blocks as pairs of block rows, in any order and each as often as wanted; diagonal blocks are always there.
  void analyze(std::size_t size, std::span<const Pair> pairs);
  /// Whether the pattern, with what elimination fills in, has this block.
  [[nodiscard]] bool has(std::size_t i, std::size_t j) const;

  void set_zero();
  /// K_ii += B;  reads B as symmetric.
  void add_diagonal(std::size_t i, const Block& block);
  /// K_ij += B and K_ji += Bᵀ, i ≠ j, both of the pattern.
  void add(std::size_t i, std::size_t j, const Block& block);
  /// In place; false where K is not positive definite.
  bool factorize();
  /// x ← K⁻¹x
  void solve(Eigen::Ref<Eigen::VectorXd> x) const;

  [[nodiscard]] std::size_t size() const { return place_.size(); }
  /// Blocks of L below its diagonal.
  [[nodiscard]] std::size_t fill() const { return row_.size(); }

 private:
  static constexpr std::uint32_t none = 0xffffffff;
  /// Number of the block (i, j), i > j in the order of elimination; none: not of the pattern.
  [[nodiscard]] std::uint32_t number_of(std::uint32_t i, std::uint32_t j) const;

  std::vector<std::uint32_t> place_;         ///< of each block row in the order of elimination
  std::vector<std::uint32_t> column_start_;  ///< of L
  std::vector<std::uint32_t> row_;           ///< of each block of L below the diagonal
  std::vector<std::uint32_t> target_;  ///< of each update of the elimination, in the order they are made
  std::vector<Block> diagonal_, below_;
  mutable std::vector<Vector> work_;
};

}  // namespace ergon
