#include "benchmarks/score/score.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "benchmarks/score/method.hpp"
#include "benchmarks/work-precision/problems.hpp"
#include "ergon/core/problem.hpp"
#include "ergon/run/simulation.hpp"

namespace ergon::bench {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
/// Steps of the reference in one of the problem; a second one with half as many shows its error.
constexpr int reference_refinement = 16;
/// Errors that differ by less are the same.
constexpr double same = 1.005;
/// What a reference may be off by.
constexpr double good_reference = 1e-4;

std::string folder_of(const WorkProblem& problem) {
  return problem.scenario.substr(0, problem.scenario.find('/'));
}

/// The motion and the stored energy at points of equal distance.
struct Course {
  std::vector<std::vector<double>> motion;
  std::vector<double> stored_J;
  double integrations = 0.0;
};

/// Nothing where the settings do not fit, for which `why` has the reason; without points where the run failed. `points`: in one part of the
/// duration.
std::optional<Course> course(const WorkProblem& problem, const WorkSetting& setting, int steps, int points,
                             const std::filesystem::path& folder, std::optional<InputError>& why) {
  Course result;
  if (setting.correction != "none" && problem.bonds.empty()) {
    if (!why)
      why = InputError({}, fmt::format("Problem '{}' has no bond to correct.", problem.name),
                       "Choose one that has bonds.");
    return std::nullopt;
  }
  try {
    Simulation simulation(folder / problem.scenario, run_settings(problem, setting, true, steps));
    const CoupledSystem& system = simulation.system();
    std::vector<Index> outputs;
    for (const std::string& name : problem.motion) {
      for (Index o = 0; o < system.outputs.size(); ++o) {
        if (system.outputs[o].text == name || system.outputs[o].text.starts_with(name + "["))
          outputs.push_back(o);
      }
    }
    const double distance_s = problem.duration_s / problem.parts / points;
    const auto failure = simulation.for_each_point([&](const StepRecord& record) {
      const double place = record.time_s() / distance_s;
      if (std::abs(place - std::round(place)) > 1e-6) return;
      std::vector<double>& values = result.motion.emplace_back();
      for (const Index o : outputs) values.push_back(record.output(o));
      double stored_J = 0.0;
      for (Index n = 0; n < system.nodes.size(); ++n) {
        const EnergyRecord& energy = record.energy(n);
        if (energy.available) stored_J += energy.stored_J;
      }
      result.stored_J.push_back(stored_J);
    });
    if (failure) return Course{{}, {}, infinite};
    if (const ImplicitRecord* implicit = simulation.engine().record().implicit_steps()) {
      result.integrations = static_cast<double>(implicit->integrations);
    } else {
      for (const WorkSubsystem& subsystem : problem.subsystems) {
        if (subsystem.at_start.empty()) continue;
        result.integrations +=
            static_cast<double>(simulation.engine().cost(*system.find_node(subsystem.name)).steps);
      }
    }
  } catch (const InputError& error) {
    if (!why) why = error;
    return std::nullopt;
  }
  return result;
}

struct Errors {
  double motion = infinite;
  double energy = infinite;
};

Errors errors_of(const Course& ours, const Course& reference) {
  if (ours.motion.empty() || ours.motion.size() != reference.motion.size()) return {};
  const std::size_t width = reference.motion.front().size();
  std::vector<double> least(width, infinite);
  std::vector<double> most(width, -infinite);
  double largest_J = 0.0;
  for (std::size_t p = 0; p < reference.motion.size(); ++p) {
    largest_J = std::max(largest_J, std::abs(reference.stored_J[p]));
    for (std::size_t i = 0; i < width; ++i) {
      least[i] = std::min(least[i], reference.motion[p][i]);
      most[i] = std::max(most[i], reference.motion[p][i]);
    }
  }
  // A component that hardly moves beside the others is measured by them.
  double largest_range = 0.0;
  for (std::size_t i = 0; i < width; ++i) largest_range = std::max(largest_range, most[i] - least[i]);
  Errors errors{0.0, 0.0};
  const auto raise = [](double& error, double value) {
    if (!(value <= error)) error = std::isfinite(value) ? value : infinite;
  };
  for (std::size_t p = 0; p < reference.motion.size(); ++p) {
    for (std::size_t i = 0; i < width; ++i) {
      const double half_range = 0.5 * std::max(most[i] - least[i], 1e-2 * largest_range);
      raise(errors.motion, std::abs(ours.motion[p][i] - reference.motion[p][i]) / half_range);
    }
    if (largest_J > 0.0) raise(errors.energy, std::abs(ours.stored_J[p] - reference.stored_J[p]) / largest_J);
  }
  return errors;
}

/// Of the slowest subsystem in one part of the duration, as the file has it.
int published_steps(const WorkProblem& problem, const std::filesystem::path& folder) {
  const Simulation simulation(folder / problem.scenario, problem.settings);
  double longest_s = 0.0;
  for (const WorkSubsystem& subsystem : problem.subsystems) {
    const auto node = simulation.system().find_node(subsystem.name);
    longest_s = std::max(longest_s, simulation.system().nodes[*node].step_s.value());
  }
  return std::max(1, static_cast<int>(std::lround(problem.duration_s / problem.parts / longest_s)));
}

std::string text_of(const Row& row, const char* key) {
  for (const auto& [name, value] : row.settings) {
    if (name == key) return std::get<std::string>(value);
  }
  return {};
}

}  // namespace

