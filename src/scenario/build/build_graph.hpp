#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "ergon/core/coupled_system.hpp"
#include "ergon/core/time_grid.hpp"
#include "ergon/coupling/options/options.hpp"
#include "ergon/scenario/build/mapped_shape.hpp"
#include "ergon/scenario/scenario.hpp"

namespace ergon {

/// Everything an Engine and its recorders need.
struct BuiltScenario {
  std::unique_ptr<CoupledSystem> system;
  TimeGrid grid;
  CouplingOptions coupling;
  std::vector<Index> recorded;                ///< outputs, in the order of their columns
  std::optional<Rational> output_interval_s;  ///< nothing: every communication point
  std::vector<Index> recorded_bonds{};        ///< in the order of their columns
  std::vector<Index> recorded_inputs{};       ///< in the order of their columns, behind the outputs
  bool by_rate = false;                       ///< outputs of slower subsystems have files of their own
  bool units = false;                         ///< CSV files have a second line with units
  ResultFormats formats{};
  std::vector<std::optional<Rational>> intervals_s{};  ///< per output: its own interval, where it has one
  bool envelope = false;
  std::optional<double> least_change{};
  std::vector<MappedShape> shapes{};   ///< what the scenario shows of models
  std::vector<Accuracy> accuracies{};  ///< per output of the system
};

/// When a run begins, ends and records.
struct RunTimes {
  Rational start_s;
  Rational stop_s;
  std::optional<Said<Rational>> output_interval_s;
  SourceLocation where;
};

/// Puts a frozen system on a clock that can count all its steps, those of step control and the output interval. Nothing
/// after reporting what cannot be counted.
std::optional<BuiltScenario> on_a_clock(std::unique_ptr<CoupledSystem> system, CouplingOptions coupling,
                                        const RunTimes& times, std::vector<Index> recorded,
                                        ProblemList& problems);

/// Makes the models through the registry, wires them and freezes the graph. Finds all that is wrong in one pass, even
/// in a scenario that did not load cleanly; `problems` is sorted by line afterwards. Nothing if there is an error.
std::optional<BuiltScenario> build_graph(const Scenario& scenario, ProblemList& problems);

}  // namespace ergon
