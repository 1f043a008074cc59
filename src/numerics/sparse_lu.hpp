#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ergon::numerics {

/// P A Q = L U of a sparse matrix whose pattern stays, column by column [gilbert1988]. Q is a minimum-degree ordering of A + Aᵀ,
/// found once. In each column the diagonal entry is the pivot unless another is ten times as large; what is chosen depends on
/// the values alone, never on factorisations before. But as long as the same pivots are chosen, the pattern of the factors is that
/// of the factorisation before, and is not looked for: the same operations then follow in the same order, and give the same
/// bits. Allocates nothing once the factors have been as full as they get.
class SparseLu {
 public:
  /// Column j holds the rows `rows[starts[j]] … rows[starts[j + 1] − 1]`, each once and in any order; `factorize` takes the
  /// values in the same order.
  void analyze(std::vector<std::uint32_t> starts, std::vector<std::uint32_t> rows);
  /// Of a singular matrix the solutions are not finite.
  void factorize(std::span<const double> values);
  /// x ← A⁻¹x
  void solve(double* x) const;

  /// Entries of L and U.
  [[nodiscard]] std::size_t fill() const { return lower_.rows.size() + upper_.rows.size(); }

 private:
  struct Triangle {
    std::vector<std::uint32_t> starts;
    std::vector<std::uint32_t> rows;
    std::vector<double> values;
    void clear();
    void push(std::uint32_t row, double value);
    void end_column() { starts.push_back(static_cast<std::uint32_t>(rows.size())); }
  };
  void factorize_anew(std::span<const double> values);
  /// With pivots and pattern as they were; false where another pivot is to be chosen.
  [[nodiscard]] bool factorize_again(std::span<const double> values);
  void find_reach(std::uint32_t column);
  void visit(std::uint32_t row);
  /// Among these rows of the column, none of which is a pivot yet; `none` where there are none.
  [[nodiscard]] std::uint32_t choose_pivot(std::span<const std::uint32_t> rows, std::uint32_t diagonal) const;

  std::vector<std::uint32_t> starts_;
  std::vector<std::uint32_t> rows_;
  std::vector<std::uint32_t> order_;     ///< Q: the columns in the order of elimination
  std::vector<std::uint32_t> pivot_of_;  ///< P: where each row became the pivot
  Triangle lower_;                       ///< below the diagonal of ones
  Triangle upper_;                       ///< the diagonal is the last entry of its column
  // Of the column that is being eliminated: the rows that can be nonzero, each before those that depend on it, backwards.
  std::vector<std::uint32_t> reach_;
  std::vector<std::uint32_t> candidates_;  ///< those of them that may be the pivot
  std::vector<double> column_;
  std::vector<std::uint32_t> seen_in_;
  std::uint32_t pass_ = 0;
  struct Open {
    std::uint32_t row;
    std::uint32_t next;
  };
  std::vector<Open> open_;
  mutable std::vector<double> work_;
  // The course of the last factorisation, by rows of the matrix: per column, in the order of elimination, the rows that were
  // pivots already, as they were eliminated, and the candidates for its own.
  bool known_ = false;
  std::vector<std::uint32_t> eliminated_;
  std::vector<std::uint32_t> all_candidates_;
  std::vector<std::uint32_t> candidate_starts_;
  std::vector<std::uint32_t> chosen_;
  std::vector<std::uint32_t> lower_rows_;  ///< of `lower_`
};

}  // namespace ergon::numerics
