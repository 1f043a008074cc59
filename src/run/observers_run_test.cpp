// The observers in a run of the real engine: what they take from it at the beginning and at the end.
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <utility>

#include "ergon/run/record/memory_recorder.hpp"
#include "ergon/run/simulation.hpp"
#include "ergon/run/terminal/progress.hpp"
#include "support/fake_step_record.hpp"

namespace ergon {
namespace {

/// y = the time in ms; gives up at `failure_s`.
class Clock final : public Subsystem {
 public:
  explicit Clock(double failure_s) : failure_s_(failure_s) {}
  [[nodiscard]] Description describe() const override {
    Description description;
    description.outputs = {Port{"y", Unit{}, 1, "", 0.0, false}};
    return description;
  }
  StepStatus initialize(const Experiment& /*experiment*/) override { return {}; }
  StepStatus step(double t, double h, const InputView& /*u*/) override {
    if (t + h >= failure_s_) return {false, "the clock is broken"};
    return {};
  }
  void outputs(double t, const double* /*u*/, double* y) override { y[0] = 1000.0 * t; }

 private:
  double failure_s_;
};

struct Case {
  double failure_s = std::numeric_limits<double>::infinity();
  StopRequest stop_requested;
};

struct Outcome {
  std::string results;
  std::string bonds;
  Summary summary;
  std::size_t points_in_memory = 0;
};

// Steps of 3 ms for 10 ms: points 0, 3, 6, 9, 10, the last step shortened. Recorded every 5 ms: 0, 6, 10.
Simulation make_clock(double failure_s = std::numeric_limits<double>::infinity()) {
  SimulationOptions options;
  options.stop_time_s = Rational(1, 100);
  options.output_interval_s = Rational(5, 1000);
  return {[failure_s] {
            SystemGraph graph;
            graph.add("clock", std::make_unique<Clock>(failure_s), Rational(3, 1000));
            return graph;
          },
          options};
}

Outcome run_clock(const Case& c) {
  const ScratchDirectory directory;
  Simulation simulation = make_clock(c.failure_s);
  simulation.write_to(directory / "");
  Progress progress(ProgressMode::off);
  MemoryRecorderOptions options;
  options.outputs = {0};
  MemoryRecorder memory(options);
  simulation.observe(progress);
  simulation.observe(memory);
  simulation.run(c.stop_requested);
  EXPECT_TRUE(simulation.write_errors().empty());
  return {content_of(directory / "results.csv"), content_of(directory / "bonds.csv"), simulation.summary(),
          memory.points()};
}

TEST(Observers, AFinishedRun) {
  const Outcome outcome = run_clock({});
  EXPECT_EQ(outcome.results, "time,clock.y\n0,0\n0.006,6\n0.01,10\n");
  EXPECT_EQ(outcome.bonds, "time\n0\n");
  EXPECT_EQ(outcome.points_in_memory, 5U);
  EXPECT_EQ(outcome.summary.status, RunStatus::finished);
  EXPECT_EQ(outcome.summary.points, 5U);
  EXPECT_EQ(outcome.summary.stop_time_s, 0.01);
  EXPECT_EQ(outcome.summary.reached_time_s, 0.01);
  EXPECT_EQ(outcome.summary.nodes.at(0).steps, 4U);
  EXPECT_TRUE(outcome.summary.last_step_clamped);
  EXPECT_EQ(outcome.summary.notes.size(), 2U);
}

// The last good point, 9 ms, is recorded although the interval leaves it out.
TEST(Observers, AFailedRunKeepsItsLastGoodPoint) {
  Case c;
  c.failure_s = 0.0095;
  const Outcome outcome = run_clock(c);
  EXPECT_EQ(outcome.results, "time,clock.y\n0,0\n0.006,6\n0.009,9\n");
  EXPECT_EQ(outcome.summary.status, RunStatus::failed);
  ASSERT_TRUE(outcome.summary.failure.has_value());
  EXPECT_EQ(outcome.summary.failure->subsystem, "clock");
  EXPECT_EQ(outcome.summary.reached_time_s, 0.009);
}

TEST(Observers, ARunThatIsAskedToStopKeepsItsLastPointAndTellsWhy) {
  for (const auto& [reason, status] : {std::pair{StopReason::interrupted, RunStatus::interrupted},
                                       std::pair{StopReason::unreliable, RunStatus::stopped}}) {
    Case c;
    c.stop_requested = [asked = 0, reason]() mutable {
      return ++asked == 2 ? std::optional(reason) : std::nullopt;
    };
    const Outcome outcome = run_clock(c);
    EXPECT_EQ(outcome.results, "time,clock.y\n0,0\n0.003,3\n");
    EXPECT_EQ(outcome.summary.status, status);
    EXPECT_EQ(outcome.summary.reached_time_s, 0.003);
  }
}

}  // namespace
}  // namespace ergon
