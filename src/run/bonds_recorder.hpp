#pragma once

#include <filesystem>

#include "run/csv_recorder.hpp"

namespace ergon {

/// bonds.csv: the books of every power bond (BondRecord), seven columns each, and six more where it is corrected.
/// `imbalance_energy` is empty where not both ends account for the work they receive, the leaks where no energy balance
/// is kept. Of two or more bonds the sums follow, as `*.residual_power` … [rodriguez2022, (7)]. Without bonds: `time` and
/// the row at t₀.
class BondsRecorder final : public CsvRecorder {
 public:
  /// Throws InputError if the file cannot be opened.
  /// `corrected`: per bond, whether a corrector acts on it.
  BondsRecorder(const std::filesystem::path& file, const CoupledSystem& system, IntervalGate gate = {},
                const std::vector<bool>& corrected = {});

 private:
  void fill(const StepRecord& record, std::span<double> values) const override;

  std::vector<bool> corrected_;
};

}  // namespace ergon
