#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ergon::numerics {

/// P A Q = L U of a sparse matrix whose pattern stays, column by column [gilbert1988]. Q is a minimum-degree ordering of A + Aᵀ,
/// found once. In each column the diagonal entry is the pivot unless another is ten times as large; what is chosen depends on
/// the values alone, never on factorisations before. But as long as the same pivots are chosen, the pattern of the factors is that
/// of the factorisation before, and is not looked for: the same operations then follow in the same order, each at a place
/// that is known, and give the same bits. Entries that have always been zero take no part: they would eliminate nothing, and a
/// pattern that is told beforehand has many of them. Allocates nothing once the factors have been as full as they get.
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
  [[nodiscard]] std::size_t fill() const { return values_.size(); }

 private:
  /// Of the factors: entries of U in the order of elimination, the pivot, entries of L. They lie one behind the other.
  struct Column {
    std::uint32_t first;  ///< of its values
    std::uint32_t pivot;  ///< its value
    std::uint32_t end;
    std::uint32_t sources;  ///< how many values of the matrix it has
    std::uint32_t fills;    ///< … and how many of its own are none of the matrix
    bool pivot_is_diagonal;
  };
  void factorize_anew(std::span<const double> values);
  /// Where each operation of `factorize_again` finds its numbers.
  void note_course();
  /// With pivots and pattern as they were; false where another pivot is to be chosen.
  [[nodiscard]] bool factorize_again(std::span<const double> values);
  void find_reach(std::uint32_t column);
  void visit(std::uint32_t row);
  /// Which of these rows, none of which is a pivot yet; `none` where there are none. `sizes`: of their values.
  template <class Size>
  [[nodiscard]] static std::uint32_t choose_pivot(std::span<const std::uint32_t> rows, std::uint32_t diagonal,
                                                  const Size& size);

  /// Whatever is not zero takes part from here on.
  void admit(std::span<const double> values);

  std::vector<std::uint32_t> starts_;
  std::vector<std::uint32_t> rows_;
  std::vector<std::uint32_t> order_;     ///< Q: the columns in the order of elimination
  std::vector<std::uint32_t> pivot_of_;  ///< P: where each row became the pivot
  // Values of the matrix that take part, and those that have been zero so far.
  std::vector<bool> takes_part_;
  std::vector<std::uint32_t> absent_;
  int admissions_ = 0;
  // The factors, column by column; L has a diagonal of ones beside.
  std::vector<Column> columns_;
  std::vector<double> values_;
  std::vector<std::uint32_t> value_rows_;    ///< of the matrix
  std::vector<std::uint32_t> value_pivots_;  ///< … where each became the pivot
  // Of the column that is being eliminated: the rows that can be nonzero.
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
  // The course of the last factorisation.
  bool known_ = false;
  struct Source {
    std::uint32_t value;  ///< of the matrix
    std::uint32_t place;
  };
  std::vector<Source> sources_;         ///< column by column
  std::vector<std::uint32_t> fills_;    ///< places that no value of the matrix has, likewise
  std::vector<bool> place_is_filled_;   ///< while the course is noted
  std::vector<std::uint32_t> targets_;  ///< of each entry of U, for each entry of L that it multiplies
};

}  // namespace ergon::numerics
