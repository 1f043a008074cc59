// Steps that end as those of a simulator of others may: early, discarded, in an exception; and what such a one cannot do.

#include <gtest/gtest.h>

#include "ergon/coupling/state/subsystem_failure.hpp"
#include "support/coupled_subsystems.hpp"
#include "support/foreign_simulator.hpp"

namespace ergon {
namespace {

using testing::ForeignHabits;
using testing::ForeignSimulator;
using testing::milliseconds;
using testing::Simulation;
using testing::Source;

/// Four of them, with these habits, behind one source: four threads have something to share.
struct Foreigners {
  explicit Foreigners(const ForeignHabits& habits, unsigned threads = 1, const char* scheme = "jacobi") {
    sim.options.degree = 2;
    sim.options.threads = threads;
    sim.options.scheme = scheme;
    sim.graph.add("source", std::make_unique<Source>([](double t) { return 1.0 + 2.0 * t - 3.0 * t * t; }),
                  milliseconds(10));
    for (const char* name : {"a", "b", "c", "d"}) {
      auto one = std::make_unique<ForeignSimulator>(habits);
      all.push_back(one.get());
      sim.graph.add(name, std::move(one), milliseconds(10));
      sim.connect("source.y", std::string(name) + ".u");
    }
  }
  [[nodiscard]] std::int64_t integer(const std::string& output) const {
    return sim.engine->record().integer_output(sim.system->find_output(output).value());
  }
  [[nodiscard]] std::string text(const std::string& output) const {
    return sim.engine->record().text_output(sim.system->find_output(output).value());
  }
  /// With step control: on a clock that is fine enough for it. Whether there were no errors.
  bool build_controlled(const StepControlOptions& control) {
    sim.options.step_control = control;
    sim.system = sim.graph.freeze(sim.problems);
    const Rational smallest(1, 100 * control.subdivisions);
    sim.engine = Engine::make(*sim.system, TimeGrid(Rational{}, Rational(1, 10), {&smallest, 1}), sim.options,
                              sim.problems);
    return !sim.problems.has_errors();
  }
  std::optional<Failure> run_to_failure(const char* stop) {
    sim.start(stop);
    return run_on();
  }
  std::optional<Failure> run_on() {
    while (!sim.engine->done()) {
      if (auto failure = sim.engine->advance()) return failure;
    }
    return std::nullopt;
  }

