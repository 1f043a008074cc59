#include "ergon/numerics/block_cholesky.hpp"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

namespace ergon {
namespace {

/// Approximate minimum degree, as the place of each block row in the order.
void order_blocks(std::span<const BlockCholesky::Pair> pairs, std::vector<std::uint32_t>& place) {
  std::iota(place.begin(), place.end(), 0U);
  if (place.size() <= 2) return;
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(place.size() + 2 * pairs.size());
  for (std::size_t i = 0; i < place.size(); ++i)
    entries.emplace_back(static_cast<int>(i), static_cast<int>(i), 1.0);
  for (const auto& [i, j] : pairs) {
    entries.emplace_back(static_cast<int>(i), static_cast<int>(j), 1.0);
    entries.emplace_back(static_cast<int>(j), static_cast<int>(i), 1.0);
  }
  const auto n = static_cast<Eigen::Index>(place.size());
  Eigen::SparseMatrix<double> pattern(n, n);
  pattern.setFromTriplets(entries.begin(), entries.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> order;
  Eigen::AMDOrdering<int>()(pattern, order);
  for (Eigen::Index i = 0; i < n; ++i)
    place[static_cast<std::size_t>(order.indices()[i])] = static_cast<std::uint32_t>(i);
}

/// A = L Lᵀ of the lower triangle, in place; false where A is not positive definite.
bool factorize_block(BlockCholesky::Block& A) {
  for (Eigen::Index j = 0; j < BlockCholesky::width; ++j) {
    double pivot = A(j, j);
    for (Eigen::Index k = 0; k < j; ++k) pivot -= A(j, k) * A(j, k);
    if (!(pivot > 0.0)) return false;
    const double root = std::sqrt(pivot);
    A(j, j) = root;
    for (Eigen::Index i = j + 1; i < BlockCholesky::width; ++i) {
      double sum = A(i, j);
      for (Eigen::Index k = 0; k < j; ++k) sum -= A(i, k) * A(j, k);
      A(i, j) = sum / root;
    }
  }
  return true;
}

/// B ← B L⁻ᵀ
void divide_block(const BlockCholesky::Block& L, BlockCholesky::Block& B) {
  for (Eigen::Index j = 0; j < BlockCholesky::width; ++j) {
    for (Eigen::Index k = 0; k < j; ++k) B.col(j) -= L(j, k) * B.col(k);
    B.col(j) /= L(j, j);
  }
}

}  // namespace

void BlockCholesky::analyze(std::size_t size, std::span<const Pair> pairs) {
  place_.resize(size);
  order_blocks(pairs, place_);
  // Columns of L: those of K, and those of each column's first child below it.
  std::vector<std::vector<std::uint32_t>> columns(size);
  for (const auto& [i, j] : pairs) {
    assert(i != j && i < size && j < size);
    columns[std::min(place_[i], place_[j])].push_back(std::max(place_[i], place_[j]));
  }
  column_start_.assign(1, 0);
  row_.clear();
  for (auto& rows : columns) {
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    row_.insert(row_.end(), rows.begin(), rows.end());
    column_start_.push_back(static_cast<std::uint32_t>(row_.size()));
    if (rows.empty()) continue;
    auto& parent = columns[rows.front()];
    parent.insert(parent.end(), rows.begin() + 1, rows.end());
  }
  target_.clear();
  for (const auto& rows : columns)
    for (std::size_t a = 0; a < rows.size(); ++a)
      for (std::size_t b = a + 1; b < rows.size(); ++b) target_.push_back(number_of(rows[b], rows[a]));
  diagonal_.resize(size);
  below_.resize(row_.size());
  work_.resize(size);
}

std::uint32_t BlockCholesky::number_of(std::uint32_t i, std::uint32_t j) const {
  const auto first = row_.begin() + column_start_[j];
  const auto last = row_.begin() + column_start_[j + 1];
  const auto found = std::lower_bound(first, last, i);
  return found != last && *found == i ? static_cast<std::uint32_t>(found - row_.begin()) : none;
}

bool BlockCholesky::has(std::size_t i, std::size_t j) const {
  if (i == j) return i < size();
  return number_of(std::max(place_[i], place_[j]), std::min(place_[i], place_[j])) != none;
}

void BlockCholesky::set_zero() {
  for (Block& block : diagonal_) block.setZero();
  for (Block& block : below_) block.setZero();
}

void BlockCholesky::add_diagonal(std::size_t i, const Block& block) {
  diagonal_[place_[i]] += block;
}

void BlockCholesky::add(std::size_t i, std::size_t j, const Block& block) {
  const std::uint32_t a = place_[i];
  const std::uint32_t b = place_[j];
  const std::uint32_t number = number_of(std::max(a, b), std::min(a, b));
  assert(number != none);
  if (a > b) {
    below_[number] += block;
  } else {
    below_[number] += block.transpose();
  }
}

bool BlockCholesky::factorize() {
  const std::uint32_t* target = target_.data();
  for (std::size_t j = 0; j < size(); ++j) {
    if (!factorize_block(diagonal_[j])) return false;
    const std::size_t first = column_start_[j];
    const std::size_t last = column_start_[j + 1];
    for (std::size_t a = first; a < last; ++a) divide_block(diagonal_[j], below_[a]);
    for (std::size_t a = first; a < last; ++a) {
      diagonal_[row_[a]].noalias() -= below_[a] * below_[a].transpose();
      for (std::size_t b = a + 1; b < last; ++b)
        below_[*target++].noalias() -= below_[b] * below_[a].transpose();
    }
  }
  return true;
}

void BlockCholesky::solve(Eigen::Ref<Eigen::VectorXd> x) const {
  for (std::size_t i = 0; i < size(); ++i) work_[place_[i]] = x.segment<6>(static_cast<Eigen::Index>(6 * i));
  for (std::size_t j = 0; j < size(); ++j) {
    diagonal_[j].triangularView<Eigen::Lower>().solveInPlace(work_[j]);
    for (std::size_t a = column_start_[j]; a < column_start_[j + 1]; ++a)
      work_[row_[a]].noalias() -= below_[a] * work_[j];
  }
  for (std::size_t j = size(); j-- > 0;) {
    for (std::size_t a = column_start_[j]; a < column_start_[j + 1]; ++a)
      work_[j].noalias() -= below_[a].transpose() * work_[row_[a]];
    diagonal_[j].transpose().triangularView<Eigen::Upper>().solveInPlace(work_[j]);
  }
  for (std::size_t i = 0; i < size(); ++i) x.segment<6>(static_cast<Eigen::Index>(6 * i)) = work_[place_[i]];
}

}  // namespace ergon
