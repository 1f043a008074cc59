#include "benchmarks/work-precision/work_precision.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "benchmarks/work-precision/measure.hpp"

namespace ergon::bench {
namespace {

constexpr double nowhere = std::numeric_limits<double>::infinity();
/// Of a run, on the way to a given accuracy: what is dearer is not looked for.
constexpr double most_evaluations = 5e5;

const char* kind_of(bool within) {
  return within ? "within" : "start";
}

void add_cost(std::vector<Row>& rows, const Case& settings, const char* accuracy,
              const std::optional<WorkRun>& run) {
  const auto add = [&](const char* figure, const char* unit, double value) {
    rows.push_back({settings, fmt::format("{}_{}", figure, accuracy), unit, {}, {}, value});
  };
  add("evaluations", "", run ? run->evaluations : nowhere);
  add("integrations", "", run ? run->integrations : nowhere);
  add("cpu", "s", run ? run->cpu_s : nowhere);
}

/// What a row says of itself.
std::string said(const Row& row, const std::string& key) {
  for (const auto& [name, value] : row.settings) {
    if (name == key) return std::get<std::string>(value);
  }
  return {};
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
}

/// Costs of one setting over those of the best of the others, problem by problem.
struct Relative {
  std::vector<double> of_problems;
  [[nodiscard]] std::string text() const {
    if (of_problems.empty()) return fmt::format("{:>6} {:>6}", "-", "-");
    const auto shown = [](double ratio) {
      return std::isfinite(ratio) ? fmt::format("{:>6.2f}", ratio) : fmt::format("{:>6}", "> all");
    };
    return shown(median(of_problems)) + " " +
           shown(*std::max_element(of_problems.begin(), of_problems.end()));
  }
};

}  // namespace

std::vector<Row> work_precision(const std::filesystem::path& folder) {
  const std::string benchmarks = folder.parent_path().string();
  std::vector<Row> rows;
  for (const WorkProblem& problem : work_problems()) {
    const WorkReference reference(problem, benchmarks);
    rows.push_back({{{"problem", problem.name}}, "error_of_reference", "", {}, {}, reference.own_error()});
    if (!reference.converged()) continue;
    for (const bool within : {false, true}) {
      for (const WorkSetting& setting : work_settings()) {
        const WorkCost cost = work_cost(problem, setting, within, benchmarks, reference, most_evaluations);
        if (!cost.fits) continue;
        const Case settings = {{"problem", problem.name},
                               {"integrator", kind_of(within)},
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
  // By accuracy, then by problem and kind of integrator.
  using Place = std::pair<std::string, std::string>;
  const std::vector<std::string> accuracies = {"evaluations_1%", "evaluations_0.1%"};
  std::map<std::string, std::map<Place, double>> best_of_others;
  for (const Row& row : rows) {
    if (said(row, "origin") != "others" ||
        std::find(accuracies.begin(), accuracies.end(), row.quantity) == accuracies.end())
      continue;
    const auto [at, is_new] =
        best_of_others[row.quantity].try_emplace({said(row, "problem"), said(row, "integrator")}, row.ours);
    at->second = std::min(at->second, row.ours);
  }
  std::string table =
      "Evaluations of right-hand sides over those of the best of the others: median and largest of all "
      "problems\n\n";
  table += fmt::format("{:<9}{:<40}{:^13}  {:^13}  {:^13}  {:^13}\n", "", "", "start, 1 %", "start, 0.1 %",
                       "within, 1 %", "within, 0.1 %");
  for (const WorkSetting& setting : work_settings()) {
    table += fmt::format("{:<9}{:<40}", name_of(setting.origin), setting.name);
    for (const char* kind : {"start", "within"}) {
      for (const std::string& accuracy : accuracies) {
        Relative relative;
        for (const Row& row : rows) {
          if (row.quantity != accuracy || said(row, "setting") != setting.name ||
              said(row, "integrator") != kind)
            continue;
          const double best = best_of_others[accuracy][{said(row, "problem"), kind}];
          // Where nobody else gets there, whoever does is ahead of all.
          if (!std::isfinite(best) && !std::isfinite(row.ours)) continue;
          relative.of_problems.push_back(row.ours / best);
        }
        table += relative.text() + "  ";
      }
    }
    table += "\n";
  }
  return table;
}

}  // namespace ergon::bench
