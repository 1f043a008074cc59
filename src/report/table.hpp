#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ergon::report {

/// One column: numbers, or texts by number. Empty fields are NaN.
struct CsvColumn {
  std::string name;
  std::vector<double> values;
  std::vector<std::string> texts;  ///< of a column of texts: what its values stand for
  [[nodiscard]] bool is_text() const { return !texts.empty(); }
};

/// Part of a run, its ends included.
struct TimeWindow {
  std::optional<double> from_s{};
  std::optional<double> to_s{};
  [[nodiscard]] bool is_whole() const { return !from_s && !to_s; }
};

/// A table by columns, the time first, that stays on the disk.
class Table {
 public:
  virtual ~Table() = default;
  [[nodiscard]] virtual const std::vector<std::string>& names() const = 0;
  /// As the file says them; empty where it says none.
  [[nodiscard]] virtual const std::vector<std::string>& units() const = 0;
  [[nodiscard]] virtual std::size_t rows() const = 0;
  [[nodiscard]] virtual bool is_text(std::size_t column) const = 0;
  /// Throws InputError if the file is not what it was.
  [[nodiscard]] virtual CsvColumn column(std::size_t number) const = 0;
  /// `count` rows from `first` on.
  [[nodiscard]] virtual CsvColumn part(std::size_t number, std::size_t first, std::size_t count) const;
  /// First row and number of rows in a window.
  [[nodiscard]] virtual std::pair<std::size_t, std::size_t> rows_in(const TimeWindow& window) const;
  /// Number of the first column of this name.
  [[nodiscard]] std::optional<std::size_t> find(const std::string& name) const;

 protected:
  /// The same of any times that increase.
  template <class TimeAt>
  static std::pair<std::size_t, std::size_t> rows_in(const TimeWindow& window, std::size_t rows,
                                                     const TimeAt& time_at) {
    const auto first_where = [&](const auto& holds) {
      std::size_t low = 0;
      std::size_t high = rows;
      while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        if (holds(time_at(middle))) {
          high = middle;
        } else {
          low = middle + 1;
        }
      }
      return low;
    };
    const std::size_t first = window.from_s ? first_where([&](double t) { return t >= *window.from_s; }) : 0;
    const std::size_t end = window.to_s ? first_where([&](double t) { return t > *window.to_s; }) : rows;
    return {first, end > first ? end - first : 0};
  }
};

/// The rows of another one that are in a window.
class WindowedTable final : public Table {
 public:
  WindowedTable(std::shared_ptr<const Table> whole, const TimeWindow& window)
      : whole_(std::move(whole)), rows_(whole_->rows_in(window)) {}
  [[nodiscard]] const std::vector<std::string>& names() const override { return whole_->names(); }
  [[nodiscard]] const std::vector<std::string>& units() const override { return whole_->units(); }
  [[nodiscard]] std::size_t rows() const override { return rows_.second; }
  [[nodiscard]] bool is_text(std::size_t column) const override { return whole_->is_text(column); }
  [[nodiscard]] CsvColumn column(std::size_t number) const override {
    return whole_->part(number, rows_.first, rows_.second);
  }

 private:
  std::shared_ptr<const Table> whole_;
  std::pair<std::size_t, std::size_t> rows_;
};

}  // namespace ergon::report
