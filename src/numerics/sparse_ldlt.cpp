#include "ergon/numerics/sparse_ldlt.hpp"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cassert>
#include <cmath>

namespace ergon {
namespace {

using Index = SparseLdlt::Index;
using Matrix = Eigen::SparseMatrix<double>;

/// Approximate minimum degree, as the place of each row in the order.
std::vector<std::uint32_t> minimum_degree(Index size, std::span<const SparseLdlt::Place> lower) {
  std::vector<Eigen::Triplet<double>> entries;
  for (const auto& [row, column] : lower) {
    entries.emplace_back(row, column, 1.0);
    if (row != column) entries.emplace_back(column, row, 1.0);
  }
  Matrix pattern(size, size);
  pattern.setFromTriplets(entries.begin(), entries.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> order;
  Eigen::AMDOrdering<int>()(pattern, order);
  // The ordering names rows in the order of elimination.
  std::vector<std::uint32_t> place(static_cast<std::size_t>(size));
  for (Index i = 0; i < size; ++i)
    place[static_cast<std::size_t>(order.indices()[i])] = static_cast<std::uint32_t>(i);
  return place;
}

}  // namespace

void SparseLdlt::analyze(Index size, std::span<const Place> lower) {
  size_ = size;
  places_.assign(lower.begin(), lower.end());
  const auto n = static_cast<std::size_t>(size);
  permuted_ = size == 0 ? std::vector<std::uint32_t>{} : minimum_degree(size, lower);

  // Columns of L: those of H, and those of each column's first child below it.
  std::vector<std::vector<std::uint32_t>> columns(n);
  const auto permuted_place = [&](const Place& place) {
    const std::uint32_t i = permuted_[static_cast<std::size_t>(place.row)];
    const std::uint32_t j = permuted_[static_cast<std::size_t>(place.column)];
    return std::pair{std::max(i, j), std::min(i, j)};
  };
  for (const Place& place : lower) {
    const auto [i, j] = permuted_place(place);
    if (i != j) columns[j].push_back(i);
  }
  for (std::size_t j = 0; j < n; ++j) {
    auto& rows = columns[j];
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    if (rows.empty()) continue;
    auto& parent = columns[rows.front()];
    parent.insert(parent.end(), rows.begin() + 1, rows.end());
  }
  column_start_.assign(1, 0);
  row_.clear();
  for (const auto& rows : columns) {
    row_.insert(row_.end(), rows.begin(), rows.end());
    column_start_.push_back(static_cast<std::uint32_t>(row_.size()));
  }

  const auto number_of = [&](std::uint32_t i, std::uint32_t j) {
    if (i == j) return i;
    const auto first = row_.begin() + column_start_[j];
    const auto last = row_.begin() + column_start_[j + 1];
    return static_cast<std::uint32_t>(
        n + static_cast<std::size_t>(std::lower_bound(first, last, i) - row_.begin()));
  };
  entry_.clear();
  for (const Place& place : lower) {
    const auto [i, j] = permuted_place(place);
    entry_.push_back(number_of(i, j));
  }
  target_.clear();
  target_start_.assign(1, 0);
  for (const auto& rows : columns) {
    for (std::size_t a = 0; a < rows.size(); ++a)
      for (std::size_t b = a; b < rows.size(); ++b) target_.push_back(number_of(rows[b], rows[a]));
    target_start_.push_back(static_cast<std::uint32_t>(target_.size()));
  }
  numbers_.assign(n + row_.size(), 0.0);
  root_.assign(n, 0.0);
  inverse_.assign(n, 0.0);
  work_.assign(n, 0.0);
}

Index SparseLdlt::factorize(std::span<const double> values, double relative_zero) {
  assert(values.size() == entry_.size());
  std::fill(numbers_.begin(), numbers_.end(), 0.0);
  for (std::size_t k = 0; k < values.size(); ++k) numbers_[entry_[k]] += values[k];
  const auto n = static_cast<std::size_t>(size_);
  std::copy_n(numbers_.begin(), n, work_.begin());  // diagonal entries before the elimination
  Index left_out = 0;
  for (std::size_t j = 0; j < n; ++j) {
    const double pivot = numbers_[j];
    if (pivot > relative_zero * work_[j]) {
      inverse_[j] = 1.0 / pivot;
      root_[j] = std::sqrt(inverse_[j]);
      eliminate_below(j);
    } else {
      inverse_[j] = root_[j] = 0.0;
      std::fill(numbers_.begin() + static_cast<std::ptrdiff_t>(n + column_start_[j]),
                numbers_.begin() + static_cast<std::ptrdiff_t>(n + column_start_[j + 1]), 0.0);
      ++left_out;
    }
  }
  return left_out;
}

void SparseLdlt::eliminate_below(std::size_t column) {
  double* const below = numbers_.data() + static_cast<std::size_t>(size_) + column_start_[column];
  const std::size_t count = column_start_[column + 1] - column_start_[column];
  const std::uint32_t* target = target_.data() + target_start_[column];
  double* const numbers = numbers_.data();
  for (std::size_t a = 0; a < count; ++a) {
    const double factor = below[a] * inverse_[column];
    for (std::size_t b = a; b < count; ++b) numbers[*target++] -= factor * below[b];
  }
  for (std::size_t a = 0; a < count; ++a) below[a] *= inverse_[column];
}

void SparseLdlt::half_solve(const double* x, double* z) const {
  const auto n = static_cast<std::size_t>(size_);
  for (std::size_t i = 0; i < n; ++i) z[permuted_[i]] = x[i];
  const double* const L = numbers_.data() + n;
  for (std::size_t j = 0; j < n; ++j) {
    const double known = z[j];
    if (known == 0.0) continue;
    for (std::size_t p = column_start_[j]; p < column_start_[j + 1]; ++p) z[row_[p]] -= L[p] * known;
    z[j] = known * root_[j];
  }
}

void SparseLdlt::finish_solve(const double* z, double* x) const {
  const auto n = static_cast<std::size_t>(size_);
  const double* const L = numbers_.data() + n;
  for (std::size_t j = n; j-- > 0;) {
    double sum = z[j] * root_[j];
    for (std::size_t p = column_start_[j]; p < column_start_[j + 1]; ++p) sum -= L[p] * work_[row_[p]];
    work_[j] = sum;
  }
  for (std::size_t i = 0; i < n; ++i) x[i] = work_[permuted_[i]];
}

void SparseLdlt::solve(double* x) const {
  const auto n = static_cast<std::size_t>(size_);
  for (std::size_t i = 0; i < n; ++i) work_[permuted_[i]] = x[i];
  const double* const L = numbers_.data() + n;
  for (std::size_t j = 0; j < n; ++j) {
    const double known = work_[j];
    for (std::size_t p = column_start_[j]; p < column_start_[j + 1]; ++p) work_[row_[p]] -= L[p] * known;
  }
  for (std::size_t j = n; j-- > 0;) {
    double sum = work_[j] * inverse_[j];
    for (std::size_t p = column_start_[j]; p < column_start_[j + 1]; ++p) sum -= L[p] * work_[row_[p]];
    work_[j] = sum;
  }
  for (std::size_t i = 0; i < n; ++i) x[i] = work_[permuted_[i]];
}

void SparseLdlt::add_product(std::span<const double> values, const double* x, double* y) const {
  for (std::size_t k = 0; k < places_.size(); ++k) {
    const auto [i, j] = places_[k];
    y[i] += values[k] * x[j];
    if (i != j) y[j] += values[k] * x[i];
  }
}

}  // namespace ergon
