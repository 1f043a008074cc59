// Studies of a scenario: what is done once is not done again, whatever happens in between.
#include "ergon/study/study.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <fstream>
#include <numeric>
#include <thread>

#include "ergon/core/problem.hpp"
#include "ergon/study/converge.hpp"
#include "ergon/study/journal.hpp"
#include "ergon/study/sweep.hpp"
#include "ergon/study/table.hpp"
#include "support/scratch_directory.hpp"

namespace ergon::study {
namespace {

namespace fs = std::filesystem;

/// A mass on a spring, and what pushes it.
constexpr const char* scenario_text = R"([simulation]
stop_time = 1.0
step_size = 1e-3
[[subsystem]]
name = "left"
model = "oscillator.force_output"
parameters = { m = 1.0, k = 10.0, c = 0.0, kc = 100.0, cc = 0.0 }
initial = { x = 0.0, v = 100.0 }
[[subsystem]]
name = "right"
model = "oscillator.mass"
parameters = { m = 1.0, k = 1000.0, c = 0.0 }
initial = { x = 0.0, v = -100.0 }
[[bond]]
name = "coupling"
a = { effort = "left.force", flow = "left.velocity_in", displacement = "left.position_in" }
b = { effort = "right.force", flow = "right.velocity", displacement = "right.position" }
)";

class Studies : public testing::Test {
 protected:
  Studies() { std::ofstream(file_) << scenario_text; }

  [[nodiscard]] Sweep sweep(std::vector<std::string> vary) const {
    SweepDescription description;
    description.scenario = file_;
    description.vary = std::move(vary);
    description.measures = {"peak=max(right.position)"};
    description.check = MotionCheck::off;
    return Sweep(description);
  }
  [[nodiscard]] ExecuteOptions options(const std::string& journal, Workers workers = Workers::threads) const {
    ExecuteOptions options;
    options.journal = folder_ / journal;
    options.workers = workers;
    options.jobs = 2;
    return options;
  }
  static std::string table(const Sweep& sweep, const std::vector<Outcome>& outcomes) {
    std::vector<std::string> settings, measures;
    for (const Axis& axis : sweep.axes()) settings.push_back(axis.setting);
    for (const Measure& measure : sweep.study().common.measures) measures.push_back(measure.name);
    return runs_csv(settings, sweep.plan().runs, measures, outcomes);
  }

  ScratchDirectory scratch_;
  fs::path folder_ = scratch_ / ".";
  fs::path file_ = folder_ / "two.toml";
};

TEST_F(Studies, GiveTheRowsOfSingleRuns) {
  const Sweep study = sweep({"right.m=0.5,1,2", "left.k=10,20"});
  const StudyResult result = execute(study.study(), options("j"));
  ASSERT_TRUE(result.complete);
  ASSERT_EQ(result.outcomes.size(), 6U);
  Simulation single(file_, {"right.m=2", "left.k=20"});
  double peak = -INFINITY;
  const Index position = single.output("right.position");
  single.observe([&](const StepRecord& record) { peak = std::max(peak, record.output(position)); });
  single.run();
  EXPECT_EQ(result.outcomes[5].measures.at(0), peak);
  EXPECT_EQ(result.outcomes[5].points, single.summary().points);
  EXPECT_EQ(result.outcomes[5].energy_drift_J, single.summary().energy->max_drift_J);
}

TEST_F(Studies, AreTheSameInThreadsAndProcesses) {
  const Sweep study = sweep({"right.m=lin(0.5,2,20)"});
  const std::string threads = table(study, execute(study.study(), options("threads")).outcomes);
  EXPECT_EQ(threads, table(study, execute(study.study(), options("processes", Workers::processes)).outcomes));
}

TEST_F(Studies, KeepRunsThatCannotBeMadeAsRows) {
  const Sweep study = sweep({"right.m=1,-1,2"});
  const StudyResult result = execute(study.study(), options("j"));
  ASSERT_EQ(result.outcomes.size(), 3U);
  EXPECT_EQ(result.outcomes[0].status, "finished");
  EXPECT_EQ(result.outcomes[1].status, "refused");
  EXPECT_NE(result.outcomes[1].message.find("m"), std::string::npos);
  EXPECT_TRUE(std::isnan(result.outcomes[1].measures.at(0)));
  EXPECT_EQ(result.outcomes[2].status, "finished");
  // What no run can have is a mistake.
  EXPECT_THROW((void)execute(sweep({"right.mass=1,2"}).study(), options("k")), InputError);
}

TEST_F(Studies, GoOnWhereTheyWereStopped) {
  const Sweep study = sweep({"right.m=lin(0.5,2,40)"});
  const std::string whole = table(study, execute(study.study(), options("whole")).outcomes);
  ExecuteOptions stopped = options("stopped");
  std::size_t done = 0;
  for (int times = 0; times < 100; ++times) {
    const std::size_t before = done;
    stopped.progress = [&](const StudyProgress& progress) { done = progress.done; };
    stopped.stop = [&] { return done > before; };
    const StudyResult result = execute(study.study(), stopped);
    EXPECT_EQ(result.found, before);
    if (!result.complete) continue;
    EXPECT_EQ(table(study, result.outcomes), whole);
    return;
  }
  FAIL() << "it never came to its end";
}

TEST_F(Studies, SurviveBeingKilled) {
  const Sweep study = sweep({"right.m=lin(0.5,2,60)"});
  const std::string whole = table(study, execute(study.study(), options("whole")).outcomes);
  for (const Workers workers : {Workers::threads, Workers::processes}) {
    const std::string journal = workers == Workers::threads ? "threads" : "processes";
    for (int kills = 0; kills < 5; ++kills) {
      const pid_t child = ::fork();
      if (child == 0) {
        try {
          (void)execute(study.study(), options(journal, workers));
        } catch (...) {
          ::_exit(1);
        }
        ::_exit(0);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(15));
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, 0);
    }
    // At once: its workers hold no lock.
    const StudyResult result = execute(study.study(), options(journal, workers));
    EXPECT_EQ(table(study, result.outcomes), whole);
  }
}

