#pragma once

#include "ergon/models/sources/csv_table.hpp"
#include "ergon/models/sources/source.hpp"

namespace ergon {

/// A signal given by points in time, from a CSV file or inline; before the first and after the last point it keeps
/// their values.
class TableSource final : public Source {
 public:
  enum class Interpolation { linear, hold };
  /// `table`: at least one row, times that do not decrease.
  TableSource(Unit unit, TimeTable table, Interpolation interpolation)
      : Source(std::move(unit)), table_(std::move(table)), interpolation_(interpolation) {}
  [[nodiscard]] double value(double t) const override;
  /// From here on it keeps its last value. Nothing of a table with a single row, which is a constant.
  [[nodiscard]] std::optional<double> end_s() const {
    return table_.times_s.size() > 1 ? std::optional(table_.times_s.back()) : std::nullopt;
  }

 private:
  TimeTable table_;
  Interpolation interpolation_;
};

/// The same for values that are not reals: each row holds until the next one.
class DiscreteTable final : public Subsystem, public NoState, public DiscretePorts {
 public:
  DiscreteTable(PortType type, std::vector<EnumerationItem> items, TimeTable table)
      : type_(type), items_(std::move(items)), table_(std::move(table)) {}
  [[nodiscard]] Description describe() const override;
  StepStatus initialize(const Experiment& /*experiment*/) override { return {}; }
  StepStatus step(double /*t*/, double /*h*/, const InputView& /*u*/) override { return {}; }
  void outputs(double /*t*/, const double* /*u*/, double* /*y*/) override {}
  void set_discrete_inputs(const DiscreteInputs& /*u*/) override {}
  void discrete_outputs(double t, const double* u, const DiscreteOutputs& y) override;
  DiscretePorts* discrete_ports() override { return this; }
  Rewindable* rewindable() override { return this; }
  [[nodiscard]] const Serializable* serializable() const override { return this; }
  StateDerivative* state_derivative() override { return this; }

 private:
  [[nodiscard]] std::size_t row(double t) const;

  PortType type_;
  std::vector<EnumerationItem> items_;
  TimeTable table_;
};

ModelInfo table_source();

}  // namespace ergon
