#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ergon/run/record/interval_gate.hpp"
#include "ergon/run/run.hpp"

namespace ergon {

struct MemoryRecorderOptions {
  std::vector<Index> outputs;
  bool bonds = false;
  bool energy = false;  ///< totals over all subsystems and elements that keep an account
  IntervalGate gate;
};

/// Keeps a run in memory, for tests and benchmarks. Room for all points is reserved before the first one.
class MemoryRecorder final : public Observer {
 public:
  explicit MemoryRecorder(MemoryRecorderOptions options);

  void begin(const Engine& engine) override;
  void inspect(const StepRecord& record) override;
  void end(const std::optional<Failure>& failure) override;
  void archive(Archive& archive) override;

  void reserve(std::size_t points, std::size_t nodes, std::size_t bonds);
  /// Adds the last point if the interval left it out.
  void finish(const StepRecord* last_point);

  [[nodiscard]] std::size_t points() const { return times_s_.size(); }
  [[nodiscard]] std::span<const double> times_s() const { return times_s_; }
  [[nodiscard]] std::span<const Tick> ticks() const { return ticks_; }
  /// The chosen outputs at one point, in the order of the options.
  [[nodiscard]] std::span<const double> row(std::size_t point) const {
    return std::span(values_).subspan(point * options_.outputs.size(), options_.outputs.size());
  }
  [[nodiscard]] double value(std::size_t point, std::size_t column) const { return row(point)[column]; }
  [[nodiscard]] std::vector<double> column(std::size_t column) const;
  /// Of a column that is an integer, boolean or enumeration, with all its digits.
  [[nodiscard]] std::int64_t integer(std::size_t point, std::size_t column) const {
    return integers_.at(point * integer_columns_ + place_in_kind_.at(column));
  }
  /// Of a column of texts or bytes.
  [[nodiscard]] const std::string& text(std::size_t point, std::size_t column) const {
    return texts_.at(point * text_columns_ + place_in_kind_.at(column));
  }
  [[nodiscard]] std::span<const BondRecord> bonds(std::size_t point) const {
    return std::span(bonds_).subspan(point * bond_count_, bond_count_);
  }
  [[nodiscard]] std::span<const double> stored_J() const { return stored_J_; }
  [[nodiscard]] std::span<const double> dissipated_J() const { return dissipated_J_; }
  [[nodiscard]] std::span<const double> supplied_J() const { return supplied_J_; }

 private:
  void keep(const StepRecord& record);

  MemoryRecorderOptions options_;
  const Engine* engine_ = nullptr;
  bool last_point_left_out_ = false;
  std::size_t bond_count_ = 0;
  std::vector<Tick> ticks_;
  std::vector<double> times_s_;
  std::vector<double> values_;
  std::vector<ValueKind> kinds_;  ///< per column; known from the beginning of a run
  std::vector<std::size_t> place_in_kind_;
  std::size_t integer_columns_ = 0;
  std::size_t text_columns_ = 0;
  std::vector<std::int64_t> integers_;
  std::vector<std::string> texts_;
  std::vector<BondRecord> bonds_;
  std::vector<double> stored_J_;
  std::vector<double> dissipated_J_;
  std::vector<double> supplied_J_;
  std::vector<EnergyRecord> per_node_;
};

/// An upper bound of the communication points of a run, from the nodes' steps in ticks (0: never stepped).
[[nodiscard]] std::size_t most_points(std::span<const Tick> periods, Tick end);

}  // namespace ergon
