#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "ergon/run/record/row_recorder.hpp"

namespace ergon {

/// Which columns there are beside the usual ones.
struct BondsRecorderOptions {
  std::vector<bool> corrected;  ///< per bond, whether a corrector acts on it
  bool step_control = false;
  bool implicit = false;                      ///< iterations and residual of every step
  std::optional<std::vector<Index>> bonds{};  ///< those with columns, in their order; nothing: all
  UnitLine unit_line = UnitLine::none;
};

/// bonds.csv: the books of every power bond (BondRecord), seven columns each, and six more where it is corrected.
/// `imbalance_energy` is empty where not both ends account for the work they receive, the leaks where no energy balance
/// is kept. Of two or more bonds the sums follow, over all of the system, as `*.residual_power` … [rodriguez2022, (7)], with step control
/// `*.step_size`, its error as a multiple of the tolerance, and the rejections so far, with an implicit scheme
/// `*.iterations` and `*.coupling_residual`. Without any of these: `time` and the row at t₀.
class BondsRecorder final : public RowRecorder {
 public:
  [[nodiscard]] static std::vector<RowColumn> columns(const CoupledSystem& system,
                                                      const BondsRecorderOptions& options);
  /// Throws InputError if the file cannot be opened.
  BondsRecorder(const ResultFile& file, const CoupledSystem& system, IntervalGate gate = {},
                const BondsRecorderOptions& options = {});

 private:
  void fill(const StepRecord& record, const Row& row) override;

  BondsRecorderOptions options_;
  std::vector<Index>
      corrected_inputs_;      ///< effort inputs of corrected bonds: what arrives there, correction included
  std::vector<bool> listed_;  ///< per bond
};

}  // namespace ergon
