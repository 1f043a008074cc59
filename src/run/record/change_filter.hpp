#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "ergon/core/port_type.hpp"
#include "ergon/coupling/state/archive.hpp"
#include "ergon/run/record/row_writer.hpp"

namespace ergon {

/// Leaves out rows in which nothing has changed by more than a part of its range so far, texts and integers at all. The row before one
/// that is kept is kept, too: a straight line between the rows of a file is then off by at most twice that part.
class ChangeFilter {
 public:
  /// `kinds`: of the columns behind the time.
  ChangeFilter(double part_of_range, std::vector<ValueKind> kinds);

  /// What is to be written, after this row was seen: nothing, the row, or the one before and the row.
  enum class Kept { none, row, both };
  /// `values`: the time first.
  [[nodiscard]] Kept look_at(std::span<const double> values, std::span<const std::string> texts);
  /// The row before the one that was looked at last: left out so far.
  [[nodiscard]] Row left_out() { return {left_out_, left_out_texts_}; }
  /// The row that was looked at last is written, whatever has changed: the last one of a run.
  [[nodiscard]] bool has_left_out() const { return has_left_out_; }

  void archive(Archive& archive);

 private:
  [[nodiscard]] bool has_changed(std::span<const double> values, std::span<const std::string> texts) const;
  void keep(std::span<const double> values, std::span<const std::string> texts);

  double part_of_range_;
  std::vector<ValueKind> kinds_;
  bool has_rows_ = false;
  bool has_left_out_ = false;
  std::vector<double> kept_, left_out_, least_, largest_;  ///< the time first
  std::vector<std::string> kept_texts_, left_out_texts_;
};

}  // namespace ergon