  Simulation sim;
  std::vector<ForeignSimulator*> all;
};

/// x of all at every point.
std::vector<double> motion(const ForeignHabits& habits, unsigned threads, const char* scheme) {
  Foreigners run(habits, threads, scheme);
  run.sim.start("0.1");
  std::vector<double> values;
  do {
    for (const char* output : {"a.x", "b.x", "c.x", "d.x"}) values.push_back(run.sim.output(output));
  } while (run.sim.advance());
  EXPECT_EQ(run.sim.engine->record().tick(), 10);
  return values;
}

// The inputs are quadratic, and integrated exactly: whatever the pieces, the whole is the same.
TEST(ForeignSteps, WhatEndsEarlyOrIsDiscardedGetsToTheEndOfItsStepWithTheSameInputs) {
  ForeignHabits early;
  early.events_s = {0.0123, 0.0171, 0.0172, 0.055, 0.0999};
  ForeignHabits discarding;
  discarding.longest_s = 0.0036;
  ForeignHabits silent = discarding;
  silent.tells_time_reached = false;
  ForeignHabits both = early;
  both.longest_s = 0.0021;
  for (const char* scheme : {"jacobi", "gauss-seidel"}) {
    const auto plain = motion({}, 1, scheme);
    ASSERT_EQ(plain.size(), 44U);
    for (const unsigned threads : {1U, 4U}) {
      for (const ForeignHabits& habits : {early, discarding, silent, both}) {
        const auto pieces = motion(habits, threads, scheme);
        ASSERT_EQ(pieces.size(), plain.size());
        for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_NEAR(pieces[i], plain[i], 1e-16) << scheme << i;
      }
    }
  }
}

TEST(ForeignSteps, DiscardedStepsAreTakenInPiecesThatAreShortEnough) {
  ForeignHabits habits;
  habits.longest_s = 0.004;
  Foreigners run(habits);
  run.sim.run("0.1");
  // 10 ms are tried and discarded, then 4 ms, then the remaining 6, then 4 and 2: five calls for a step.
  EXPECT_EQ(run.all.front()->calls, 50);
}

TEST(ForeignSteps, WhoDiscardsEverythingOrGetsNowhereFailsWithItsNameAndTime) {
  for (const unsigned threads : {1U, 4U}) {
    ForeignHabits never;
    never.longest_s = 1e-9;
    never.tells_time_reached = false;
    Foreigners stubborn(never, threads);
    const auto discarded = stubborn.run_to_failure("0.1");
    ASSERT_TRUE(discarded);
    EXPECT_EQ(discarded->subsystem, "a");
    EXPECT_EQ(discarded->time_s, 0.0);
    EXPECT_NE(discarded->what.find("shortest"), std::string::npos) << discarded->what;
    EXPECT_LT(stubborn.all.front()->calls, 20);

    ForeignHabits nowhere;
    nowhere.gets_nowhere = true;
    const auto stuck = Foreigners(nowhere, threads).run_to_failure("0.1");
    ASSERT_TRUE(stuck);
    EXPECT_NE(stuck->what.find("early"), std::string::npos) << stuck->what;
  }
}

TEST(ForeignSteps, StepControlRepeatsADiscardedWindowWithAShorterOne) {
  ForeignHabits habits;
  habits.longest_s = 0.004;
  Foreigners run(habits);
  StepControlOptions control;
  control.method = "richardson";
  control.rtol = 1.0;
  control.subdivisions = 16;
  control.max_factor = 1.0;
  ASSERT_TRUE(run.build_controlled(control));
  ASSERT_FALSE(run.sim.engine->initialize(run.sim.problems));
  double previous_s = 0.0;
  double longest_s = 0.0;
  while (run.sim.advance()) {
    longest_s = std::max(longest_s, run.sim.engine->record().time_s() - previous_s);
    previous_s = run.sim.engine->record().time_s();
  }
  EXPECT_GT(run.sim.engine->record().step_control()->rejected, 0U);
  EXPECT_GT(longest_s, 0.001);
  EXPECT_LE(longest_s, 0.004 + 1e-12);
  EXPECT_NEAR(previous_s, 0.1, 1e-15);
}

TEST(ForeignSteps, WhatIsThrownInAStepIsAFailureOnAnyThread) {
  for (const unsigned threads : {1U, 4U}) {
    for (const bool nonsense : {false, true}) {
      ForeignHabits habits;
      habits.throws_in_step = 3;
      habits.throws_nonsense = nonsense;
      habits.works = std::chrono::microseconds(threads > 1 ? 200 : 0);
      Foreigners run(habits, threads);
      const auto failure = run.run_to_failure("0.1");
      ASSERT_TRUE(failure);
      EXPECT_EQ(failure->subsystem, "a");
      EXPECT_EQ(failure->time_s, 0.02);
      EXPECT_NE(failure->what.find(nonsense ? "not a std::exception" : "licence lost"), std::string::npos);
      // Everything is as it was at the last good point.
      EXPECT_EQ(run.sim.engine->record().time_s(), 0.02);
      EXPECT_EQ(run.integer("d.count"), ForeignSimulator::first_count + 2);
      EXPECT_EQ(run.text("d.says"), "step 2");
    }
  }
}

TEST(ForeignSteps, WhatIsThrownElsewhereIsAFailure) {
  ForeignHabits bad_books;
  bad_books.throws_in_account = true;
  Foreigners books(bad_books);
  books.sim.start("0.1");
  try {
    static_cast<void>(books.sim.engine->record().energy(0));
    FAIL() << "nothing was thrown";
  } catch (const SubsystemFailure& thrown) {
    EXPECT_EQ(thrown.failure().subsystem, "a");
    EXPECT_EQ(thrown.failure().what, "the books are lost");
  }
  ForeignHabits bad_save;
  bad_save.throws_in_save = true;
  Foreigners saving(bad_save);
  StepControlOptions control;
  control.method = "richardson";
  ASSERT_TRUE(saving.build_controlled(control));
  ASSERT_FALSE(saving.sim.engine->initialize(saving.sim.problems));
  const auto failure = saving.run_on();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->subsystem, "a");
  EXPECT_EQ(failure->what, "no room for its state");
}

TEST(ForeignSteps, InitializeIsToldWhatTheRunWillBe) {
  Experiment told;
  ForeignHabits habits;
  habits.told = &told;
  Foreigners run(habits);
  StepControlOptions control;
  control.method = "richardson";
  control.rtol = 1e-4;
  ASSERT_TRUE(run.build_controlled(control));
  ASSERT_FALSE(run.sim.engine->initialize(run.sim.problems));
  EXPECT_EQ(told.start_s, 0.0);
  EXPECT_EQ(told.end_s, 0.1);
  EXPECT_EQ(told.tolerance, 1e-4);
}

TEST(ForeignSteps, WhoIsNotThreadSafeStaysOnTheCallingThread) {
  std::set<std::thread::id> threads;
  ForeignHabits habits;
  habits.threads = &threads;
  habits.works = std::chrono::microseconds(200);
  habits.describes = [](Description& d) { d.thread_safe = false; };
  const auto alone = motion({}, 1, "jacobi");
  EXPECT_EQ(motion(habits, 4, "jacobi"), alone);
  EXPECT_EQ(threads, std::set<std::thread::id>{std::this_thread::get_id()});
}

std::string refused(const ForeignHabits& habits, const char* stop, bool controlled = false) {
  Foreigners run(habits);
  StepControlOptions control;
  control.method = "richardson";
  EXPECT_FALSE(controlled ? run.build_controlled(control) : run.sim.build(stop));
  std::string text;
  for (const Problem& problem : run.sim.problems.all()) text += to_string(problem) + "\n";
  return text;
}

TEST(ForeignSteps, WhatASimulatorCannotDoIsRefusedBeforeTheStart) {
  ForeignHabits fixed;
  fixed.describes = [](Description& d) { d.fixed_step = true; };
  EXPECT_NE(refused(fixed, "0.105").find("The last step of 'a' would be shortened"), std::string::npos);
  EXPECT_NE(refused(fixed, "0.1", true).find("takes steps of one length"), std::string::npos);
  EXPECT_TRUE(Foreigners(fixed).sim.build("0.1"));

  ForeignHabits internal;
  internal.describes = [](Description& d) { d.internal_step_s = 0.003; };
  EXPECT_NE(refused(internal, "0.1").find("not a multiple of its internal step, 0.003 s"), std::string::npos);
  internal.describes = [](Description& d) { d.internal_step_s = 0.0025; };
  EXPECT_TRUE(Foreigners(internal).sim.build("0.1"));

  ForeignHabits single;
  single.describes = [](Description& d) {
    d.kind = "{guid}";
    d.one_per_process = true;
  };
  EXPECT_NE(refused(single, "0.1").find("'a' and 'b' are two instances of '{guid}'"), std::string::npos);
}

TEST(ForeignSteps, InstancesShareADescription) {
  class Shared final : public Subsystem {
   public:
    explicit Shared(std::shared_ptr<const Description> description) : description_(std::move(description)) {}
    [[nodiscard]] Description describe() const override { return *description_; }
    [[nodiscard]] std::shared_ptr<const Description> shared_description() const override {
      return description_;
    }
    StepStatus initialize(const Experiment& /*experiment*/) override { return {}; }
    StepStatus step(double /*t*/, double /*h*/, const InputView& /*u*/) override { return {}; }
    void outputs(double /*t*/, const double* /*u*/, double* y) override { y[0] = 1.0; }

   private:
    std::shared_ptr<const Description> description_;
  };
  Description description;
  description.outputs = {testing::scalar("y")};
  const auto shared = std::make_shared<const Description>(description);
  Simulation sim;
  sim.graph.add("a", std::make_unique<Shared>(shared), milliseconds(10));
  sim.graph.add("b", std::make_unique<Shared>(shared), milliseconds(10));
  ASSERT_TRUE(sim.build("0.1"));
  EXPECT_EQ(sim.system->nodes[0].description, shared);
  EXPECT_EQ(sim.system->nodes[1].description, shared);
}

// The opaque state, integers beyond 2⁵³ and texts go through a snapshot in memory, and as bytes into another engine.
TEST(ForeignSteps, SnapshotsGoOnBitForBit) {
  for (const unsigned threads : {1U, 4U}) {
    ForeignHabits habits;
    habits.events_s = {0.0123, 0.055, 0.0777};
    Foreigners one(habits, threads);
    one.sim.start("0.1");
    for (int i = 0; i < 4; ++i) one.sim.advance();
    Snapshot snapshot = one.sim.engine->make_snapshot();
    one.sim.engine->save(snapshot);
    const auto end_of = [](Foreigners& run) {
      while (run.sim.advance()) {
      }
      return std::tuple(run.sim.output("c.x"), run.integer("c.count"), run.text("c.says"));
    };
    const auto straight = end_of(one);
    EXPECT_EQ(std::get<1>(straight), ForeignSimulator::first_count + 10);
    one.sim.engine->restore(snapshot);
    EXPECT_EQ(one.text("c.says"), "step 4");
    EXPECT_EQ(end_of(one), straight);
    Foreigners other(habits, threads);
    other.sim.start("0.1");
    Snapshot read = other.sim.engine->make_snapshot();
    other.sim.engine->from_bytes(one.sim.engine->to_bytes(snapshot), read);
    other.sim.engine->restore(read);
    EXPECT_EQ(end_of(other), straight);
  }
}

}  // namespace
}  // namespace ergon
