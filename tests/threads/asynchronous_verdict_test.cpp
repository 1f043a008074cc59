// Steps of slow subsystems go on while faster ones take theirs, and the verdict asks the accounts of all of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

#include "ergon/run/simulation.hpp"
#include "support/accounted_body.hpp"
#include "support/scratch_directory.hpp"

namespace ergon {
namespace {

using testing::Body;
using testing::BodyParameters;

std::string content_of_judged(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

struct Workplace {
  std::thread::id caller = std::this_thread::get_id();
  std::atomic<int> elsewhere{0};  ///< slow steps on another thread than the caller's
};

/// Two heavy bodies at 10 ms, whose steps take long, on the springs of a light one at 1 ms.
SystemGraph slow_and_fast(Workplace& workplace) {
  SystemGraph graph;
  BodyParameters light{.m_kg = 1.0, .k_N_m = 50.0, .v0_m_s = {1.0}};
  graph.add("light", std::make_unique<Body>(light), Rational(1, 1000));
  for (const char* name : {"heavy", "heavier"}) {
    BodyParameters heavy{.m_kg = 20.0, .k_N_m = 10.0, .kc_N_m = 30.0, .v0_m_s = {0.1}};
    heavy.at_step = [&workplace] {
      if (std::this_thread::get_id() != workplace.caller) ++workplace.elsewhere;
      const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(300);
      while (std::chrono::steady_clock::now() < until) std::this_thread::yield();
    };
    graph.add(name, std::make_unique<Body>(heavy), Rational(1, 100));
    graph.bond(testing::spring_bond(std::string("spring of ") + name, name, "light"));
  }
  return graph;
}

struct JudgedRun {
  std::string files;
  Verdict verdict;
};

JudgedRun judge(unsigned threads, const std::filesystem::path& out, Workplace& workplace) {
  SimulationOptions options;
  options.stop_time_s = Rational(1, 1);
  options.coupling.threads = threads;
  Simulation simulation([&] { return slow_and_fast(workplace); }, options);
  simulation.write_to(out);
  EXPECT_EQ(simulation.run().status, RunStatus::finished);
  std::string files;
  for (const char* name : {"results.csv", "bonds.csv", "energy.csv"}) files += content_of_judged(out / name);
  return {files, simulation.verdict()};
}

TEST(AsynchronousStages, AreJudgedTheSameOnAnyNumberOfThreads) {
  const ScratchDirectory directory;
  Workplace alone;
  const JudgedRun one = judge(1, directory / "1", alone);
  EXPECT_EQ(alone.elsewhere, 0);
  EXPECT_GT(std::count(one.files.begin(), one.files.end(), '\n'), 2000);
  for (const unsigned threads : {2U, 4U}) {
    Workplace shared;
    const JudgedRun several = judge(threads, directory / std::to_string(threads), shared);
    EXPECT_GT(shared.elsewhere, 0) << "no step went on beside";
    EXPECT_EQ(several.files, one.files) << threads;
    EXPECT_EQ(several.verdict.value, one.verdict.value) << threads;
    EXPECT_EQ(several.verdict.reasons.size(), one.verdict.reasons.size()) << threads;
  }
}

// A snapshot waits for the steps that are under way.
TEST(AsynchronousStages, AreWaitedForWhereTheRunIsSaved) {
  Workplace workplace;
  SimulationOptions options;
  options.stop_time_s = Rational(1, 5);
  options.coupling.threads = 2;
  Simulation simulation([&] { return slow_and_fast(workplace); }, options);
  for (int i = 0; i < 57; ++i) ASSERT_TRUE(simulation.advance());
  const SimulationSnapshot snapshot = simulation.save();
  while (simulation.advance()) {
  }
  const double end_m = simulation.value("light.position");
  simulation.restore(snapshot);
  while (simulation.advance()) {
  }
  EXPECT_EQ(simulation.value("light.position"), end_m);
}

}  // namespace
}  // namespace ergon
