#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>

#include "emit.hpp"
#include "ergon/report/study_page.hpp"
#include "ergon/run/record/output_directory.hpp"
#include "ergon/run/terminal/interrupt.hpp"
#include "ergon/run/version.hpp"
#include "ergon/scenario/setting_names.hpp"
#include "ergon/study/sweep.hpp"
#include "study_commands.hpp"
#include "study_progress.hpp"

namespace ergon::app {
namespace {

namespace fs = std::filesystem;

struct Part {
  std::size_t number = 0, of = 1;  ///< from 0 on
};

Part part_of(const std::optional<std::string>& text) {
  Part part;
  if (!text) return part;
  const auto slash = text->find('/');
  const char* const end = text->data() + text->size();
  const auto first = std::from_chars(text->data(), end, part.number);
  const auto second = slash == std::string::npos ? std::from_chars_result{end, std::errc::invalid_argument}
                                                 : std::from_chars(text->data() + slash + 1, end, part.of);
  if (first.ec != std::errc{} || second.ec != std::errc{} || second.ptr != end || part.number < 1 ||
      part.number > part.of)
    throw InputError({"--part " + *text, 0, 0}, "This is not a part.",
                     "Write --part 2/4 for the second of four.");
  --part.number;
  return part;
}

study::SweepDescription description_of(const SweepArguments& arguments) {
  study::SweepDescription d;
  d.scenario = arguments.run.scenario;
  d.overrides = arguments.run.overrides;
  if (arguments.plan) d.design.design = study::design_of(*arguments.plan);
  d.design.samples = arguments.samples;
  d.design.seed = arguments.seed;
  d.check = motion_check_names.value(arguments.check);
  d.timeout_s = arguments.timeout_s;
  if (arguments.file) study::read_study_file(*arguments.file, d);
  d.vary.insert(d.vary.end(), arguments.vary.begin(), arguments.vary.end());
  d.measures.insert(d.measures.end(), arguments.measures.begin(), arguments.measures.end());
  d.bands.insert(d.bands.end(), arguments.bands.begin(), arguments.bands.end());
  if (d.scenario.empty())
    throw InputError({}, "The sweep does not say which system it is of.",
                     "Name a scenario, or a study file with --study.");
  return d;
}

fs::path folder_of(const SweepArguments& arguments, const fs::path& scenario) {
  if (arguments.run.output_directory) return *arguments.run.output_directory;
  fs::path folder = default_output_directory(scenario);
  folder += "-sweep";
  if (arguments.part) {
    std::string part = *arguments.part;
    std::replace(part.begin(), part.end(), '/', '-');
    folder += "-part-" + part;
  }
  return folder;
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw InputError({folder.string(), 0, 0}, "The folder cannot be made: " + error.message() + ".",
                     "Give another one with --out.");
}

void print_counts(const study::StudyResult& result) {
  std::map<std::string, std::size_t> statuses, verdicts;
  for (const study::Outcome& o : result.outcomes) {
    ++statuses[o.status];
    if (o.is_whole()) ++verdicts[o.verdict];
  }
  const auto list = [](const std::map<std::string, std::size_t>& counts) {
    std::string text;
    for (const auto& [name, count] : counts)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name);
    return text;
  };
  emit("{} runs: {}\n", result.outcomes.size(), list(statuses));
  if (!verdicts.empty()) emit("verdicts: {}\n", list(verdicts));
  constexpr std::size_t most_failures_shown = 3;
  std::size_t shown = 0;
  for (const study::Outcome& o : result.outcomes) {
    if (o.is_whole() || shown++ >= most_failures_shown) continue;
    emit(stderr, "run {} {}: {}\n", o.run, o.status, o.message);
  }
  if (shown > most_failures_shown)
    emit(stderr, "and {} more (column 'message' of runs.csv)\n", shown - most_failures_shown);
}

int finish(const study::Sweep& sweep, const study::StudyResult& result, const SweepArguments& arguments,
           const fs::path& folder) {
  const auto errors = sweep.write(folder, result);
  for (const std::string& error : errors) emit(stderr, "error: {}\n", error);
  if (!arguments.run.quiet) {
    print_counts(result);
    emit("results in {}\n", folder.string());
  }
  report_study(folder, arguments.report && errors.empty(), arguments.run.quiet);
  if (!errors.empty()) return exit_run_failed;
  if (!result.complete) return exit_interrupted;
  const bool any_whole =
      std::any_of(result.outcomes.begin(), result.outcomes.end(), [](const auto& o) { return o.is_whole(); });
  return any_whole || result.outcomes.empty() ? exit_done : exit_run_failed;
}

}  // namespace

