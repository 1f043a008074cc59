#pragma once

#include <optional>
#include <string>
#include <vector>

#include "benchmarks/work-precision/settings.hpp"

namespace ergon::bench {

/// The motion on points of equal distance, and how far it may be from the truth.
class WorkReference {
 public:
  /// By extrapolation of degree 3 with Runge–Kutta inside, the steps halved until two solutions agree; `folder`: benchmarks/.
  WorkReference(const WorkProblem& problem, const std::string& folder);

  /// Relative to half the range of each output.
  [[nodiscard]] double own_error() const { return own_error_; }
  [[nodiscard]] bool converged() const { return own_error_ < 1e-4; }
  [[nodiscard]] std::size_t width() const { return half_ranges_.size(); }
  /// Largest |values − motion| at t, relative to half the ranges.
  [[nodiscard]] double error(double t_s, const std::vector<double>& values) const;

 private:
  double distance_s_ = 0.0;
  std::vector<std::vector<double>> samples_;
  std::vector<double> half_ranges_;
  double own_error_ = 0.0;
};

/// One run.
struct WorkRun {
  double error = 0.0;         ///< largest over the run; infinite where it failed
  double evaluations = 0.0;   ///< of right-hand sides
  double integrations = 0.0;  ///< steps of subsystems, trials included
  double cpu_s = 0.0;         ///< of stepping
};

/// Nothing where the setting does not fit the problem. `refinement`: of steps, or of the tolerance where steps are controlled.
std::optional<WorkRun> work_run(const WorkProblem& problem, const WorkSetting& setting, bool within,
                                int refinement, const std::string& folder, const WorkReference& reference);

/// What a setting costs on a problem.
struct WorkCost {
  std::optional<WorkRun> at_1_percent;
  std::optional<WorkRun> at_01_percent;
  std::vector<WorkRun> runs;  ///< the coarsest first
  bool fits = false;
};
/// Ever smaller steps until three in a row are below 0.1 %, or dearer than `most_evaluations`: the cost to an accuracy is that of the
/// largest steps that reach it and below which all do.
WorkCost work_cost(const WorkProblem& problem, const WorkSetting& setting, bool within,
                   const std::string& folder, const WorkReference& reference, double most_evaluations);

}  // namespace ergon::bench
