#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/work-precision/problems.hpp"

namespace ergon::bench {

/// One way to couple, and whose it is.
struct WorkSetting {
  enum class Origin { others, papers, normal, ours };
  std::string name{};
  Origin origin = Origin::ours;
  std::vector<std::string> coupling{};  ///< keys of [coupling]: "scheme=jacobi"
  std::string feedthrough = "refresh";
  std::string correction = "none";
  std::string correction_keys{};  ///< ", key = value" …
  std::string control{};          ///< method of [step_control]; empty: fixed steps
  double control_rtol = 0.0;      ///< of those steps; 0: by the refinement of the run
  bool keeps_rates = false;       ///< solving schemes: each subsystem keeps its own step
  bool solves = false;     ///< semi-implicit and implicit schemes: one communication step, short steps inside
  bool reversed = false;   ///< the other order of a sweep
  int starter_degree = 0;  ///< of a starter, which repeats the first steps
};

std::string_view name_of(WorkSetting::Origin origin);
const std::vector<WorkSetting>& work_settings();

/// How a bond extrapolates. Words that only [coupling] knows ("auto-quadratic") are left to it.
void add_extrapolation(const std::string& bond, std::string_view extrapolation,
                       std::vector<std::string>& settings);

/// The settings of one run. `within`: integrators that follow their inputs. `steps`: of the slowest subsystem in one part of the duration.
std::vector<std::string> run_settings(const WorkProblem& problem, const WorkSetting& setting, bool within,
                                      int steps);

}  // namespace ergon::bench
