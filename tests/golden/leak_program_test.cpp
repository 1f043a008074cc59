// The transcription of the published program against its printed figures and against the engine.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "benchmarks/gonzalez2019/energy_leak_program.hpp"
#include "benchmarks/gonzalez2019/leak_run.hpp"
#include "golden/benchmark_support.hpp"

namespace ergon::bench {
namespace {

constexpr double duration_s = LeakRun::duration_s;

// Why the published figures are not those of an exact clock: 0.1 ms added up ten times is not 1 ms.
TEST(EnergyLeakProgram, WithTheFloatingPointClockMass2IsMostlyOneStepAhead) {
  EnergyLeakSettings settings;
  settings.clock = ProgramClock::floating_point;
  int ahead = 0;
  run_energy_leak_program(settings, duration_s,
                          [&](std::size_t, const EnergyLeakPoint& now) { ahead += now.ahead ? 1 : 0; });
  EXPECT_EQ(ahead, 6293);
}

TEST(EnergyLeakProgram, AtSingleRateBothClocksGiveTheSameBits) {
  for (const double limit : {0.0, 0.25}) {
    EnergyLeakSettings settings;
    settings.H2_s = settings.H1_s;
    settings.limit = limit;
    std::vector<std::array<double, 4>> exact;
    run_energy_leak_program(settings, duration_s,
                            [&](std::size_t, const EnergyLeakPoint& now) { exact.push_back(now.z); });
    settings.clock = ProgramClock::floating_point;
    run_energy_leak_program(settings, duration_s, [&](std::size_t j, const EnergyLeakPoint& now) {
      ASSERT_EQ(now.z, exact[j]) << j;
    });
  }
}

struct LeakComparison {
  std::string name;
  LeakRun run;
};

void PrintTo(const LeakComparison& c, std::ostream* out) {
  *out << c.name;
}

class EnergyLeakProgramAndEngine : public testing::TestWithParam<LeakComparison> {};

std::vector<LeakRunPoint> by_program(const LeakRun& run) {
  EnergyLeakSettings settings;
  settings.problem = run.problem;
  settings.H1_s = run.H1_s;
  settings.H2_s = run.H2_s;
  settings.linear = run.extrapolation == "linear";
  settings.limit = run.method == LeakMethod::energy_leak ? LeakRun::published_limit : 0.0;
  std::vector<LeakRunPoint> points;
  run_energy_leak_program(settings, duration_s, [&](std::size_t j, const EnergyLeakPoint& now) {
    LeakRunPoint point;
    point.j = j;
    point.z = now.z;
    point.stored_J = now.stored_J;
    point.dissipated_J = now.dissipated_J;
    point.force_N = now.force_N;
    points.push_back(point);
  });
  return points;
}

// The correction changes sign where v2 does, so that a trajectory depends on its data without being continuous in it: step
// by step for 300 macro steps, afterwards by its energies.
TEST_P(EnergyLeakProgramAndEngine, AgreeToRoundOffAndThenInTheirEnergies) {
  const LeakRun& run = GetParam().run;
  const std::vector<LeakRunPoint> expected = by_program(run);
  constexpr std::size_t step_by_step = 300;
  double energy_error = 0.0;
  double expected_energy_error = 0.0;
  const double initial_J = expected.front().stored_J;
  follow_leak_run(benchmark_folder("leak-table2") / "f-s.toml", run, [&](const LeakRunPoint& now) {
    const LeakRunPoint& then = expected.at(now.j);
    const auto balance = [&](const LeakRunPoint& p) {
      return std::abs(p.stored_J + p.dissipated_J - initial_J);
    };
    energy_error = std::max(energy_error, balance(now));
    expected_energy_error = std::max(expected_energy_error, balance(then));
    EXPECT_NEAR(now.balance_J, now.stored_J + now.dissipated_J - initial_J, 1e-9 * initial_J);
    if (now.j > step_by_step) return;
    for (std::size_t i = 0; i < now.z.size(); ++i) {
      ASSERT_NEAR(now.z[i], then.z[i], i < 2 ? 1e-10 : 1e-8) << "macro step " << now.j << ", state " << i;
    }
    ASSERT_NEAR(now.stored_J, then.stored_J, 1e-6) << now.j;
    ASSERT_NEAR(now.dissipated_J, then.dissipated_J, 1e-6) << now.j;
    if (now.j > 0) {
      ASSERT_NEAR(now.force_N, then.force_N, 1e-7) << now.j;
    }
  });
  EXPECT_NEAR(energy_error, expected_energy_error, 1e-3 * expected_energy_error);
}

std::vector<LeakComparison> leak_comparisons() {
  std::vector<LeakComparison> all;
  for (const LeakMethod method : {LeakMethod::none, LeakMethod::energy_leak}) {
    for (const char* extrapolation : {"hold", "linear"}) {
      for (const double c : {0.0, 0.1}) {
        for (const double H2 : {1e-3, 1e-4}) {
          LeakComparison comparison;
          LeakRun& run = comparison.run;
          run.method = method;
          run.extrapolation = extrapolation;
          run.problem.c1 = run.problem.cc = run.problem.c2 = c;
          run.H2_s = H2;
          comparison.name = std::string(method == LeakMethod::none ? "none" : "corrected") + "_" +
                            extrapolation + (c > 0.0 ? "_damped" : "_undamped") +
                            (H2 < 1e-3 ? "_multirate" : "_singlerate");
          all.push_back(comparison);
        }
      }
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Oscillator, EnergyLeakProgramAndEngine, testing::ValuesIn(leak_comparisons()),
                         [](const auto& chosen) { return chosen.param.name; });

}  // namespace
}  // namespace ergon::bench
