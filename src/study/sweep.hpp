#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "ergon/core/api.hpp"
#include "ergon/study/plan/design.hpp"
#include "ergon/study/study.hpp"

namespace ergon::study {

/// A parameter study as a user describes it, on the command line or in a file (docs/studies.md).
struct ERGON_API SweepDescription {
  std::filesystem::path scenario;
  ScenarioOverrides overrides;
  std::vector<std::string> vary;      ///< "path=values", read by Axis::parse
  std::vector<std::string> measures;  ///< "name=function(formula)", read by Measure::parse
  std::vector<std::string> bands;     ///< outputs whose quantiles over the runs are wanted; * and ?
  DesignOptions design;
  MotionCheck check = MotionCheck::automatic;
  std::optional<double> timeout_s;
};

/// Adds what a study file holds to what the command line says, which wins. Throws InputError with the place in the file.
ERGON_API void read_study_file(const std::filesystem::path& file, SweepDescription& description);

/// A parameter study: its runs, and what is written of their outcomes.
class ERGON_API Sweep {
 public:
  /// Throws InputError with what is wrong.
  explicit Sweep(SweepDescription description);
  /// Each run writes its files into a folder of its own in `folder`.
  void keep_runs_in(const std::filesystem::path& folder) { study_.common.keep_in = folder; }
  [[nodiscard]] const Study& study() const { return study_; }
  [[nodiscard]] const Plan& plan() const { return plan_; }
  [[nodiscard]] const std::vector<Axis>& axes() const { return axes_; }

  /// runs.csv, costs.csv, bands.csv, study.json: complete or not there. Returns what went wrong.
  [[nodiscard]] std::vector<std::string> write(const std::filesystem::path& folder,
                                               const StudyResult& result) const;
  /// Sobol indices per measure, of a plan saltelli.
  [[nodiscard]] std::string to_json(const StudyResult& result) const;

 private:
  SweepDescription description_;
  std::vector<Axis> axes_;
  Plan plan_;
  Study study_;
};

}  // namespace ergon::study
