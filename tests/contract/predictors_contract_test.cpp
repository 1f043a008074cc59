// What every input predictor of the registry promises; a new one needs a line in `uses` and no test of its own.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "contract/allocation_count.hpp"
#include "ergon/coupling/predictors/registry.hpp"
#include "ergon/run/simulation.hpp"
#include "support/record_bits.hpp"

namespace ergon::contract {
namespace {

using Settings = std::vector<std::string>;

/// A run in which a predictor has something to do, and the settings that make it idle. Where there are several, a word more tells them apart.
struct Use {
  const char* file;
  Settings settings;
  Settings without;
};

const std::map<std::string, Use, std::less<>>& uses() {
  static const char* two_masses = "benchmarks/lim-oscillator/f-s.toml";
  static const char* three_masses = "examples/multiple-oscillator-3.toml";
  static const std::map<std::string, Use, std::less<>> all = {
      {"polynomial",
       {two_masses,
        {"right.step_size=3e-3", "coupling.extrapolation=quadratic", "bond.coupling.feedthrough=predict"},
        {"coupling.extrapolation=hold"}}},
      {"hermite",
       {two_masses,
        {"coupling.scheme=implicit", "coupling.degree=1", "coupling.interpolation=hermite",
         "left.integrator.method=rk4", "right.integrator.method=rk4"},
        {"coupling.interpolation=lagrange"}}},
      {"kinematic",
       {two_masses,
        {"right.step_size=3e-3", "bond.coupling.feedthrough=predict"},
        {"bond.coupling.feedthrough=stale"}}},
      {"interface-model",
       {three_masses,
        {"m3.step_size=4e-3", "bond.bond1.extrapolation=interface-model",
         "bond.bond2.extrapolation=interface-model"},
        {"bond.bond1.extrapolation=hold", "bond.bond2.extrapolation=hold"}}},
      {"interface-model led", {"examples/led-boom.toml", {}, {"bond.jack.extrapolation=hold"}}},
  };
  return all;
}

class PredictorContract : public ::testing::TestWithParam<std::string> {
 protected:
  /// Started, with these settings more.
  static Simulation simulation(const Settings& more = {}) {
    const Use& use = uses().at(GetParam());
    Settings settings = use.settings;
    settings.insert(settings.end(), more.begin(), more.end());
    Simulation made(std::filesystem::path(ERGON_SOURCE_DIR) / use.file, settings);
    EXPECT_FALSE(made.start());
    return made;
  }
  static std::vector<std::uint64_t> go_on(Simulation& simulation, int points) {
    std::vector<std::uint64_t> bits;
    for (int i = 0; i < points; ++i) {
      EXPECT_FALSE(simulation.engine().advance());
      bits.push_back(testing::bits_of(simulation.engine().record(), simulation.system()));
    }
    return bits;
  }
};

TEST_P(PredictorContract, HasAUseHere) {
  EXPECT_TRUE(uses().contains(GetParam()));
  const PredictorInfo* info = find_predictor(GetParam().substr(0, GetParam().find(' ')));
  ASSERT_NE(info, nullptr);
  EXPECT_FALSE(info->help.empty());
  EXPECT_FALSE(info->needs.empty());
}

TEST_P(PredictorContract, DoesSomething) {
  auto with = simulation();
  auto without = simulation(uses().at(GetParam()).without);
  EXPECT_NE(go_on(with, 50), go_on(without, 50));
}

TEST_P(PredictorContract, ARunThatIsSetBackGoesOnWithTheSameBits) {
  for (const int before : {1, 2, 37}) {  // in the midst of a step of the slower side, too
    auto run = simulation();
    go_on(run, before);
    Snapshot snapshot = run.engine().make_snapshot();
    run.engine().save(snapshot);
    const auto expected = go_on(run, 200);
    run.engine().restore(snapshot);
    EXPECT_EQ(go_on(run, 200), expected) << before;

    // The same through bytes, in another run.
    const auto bytes = run.engine().to_bytes(snapshot);
    auto other = simulation();
    go_on(other, before + 5);
    Snapshot read = other.engine().make_snapshot();
    other.engine().from_bytes(bytes, read);
    other.engine().restore(read);
    EXPECT_EQ(go_on(other, 200), expected) << before;
  }
}

TEST_P(PredictorContract, AnyNumberOfThreadsGivesTheSameBits) {
  auto one = simulation();
  const auto expected = go_on(one, 200);
  for (const int threads : {2, 4}) {
    auto several = simulation({fmt::format("simulation.threads={}", threads)});
    EXPECT_EQ(go_on(several, 200), expected) << threads;
  }
}

TEST_P(PredictorContract, SteadyStepsAllocateNothing) {
  if (!counts_allocations()) GTEST_SKIP() << "not counted here";
  auto run = simulation();
  go_on(run, 50);
  const long before = allocations_so_far();
  bool failed = false;
  for (int i = 0; i < 200; ++i) failed = failed || run.engine().advance().has_value();
  const long after = allocations_so_far();
  EXPECT_FALSE(failed);
  EXPECT_EQ(after - before, 0);
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const PredictorInfo& info : predictors()) all.emplace_back(info.name);
  for (const auto& [name, use] : uses())
    if (find_predictor(name) == nullptr) all.push_back(name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, PredictorContract, ::testing::ValuesIn(names()), [](const auto& test) {
  std::string name = test.param;
  std::erase_if(name, [](char c) { return c == '-' || c == ' '; });
  return name;
});

}  // namespace
}  // namespace ergon::contract
