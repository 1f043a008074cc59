#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ergon/core/api.hpp"
#include "ergon/core/rational.hpp"
#include "ergon/run/simulation.hpp"
#include "ergon/scenario/scenario.hpp"
#include "ergon/study/measure.hpp"
#include "ergon/study/outcome.hpp"

namespace ergon::study {

/// What all runs of a study have in common.
struct ERGON_API RunTemplate {
  std::filesystem::path scenario;
  ScenarioOverrides overrides;  ///< of the command line
  MotionCheck check = MotionCheck::automatic;
  std::vector<Measure> measures;
  std::vector<std::string> courses;  ///< outputs whose samples are kept …
  std::vector<double>
      course_times_s;  ///< … at these times: of a point within round-off, else between two by a straight line
  std::optional<double> timeout_s;
  std::filesystem::path keep_in;  ///< each run writes its files to a folder of its own in here; empty: none
};

/// What one run has of its own.
struct ERGON_API RunSettings {
  std::vector<std::string> settings;    ///< "path=value"
  std::optional<Rational> step_factor;  ///< of all steps; tolerances of solvers inside are a tenth then
};

/// Name of the folder of a run: 000012.
[[nodiscard]] ERGON_API std::string run_folder_name(std::size_t run);

/// Makes one run. Whatever goes wrong with it is its outcome; nothing where `stop` asked to end it.
[[nodiscard]] ERGON_API std::optional<Outcome> execute_run(const RunTemplate& common, std::size_t number,
                                                           const RunSettings& own,
                                                           const std::function<bool()>& stop);

}  // namespace ergon::study
