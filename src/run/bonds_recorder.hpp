#pragma once

#include <filesystem>

#include "run/csv_recorder.hpp"

namespace ergon {

/// bonds.csv: the books of every power bond (BondRecord), seven columns each. `imbalance_energy` is empty
/// where not both ends account for the work they receive. Without bonds: `time` and the row at t₀.
class BondsRecorder final : public CsvRecorder {
 public:
  /// Throws InputError if the file cannot be opened.
  BondsRecorder(const std::filesystem::path& file, const CoupledSystem& system, IntervalGate gate = {});

 private:
  void fill(const StepRecord& record, std::span<double> values) const override;
};

}  // namespace ergon
