#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ergon/core/api.hpp"
#include "ergon/study/convergence.hpp"
#include "ergon/study/study.hpp"

namespace ergon::study {

struct ERGON_API ConvergeOptions {
  std::filesystem::path scenario;
  ScenarioOverrides overrides;
  std::size_t levels = 5;              ///< runs at H, H/2 … H/2^(levels − 1)
  std::vector<std::string> variables;  ///< patterns; empty: the recorded outputs
  bool per_subsystem = true;           ///< a run per subsystem with its step alone halved
  std::size_t most_samples = 400;      ///< times at which runs are compared
};

/// One subsystem with half its step, all others with theirs.
struct ERGON_API SubsystemShare {
  std::string subsystem;
  double step_s = 0.0;
  double change = 0.0;   ///< the largest that it makes, over half the range of the variable
  std::string variable;  ///< where
  double share = 0.0;    ///< of what halving all steps changes there
  std::string failure;   ///< why its run has no result
};

struct ERGON_API ConvergenceReport {
  std::vector<double> steps_s;  ///< of the levels: the longest step of the system
  std::vector<Outcome> runs;    ///< of the levels, then those of single subsystems
  std::vector<VariableConvergence> variables;
  std::vector<SubsystemShare> subsystems;
  std::vector<std::string> solvers_inside;  ///< subsystems that solve to a tolerance
  double compared_from_s = 0.0, compared_to_s = 0.0;
  std::size_t samples = 0;
  std::string failure;  ///< why levels are missing: no variables then
};

/// A convergence study: its runs, and what is made of their outcomes. Throws InputError where the system has no fixed steps.
class ERGON_API ConvergenceStudy {
 public:
  explicit ConvergenceStudy(ConvergeOptions options);
  [[nodiscard]] const Study& study() const { return study_; }
  [[nodiscard]] ConvergenceReport report(const StudyResult& result) const;

 private:
  ConvergeOptions options_;
  Study study_;
  std::vector<std::string> units_;       ///< of the courses
  std::vector<std::string> subsystems_;  ///< whose steps are halved one by one
  std::vector<double> subsystem_steps_s_;
  std::vector<std::string> solvers_inside_;
  double step_s_ = 0.0;
  double solver_noise_ = 0.0;
};

/// The smallest step that every judged variable needs for an accuracy relative to half its range, and which one needs it.
struct ERGON_API WantedStep {
  double accuracy = 0.0;
  std::optional<double> step_s;  ///< nothing: no step can be given
  std::string variable;          ///< the one that decides, or prevents it
};
[[nodiscard]] ERGON_API WantedStep wanted_step(const ConvergenceReport& report, double accuracy);

[[nodiscard]] ERGON_API std::string to_json(const ConvergenceReport& report);

}  // namespace ergon::study
