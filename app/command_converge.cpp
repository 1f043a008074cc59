#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "emit.hpp"
#include "ergon/report/page.hpp"
#include "ergon/run/record/output_directory.hpp"
#include "ergon/run/record/replace_file.hpp"
#include "ergon/run/terminal/interrupt.hpp"
#include "ergon/study/converge.hpp"
#include "study_commands.hpp"
#include "study_progress.hpp"

namespace ergon::app {
namespace {

namespace fs = std::filesystem;
using study::ConvergenceReport;
using study::OrderLoss;
using study::VariableConvergence;

/// Of as many as a terminal shows; the page and the JSON file have all.
constexpr std::size_t most_variables_shown = 20;

std::string shown_number(double value, int digits = 3) {
  return std::isfinite(value) ? fmt::format("{:.{}g}", value, digits) : "-";
}

std::string reason_of_loss(const VariableConvergence& v, const ConvergenceReport& report) {
  const std::string from = v.lost_at_level && *v.lost_at_level < report.steps_s.size()
                               ? fmt::format("from {} s on: ", shown_number(report.steps_s[*v.lost_at_level]))
                               : "";
  switch (v.loss) {
    case OrderLoss::none:
      return "";
    case OrderLoss::still:
      return "does not move";
    case OrderLoss::round_off:
      return from + "round-off";
    case OrderLoss::solver_noise:
      return from + "noise of the solvers inside";
    case OrderLoss::event:
      return from + fmt::format("an event at about t = {} s", shown_number(v.lost_at_s.value_or(0.0), 4));
    case OrderLoss::too_coarse:
      return "steps too long: no order yet";
    case OrderLoss::diverges:
      break;
  }
  return "differences grow: unstable or chaotic";
}

void print_table(const ConvergenceReport& report) {
  std::size_t width = 8;
  std::vector<const VariableConvergence*> shown;
  for (const VariableConvergence& v : report.variables) {
    if (v.loss != OrderLoss::still) shown.push_back(&v);
  }
  // The least accurate first.
  const auto relative = [](const VariableConvergence* v) {
    return v->half_range > 0.0 ? v->bars.front() / v->half_range : 0.0;
  };
  std::stable_sort(shown.begin(), shown.end(),
                   [&](const auto* a, const auto* b) { return relative(a) > relative(b); });
  const std::size_t rows = std::min(shown.size(), most_variables_shown);
  for (std::size_t i = 0; i < rows; ++i) width = std::max(width, shown[i]->name.size());
  emit("steps {} s to {} s, compared at {} times up to t = {} s\n\n", shown_number(report.steps_s.front()),
       shown_number(report.steps_s.back()), report.samples, shown_number(report.compared_to_s, 6));
  emit("{:<{}}  {:>6}  {:>12}  {:>12}  {:>26}  {}\n", "variable", width, "order", "error (H)",
       "error (finest)", "last value, extrapolated", "order lost");
  for (std::size_t i = 0; i < rows; ++i) {
    const VariableConvergence& v = *shown[i];
    const auto percent = [&](double bar) {
      return v.half_range > 0.0 && std::isfinite(bar) ? fmt::format("{:.2g} %", 100.0 * bar / v.half_range)
                                                      : std::string("-");
    };
    emit("{:<{}}  {:>6}  {:>12}  {:>12}  {:>26}  {}\n", v.name, width,
         v.order ? fmt::format("{:.2f}", *v.order) : "-", percent(v.bars.front()), percent(v.bars.back()),
         fmt::format("{} ± {}", shown_number(v.last_value, 7), shown_number(v.last_value_bar, 2)),
         reason_of_loss(v, report));
  }
  if (rows < shown.size()) emit("and {} more (converge.json)\n", shown.size() - rows);
  emit("\nErrors are bounds, relative to half the range of the variable.\n");
}

void print_steps(const ConvergenceReport& report, double asked_for) {
  std::vector<double> accuracies = {1e-2, 1e-3, 1e-4};
  if (std::find(accuracies.begin(), accuracies.end(), asked_for) == accuracies.end())
    accuracies.insert(accuracies.begin(), asked_for);
  for (const double accuracy : accuracies) {
    const study::WantedStep wanted = study::wanted_step(report, accuracy);
    if (wanted.step_s && *wanted.step_s >= report.steps_s.front()) {
      emit("for {:.4g} %: the steps H of {} s are short enough\n", 100.0 * accuracy,
           shown_number(report.steps_s.front()));
    } else if (wanted.step_s) {
      emit("for {:.4g} %: a step of {} s, which {} needs\n", 100.0 * accuracy, shown_number(*wanted.step_s),
           wanted.variable);
    } else {
      emit("for {:.4g} %: no step can be given; {} has no order down to there\n", 100.0 * accuracy,
           wanted.variable);
    }
  }
}

void print_subsystems(const ConvergenceReport& report) {
  if (report.subsystems.empty()) return;
  auto sorted = report.subsystems;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.change > b.change; });
  emit("\nwhose step makes the error? Half the step of one subsystem alone:\n");
  const std::size_t rows = std::min(sorted.size(), most_variables_shown);
  for (std::size_t i = 0; i < rows; ++i) {
    const study::SubsystemShare& s = sorted[i];
    if (!s.failure.empty()) {
      emit("  {}: no result ({})\n", s.subsystem, s.failure);
    } else {
      emit("  {}: changes {} by {:.2g} % of half its range, {:.0f} % of what halving all steps does\n",
           s.subsystem, s.variable, 100.0 * s.change, 100.0 * s.share);
    }
  }
  if (rows < sorted.size()) emit("  and {} more (converge.json)\n", sorted.size() - rows);
  constexpr double small_share = 0.3;
  const bool none_alone = std::all_of(sorted.begin(), sorted.end(), [](const study::SubsystemShare& s) {
    return s.failure.empty() && s.share < small_share;
  });
  if (none_alone) emit("  none by itself: the error is that of the exchange at the points where all meet\n");
}

