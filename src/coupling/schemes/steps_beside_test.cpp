// Steps of slow subsystems that go on while faster ones take their small steps.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <ostream>
#include <stdexcept>
#include <thread>

#include "ergon/coupling/state/subsystem_failure.hpp"
#include "support/coupled_subsystems.hpp"
#include "support/record_bits.hpp"

namespace ergon {
namespace {

using namespace testing;

/// Where slow and fast subsystems meet. A busy machine may give a thread its first turn when the caller has taken all small steps of
/// a slow one, so that until the first meeting both sides wait for each other.
struct Meeting {
  using Clock = std::chrono::steady_clock;
  std::atomic<int> fast_steps{0};
  std::atomic<int> met{0};             ///< slow steps amid which a fast one was taken
  std::atomic<int> elsewhere{0};       ///< slow steps on another thread than that of the run
  std::atomic<int> under_way{0};       ///< slow steps on another thread, now
  std::atomic<bool> must_meet{false};  ///< a test asks for a meeting: wait for it, up to `deadline`
  Clock::time_point deadline;
  std::thread::id caller = std::this_thread::get_id();

  void ask_for_one() {
    deadline = Clock::now() + std::chrono::seconds(20);
    must_meet = true;
  }
  [[nodiscard]] bool is_awaited() const { return must_meet && met == 0 && Clock::now() < deadline; }
};

enum class Fault { none, throws, not_a_number };
struct Nature {
  bool slow = false;
  bool thread_safe = true;
  InputSampling sampling = InputSampling::continuous;
  Fault fault = Fault::none;
  double fails_from_s = 0.0;
};

/// ẋ = −x + u by Euler's rule at the mean of u, y = x, z = x + u. A slow one waits for a fast one to take a step, until it is tired of it.
class Walker final : public Rewinding, public EnergyAccount {
 public:
  Walker(double x0, Nature nature, Meeting& meeting) : x0_(x0), nature_(nature), meeting_(meeting) {}
  [[nodiscard]] Description describe() const override {
    Description d;
    d.inputs = {scalar("u")};
    d.outputs = {scalar("y"), scalar("z")};
    d.feedthrough = {{1, 0}};
    d.samples_input = nature_.sampling;
    d.thread_safe = nature_.thread_safe;
    return d;
  }
  StepStatus initialize(const Experiment& /*experiment*/) override {
    state_ = {x0_};
    return {};
  }
  StepStatus step(double t, double h, const InputView& u) override {
    if (nature_.slow)
      wait_for_a_fast_step();
    else
      wait_for_a_slow_step();
    if (nature_.fault == Fault::throws && t >= nature_.fails_from_s) throw std::runtime_error("it broke");
    state_[0] += h * (0.5 * (u(0, 0.0) + u(0, h)) - state_[0]);
    return {};
  }
  void outputs(double t, const double* u, double* y) override {
    const bool lost = nature_.fault == Fault::not_a_number && t >= nature_.fails_from_s;
    y[0] = lost ? std::numeric_limits<double>::quiet_NaN() : state_[0];
    y[1] = state_[0] + u[0];
  }
  [[nodiscard]] const EnergyAccount* energy_account() const override { return this; }
  void sample(const AccountInputs& inputs, AccountSample& sample) const override {
    sample.stored_J = 0.5 * state_[0] * state_[0];
    sample.synchronised_J = sample.stored_J + inputs.newest[0];
    sample.received_J[0] = state_[0];
  }

 private:
  void wait_for_a_fast_step() {
    const bool is_elsewhere = std::this_thread::get_id() != meeting_.caller;
    const int before = meeting_.fast_steps;
    if (is_elsewhere) {
      ++meeting_.elsewhere;
      ++meeting_.under_way;
    }
    const auto until =
        Meeting::Clock::now() + std::chrono::milliseconds(is_elsewhere && meeting_.is_awaited() ? 100 : 2);
    while (meeting_.fast_steps == before && Meeting::Clock::now() < until) std::this_thread::yield();
    if (meeting_.fast_steps != before) ++meeting_.met;
    if (is_elsewhere) --meeting_.under_way;
  }
  /// The caller lets a slow step begin before it counts its own.
  void wait_for_a_slow_step() {
    const auto until = Meeting::Clock::now() + std::chrono::milliseconds(100);
    while (meeting_.under_way == 0 && meeting_.is_awaited() && Meeting::Clock::now() < until)
      std::this_thread::yield();
    ++meeting_.fast_steps;
  }

