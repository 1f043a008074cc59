#pragma once

#include <filesystem>
#include <vector>

#include "ergon/run/record/csv_recorder.hpp"

namespace ergon {

/// results.csv: `time`, then the chosen outputs under their names.
class ResultsRecorder final : public CsvRecorder {
 public:
  /// Throws InputError if the file cannot be opened.
  ResultsRecorder(const ResultFile& file, const CoupledSystem& system, std::vector<Index> outputs,
                  IntervalGate gate = {});

 private:
  void fill(const StepRecord& record, const CsvRow& row) const override;

  std::vector<Index> outputs_;
  std::vector<ValueKind> kinds_;
};

}  // namespace ergon
