// What FMUs of several runs in one process share: unpacked archives, descriptions, libraries, functions, and the log.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include "ergon/fmi/instance/fmu_log.hpp"
#include "ergon/run/simulation.hpp"
#include "support/fmi_kit.hpp"
#include "support/scenario_opening.hpp"
#include "support/scratch_directory.hpp"

namespace ergon {
namespace {

/// Masses of both versions of FMI, and native ones, in a row.
std::string scenario_of_fmus(const std::string& variant, double stop_s) {
  std::string text = fmt::format("simulation = {{ stop_time = {}, step_size = 1e-2 }}\n", stop_s);
  for (int i = 0; i < 4; ++i) {
    text += fmt::format("[[subsystem]]\nname = \"m{}\"\nfmu = \"{}\"\n", i,
                        fmi::kit_file(fmt::format("kit{}{}", 2 + i % 2, variant)));
  }
  return text +
         "[[subsystem]]\nname = \"native\"\nmodel = \"oscillator.mass\"\nparameters = { k = 100.0 }\n"
         "initial = { x = 1.0 }\n";
}

std::vector<double> positions(Simulation& simulation) {
  std::vector<double> all;
  const auto failure = simulation.for_each_point([&](const StepRecord& record) {
    for (const char* name : {"m0.position", "m1.position", "m2.position", "m3.position", "native.position"})
      all.push_back(record.output(simulation.output(name)));
  });
  EXPECT_FALSE(failure) << failure->what;
  return all;
}

// All of them come at once, when nothing is known yet.
TEST(CachesOfFmus, AreMadeByWhicheverThreadComesFirst) {
  const test::TemporaryFolder folder;
  const std::string file = folder.write("masses.toml", scenario_of_fmus("", 0.2));
  constexpr std::size_t runs = 6;
  std::vector<std::vector<double>> seen(runs);
  std::atomic<std::size_t> ready{0};
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < runs; ++i) {
    threads.emplace_back([&, i] {
      ++ready;
      while (ready < runs) std::this_thread::yield();
      Simulation simulation(file);
      seen[i] = positions(simulation);
    });
  }
  for (std::thread& thread : threads) thread.join();
  Simulation alone(file);
  const std::vector<double> expected = positions(alone);
  EXPECT_EQ(expected.size(), 21U * 5U);
  for (const auto& values : seen) EXPECT_EQ(values, expected);
  // ẍ = −100 x from 1: cos 10 t; semi-implicit Euler is of first order.
  EXPECT_NEAR(expected[20U * 5U], std::cos(2.0), 0.1);
}

/// How many lines each FMU has in the log; every one is whole.
std::map<std::string, int> lines_of_log(const std::filesystem::path& file) {
  std::map<std::string, int> lines;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    const std::string who = line.substr(0, line.find(" t="));
    ++lines[who];
    EXPECT_NE(line.find(" t="), std::string::npos) << line;
    EXPECT_TRUE(line.ends_with("100 % of it") || line.ends_with("# is a sign")) << line;
  }
  return lines;
}

// FMUs on pool threads and those of a check run beside the run, all of which speak twice in every step.
TEST(LogOfFmus, HasWholeLinesOfAllThreads) {
  const test::TemporaryFolder folder;
  const ScratchDirectory out;
  const std::string file = folder.write("noisy.toml", scenario_of_fmus("_noisy", 0.5));
  fmi::FmuLog& log = fmi::FmuLog::instance();
  log.finish();
  std::string shown;
  log.show_with([&](const std::string& line) { shown += line + '\n'; });
  log.write_to(out / "fmu.log");
  {
    Simulation simulation(file, {"simulation.threads=4"});
    simulation.check_motion(MotionCheck::half_steps);
    EXPECT_EQ(simulation.run().status, RunStatus::finished);
  }
  log.finish();
  log.show_with([](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); });
  const auto lines = lines_of_log(out / "fmu.log");
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(lines.at(fmt::format("m{}", i)), 2 * 50);
    EXPECT_EQ(lines.at(fmt::format("m{} (check run)", i)), 2 * 100);
  }
  EXPECT_EQ(lines.size(), 8U);
  EXPECT_NE(shown.find("m0"), std::string::npos) << shown;
}

}  // namespace
}  // namespace ergon
