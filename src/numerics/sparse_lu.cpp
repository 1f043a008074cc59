#include "ergon/numerics/sparse_lu.hpp"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace ergon::numerics {
namespace {

constexpr std::uint32_t none = static_cast<std::uint32_t>(-1);
/// Of the largest entry: a diagonal entry that is larger is the pivot, which keeps the factors sparse.
constexpr double diagonal_preference = 0.1;

}  // namespace

void SparseLu::Triangle::clear() {
  starts.assign(1, 0);
  rows.clear();
  values.clear();
}

void SparseLu::Triangle::push(std::uint32_t row, double value) {
  rows.push_back(row);
  values.push_back(value);
}

void SparseLu::analyze(std::vector<std::uint32_t> starts, std::vector<std::uint32_t> rows) {
  starts_ = std::move(starts);
  rows_ = std::move(rows);
  const std::size_t n = starts_.size() - 1;
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t j = 0; j < n; ++j) {
    for (std::uint32_t p = starts_[j]; p < starts_[j + 1]; ++p) {
      entries.emplace_back(static_cast<int>(rows_[p]), static_cast<int>(j), 1.0);
      entries.emplace_back(static_cast<int>(j), static_cast<int>(rows_[p]), 1.0);
    }
  }
  order_.clear();
  if (n > 0) {
    Eigen::SparseMatrix<double> pattern(static_cast<int>(n), static_cast<int>(n));
    pattern.setFromTriplets(entries.begin(), entries.end());
    Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> order;
    Eigen::AMDOrdering<int>()(pattern, order);
    for (std::size_t k = 0; k < n; ++k)
      order_.push_back(static_cast<std::uint32_t>(order.indices()[static_cast<Eigen::Index>(k)]));
  }
  pivot_of_.assign(n, none);
  column_.assign(n, 0.0);
  work_.assign(n, 0.0);
  seen_in_.assign(n, 0);
  reach_.reserve(n);
  open_.reserve(n);
  candidates_.reserve(n);
  pass_ = 0;
  known_ = false;
}

/// Depth first through the columns of L that are there; a row is noted when all that it leads to are.
void SparseLu::visit(std::uint32_t row) {
  const auto first_below = [&](std::uint32_t r) {
    return pivot_of_[r] == none ? none : lower_.starts[pivot_of_[r]];
  };
  seen_in_[row] = pass_;
  open_.push_back({row, first_below(row)});
  while (!open_.empty()) {
    Open& last = open_.back();
    const std::uint32_t pivot = pivot_of_[last.row];
    std::uint32_t deeper = none;
    if (pivot != none) {
      while (last.next < lower_.starts[pivot + 1] && deeper == none) {
        const std::uint32_t r = lower_.rows[last.next++];
        if (seen_in_[r] != pass_) deeper = r;
      }
    }
    if (deeper == none) {
      reach_.push_back(last.row);
      open_.pop_back();
    } else {
      seen_in_[deeper] = pass_;
      open_.push_back({deeper, first_below(deeper)});
    }
  }
}

void SparseLu::find_reach(std::uint32_t column) {
  if (++pass_ == 0) {
    std::fill(seen_in_.begin(), seen_in_.end(), 0);
    pass_ = 1;
  }
  reach_.clear();
  for (std::uint32_t p = starts_[column]; p < starts_[column + 1]; ++p) {
    if (seen_in_[rows_[p]] != pass_) visit(rows_[p]);
  }
}

std::uint32_t SparseLu::choose_pivot(std::span<const std::uint32_t> rows, std::uint32_t diagonal) const {
  std::uint32_t best = none;
  double largest = 0.0;
  bool holds_diagonal = false;
  for (const std::uint32_t row : rows) {
    if (row == diagonal) holds_diagonal = true;
    const double size = std::abs(column_[row]);
    // Of two of one size the first row, whatever the order they were met in.
    if (best == none || size > largest || (size == largest && row < best)) {
      best = row;
      largest = size;
    }
  }
  return holds_diagonal && std::abs(column_[diagonal]) >= diagonal_preference * largest ? diagonal : best;
}

void SparseLu::factorize(std::span<const double> values) {
  assert(values.size() == rows_.size());
  if (!known_ || !factorize_again(values)) factorize_anew(values);
}

