// What every corrector of the registry promises, under every scheme; a new one runs through this without being named here.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "contract/allocation_count.hpp"
#include "ergon/coupling/schemes/scheme.hpp"
#include "ergon/coupling/state/snapshot.hpp"
#include "ergon/run/simulation.hpp"
#include "support/lone_corrector.hpp"

namespace ergon::bench {
namespace {

const std::filesystem::path corrected_scenario =
    std::filesystem::path(ERGON_SOURCE_DIR) / "benchmarks" / "lim-oscillator" / "f-s.toml";

/// R: the sender's step by the receiver's.
struct Schedule {
  const char* name;
  const char* sender_step;
  const char* receiver_step;
  const char* extrapolation;
};
constexpr Schedule schedules[] = {{"single", "1e-3", "1e-3", "hold"},
                                  {"R10hold", "1e-3", "1e-4", "hold"},
                                  {"R10linear", "1e-3", "1e-4", "linear"},
                                  {"R01hold", "1e-4", "1e-3", "hold"},
                                  {"odd", "2e-3", "3e-3", "hold"}};

struct Combination {
  std::string corrector;
  std::string scheme;
  Schedule schedule;
};

using Overrides = std::vector<std::string>;

Overrides overrides_of(const Combination& c, const std::string& correction, const std::string& feedthrough) {
  return {"simulation.stop_time=0.3",
          "coupling.scheme=" + c.scheme,
          fmt::format("coupling.extrapolation={}", c.schedule.extrapolation),
          fmt::format("left.step_size={}", c.schedule.sender_step),
          fmt::format("right.step_size={}", c.schedule.receiver_step),
          "bond.coupling.feedthrough=" + feedthrough,
          fmt::format("bond.coupling.correction={{{}}}", correction)};
}

/// Everything that a run leaves behind, at every point.
std::vector<double> run_of(const Overrides& overrides) {
  Simulation simulation(corrected_scenario, overrides);
  std::vector<double> values;
  EXPECT_FALSE(simulation.for_each_point([&](const StepRecord& record) {
    for (Index o = 0; o < simulation.system().outputs.size(); ++o) values.push_back(record.output(o));
    for (Index i = 0; i < simulation.system().inputs.size(); ++i) values.push_back(record.applied_input(i));
  }));
  return values;
}

/// The default, and each setting by itself that is a word or a flag.
std::vector<std::string> settings_of(const std::string& corrector) {
  const std::string method = fmt::format("method=\"{}\"", corrector);
  std::vector<std::string> list = {method};
  for (const CorrectionKey& key : find_corrector(corrector)->keys) {
    for (const std::string_view word : key.words) {
      const bool needs_energy = word == "interface";
      list.push_back(
          fmt::format("{},{}=\"{}\"{}", method, key.name, word, needs_energy ? ",initial_energy=5000" : ""));
    }
    if (key.takes_flag) list.push_back(fmt::format("{},{}=true", method, key.name));
  }
  return list;
}

class CorrectorContract : public ::testing::TestWithParam<Combination> {
 protected:
  template <class Check>
  void for_all_settings(Check check) {
    for (const char* feedthrough : {"stale", "predict", "refresh"}) {
      for (const std::string& settings : settings_of(GetParam().corrector)) {
        SCOPED_TRACE(settings + " " + feedthrough);
        check(settings, feedthrough);
      }
    }
  }
};

// A gain or a limit of nothing: not a bit differs from the run without correction.
TEST_P(CorrectorContract, WithoutGainItIsBitwiseTheUncorrectedRun) {
  const Combination& c = GetParam();
  int tried = 0;
  for (const char* feedthrough : {"stale", "predict", "refresh"}) {
    const auto uncorrected = run_of(overrides_of(c, "method=\"none\"", feedthrough));
    for (const CorrectionKey& key : find_corrector(c.corrector)->keys) {
      if (key.name != "mu" && key.name != "limit" && key.name != "alpha" && key.name != "limit_absolute")
        continue;
      const std::string zero = fmt::format("method=\"{}\",{}=0", c.corrector, key.name);
      EXPECT_EQ(run_of(overrides_of(c, zero, feedthrough)), uncorrected) << zero << " " << feedthrough;
      ++tried;
    }
  }
  EXPECT_GE(tried, 6);
}

TEST_P(CorrectorContract, ARunRepeatsBitForBit) {
  for_all_settings([](const std::string& settings, const char* feedthrough) {
    const auto overrides = overrides_of(GetParam(), settings, feedthrough);
    EXPECT_EQ(run_of(overrides), run_of(overrides));
  });
}

TEST_P(CorrectorContract, ThreadsDoNotChangeABit) {
  auto overrides = overrides_of(GetParam(), fmt::format("method=\"{}\"", GetParam().corrector), "stale");
  const auto one = run_of(overrides);
  overrides.emplace_back("simulation.threads=2");
  EXPECT_EQ(run_of(overrides), one);
}

TEST_P(CorrectorContract, StepsWithoutAllocating) {
  if (!contract::counts_allocations()) GTEST_SKIP() << "sanitizers allocate on their own";
  for_all_settings([](std::string settings, const char* feedthrough) {
    // Probing at each point allocates, as docs/theory/residual-power.md says.
    if (settings.ends_with("variant=\"direct-gains\"")) settings += ",gains=\"start\"";
    Simulation simulation(corrected_scenario, overrides_of(GetParam(), settings, feedthrough));
    ASSERT_FALSE(simulation.start());
    Engine& engine = simulation.engine();
    // Histories fill up first, and every branch of a multi-rate period is taken.
    for (int k = 0; k < 40; ++k) ASSERT_FALSE(engine.advance());
    const long before = contract::allocations_so_far();
    for (int k = 0; k < 60; ++k) ASSERT_FALSE(engine.advance());
    EXPECT_EQ(contract::allocations_so_far() - before, 0);
  });
}

// Nothing moves, so there is nothing to divide by, and nothing to correct.
TEST_P(CorrectorContract, AtRestNothingHappens) {
  for_all_settings([](const std::string& settings, const char* feedthrough) {
    auto overrides = overrides_of(GetParam(), settings, feedthrough);
    overrides.insert(overrides.end(), {"left.v=0", "right.v=0"});
    for (const double value : run_of(overrides)) ASSERT_EQ(value, 0.0);
  });
}

// A receiver that hardly moves, and one that does not move at all although it is pushed.
TEST_P(CorrectorContract, StaysFiniteWhereTheReceiverHardlyMoves) {
  for (const char* mass : {"1e12", "1e300"}) {
    for_all_settings([&](const std::string& settings, const char* feedthrough) {
      auto overrides = overrides_of(GetParam(), settings, feedthrough);
      overrides.insert(overrides.end(), {"right.v=0", fmt::format("right.m={}", mass)});
      for (const double value : run_of(overrides)) ASSERT_TRUE(std::isfinite(value)) << mass;
    });
  }
}

// Set back in the midst of a run, everything comes again: the corrector's memory is in its state.
TEST_P(CorrectorContract, ARestoredRunGoesOnAsItDid) {
  for_all_settings([](std::string settings, const char* feedthrough) {
    // Probing at each point allocates, as docs/theory/residual-power.md says.
    if (settings.ends_with("variant=\"direct-gains\"")) settings += ",gains=\"start\"";
    Simulation simulation(corrected_scenario, overrides_of(GetParam(), settings, feedthrough));
    ASSERT_FALSE(simulation.start());
    Engine& engine = simulation.engine();
    // Off a common point on purpose.
    for (int k = 0; k < 41; ++k) ASSERT_FALSE(engine.advance());
    Snapshot snapshot = engine.make_snapshot();
    engine.save(snapshot);
    const auto go_on = [&] {
      std::vector<double> seen;
      for (int k = 0; k < 50; ++k) {
        EXPECT_FALSE(engine.advance());
        for (Index i = 0; i < engine.system().inputs.size(); ++i)
          seen.push_back(engine.record().applied_input(i));
        const BondRecord& bond = engine.record().bonds()[0];
        seen.insert(seen.end(), {bond.correction, bond.correction_energy_J, bond.group_leak_J});
      }
      return seen;
    };
    const auto first = go_on();
    engine.restore(snapshot);
    EXPECT_EQ(go_on(), first);
  });
}

std::vector<Combination> all_combinations() {
  std::vector<Combination> list;
  for (const CorrectorInfo& corrector : correctors()) {
    for (const Scheme* scheme : schemes()) {
      if (scheme->solves_for_coupling_variables()) continue;  // they take none
      for (const Schedule& schedule : schedules) {
        list.push_back({std::string(corrector.name), std::string(scheme->name()), schedule});
      }
    }
  }
  return list;
}

std::string name_of_combination(const Combination& c) {
  std::string name = c.corrector + "_" + c.scheme + "_" + c.schedule.name;
  std::erase(name, '-');
  return name;
}

void PrintTo(const Combination& c, std::ostream* out) {
  *out << name_of_combination(c);
}

INSTANTIATE_TEST_SUITE_P(All, CorrectorContract, ::testing::ValuesIn(all_combinations()),
                         [](const auto& tested) { return name_of_combination(tested.param); });

// The counter itself must count, or the test above is empty talk.
TEST(CorrectorAllocation, IsCounted) {
  if (!contract::counts_allocations()) GTEST_SKIP() << "sanitizers allocate on their own";
  const long before = contract::allocations_so_far();
  const auto memory = std::make_unique<double>(1.0);
  EXPECT_GT(contract::allocations_so_far() - before, 0);
  EXPECT_EQ(*memory, 1.0);
}

// ── The correctors themselves, without an engine ────────────────────────────────────────────────────────────

using ergon::testing::LoneCorrector;
using ergon::testing::StepData;

/// A place where every method acts: a stale effort that is held by a faster receiver.
CorrectorPlace busy_place(std::size_t components, bool stale, bool extrapolates) {
  CorrectorPlace place;
  place.components = components;
  place.stale = stale;
  place.sender_accounts = true;
  place.degree = extrapolates ? 1 : 0;
  place.lags = {{.H_s = 1.0, .feedthrough_s = stale ? 1.0 : 0.0, .hold_s = 0.45, .looked_ahead_s = 0.45}};
  return place;
}

StepData random_step(std::size_t components, std::mt19937& random) {
  std::normal_distribution<double> number;
  const auto vector = [&] {
    std::vector<double> v(components);
    for (double& value : v) value = number(random);
    return v;
  };
  StepData step;
  step.H_s = 0.01;
  for (auto* row : {&step.effort0, &step.effort1, &step.flow0, &step.flow1, &step.moved, &step.applied,
                    &step.lag_effort, &step.ahead_effort}) {
    *row = vector();
  }
  step.lag_energy_J = number(random);
  step.leak_J = number(random);
  step.sender_energy_J = number(random);
  return step;
}

TEST(CorrectorState, HoldsAllThatACorrectorRemembers) {
  for (const CorrectorInfo& info : correctors()) {
    for (const std::size_t components : {1U, 3U}) {
      for (const bool stale : {true, false}) {
        for (const bool extrapolates : {true, false}) {
          LoneCorrector c(std::string(info.name), {}, busy_place(components, stale, extrapolates));
          ASSERT_NE(c.corrector, nullptr) << info.name;
          for (const double value : c.corrector->state()) EXPECT_EQ(value, 0.0) << info.name;
          std::mt19937 random(5);
          for (int k = 0; k < 5; ++k) c.after(random_step(components, random));
          const auto state = c.corrector->state();
          const std::vector<double> saved(state.begin(), state.end());
          const StepData then = random_step(components, random);
          const auto first = c.after(then);
          for (int k = 0; k < 5; ++k) c.after(random_step(components, random));
          std::copy(saved.begin(), saved.end(), c.corrector->state().begin());
          EXPECT_EQ(c.after(then), first) << info.name;
        }
      }
    }
  }
}

// Every quantity of a step may be 0 or too small to be squared, alone or with the others.
TEST(CorrectorState, NothingThatVanishesMakesANumberThatIsNone) {
  for (const CorrectorInfo& info : correctors()) {
    LoneCorrector c(std::string(info.name), {}, busy_place(2, true, false));
    std::mt19937 random(7);
    for (int k = 0; k < 2000; ++k) {
      StepData step = random_step(2, random);
      const double small = std::array{0.0, 1e-170, 4.9e-324, 1e-310}[random() % 4];
      for (auto* row : {&step.effort0, &step.effort1, &step.flow0, &step.flow1, &step.moved, &step.lag_effort,
                        &step.ahead_effort}) {
        if (random() % 2 != 0) *row = {small, -small};
      }
      if (random() % 2 != 0) step.leak_J = small;
      if (random() % 2 != 0) step.lag_energy_J = small;
      for (const double value : c.after(step)) ASSERT_TRUE(std::isfinite(value)) << info.name << " " << k;
      for (const double value : c.corrector->state()) ASSERT_TRUE(std::isfinite(value)) << info.name;
    }
  }
}

}  // namespace
}  // namespace ergon::bench