  double x0_;
  Nature nature_;
  Meeting& meeting_;
};

/// Two fast ones (2 and 3 ms), two slow ones (10 and 20 ms) and a slow source, in a ring.
struct Ring {
  Meeting meeting;
  Simulation sim;
  Nature fast, slow, slowest;
  explicit Ring(unsigned threads) {
    slow.slow = slowest.slow = true;
    sim.options.threads = threads;
  }
  void start(const char* stop_time) {
    const auto add = [this](const char* name, double x0, const Nature& nature, int ms) {
      sim.graph.add(name, std::make_unique<Walker>(x0, nature, meeting), milliseconds(ms));
    };
    add("fast", 1.0, fast, 2);
    add("other", -2.0, Nature{}, 3);
    add("slow", 3.0, slow, 10);
    add("slowest", 0.5, slowest, 20);
    sim.graph.add("source", std::make_unique<Source>([](double t) { return std::sin(30.0 * t); }),
                  milliseconds(10));
    sim.connect("fast.y", "slow.u");
    sim.connect("slow.z", "other.u");
    sim.connect("other.z", "slowest.u");
    ConnectionSpec sum;
    sum.from = {{"slowest.z"}, {"source.y"}};
    sum.to = "fast.u";
    sim.graph.connect(std::move(sum));
    sim.start(stop_time);
  }
  [[nodiscard]] const StepRecord& record() const { return sim.engine->record(); }
  [[nodiscard]] std::vector<double> outputs() const {
    std::vector<double> values;
    for (Index o = 0; o < sim.system->outputs.size(); ++o) values.push_back(record().output(o));
    return values;
  }
};

struct BesideSetting {
  const char* name;
  int degree;
  FeedthroughMode feedthrough;
  InputSampling sampling;
};
std::ostream& operator<<(std::ostream& out, const BesideSetting& setting) {
  return out << setting.name;
}

class StepsBeside : public ::testing::TestWithParam<BesideSetting> {
 protected:
  static void apply(Ring& ring) {
    ring.sim.options.degree = GetParam().degree;
    ring.sim.options.feedthrough = GetParam().feedthrough;
    for (Nature* nature : {&ring.fast, &ring.slow, &ring.slowest}) nature->sampling = GetParam().sampling;
  }
};

TEST_P(StepsBeside, AreTheSameBitsOnTheirOwnThreads) {
  std::vector<std::vector<double>> alone;
  for (const unsigned threads : {1U, 2U, 4U}) {
    Ring ring(threads);
    apply(ring);
    ring.start("0.4");
    if (threads > 1) ring.meeting.ask_for_one();
    std::vector<std::vector<double>> seen;
    do seen.push_back(ring.outputs());
    while (ring.sim.advance());
    EXPECT_EQ(seen.size(), 268U) << "points of 2 and 3 ms";
    if (threads == 1) {
      EXPECT_EQ(ring.meeting.met, 0);
      alone = seen;
    } else {
      EXPECT_EQ(seen, alone) << threads;
      EXPECT_GT(ring.meeting.met, 0) << "no slow step went on while a fast one was taken";
    }
  }
}

// Whoever wants something of a subsystem amid its step waits for it: energies at every point, a snapshot at some.
TEST_P(StepsBeside, AreWaitedForByWhoeverAsks) {
  std::vector<std::uint64_t> alone;
  for (const unsigned threads : {1U, 2U}) {
    Ring ring(threads);
    apply(ring);
    ring.start("0.1");
    Engine& engine = *ring.sim.engine;
    const auto look = [&] { return bits_of(engine.record(), *ring.sim.system); };
    std::vector<std::uint64_t> seen{look()};
    while (ring.sim.advance()) seen.push_back(look());
    if (threads == 1)
      alone = seen;
    else
      EXPECT_EQ(seen, alone);
  }
}

TEST_P(StepsBeside, AreOverWhereASnapshotIsTaken) {
  Ring ring(2);
  apply(ring);
  ring.start("0.2");
  Engine& engine = *ring.sim.engine;
  for (int i = 0; i < 44; ++i) ASSERT_TRUE(ring.sim.advance());
  ASSERT_FALSE(engine.record().is_at_point(*ring.sim.system->find_node("slowest")));
  Snapshot snapshot = engine.make_snapshot();
  engine.save(snapshot);
  const auto go_on = [&] {
    std::vector<std::uint64_t> seen;
    for (int i = 0; i < 30; ++i) {
      EXPECT_TRUE(ring.sim.advance());
      seen.push_back(bits_of(engine.record(), *ring.sim.system));
    }
    return seen;
  };
  const auto first = go_on();
  EXPECT_FALSE(engine.record().is_at_point(*ring.sim.system->find_node("slowest")));
  engine.restore(snapshot);  // amid a step that goes on
  EXPECT_EQ(go_on(), first);
}

INSTANTIATE_TEST_SUITE_P(
    Settings, StepsBeside,
    ::testing::Values(BesideSetting{"held", 0, FeedthroughMode::stale, InputSampling::start},
                      BesideSetting{"refreshed", 0, FeedthroughMode::refresh, InputSampling::start},
                      BesideSetting{"extrapolated", 1, FeedthroughMode::stale, InputSampling::continuous},
                      BesideSetting{"predicted", 2, FeedthroughMode::predict, InputSampling::continuous},
                      BesideSetting{"extrapolated_and_refreshed", 1, FeedthroughMode::refresh,
                                    InputSampling::continuous}),
    [](const auto& param) { return std::string(param.param.name); });

// The starter sets all back when the slowest has taken its steps: the others are amid theirs.
TEST(StepsBesideOthers, AreOverWhereTheFirstStepsAreRepeated) {
  std::vector<double> alone;
  for (const unsigned threads : {1U, 2U}) {
    Ring ring(threads);
    ring.sim.options.degree = 2;
    ring.sim.options.starter = Starter::repeat;
    ring.start("0.1");
    while (ring.sim.advance()) {
    }
    if (threads == 1)
      alone = ring.outputs();
    else
      EXPECT_EQ(ring.outputs(), alone);
  }
}

// A failure is known when the end of the slow step is reached: on however many threads, points before are good ones.
TEST(StepsBesideOthers, FailWhereTheirEndIsReached) {
  for (const Fault fault : {Fault::throws, Fault::not_a_number}) {
    for (const unsigned threads : {1U, 2U}) {
      Ring ring(threads);
      ring.slow.fault = fault;
      ring.slow.fails_from_s = fault == Fault::throws ? 0.0495 : 0.0595;
      ring.start("0.2");
      std::optional<Failure> failure;
      while (!failure && !ring.sim.engine->done()) failure = ring.sim.engine->advance();
      ASSERT_TRUE(failure.has_value());
      EXPECT_EQ(failure->subsystem, "slow");
      EXPECT_EQ(failure->time_s, fault == Fault::throws ? 0.05 : 0.06);
      EXPECT_EQ(ring.record().time_s(), 0.058) << "the last point before the end of the step that failed";
    }
  }
}

TEST(StepsBesideOthers, TellWhoAsksThatTheyFailed) {
  for (const unsigned threads : {1U, 2U}) {
    Ring ring(threads);
    ring.slow.fault = Fault::throws;
    ring.slow.fails_from_s = 0.0495;
    ring.start("0.2");
    Engine& engine = *ring.sim.engine;
    while (engine.record().time_s() < 0.0515) ASSERT_TRUE(ring.sim.advance());
    const Index slow = *ring.sim.system->find_node("slow");
    const auto expect_failure = [](const auto& ask) {
      try {
        ask();
        ADD_FAILURE() << "nobody said it";
      } catch (const SubsystemFailure& thrown) {
        EXPECT_EQ(thrown.failure().subsystem, "slow");
        EXPECT_EQ(thrown.failure().time_s, 0.05);
        EXPECT_EQ(thrown.failure().what, "it broke");
      }
    };
    expect_failure([&] { static_cast<void>(engine.record().energy(slow)); });
    Snapshot snapshot = engine.make_snapshot();
    expect_failure([&] { engine.save(snapshot); });
    std::optional<Failure> failure;
    while (!failure && !engine.done()) failure = engine.advance();
    ASSERT_TRUE(failure.has_value());
    EXPECT_EQ(failure->what, "it broke");
  }
}

// … whose memory the slow steps still use.
TEST(StepsBesideOthers, AreOverWhenTheEngineIs) {
  for (const bool fails : {false, true}) {
    Ring ring(2);
    ring.fast.fault = fails ? Fault::throws : Fault::none;
    ring.fast.fails_from_s = 0.0635;
    ring.start("0.2");
    std::optional<Failure> failure;
    while (!failure && ring.record().time_s() < 0.0655) failure = ring.sim.engine->advance();
    EXPECT_EQ(failure.has_value(), fails);
    if (failure) {
      EXPECT_EQ(failure->subsystem, "fast");
    }
    ring.sim.engine.reset();
  }
}

TEST(StepsBesideOthers, StayWithTheCallerWhereTheyAreNotThreadSafe) {
  Ring ring(2);
  ring.slow.thread_safe = ring.slowest.thread_safe = false;
  ring.start("0.2");
  while (ring.sim.advance()) {
  }
  EXPECT_EQ(ring.meeting.elsewhere, 0);
  EXPECT_EQ(ring.meeting.met, 0);
}

}  // namespace
}  // namespace ergon
