#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ergon/run/record/csv_writer.hpp"
#include "ergon/run/record/interval_gate.hpp"
#include "ergon/run/run.hpp"

namespace ergon {

/// What results.csv and bonds.csv share: a row at t₀, where the interval asks for one, and at the end.
class CsvRecorder : public Observer {
 public:
  void begin(const Engine& engine) final { engine_ = &engine; }
  void inspect(const StepRecord& record) final;
  void end(const std::optional<Failure>& failure) final;
  void archive(Archive& archive) final;

  /// Adds the last point if the interval left it out, and closes the file.
  void finish(const StepRecord* last_point);
  /// After the end: why the file is incomplete, if it is.
  [[nodiscard]] const std::optional<std::string>& error() const { return error_; }

 protected:
  /// Throws InputError if the file cannot be opened.
  CsvRecorder(const ResultFile& file, std::span<const std::string> names, IntervalGate gate)
      : writer_(file, names), gate_(gate) {}
  CsvRecorder(const ResultFile& file, std::vector<CsvColumn> columns, IntervalGate gate)
      : writer_(file, std::move(columns)), gate_(gate) {}
  /// All of the row but the time; `row.values` begins behind it.
  virtual void fill(const StepRecord& record, const CsvRow& row) const = 0;

 private:
  void write(const StepRecord& record);

  CsvWriter writer_;
  IntervalGate gate_;
  const Engine* engine_ = nullptr;
  bool last_point_left_out_ = false;
  std::optional<std::string> error_;
};

}  // namespace ergon