std::vector<std::string> scored_benchmarks() {
  std::vector<std::string> folders;
  for (const WorkProblem& problem : work_problems()) {
    const std::string folder = folder_of(problem);
    if (std::find(folders.begin(), folders.end(), folder) == folders.end()) folders.push_back(folder);
  }
  return folders;
}

std::vector<Row> score(const std::vector<std::string>& methods, const std::vector<std::string>& benchmarks,
                       const std::filesystem::path& folder) {
  std::vector<WorkSetting> settings;
  for (const std::string& method : methods) settings.push_back(read_method(method));
  const WorkSetting best_known{.name = "reference",
                               .coupling = {"scheme=jacobi", "extrapolation=cubic", "starter=repeat"}};
  std::vector<Row> rows;
  std::vector<std::optional<InputError>> refused(settings.size());
  std::vector<bool> fits(settings.size(), false);
  for (const WorkProblem& problem : work_problems()) {
    const bool wanted = benchmarks.empty() || std::find(benchmarks.begin(), benchmarks.end(),
                                                        folder_of(problem)) != benchmarks.end();
    if (!wanted) continue;
    const int steps = published_steps(problem, folder);
    std::optional<InputError> why;
    const auto reference = course(problem, best_known, steps * reference_refinement, steps, folder, why);
    const auto rough = course(problem, best_known, steps * reference_refinement / 2, steps, folder, why);
    if (!reference || !rough || !(errors_of(*rough, *reference).motion < good_reference)) continue;
    for (std::size_t m = 0; m < settings.size(); ++m) {
      const WorkSetting& setting = settings[m];
      const auto ours = course(problem, setting, steps, steps, folder, refused[m]);
      fits[m] = fits[m] || ours.has_value();
      const Errors errors = ours ? errors_of(*ours, *reference) : Errors{};
      const Case at = {{"problem", problem.name}, {"method", setting.name}};
      rows.push_back({at, "motion_error", "", {}, {}, errors.motion});
      rows.push_back({at, "energy_error", "", {}, {}, errors.energy});
      rows.push_back({at, "integrations", "", {}, {}, ours ? ours->integrations : infinite});
    }
  }
  // One that fits nowhere is a mistake, whose reason is that of the first problem.
  for (std::size_t m = 0; m < settings.size(); ++m) {
    if (!fits[m] && refused[m]) throw InputError(*refused[m]);
  }
  return rows;
}

std::string score_table(const std::vector<Row>& rows) {
  const std::array<std::string, 3> quantities = {"motion_error", "energy_error", "integrations"};
  std::map<std::pair<std::string, std::string>, double> best;
  std::size_t problem_width = 7;
  std::size_t method_width = 6;
  for (const Row& row : rows) {
    const auto [at, is_new] = best.try_emplace({text_of(row, "problem"), row.quantity}, row.ours);
    at->second = std::min(at->second, row.ours);
    problem_width = std::max(problem_width, text_of(row, "problem").size());
    method_width = std::max(method_width, text_of(row, "method").size());
  }
  std::string table = fmt::format("{:<{}}  {:<{}}  {:>13}  {:>13}  {:>13}\n", "problem", problem_width,
                                  "method", method_width, "motion error", "energy error", "integrations");
  std::string last_problem;
  for (std::size_t i = 0; i + 2 < rows.size(); i += 3) {
    const std::string problem = text_of(rows[i], "problem");
    if (!last_problem.empty() && problem != last_problem) table += '\n';
    table += fmt::format("{:<{}}  {:<{}}", problem == last_problem ? "" : problem, problem_width,
                         text_of(rows[i], "method"), method_width);
    last_problem = problem;
    for (std::size_t q = 0; q < 3; ++q) {
      const double ours = rows[i + q].ours;
      // The cheapest is not the best: costs are there to be weighed.
      const bool is_best = std::isfinite(ours) && q < 2 && ours <= same * best[{problem, quantities[q]}];
      const std::string shown = !std::isfinite(ours) ? "-"
                                : q == 2             ? fmt::format("{:.0f}", ours)
                                                     : fmt::format("{:.2e}", ours);
      table += fmt::format("  {:>12}{}", shown, is_best ? '*' : ' ');
    }
    while (table.ends_with(' ')) table.pop_back();
    table += '\n';
  }
  return table;
}

}  // namespace ergon::bench
