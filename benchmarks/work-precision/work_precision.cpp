#include "benchmarks/work-precision/work_precision.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "benchmarks/work-precision/cost_table.hpp"
#include "benchmarks/work-precision/measure.hpp"
#include "ergon/core/problem.hpp"

namespace ergon::bench {
namespace {

constexpr double nowhere = std::numeric_limits<double>::infinity();
/// Of a run, on the way to a given accuracy: what is dearer is not looked for.
constexpr double most_evaluations = 5e5;
constexpr const char* at_start = "start";
constexpr const char* within_steps = "within";

void add_cost(std::vector<Row>& rows, const Case& settings, const char* accuracy,
              const std::optional<WorkRun>& run) {
  const auto add = [&](const char* figure, const char* unit, double value) {
    rows.push_back({settings, fmt::format("{}_{}", figure, accuracy), unit, {}, {}, value});
  };
  add("evaluations", "", run ? run->evaluations : nowhere);
  add("integrations", "", run ? run->integrations : nowhere);
  add("cpu", "s", run ? run->cpu_s : nowhere);
}

/// Whether what is asked for is this one. A word that nobody knows would leave nothing after minutes.
class Wanted {
 public:
  Wanted(const Conditions& where, const char* key, const std::vector<std::string>& known) {
    for (const auto& [name, value] : where) {
      if (name != key) continue;
      wanted_ = value;
      if (std::find(known.begin(), known.end(), value) == known.end())
        throw InputError({}, fmt::format("There is no {} '{}'.", key, value),
                         fmt::format("Available: {}.", fmt::join(known, ", ")));
    }
  }
  [[nodiscard]] bool is(const std::string& name) const { return !wanted_ || *wanted_ == name; }

 private:
  std::optional<std::string> wanted_;
};

}  // namespace

std::vector<Row> work_precision(const std::filesystem::path& folder, const Conditions& where) {
  const std::string benchmarks = folder.parent_path().string();
  std::vector<std::string> problems;
  for (const WorkProblem& problem : work_problems()) problems.push_back(problem.name);
  const Wanted wanted_problem(where, "problem", problems);
  const Wanted wanted_integrator(where, "integrator", {at_start, within_steps});
  std::vector<Row> rows;
  for (const WorkProblem& problem : work_problems()) {
    if (!wanted_problem.is(problem.name)) continue;
    const WorkReference reference(problem, benchmarks);
    rows.push_back({{{"problem", problem.name}}, "error_of_reference", "", {}, {}, reference.own_error()});
    if (!reference.converged()) continue;
    for (const bool within : {false, true}) {
      const char* const kind = within ? within_steps : at_start;
      if (!wanted_integrator.is(kind)) continue;
      for (const WorkSetting& setting : work_settings()) {
        const WorkCost cost = work_cost(problem, setting, within, benchmarks, reference, most_evaluations);
        if (!cost.fits) continue;
        const Case settings = {{"problem", problem.name},
                               {"integrator", kind},
                               {"origin", std::string(name_of(setting.origin))},
                               {"setting", setting.name}};
        for (const WorkRun& run : cost.runs) {
          if (!(run.error < 1.0)) continue;
          Case at = settings;
          at.emplace_back("evaluations", run.evaluations);
          rows.push_back({at, "error", "", {}, {}, run.error});
        }
        add_cost(rows, settings, "1%", cost.at_1_percent);
        add_cost(rows, settings, "0.1%", cost.at_01_percent);
      }
    }
  }
  return rows;
}

std::string work_precision_table(const std::vector<Row>& rows) {
  const RelativeCosts costs(rows);
  return costs.by_setting() + costs.by_problem();
}

bool is_cost(const Row& row) {
  return row.quantity != "error";
}

}  // namespace ergon::bench
