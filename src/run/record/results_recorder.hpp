#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "ergon/run/record/row_recorder.hpp"

namespace ergon {

/// What results.csv holds, and files of slower subsystems.
struct RecordedSignals {
  std::vector<Index> outputs;
  std::vector<Index> inputs{};  ///< behind them: their values as last used
  /// Rows where one of these has a sample; nothing: at every point.
  std::vector<Index> nodes{};
  /// Each real one is followed by NAME.min and NAME.max: its least and largest value since the row before.
  bool envelope = false;
  std::optional<double> least_change{};  ///< of change_filter.hpp

  /// Columns behind the time.
  [[nodiscard]] std::vector<RowColumn> columns(const CoupledSystem& system) const;
};

/// results.csv: `time`, then the chosen outputs and inputs under their names.
class ResultsRecorder final : public RowRecorder {
 public:
  /// Throws InputError if the file cannot be opened.
  ResultsRecorder(const ResultFile& file, const CoupledSystem& system, RecordedSignals signals,
                  IntervalGate gate = {}, UnitLine unit_line = UnitLine::none);
  ResultsRecorder(const ResultFile& file, const CoupledSystem& system, std::vector<Index> outputs,
                  IntervalGate gate = {})
      : ResultsRecorder(file, system, RecordedSignals{std::move(outputs)}, gate) {}

 private:
  [[nodiscard]] bool has_samples(const StepRecord& record) const override;
  void observe(const StepRecord& record) override;
  void fill(const StepRecord& record, const Row& row) override;
  void archive_observed(Archive& archive) override;
  /// Value of a real signal, by its number among outputs and inputs.
  [[nodiscard]] double real_value(const StepRecord& record, std::size_t signal) const;

  RecordedSignals signals_;
  std::vector<ValueKind> kinds_;  ///< of outputs, then inputs
  // With an envelope, per signal.
  std::vector<double> least_, largest_;
};

}  // namespace ergon
