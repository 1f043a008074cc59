#include "ergon/study/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <thread>

#include "ergon/core/sha256.hpp"
#include "ergon/run/version.hpp"
#include "ergon/study/journal.hpp"

namespace ergon::study {
namespace {

namespace fs = std::filesystem;

Scenario loaded(const Study& study) {
  ProblemList problems;
  ScenarioOverrides overrides = study.common.overrides;
  return load_scenario(study.common.scenario.string(), overrides, problems);
}

class Meter {
 public:
  Meter(std::size_t runs, std::size_t found, const ExecuteOptions& options) : options_(options) {
    state_.runs = runs;
    state_.found = state_.done = found;
  }
  void count(const Outcome& outcome) {
    ++state_.done;
    if (!outcome.is_whole()) ++state_.failed;
  }
  void count_found(const Outcome& outcome) {
    if (!outcome.is_whole()) ++state_.failed;
  }
  void show() {
    if (!options_.progress) return;
    state_.elapsed_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    const std::size_t made = state_.done - state_.found;
    if (made > 0)
      state_.remaining_s =
          state_.elapsed_s / static_cast<double>(made) * static_cast<double>(state_.runs - state_.done);
    options_.progress(state_);
  }

 private:
  const ExecuteOptions& options_;
  StudyProgress state_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

std::vector<Outcome> in_order(std::map<std::size_t, Outcome> rows) {
  std::vector<Outcome> list;
  list.reserve(rows.size());
  for (auto& [run, outcome] : rows) list.push_back(std::move(outcome));
  return list;
}

}  // namespace

void require_runnable(const Study& study) {
  if (study.runs.empty()) throw InputError({}, "The study has no runs.", "Give values to vary.");
  const std::size_t tried[] = {0, study.runs.size() / 2, study.runs.size() - 1};
  std::optional<InputError> first;
  for (const std::size_t run : tried) {
    try {
      ScenarioOverrides overrides = study.common.overrides;
      const auto& own = study.runs[run].settings;
      overrides.settings.insert(overrides.settings.end(), own.begin(), own.end());
      const Simulation simulation(study.common.scenario, overrides);
      const MeasureSet measures(study.common.measures, simulation.system());
      for (const std::string& course : study.common.courses) (void)simulation.output(course);
      return;
    } catch (const InputError& error) {
      if (!first) first = error;
    }
  }
  throw InputError(*first);
}

Workers suitable_workers(const Study& study) {
  const Scenario scenario = loaded(study);
  const bool all_native = std::all_of(scenario.subsystems.begin(), scenario.subsystems.end(),
                                      [](const SubsystemEntry& entry) { return entry.source == "model"; });
  return all_native && scenario.simulation.plugins.empty() ? Workers::threads : Workers::processes;
}

std::string fingerprint(const Study& study) {
  std::string text = fmt::format("{}\n{}\n{}\n", study.kind, version(), static_cast<int>(study.common.check));
  const auto add = [&text](const std::string& part) { text += fmt::format("{}:{}\n", part.size(), part); };
  for (const InputFile& input : loaded(study).inputs) add(input.sha256);
  for (const std::string& override : loaded(study).overrides) add(override);
  for (const Measure& measure : study.common.measures) add(measure.name + "=" + measure.text);
  for (const std::string& course : study.common.courses) add(course);
  for (const double time_s : study.common.course_times_s) text += fmt::format("{} ", time_s);
  if (study.common.timeout_s) text += fmt::format("timeout {}\n", *study.common.timeout_s);
  for (const RunSettings& run : study.runs) {
    for (const std::string& setting : run.settings) add(setting);
    if (run.step_factor) add(run.step_factor->text());
    text += "run\n";
  }
  return sha256(text);
}

StudyResult execute(const Study& study, const ExecuteOptions& options) {
  require_runnable(study);
  const Workers workers = options.workers.value_or(suitable_workers(study));
  const JournalHead head{study.kind, fingerprint(study), study.runs.size()};
  if (options.restart) {
    std::error_code ignored;
    fs::remove(options.journal, ignored);
  }
  Journal journal(options.journal, head);
  std::map<std::size_t, Outcome> rows;
  for (const Outcome& outcome : journal.found()) rows.insert_or_assign(outcome.run, outcome);
  std::vector<std::size_t> open;
  std::size_t wanted = 0;
  for (std::size_t run = options.part; run < study.runs.size(); run += options.parts) {
    ++wanted;
    if (!rows.contains(run)) open.push_back(run);
  }
  StudyResult result;
  result.found = wanted - open.size();
  Meter meter(wanted, result.found, options);
  for (const auto& [run, outcome] : rows) meter.count_found(outcome);
  meter.show();

  const auto keep = [&](Outcome outcome) {
    meter.count(outcome);
    rows.insert_or_assign(outcome.run, std::move(outcome));
  };
  PoolOptions pool;
  pool.workers = workers;
  pool.jobs = options.jobs > 0 ? options.jobs : std::max(1U, std::thread::hardware_concurrency());
  pool.timeout_s = study.common.timeout_s;
  const Task task = [&study](std::size_t run,
                             const std::function<bool()>& stop) -> std::optional<std::string> {
    const auto outcome = execute_run(study.common, run, study.runs[run], stop);
    return outcome ? std::optional(to_line(*outcome)) : std::nullopt;
  };
  const PoolCalls calls{[&](std::size_t run, const std::string& line) {
                          auto outcome = outcome_of_line(line);
                          if (!outcome || outcome->run != run)
                            throw std::runtime_error("a worker answered with something else than an outcome");
                          journal.append(line);
                          keep(std::move(*outcome));
                        },
                        [&](std::size_t run, const std::string& how) {
                          Outcome outcome;
                          outcome.run = run;
                          outcome.status = "crashed";
                          outcome.message = how;
                          outcome.measures.assign(study.common.measures.size(),
                                                  std::numeric_limits<double>::quiet_NaN());
                          journal.append(to_line(outcome));
                          keep(std::move(outcome));
                        },
                        [&] {
                          meter.show();
                          return !options.stop || !options.stop();
                        }};
  result.complete = work_on(open, task, pool, calls);
  meter.show();
  result.outcomes = in_order(std::move(rows));
  return result;
}

std::vector<Outcome> merge(const Study& study, const std::vector<fs::path>& journals) {
  const std::string own = fingerprint(study);
  std::map<std::size_t, Outcome> rows;
  for (const fs::path& file : journals) {
    JournalHead head;
    for (Outcome& outcome : Journal::read(file, head)) rows.insert_or_assign(outcome.run, std::move(outcome));
    if (head.fingerprint != own)
      throw InputError({file.string(), 0, 0},
                       "This part is of another study: its scenario, settings, plan or measures differ.",
                       "Merge with the arguments that the parts were made with.");
  }
  return in_order(std::move(rows));
}

}  // namespace ergon::study