void SparseLu::factorize_anew(std::span<const double> values) {
  const auto n = static_cast<std::uint32_t>(order_.size());
  lower_.clear();
  upper_.clear();
  eliminated_.clear();
  all_candidates_.clear();
  candidate_starts_.assign(1, 0);
  chosen_.clear();
  known_ = true;
  std::fill(pivot_of_.begin(), pivot_of_.end(), none);
  for (std::uint32_t k = 0; k < n; ++k) {
    const std::uint32_t column = order_[k];
    find_reach(column);
    for (const std::uint32_t row : reach_) column_[row] = 0.0;
    for (std::uint32_t p = starts_[column]; p < starts_[column + 1]; ++p) column_[rows_[p]] += values[p];
    for (std::size_t i = reach_.size(); i-- > 0;) {
      const std::uint32_t row = reach_[i];
      const std::uint32_t pivot = pivot_of_[row];
      if (pivot == none) continue;
      const double known = column_[row];
      upper_.push(pivot, known);
      eliminated_.push_back(row);
      for (std::uint32_t p = lower_.starts[pivot]; p < lower_.starts[pivot + 1]; ++p)
        column_[lower_.rows[p]] -= lower_.values[p] * known;
    }
    candidates_.clear();
    for (const std::uint32_t row : reach_) {
      if (pivot_of_[row] == none) candidates_.push_back(row);
    }
    std::uint32_t chosen = choose_pivot(candidates_, column);
    double pivot_value = chosen == none ? 0.0 : column_[chosen];
    if (chosen == none) {  // nothing is left in this column: the matrix is singular
      chosen =
          static_cast<std::uint32_t>(std::find(pivot_of_.begin(), pivot_of_.end(), none) - pivot_of_.begin());
      known_ = false;
    }
    pivot_of_[chosen] = k;
    chosen_.push_back(chosen);
    all_candidates_.insert(all_candidates_.end(), candidates_.begin(), candidates_.end());
    candidate_starts_.push_back(static_cast<std::uint32_t>(all_candidates_.size()));
    upper_.push(k, pivot_value);
    upper_.end_column();
    for (const std::uint32_t row : candidates_) {
      if (row != chosen) lower_.push(row, column_[row] / pivot_value);
    }
    lower_.end_column();
  }
  lower_rows_ = lower_.rows;
  for (std::uint32_t& row : lower_.rows) row = pivot_of_[row];
}

bool SparseLu::factorize_again(std::span<const double> values) {
  const auto n = static_cast<std::uint32_t>(order_.size());
  const std::uint32_t* eliminated = eliminated_.data();
  double* upper = upper_.values.data();
  double* lower = lower_.values.data();
  for (std::uint32_t k = 0; k < n; ++k) {
    const std::uint32_t column = order_[k];
    const std::uint32_t entries = upper_.starts[k + 1] - upper_.starts[k] - 1;
    const std::span candidates =
        std::span(all_candidates_)
            .subspan(candidate_starts_[k], candidate_starts_[k + 1] - candidate_starts_[k]);
    for (std::uint32_t i = 0; i < entries; ++i) column_[eliminated[i]] = 0.0;
    for (const std::uint32_t row : candidates) column_[row] = 0.0;
    for (std::uint32_t p = starts_[column]; p < starts_[column + 1]; ++p) column_[rows_[p]] += values[p];
    const std::uint32_t* pivots = upper_.rows.data() + upper_.starts[k];
    for (std::uint32_t i = 0; i < entries; ++i) {
      const double known = column_[eliminated[i]];
      *upper++ = known;
      for (std::uint32_t p = lower_.starts[pivots[i]]; p < lower_.starts[pivots[i] + 1]; ++p)
        column_[lower_rows_[p]] -= lower_.values[p] * known;
    }
    eliminated += entries;
    if (choose_pivot(candidates, column) != chosen_[k]) return false;
    const double pivot_value = column_[chosen_[k]];
    *upper++ = pivot_value;
    for (const std::uint32_t row : candidates) {
      if (row != chosen_[k]) *lower++ = column_[row] / pivot_value;
    }
  }
  return true;
}

void SparseLu::solve(double* x) const {
  const std::size_t n = order_.size();
  for (std::size_t i = 0; i < n; ++i) work_[pivot_of_[i]] = x[i];
  for (std::size_t k = 0; k < n; ++k) {
    const double known = work_[k];
    for (std::uint32_t p = lower_.starts[k]; p < lower_.starts[k + 1]; ++p)
      work_[lower_.rows[p]] -= lower_.values[p] * known;
  }
  for (std::size_t k = n; k-- > 0;) {
    const std::uint32_t last = upper_.starts[k + 1] - 1;
    const double known = work_[k] / upper_.values[last];
    work_[k] = known;
    for (std::uint32_t p = upper_.starts[k]; p < last; ++p) work_[upper_.rows[p]] -= upper_.values[p] * known;
  }
  for (std::size_t k = 0; k < n; ++k) x[order_[k]] = work_[k];
}

}  // namespace ergon::numerics