TEST_F(Studies, MergeTheirParts) {
  const Sweep study = sweep({"right.m=lin(0.5,2,11)"});
  const std::string whole = table(study, execute(study.study(), options("whole")).outcomes);
  std::vector<fs::path> journals;
  for (std::size_t part = 0; part < 4; ++part) {
    ExecuteOptions own = options("part" + std::to_string(part));
    own.part = part;
    own.parts = 4;
    EXPECT_EQ(execute(study.study(), own).outcomes.size(), part < 3 ? 3U : 2U);
    journals.push_back(own.journal);
  }
  EXPECT_EQ(table(study, merge(study.study(), journals)), whole);
  EXPECT_THROW((void)merge(sweep({"right.m=1,2"}).study(), journals), InputError);
}

TEST_F(Studies, DoNotMixJournals) {
  (void)execute(sweep({"right.m=1,2"}).study(), options("j"));
  EXPECT_THROW((void)execute(sweep({"right.m=1,3"}).study(), options("j")), InputError);
  // Another scenario under the same name is another study.
  std::ofstream(file_, std::ios::app) << "# other\n";
  EXPECT_THROW((void)execute(sweep({"right.m=1,2"}).study(), options("j")), InputError);
  ExecuteOptions fresh = options("j");
  fresh.restart = true;
  EXPECT_EQ(execute(sweep({"right.m=1,3"}).study(), fresh).found, 0U);
}

TEST_F(Studies, CutTornLinesAndNameDamagedOnes) {
  const Sweep study = sweep({"right.m=1,2,3"});
  const auto first = execute(study.study(), options("j"));
  std::ofstream(folder_ / "j", std::ios::app) << "{\"run\": 2, \"sta";
  EXPECT_EQ(execute(study.study(), options("j")).found, 3U);
  std::ofstream(folder_ / "j", std::ios::app) << "{\"run\": 2}\n";
  try {
    (void)execute(study.study(), options("j"));
    FAIL() << "a damaged line was taken";
  } catch (const InputError& error) {
    EXPECT_EQ(error.problems().all().at(0).where.line, 5);
  }
}

TEST_F(Studies, EndRunsThatTakeTooLong) {
  SweepDescription description;
  description.scenario = file_;
  description.vary = {"simulation.stop_time=0.1,1e5"};
  description.check = MotionCheck::off;
  description.timeout_s = 0.2;
  const Sweep study(description);
  const StudyResult result = execute(study.study(), options("j"));
  ASSERT_TRUE(result.complete);
  EXPECT_EQ(result.outcomes[0].status, "finished");
  EXPECT_EQ(result.outcomes[1].status, "timeout");
}

