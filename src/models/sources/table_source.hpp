#pragma once

#include "ergon/models/sources/csv_table.hpp"
#include "ergon/models/sources/source.hpp"

namespace ergon {

/// A signal given by points in time, from a CSV file or inline; before the first and after the last point it keeps
/// their values.
class TableSource final : public Source {
 public:
  enum class Interpolation { linear, hold };
  /// `table`: at least one row, increasing times.
  TableSource(Unit unit, TimeTable table, Interpolation interpolation)
      : Source(std::move(unit)), table_(std::move(table)), interpolation_(interpolation) {}
  [[nodiscard]] double value(double t) const override;
  /// From here on it keeps its last value. Nothing of a table with a single row, which is a constant.
  [[nodiscard]] std::optional<double> end_s() const {
    return table_.times_s.size() > 1 ? std::optional(table_.times_s.back()) : std::nullopt;
  }

 private:
  TimeTable table_;
  Interpolation interpolation_;
};

ModelInfo table_source();

}  // namespace ergon