study::ExecuteOptions execute_options(const StudyArguments& arguments, const fs::path& folder) {
  study::ExecuteOptions options;
  options.journal = folder / "journal.jsonl";
  options.jobs = arguments.jobs;
  options.restart = arguments.restart;
  if (arguments.workers == "threads") options.workers = study::Workers::threads;
  if (arguments.workers == "processes") options.workers = study::Workers::processes;
  options.stop = [] { return interrupted(); };
  return options;
}

std::optional<fs::path> write_study_report(const fs::path& folder, const std::optional<std::string>& file) {
  if (!report::is_study_folder(folder)) return std::nullopt;
  require_pages();
  const fs::path page = file ? fs::path(*file) : folder / "report.html";
  write_page(page, report::study_page(folder, {fs::weakly_canonical(folder).filename().string(),
                                               std::string(version()), true}));
  return page;
}

void report_study(const fs::path& folder, bool wanted, bool quiet) {
  if (!wanted || !report::why_no_pages().empty()) return;
  const auto page = write_study_report(folder, std::nullopt);
  if (page && !quiet) emit("report: {}\n", page->string());
}

int sweep_command(const SweepArguments& arguments) {
  const InterruptGuard guard;
  const study::SweepDescription description = description_of(arguments);
  const Part part = part_of(arguments.part);
  study::Sweep sweep(description);
  const fs::path folder = folder_of(arguments, description.scenario);
  if (!arguments.merged.empty()) {
    std::vector<fs::path> journals;
    for (const std::string& merged : arguments.merged) journals.push_back(fs::path(merged) / "journal.jsonl");
    study::StudyResult result;
    result.outcomes = study::merge(sweep.study(), journals);
    result.complete = true;
    make_folder(folder);
    if (result.outcomes.size() < sweep.study().runs.size())
      emit(stderr, "warning: {} of {} runs are in none of the parts.\n",
           sweep.study().runs.size() - result.outcomes.size(), sweep.study().runs.size());
    return finish(sweep, result, arguments, folder);
  }
  if (arguments.keep) sweep.keep_runs_in(fs::absolute(folder) / "runs");
  // Nothing is written for bad input.
  study::require_runnable(sweep.study());
  make_folder(folder);
  StudyProgressLine line(arguments.run.quiet ? ProgressMode::off : *progress_mode(arguments.run.progress));
  study::ExecuteOptions options = execute_options(arguments, folder);
  options.part = part.number;
  options.parts = part.of;
  options.progress = [&line](const study::StudyProgress& progress) { line.show(progress); };
  const study::StudyResult result = study::execute(sweep.study(), options);
  line.finish();
  if (!arguments.run.quiet && result.found > 0) emit("{} runs were done before\n", result.found);
  if (!result.complete)
    emit(stderr, "interrupted after {} of {} runs; the same command goes on from there.\n",
         result.outcomes.size(), sweep.study().runs.size());
  if (arguments.keep && arguments.report && report::why_no_pages().empty()) {
    for (const study::Outcome& o : result.outcomes) {
      const fs::path run = folder / "runs" / study::run_folder_name(o.run);
      if (fs::exists(run / "results.csv") && !fs::exists(run / "report.html")) write_report({run.string()});
    }
  }
  return finish(sweep, result, arguments, folder);
}

}  // namespace ergon::app
