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
/// How often entries that are no longer zero are added one by one; then all are.
constexpr int most_admissions = 8;

}  // namespace

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
  takes_part_.assign(rows_.size(), false);
  absent_.clear();
  admissions_ = 0;
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
    return pivot_of_[r] == none ? none : columns_[pivot_of_[r]].pivot + 1;
  };
  seen_in_[row] = pass_;
  open_.push_back({row, first_below(row)});
  while (!open_.empty()) {
    Open& last = open_.back();
    const std::uint32_t pivot = pivot_of_[last.row];
    std::uint32_t deeper = none;
    if (pivot != none) {
      while (last.next < columns_[pivot].end && deeper == none) {
        const std::uint32_t r = value_rows_[last.next++];
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
    if (takes_part_[p] && seen_in_[rows_[p]] != pass_) visit(rows_[p]);
  }
}

template <class Size>
std::uint32_t SparseLu::choose_pivot(std::span<const std::uint32_t> rows, std::uint32_t diagonal,
                                     const Size& size) {
  std::uint32_t best = none;
  double largest = 0.0;
  bool holds_diagonal = false;
  double diagonal_size = 0.0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::uint32_t row = rows[i];
    const double of_row = size(i);
    if (row == diagonal) {
      holds_diagonal = true;
      diagonal_size = of_row;
    }
    // Of two of one size the first row, whatever the order they were met in.
    if (best == none || of_row > largest || (of_row == largest && row < best)) {
      best = row;
      largest = of_row;
    }
  }
  return holds_diagonal && diagonal_size >= diagonal_preference * largest ? diagonal : best;
}

void SparseLu::factorize(std::span<const double> values) {
  assert(values.size() == rows_.size());
  if (known_ && factorize_again(values)) return;
  admit(values);
  factorize_anew(values);
  if (known_) note_course();
}

void SparseLu::admit(std::span<const double> values) {
  const auto is_new = [&](std::uint32_t p) { return !takes_part_[p] && values[p] != 0.0; };
  bool any = false;
  for (std::uint32_t p = 0; p < values.size() && !any; ++p) any = is_new(p);
  if (!any) return;
  const bool all = ++admissions_ > most_admissions;
  absent_.clear();
  for (std::uint32_t p = 0; p < values.size(); ++p) {
    if (all || is_new(p)) takes_part_[p] = true;
    if (!takes_part_[p]) absent_.push_back(p);
  }
}

void SparseLu::factorize_anew(std::span<const double> values) {
  const auto n = static_cast<std::uint32_t>(order_.size());
  columns_.clear();
  values_.clear();
  value_rows_.clear();
  known_ = true;
  std::fill(pivot_of_.begin(), pivot_of_.end(), none);
  const auto push = [&](std::uint32_t row, double value) {
    value_rows_.push_back(row);
    values_.push_back(value);
  };
  const auto here = [&] { return static_cast<std::uint32_t>(values_.size()); };
  for (std::uint32_t k = 0; k < n; ++k) {
    const std::uint32_t column = order_[k];
    Column at{here(), 0, 0, 0, 0, true};
    find_reach(column);
    // In the order of the pivots, which is one that elimination can take; the one they were met in depends on entries that are
    // zero. Those that may be the pivot come last: `none` is larger than all.
    std::sort(reach_.begin(), reach_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::pair(pivot_of_[a], a) < std::pair(pivot_of_[b], b);
    });
    for (const std::uint32_t row : reach_) column_[row] = 0.0;
    for (std::uint32_t p = starts_[column]; p < starts_[column + 1]; ++p) {
      if (takes_part_[p]) column_[rows_[p]] += values[p];
    }
    candidates_.clear();
    for (const std::uint32_t row : reach_) {
      const std::uint32_t pivot = pivot_of_[row];
      if (pivot == none) {
        candidates_.push_back(row);
        continue;
      }
      const double known = column_[row];
      push(row, known);
      if (known == 0.0) continue;
      const Column& eliminating = columns_[pivot];
      for (std::uint32_t p = eliminating.pivot + 1; p < eliminating.end; ++p)
        column_[value_rows_[p]] -= values_[p] * known;
    }
    std::uint32_t chosen =
        choose_pivot(candidates_, column, [&](std::size_t i) { return std::abs(column_[candidates_[i]]); });
    const double pivot_value = chosen == none ? 0.0 : column_[chosen];
    if (chosen == none) {  // nothing is left in this column: the matrix is singular
      chosen =
          static_cast<std::uint32_t>(std::find(pivot_of_.begin(), pivot_of_.end(), none) - pivot_of_.begin());
      known_ = false;
    }
    pivot_of_[chosen] = k;
    at.pivot_is_diagonal = chosen == column;
    at.pivot = here();
    push(chosen, pivot_value);
    for (const std::uint32_t row : candidates_) {
      if (row != chosen) push(row, column_[row] / pivot_value);
    }
    at.end = here();
    columns_.push_back(at);
  }
  value_pivots_.clear();
  for (const std::uint32_t row : value_rows_) value_pivots_.push_back(pivot_of_[row]);
}

