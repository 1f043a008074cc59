#pragma once

#include <string>
#include <vector>

#include "ergon/coupling/engine.hpp"
#include "ergon/run/record/geometry_recorder.hpp"
#include "ergon/run/record/results_files.hpp"
#include "ergon/scenario/build/build_graph.hpp"

namespace ergon {

/// system.json: what was coupled, for whoever shows the results: names, units, steps, wiring, and what can be seen
/// (docs/command.md).
[[nodiscard]] std::string system_json(const Engine& engine, const BuiltScenario& built,
                                      const Scenario* scenario, const SystemPicture& picture,
                                      const std::vector<ResultsFile>& files);

}  // namespace ergon