/// A pool whose items end their process in several ways.
TEST(WorkerPool, MakesCrashesRowsAndGoesOn) {
  std::vector<std::size_t> items(30);
  std::iota(items.begin(), items.end(), 0U);
  std::vector<std::string> answers(items.size());
  std::vector<std::string> ends(items.size());
  const Task task = [](std::size_t item, const std::function<bool()>&) -> std::optional<std::string> {
    if (item % 10 == 3) ::raise(SIGKILL);
    if (item % 10 == 7) ::_exit(5);
    return "answer " + std::to_string(item);
  };
  const PoolCalls calls{[&](std::size_t item, std::string line) { answers[item] = std::move(line); },
                        [&](std::size_t item, const std::string& how) { ends[item] = how; },
                        [] { return true; },
                        {}};
  EXPECT_TRUE(work_on(items, task, {.workers = Workers::processes, .jobs = 2, .timeout_s = {}}, calls));
  for (const std::size_t item : items) {
    if (item % 10 == 3) {
      EXPECT_NE(ends[item].find("signal 9"), std::string::npos) << item;
    } else if (item % 10 == 7) {
      EXPECT_NE(ends[item].find("exit code 5"), std::string::npos) << item;
    } else {
      EXPECT_EQ(answers[item], "answer " + std::to_string(item));
      EXPECT_EQ(ends[item], "");
    }
  }
}

TEST(WorkerPool, EndsItemsThatHang) {
  const std::vector<std::size_t> items = {0, 1, 2};
  std::vector<std::string> ends(items.size());
  std::size_t done = 0;
  const Task task = [](std::size_t item, const std::function<bool()>&) -> std::optional<std::string> {
    while (item == 1) ::pause();
    return "";
  };
  const PoolCalls calls{[&](std::size_t, const std::string&) { ++done; },
                        [&](std::size_t item, const std::string& how) { ends[item] = how; },
                        [] { return true; },
                        {}};
  EXPECT_TRUE(work_on(items, task, {.workers = Workers::processes, .jobs = 1, .timeout_s = 0.2}, calls));
  EXPECT_EQ(done, 2U);
  EXPECT_NE(ends[1].find("0.2 s"), std::string::npos) << ends[1];
}

TEST(WorkerPool, PassesOnWhatTheCallerThrows) {
  const std::vector<std::size_t> items = {0, 1, 2, 3};
  const Task task = [](std::size_t, const std::function<bool()>&) { return std::optional<std::string>(""); };
  const PoolCalls calls{[](std::size_t, const std::string&) { throw std::runtime_error("full disk"); },
                        [](std::size_t, const std::string&) {},
                        [] { return true; },
                        {}};
  for (const Workers workers : {Workers::threads, Workers::processes})
    EXPECT_THROW((void)work_on(items, task, {.workers = workers, .jobs = 2, .timeout_s = {}}, calls),
                 std::runtime_error);
}

TEST(OutcomeLines, KeepAllBits) {
  Outcome outcome;
  outcome.run = 12345;
  outcome.status = "failed";
  outcome.message = "quotes \" and , commas";
  outcome.error_ratio = 0.1 + 0.2;
  outcome.measures = {1.0 / 3.0, std::nan(""), INFINITY, -INFINITY, 5e-324, -0.0};
  outcome.courses = {1e300, -1.0 / 7.0};
  const auto read = outcome_of_line(to_line(outcome));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->message, outcome.message);
  EXPECT_EQ(read->error_ratio, outcome.error_ratio);
  ASSERT_EQ(read->measures.size(), 6U);
  EXPECT_EQ(read->measures[0], 1.0 / 3.0);
  EXPECT_TRUE(std::isnan(read->measures[1]));
  EXPECT_EQ(read->measures[2], INFINITY);
  EXPECT_EQ(read->measures[3], -INFINITY);
  EXPECT_EQ(read->measures[4], 5e-324);
  EXPECT_EQ(read->courses, outcome.courses);
  EXPECT_FALSE(outcome_of_line("{\"run\": 1}"));
  EXPECT_FALSE(outcome_of_line("[]"));
}

}  // namespace
}  // namespace ergon::study