void SparseLu::note_course() {
  sources_.clear();
  fills_.clear();
  targets_.clear();
  place_is_filled_.assign(values_.size(), false);
  std::vector<std::uint32_t>& place_of_row = seen_in_;  // any numbers will do: the next pass begins anew
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    Column& at = columns_[k];
    for (std::uint32_t p = at.first; p < at.end; ++p) place_of_row[value_rows_[p]] = p;
    for (std::uint32_t s = starts_[order_[k]]; s < starts_[order_[k] + 1]; ++s) {
      if (!takes_part_[s]) continue;
      sources_.push_back({s, place_of_row[rows_[s]]});
      place_is_filled_[place_of_row[rows_[s]]] = true;
      ++at.sources;
    }
    for (std::uint32_t p = at.first; p < at.end; ++p) {
      if (place_is_filled_[p]) continue;
      fills_.push_back(p);
      ++at.fills;
    }
    for (std::uint32_t p = at.first; p < at.pivot; ++p) {
      const Column& eliminating = columns_[value_pivots_[p]];
      for (std::uint32_t l = eliminating.pivot + 1; l < eliminating.end; ++l)
        targets_.push_back(place_of_row[value_rows_[l]]);
    }
  }
  std::fill(seen_in_.begin(), seen_in_.end(), 0);
  pass_ = 0;
}

bool SparseLu::factorize_again(std::span<const double> values) {
  double* const factor = values_.data();
  for (const std::uint32_t p : absent_) {
    if (values[p] != 0.0) return false;
  }
  const Source* source = sources_.data();
  const std::uint32_t* fill = fills_.data();
  const std::uint32_t* target = targets_.data();
  for (const Column& at : columns_) {
    // From 0 on: −0 is not an entry.
    for (std::uint32_t i = 0; i < at.sources; ++i, ++source)
      factor[source->place] = 0.0 + values[source->value];
    for (std::uint32_t i = 0; i < at.fills; ++i) factor[*fill++] = 0.0;
    for (std::uint32_t p = at.first; p < at.pivot; ++p) {
      const Column& eliminating = columns_[value_pivots_[p]];
      const double known = factor[p];
      const double* const lower = factor + eliminating.pivot + 1;
      const std::uint32_t entries = eliminating.end - eliminating.pivot - 1;
      // What is not there eliminates nothing, and much that the pattern foresees is not there.
      if (known != 0.0) {
        for (std::uint32_t l = 0; l < entries; ++l) factor[target[l]] -= lower[l] * known;
      }
      target += entries;
    }
    const double pivot_value = factor[at.pivot];
    if (at.pivot_is_diagonal) {
      const double size = std::abs(pivot_value);
      for (std::uint32_t p = at.pivot + 1; p < at.end; ++p) {
        if (!(size >= diagonal_preference * std::abs(factor[p]))) return false;
      }
    } else {
      const std::span candidates = std::span(value_rows_).subspan(at.pivot, at.end - at.pivot);
      const auto size = [&](std::size_t i) { return std::abs(factor[at.pivot + i]); };
      const std::uint32_t column = order_[static_cast<std::size_t>(&at - columns_.data())];
      if (choose_pivot(candidates, column, size) != candidates.front()) return false;
    }
    for (std::uint32_t p = at.pivot + 1; p < at.end; ++p) factor[p] /= pivot_value;
  }
  return true;
}

void SparseLu::solve(double* x) const {
  const std::size_t n = order_.size();
  const double* const factor = values_.data();
  const std::uint32_t* const pivots = value_pivots_.data();
  double* const work = work_.data();
  for (std::size_t i = 0; i < n; ++i) work[pivot_of_[i]] = x[i];
  for (std::size_t k = 0; k < n; ++k) {
    const double known = work[k];
    for (std::uint32_t p = columns_[k].pivot + 1; p < columns_[k].end; ++p)
      work[pivots[p]] -= factor[p] * known;
  }
  for (std::size_t k = n; k-- > 0;) {
    const Column& at = columns_[k];
    const double known = work[k] / factor[at.pivot];
    work[k] = known;
    for (std::uint32_t p = at.first; p < at.pivot; ++p) work[pivots[p]] -= factor[p] * known;
  }
  for (std::size_t k = 0; k < n; ++k) x[order_[k]] = work[k];
}

}  // namespace ergon::numerics