double accuracy_of(const std::string& text) {
  const auto accuracy = Accuracy::parse(text);
  if (!accuracy || accuracy->kind != Accuracy::Kind::relative)
    throw InputError({"--accuracy " + text, 0, 0}, "This is not an accuracy relative to half the range.",
                     "Write --accuracy 1%.");
  return accuracy->value;
}

}  // namespace

int converge_command(const ConvergeArguments& arguments) {
  const InterruptGuard guard;
  const double accuracy = accuracy_of(arguments.accuracy);
  study::ConvergeOptions options;
  options.scenario = arguments.run.scenario;
  options.overrides = arguments.run.overrides;
  options.levels = arguments.levels;
  options.variables = arguments.variables;
  options.per_subsystem = !arguments.no_subsystems;
  const study::ConvergenceStudy convergence(options);
  study::require_runnable(convergence.study());
  fs::path folder = default_output_directory(arguments.run.scenario);
  folder += "-converge";
  if (arguments.run.output_directory) folder = *arguments.run.output_directory;
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw InputError({folder.string(), 0, 0}, "The folder cannot be made: " + error.message() + ".",
                     "Give another one with --out.");
  StudyProgressLine line(arguments.run.quiet || arguments.json ? ProgressMode::off
                                                               : *progress_mode(arguments.run.progress));
  study::ExecuteOptions execution = execute_options(arguments, folder);
  execution.progress = [&line](const study::StudyProgress& progress) { line.show(progress); };
  const study::StudyResult result = study::execute(convergence.study(), execution);
  line.finish();
  if (!result.complete) {
    emit(stderr, "interrupted after {} of {} runs; the same command goes on from there.\n",
         result.outcomes.size(), convergence.study().runs.size());
    return exit_interrupted;
  }
  const ConvergenceReport report = convergence.report(result);
  const std::string json = study::to_json(report);
  if (const auto problem = replace_file(folder / "converge.json", json)) throw std::runtime_error(*problem);
  if (arguments.json) emit("{}", json);
  if (!report.failure.empty()) {
    emit(stderr, "error: fewer than three step sizes gave a result: {}. Give smaller steps: --step-size.\n",
         report.failure);
    return exit_run_failed;
  }
  if (!arguments.json && !arguments.run.quiet) {
    print_table(report);
    print_steps(report, accuracy);
    print_subsystems(report);
    emit("\nresults in {}\n", folder.string());
  }
  report_study(folder, arguments.report, arguments.run.quiet || arguments.json);
  return exit_done;
}

}  // namespace ergon::app
