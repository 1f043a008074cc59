// The variant "direct-gains" of the residual-power correction: what an effort misses that was evaluated with late motion.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "benchmarks/rodriguez2022/residual_problem.hpp"
#include "benchmarks/rodriguez2022/residual_run.hpp"
#include "ergon/core/problem.hpp"
#include "ergon/coupling/state/snapshot.hpp"
#include "ergon/run/simulation.hpp"

namespace ergon::bench {
namespace {

const std::filesystem::path all_benchmarks = std::filesystem::path(ERGON_SOURCE_DIR) / "benchmarks";
const std::string direct_gains =
    "bond.coupling.correction={method=\"residual-power\",variant=\"direct-gains\"}";

std::vector<double> positions_of(const std::string& file, std::vector<std::string> settings) {
  settings.emplace_back("simulation.stop_time=1");
  Simulation simulation(all_benchmarks / file, settings);
  const Index x1 = simulation.output("left.position");
  const Index x2 = simulation.output("right.position");
  std::vector<double> values;
  EXPECT_FALSE(simulation.for_each_point([&](const StepRecord& record) {
    values.push_back(record.output(x1));
    values.push_back(record.output(x2));
  }));
  return values;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0.0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

// A linear effort e(ξ, f) evaluated with ξ₀, f₀ misses −K(ξ₁ − ξ₀) − C(f₁ − f₀): with it the run is that of `refresh`, where the
// sender evaluates it anew. The gains are differences of outputs: exact for a linear law but for rounding.
TEST(DirectGains, OfALinearEffortMakeStaleRunsFreshOnes) {
  for (const char* damping : {"0", "5"}) {
    const std::string damper = std::string("left.cc=") + damping;
    const auto fresh = positions_of("lim-oscillator/f-s.toml", {damper, "bond.coupling.feedthrough=refresh"});
    const auto stale = positions_of("lim-oscillator/f-s.toml", {damper});
    EXPECT_GT(largest_difference(stale, fresh), 1e-2);
    EXPECT_LT(largest_difference(positions_of("lim-oscillator/f-s.toml", {damper, direct_gains}), fresh),
              1e-7);
    const std::string of_start = direct_gains.substr(0, direct_gains.size() - 1) + ",gains=\"start\"}";
    EXPECT_LT(largest_difference(positions_of("lim-oscillator/f-s.toml", {damper, of_start}), fresh), 1e-7);
  }
}

// Fast receivers hold or extrapolate the effort: its missing part is handed in as it is on the mean of the step.
TEST(DirectGains, PayForWhatFastReceiversHold) {
  const auto with = [&](std::vector<std::string> more, const char* left_step) {
    more.insert(more.end(), {fmt::format("left.step_size={}", left_step), "right.step_size=1e-4"});
    return positions_of("lim-oscillator/f-s.toml", more);
  };
  const auto fine = with({"bond.coupling.feedthrough=refresh"}, "1e-4");
  // Of the right mass, where the left one has a step, too.
  const auto error = [&](const std::vector<double>& positions) {
    double largest = 0.0;
    for (std::size_t i = 1; i < std::min(positions.size(), fine.size()); i += 20)
      largest = std::max(largest, std::abs(positions[i] - fine[i]));
    return largest;
  };
  for (const char* extrapolation : {"hold", "linear"}) {
    const std::string word = std::string("coupling.extrapolation=") + extrapolation;
    const double stale = error(with({word}, "1e-3"));
    EXPECT_LT(error(with({word, direct_gains}, "1e-3")), 0.05 * stale) << extrapolation;
  }
}

// Table 1, cases 3, 4 and 8: velocities that are opposed. The printed law takes out what was never put in.
TEST(DirectGains, KeepTheEnergyOfCorrelatedVelocities) {
  for (const int number : {3, 4, 8}) {
    ResidualRun run{double_oscillator(number), residual_schedules().front()};
    const ReferenceMotion reference = analytic_motion(run.problem);
    const std::filesystem::path scenario = all_benchmarks / "auto-vs-tuned" / "double.toml";
    run.correction = {ResidualMethod::published, published_mu(run.schedule)};
    const double printed = residual_errors(scenario, run, reference).max_energy;
    run.correction = {ResidualMethod::direct_gains};
    const double ours = residual_errors(scenario, run, reference).max_energy;
    run.correction = {};
    run.feedthrough = "refresh";
    const double fresh = residual_errors(scenario, run, reference).max_energy;
    EXPECT_LT(ours, 0.1 * printed) << number;
    EXPECT_NEAR(ours, fresh, 1e-6) << number;
  }
}

TEST(DirectGains, GoOnWithTheSameBits) {
  for (const char* gains : {"start", "each-point"}) {
    Simulation simulation(all_benchmarks / "lim-oscillator" / "f-s.toml",
                          {direct_gains.substr(0, direct_gains.size() - 1) + ",gains=\"" + gains + "\"}",
                           "right.step_size=2.5e-4"});
    EXPECT_FALSE(simulation.start());
    Engine& engine = simulation.engine();
    const Index x2 = simulation.output("right.position");
    const auto go_on = [&] {
      std::vector<double> values;
      for (int i = 0; i < 50; ++i) {
        EXPECT_FALSE(engine.advance());
        values.push_back(engine.record().output(x2));
      }
      return values;
    };
    go_on();
    Snapshot snapshot = engine.make_snapshot();
    engine.save(snapshot);
    const auto first = go_on();
    engine.restore(snapshot);
    EXPECT_EQ(go_on(), first) << gains;
  }
}

TEST(DirectGains, MistakesAreNamed) {
  const auto refused = [](const std::string& correction, const std::string& word) {
    try {
      Simulation simulation(all_benchmarks / "lim-oscillator" / "f-s.toml",
                            {"bond.coupling.correction={method=\"residual-power\"," + correction + "}"});
      static_cast<void>(simulation.start());
      ADD_FAILURE() << correction << " is accepted";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  };
  refused("variant=\"direct-gains\",mu=0.5", "no mu");
  refused("variant=\"direct-gains\",limit=0.5", "limit");
  refused("variant=\"direct-gains\",gains=\"now\"", "gains");
}

}  // namespace
}  // namespace ergon::bench
