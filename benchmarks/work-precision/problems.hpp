#pragma once

#include <string>
#include <vector>

namespace ergon::bench {

/// Who steps in a published problem, and with what.
struct WorkSubsystem {
  std::string name;
  std::string at_start;  ///< integrator that looks at its inputs at the start of a step; empty: a source
  std::string within;    ///< integrator that follows them
  int ratio = 1;         ///< steps of its own within one of the slowest
};

/// A published problem that is not chaotic, without what its own page says about the coupling.
struct WorkProblem {
  std::string name;
  std::string scenario;  ///< in benchmarks/
  double duration_s = 0.0;
  /// Errors are taken at so many equal parts of the duration; steps are whole parts of one of them.
  int parts = 0;
  std::vector<WorkSubsystem> subsystems;
  std::vector<std::string> bonds;     ///< that the file describes
  std::vector<std::string> elements;  ///< that make bonds
  std::vector<std::string> motion;    ///< outputs whose error counts
  std::vector<std::string> settings{};

  [[nodiscard]] int fastest() const;
};

const std::vector<WorkProblem>& work_problems();

}  // namespace ergon::bench
