#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ergon/run/record/change_filter.hpp"
#include "ergon/run/record/csv_writer.hpp"
#include "ergon/run/record/interval_gate.hpp"
#include "ergon/run/run.hpp"

namespace ergon {

/// What the tables of a run share: a row at t₀, where the interval asks for one, and at the end; in every form that is asked for.
class RowRecorder : public Observer {
 public:
  void begin(const Engine& engine) final { engine_ = &engine; }
  void inspect(const StepRecord& record) final;
  void end(const std::optional<Failure>& failure) final;
  void archive(Archive& archive) final;

  /// Adds the last point if the interval left it out, and closes the files.
  void finish(const StepRecord* last_point);
  /// After the end: why files are incomplete, if they are.
  [[nodiscard]] const std::vector<std::string>& errors() const { return errors_; }

 protected:
  /// Throws InputError if a file cannot be opened.
  /// `least_change`: part of its range by which a column must have changed for a row (change_filter.hpp).
  RowRecorder(const ResultFile& file, std::vector<RowColumn> columns, IntervalGate gate, UnitLine unit_line,
              std::optional<double> least_change = {});
  /// Whether what it records may have changed at this point.
  [[nodiscard]] virtual bool has_samples(const StepRecord& /*record*/) const { return true; }
  /// Every point with samples, whether there is a row for it or not.
  virtual void observe(const StepRecord& /*record*/) {}
  /// All of the row but the time; `row.values` begins behind it.
  virtual void fill(const StepRecord& record, const Row& row) = 0;
  /// What `observe` has found.
  virtual void archive_observed(Archive& /*archive*/) {}

 private:
  /// A row in all forms.
  void write_row(std::span<const double> values, std::span<const std::string> texts,
                 std::size_t first_writer);
  void write(const StepRecord& record, bool is_last);
  void write_changes(const StepRecord& record, bool is_last);

  std::vector<std::unique_ptr<RowWriter>> writers_;  ///< at least one
  IntervalGate gate_;
  std::optional<ChangeFilter> changes_;
  std::vector<double> values_;  ///< scratch for rows that may be left out
  std::vector<std::string> texts_;
  const Engine* engine_ = nullptr;
  bool last_point_left_out_ = false;
  std::vector<std::string> errors_;
};

}  // namespace ergon
