#pragma once

// For the tests of this folder: a communication point without an engine, a scratch directory, a CSV reader.

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "ergon/coupling/state/step_record.hpp"
#include "support/scratch_directory.hpp"

namespace ergon {

/// The books of one node at a point.
inline EnergyRecord energy_record(bool available, double stored_J, double dissipated_J,
                                  double synchronised_J = 0.0) {
  EnergyRecord record;
  record.available = available;
  record.stored_J = stored_J;
  record.dissipated_J = dissipated_J;
  record.synchronised_J = synchronised_J;
  record.kinetic_J = synchronised_J;
  return record;
}

/// The same as the books keep it, every bond with points of its own, into `figures`.
inline const BondFigures& figures_of(std::span<const BondRecord> records, BondFigures& figures) {
  if (figures.bonds() != records.size()) {
    figures = BondFigures(records.size());
    figures.last_points.resize(records.size());
  }
  figures.corrected = false;
  for (Index b = 0; b < records.size(); ++b) {
    figures.rate_group[b] = static_cast<std::uint32_t>(b);
    figures.take(b, records[b]);
  }
  return figures;
}

class FakeStepRecord final : public StepRecord {
 public:
  [[nodiscard]] Tick tick() const override { return now; }
  [[nodiscard]] double time_s() const override { return static_cast<double>(now) / 1000.0; }
  [[nodiscard]] double output(Index output) const override { return values[output]; }
  [[nodiscard]] double applied_input(Index input) const override {
    return input < applied.size() ? applied[input] : 0.0;
  }
  [[nodiscard]] std::span<const BondRecord> bonds() const override { return bond_records; }
  [[nodiscard]] const BondFigures& bond_figures() const override { return figures_of(bond_records, figures); }
  [[nodiscard]] double imbalance_J(Index bond) const override { return imbalances_J[bond]; }
  [[nodiscard]] bool is_at_point(Index node) const override { return node != amid_step; }
  [[nodiscard]] const EnergyRecord& energy(Index node) const override {
    if (node == 0) ++energy_calls;  // readers ask for all nodes in order
    return energy_records[node];
  }

  Tick now = 0;
  std::vector<double> values;
  std::vector<double> applied{};  ///< inputs; those beyond are 0
  std::vector<BondRecord> bond_records;
  std::vector<double> imbalances_J = std::vector<double>(8, 0.0);
  std::vector<EnergyRecord> energy_records;
  std::optional<Index> amid_step;  ///< a node that has computed ahead
  mutable int energy_calls = 0;
  mutable BondFigures figures;
};

inline std::string content_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Lines split at commas; enough for files without quoted names.
inline std::vector<std::vector<std::string>> csv_of(const std::filesystem::path& file) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream in(content_of(file));
  for (std::string line; std::getline(in, line);) {
    std::vector<std::string>& row = rows.emplace_back();
    std::size_t begin = 0;
    for (std::size_t comma; (comma = line.find(',', begin)) != std::string::npos; begin = comma + 1) {
      row.push_back(line.substr(begin, comma - begin));
    }
    row.push_back(line.substr(begin));
  }
  return rows;
}

}  // namespace ergon
