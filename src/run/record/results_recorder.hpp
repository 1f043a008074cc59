#pragma once

#include <filesystem>
#include <vector>

#include "ergon/run/record/csv_recorder.hpp"

namespace ergon {

/// What results.csv holds, and files of slower subsystems.
struct RecordedSignals {
  std::vector<Index> outputs;
  std::vector<Index> inputs{};  ///< behind them: their values as last used
  /// Rows where one of these has a sample; nothing: at every point.
  std::vector<Index> nodes{};

  /// Columns behind the time.
  [[nodiscard]] std::vector<CsvColumn> columns(const CoupledSystem& system) const;
};

/// results.csv: `time`, then the chosen outputs and inputs under their names.
class ResultsRecorder final : public CsvRecorder {
 public:
  /// Throws InputError if the file cannot be opened.
  ResultsRecorder(const ResultFile& file, const CoupledSystem& system, RecordedSignals signals,
                  IntervalGate gate = {}, UnitLine unit_line = UnitLine::none);
  ResultsRecorder(const ResultFile& file, const CoupledSystem& system, std::vector<Index> outputs,
                  IntervalGate gate = {})
      : ResultsRecorder(file, system, RecordedSignals{std::move(outputs)}, gate) {}

 private:
  [[nodiscard]] bool has_samples(const StepRecord& record) const override;
  void fill(const StepRecord& record, const CsvRow& row) const override;

  RecordedSignals signals_;
  std::vector<ValueKind> kinds_;  ///< of outputs, then inputs
};

}  // namespace ergon
