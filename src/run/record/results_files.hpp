#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ergon/run/record/results_recorder.hpp"
#include "ergon/scenario/build/build_graph.hpp"

namespace ergon {

/// results.csv, or the file of all subsystems with one longer step, or of all outputs with one interval of their own.
struct ResultsFile {
  std::string name = "results.csv";
  RecordedSignals signals{};
  std::optional<Rational> interval_s{};  ///< nothing: that of the run
};

/// Which file holds what. Without `by_rate` there is results.csv alone. With it, results.csv holds the subsystems with the shortest step
/// of those that are recorded, and elements; each further step has a file `results.every-0.01s.csv`, with rows at the points of its
/// subsystems. Where steps vary, all subsystems have samples at all points, and one file. Outputs with an interval of their own have a
/// file `results.interval-0.5s.csv` per interval, which comes last.
[[nodiscard]] std::vector<ResultsFile> results_files(const BuiltScenario& built);

/// Whether a file is one of a longer step or of an interval, of this run or an earlier one.
[[nodiscard]] bool is_rate_file(std::string_view name);

}  // namespace ergon
