#pragma once

#include <filesystem>
#include <vector>

#include "ergon/run/record/row_recorder.hpp"

namespace ergon {

/// energy.csv: `time`, then NAME.stored, NAME.dissipated, NAME.received, NAME.supplied of every node that keeps an account, and of
/// every element (J). Accounts may be dear, so about 2000 points of a run are looked at.
class EnergyRecorder final : public RowRecorder {
 public:
  /// Throws InputError if the file cannot be opened.
  EnergyRecorder(const ResultFile& file, const Engine& engine, UnitLine unit_line = UnitLine::none);
  [[nodiscard]] static std::vector<RowColumn> columns(const Engine& engine);

  /// Nodes that keep an account, and elements.
  [[nodiscard]] static std::vector<Index> accounts(const Engine& engine);

 private:
  void fill(const StepRecord& record, const Row& row) override;

  std::vector<Index> nodes_;
};

}  // namespace ergon
