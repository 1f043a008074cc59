// What every corrector promises, whoever wrote it: the registry is the list.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "benchmarks/framework/simulation.hpp"
#include "coupling/correctors/corrector.hpp"
#include "coupling/snapshot.hpp"
#include "numerics/counted_allocations.hpp"

namespace ergon::bench {
namespace {

struct Schedule {
  std::string name;
  std::vector<std::string> settings;
};

const std::vector<Schedule>& schedules() {
  static const std::vector<Schedule> all = {
      {"single", {}},
      {"R10-hold", {"right.step_size=1e-4"}},
      {"R10-linear", {"right.step_size=1e-4", "coupling.extrapolation=linear"}},
      {"R0.1-hold", {"left.step_size=1e-4"}},
      {"odd", {"left.step_size=2e-3", "right.step_size=3e-3"}},
  };
  return all;
}

std::vector<std::string> methods() {
  std::vector<std::string> names;
  for (const CorrectorInfo& info : correctors()) names.emplace_back(info.name);
  return names;
}

std::vector<std::string> settings(const std::string& scheme, const Schedule& schedule,
                                  const std::string& correction) {
  std::vector<std::string> set = {"simulation.stop_time=0.3", "coupling.scheme=" + scheme,
                                  "bond.coupling.feedthrough=stale",
                                  "bond.coupling.correction=" + correction};
  set.insert(set.end(), schedule.settings.begin(), schedule.settings.end());
  return set;
}

std::filesystem::path scenario() {
  return std::filesystem::path(ERGON_SOURCE_DIR) / "benchmarks" / "lim-oscillator" / "f-s.toml";
}

std::vector<double> trajectory(const std::vector<std::string>& set) {
  Simulation simulation(scenario(), set);
  std::vector<double> values;
  const auto failure = simulation.run([&](const StepRecord& record) {
    for (Index o = 0; o < simulation.system().outputs.size(); ++o) values.push_back(record.output(o));
  });
  EXPECT_FALSE(failure);
  return values;
}

/// With this setting a method does nothing.
std::string without_gain(const std::string& method) {
  if (method == "residual-power") return R"({method="residual-power",mu=0})";
  if (method == "nepce") return R"({method="nepce",alpha=0})";
  return fmt::format(R"({{method="{}",limit=0}})", method);
}

class CorrectorContract : public testing::TestWithParam<std::string> {};

TEST_P(CorrectorContract, WithoutGainNoBitChanges) {
  for (const char* scheme : {"jacobi", "gauss-seidel"}) {
    for (const Schedule& schedule : schedules()) {
      EXPECT_EQ(trajectory(settings(scheme, schedule, without_gain(GetParam()))),
                trajectory(settings(scheme, schedule, R"({method="none"})")))
          << scheme << ' ' << schedule.name;
    }
  }
}

TEST_P(CorrectorContract, IsRepeatableAndStaysFinite) {
  const std::string correction = fmt::format(R"({{method="{}"}})", GetParam());
  for (const char* scheme : {"jacobi", "gauss-seidel"}) {
    for (const Schedule& schedule : schedules()) {
      const std::vector<double> first = trajectory(settings(scheme, schedule, correction));
      EXPECT_EQ(trajectory(settings(scheme, schedule, correction)), first) << scheme << ' ' << schedule.name;
      for (const double value : first) ASSERT_TRUE(std::isfinite(value));
    }
  }
}

// Everything that it remembers is in its state: what follows a restored snapshot is what followed the saved one.
TEST_P(CorrectorContract, ItsMemoryIsPartOfASnapshot) {
  const std::string correction = fmt::format(R"({{method="{}"}})", GetParam());
  for (const Schedule& schedule : schedules()) {
    Simulation simulation(scenario(), settings("jacobi", schedule, correction));
    Engine& engine = simulation.start();
    for (int i = 0; i < 41; ++i) ASSERT_FALSE(engine.advance());
    Snapshot snapshot;
    engine.save(snapshot);
    const auto go_on = [&] {
      std::vector<double> values;
      for (int i = 0; i < 50; ++i) {
        EXPECT_FALSE(engine.advance());
        for (Index u = 0; u < engine.system().inputs.size(); ++u)
          values.push_back(engine.record().applied_input(u));
        values.push_back(engine.record().bonds()[0].correction_energy_J);
        values.push_back(engine.record().bonds()[0].group_leak_J);
      }
      return values;
    };
    const std::vector<double> first = go_on();
    engine.restore(snapshot);
    EXPECT_EQ(go_on(), first) << schedule.name;
  }
}

#if ERGON_COUNTS_ALLOCATIONS
TEST_P(CorrectorContract, AllocatesNothingWhileStepping) {
  for (const Schedule& schedule : schedules()) {
    Simulation simulation(scenario(),
                          settings("jacobi", schedule, fmt::format(R"({{method="{}"}})", GetParam())));
    Engine& engine = simulation.start();
    for (int i = 0; i < 20; ++i) ASSERT_FALSE(engine.advance());
    const long before = allocations;
    for (int i = 0; i < 60; ++i) ASSERT_FALSE(engine.advance());
    EXPECT_EQ(allocations, before) << schedule.name;
  }
}
#endif

// Without flow and displacement there is nothing to correct, and no division by zero.
TEST_P(CorrectorContract, AtRestItDoesNothing) {
  const CorrectorInfo& info = *find_corrector(GetParam());
  CorrectorPlace place;
  place.components = 2;
  place.stale = true;
  place.giver_accounts = true;
  place.lags = {{1e-3, 1e-3, 0.5e-3, 0.5e-3}};
  const CorrectionRequest request{"bond", GetParam(), {}, {}};
  ProblemList problems;
  const auto corrector = info.make(place, CorrectionSettings(request), problems);
  ASSERT_NE(corrector, nullptr);
  const std::vector<double> nothing(2, 0.0);
  std::vector<double> next(2, 7.0);
  ReceiverStep step;
  step.H_s = 1e-3;
  step.effort0 = step.effort1 = step.flow0 = step.flow1 = step.moved = step.applied = step.lag_effort =
      step.ahead_effort = nothing;
  step.leak_J = 5.0;
  step.giver_energy_J = 5.0;
  step.lag_energy_J = 5.0;
  (void)corrector->correct(step, next);
  EXPECT_EQ(next, nothing);
}

INSTANTIATE_TEST_SUITE_P(Registry, CorrectorContract, testing::ValuesIn(methods()), [](const auto& param) {
  std::string name = param.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace ergon::bench
