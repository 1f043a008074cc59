// Whatever a subsystem throws, wherever and on whichever thread, becomes a failure that names it. (A throw on a worker thread ended
// the program, and one from `outputs` or `initialize` left the engine as an exception.)
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <new>
#include <stdexcept>

#include "support/accounted_body.hpp"
#include "support/coupled_subsystems.hpp"

namespace ergon {
namespace {

using namespace testing;

enum class Place { initialize, step, outputs };
constexpr double fails_from_s = 0.0055;

struct Fault {
  Place place = Place::step;
  bool number = false;  ///< throws an int, else a std::runtime_error
  double from_s = fails_from_s;

  void meet(Place here, double t) const {
    if (here != place || t < from_s) return;
    if (number) throw 42;
    throw std::runtime_error("the valve is stuck");
  }
};

/// x ← x + h(u − x), y = x, z = x + u; fails as told.
class Follower final : public Rewinding {
 public:
  Follower(InputSampling sampling, std::optional<Fault> fault) : sampling_(sampling), fault_(fault) {}
  [[nodiscard]] Description describe() const override {
    Description d;
    d.inputs = {scalar("u")};
    d.outputs = {scalar("y"), scalar("z")};
    d.feedthrough = {{1, 0}};
    d.samples_input = sampling_;
    return d;
  }
  StepStatus initialize(const Experiment& experiment) override {
    if (fault_) fault_->meet(Place::initialize, experiment.start_s);
    state_ = {1.0};
    return {};
  }
  StepStatus step(double t, double h, const InputView& u) override {
    if (fault_) fault_->meet(Place::step, t);
    state_[0] += h * (u.start(0) - state_[0]);
    return {};
  }
  void outputs(double t, const double* u, double* y) override {
    if (fault_) fault_->meet(Place::outputs, t);
    y[0] = state_[0];
    y[1] = state_[0] + u[0];
  }

 private:
  InputSampling sampling_;
  std::optional<Fault> fault_;
};

struct FailureSetting {
  const char* name;
  const char* scheme;
  int degree;
  FeedthroughMode feedthrough;
  InputSampling sampling;
};

constexpr FailureSetting failure_settings[] = {
    {"together", "jacobi", 0, FeedthroughMode::stale, InputSampling::start},
    {"separately", "jacobi", 1, FeedthroughMode::predict, InputSampling::continuous},
    {"refresh", "jacobi", 1, FeedthroughMode::refresh, InputSampling::continuous},
    {"gauss_seidel", "gauss-seidel", 0, FeedthroughMode::stale, InputSampling::start},
    {"semi_implicit", "semi-implicit", 1, FeedthroughMode::refresh, InputSampling::continuous},
    {"implicit", "implicit", 1, FeedthroughMode::refresh, InputSampling::continuous},
};

/// Eight that follow each other in a ring; number `faulty` has the fault.
void fill(Simulation& sim, const FailureSetting& s, std::size_t faulty, const Fault& fault,
          unsigned threads) {
  sim.options.scheme = s.scheme;
  sim.options.degree = s.degree;
  sim.options.feedthrough = s.feedthrough;
  sim.options.threads = threads;
  constexpr std::size_t count = 8;
  for (std::size_t i = 0; i < count; ++i) {
    sim.graph.add(fmt::format("n{}", i),
                  std::make_unique<Follower>(s.sampling, i == faulty ? std::optional(fault) : std::nullopt),
                  milliseconds(1));
  }
  for (std::size_t i = 0; i < count; ++i)
    sim.connect(fmt::format("n{}.y", i), fmt::format("n{}.u", (i + 1) % count));
}

/// The failure of a run, from the start or a step.
std::optional<Failure> failure_of_run(Simulation& sim) {
  EXPECT_TRUE(sim.build("0.02"));
  if (auto failure = sim.engine->initialize(sim.problems)) return failure;
  while (!sim.engine->done()) {
    if (auto failure = sim.engine->advance()) return failure;
  }
  return std::nullopt;
}

class Thrown : public ::testing::TestWithParam<FailureSetting> {};

TEST_P(Thrown, BecomesAFailureOfWhoThrewIt) {
  for (const unsigned threads : {1U, 4U}) {
    for (const Place place : {Place::step, Place::outputs}) {
      for (const bool number : {false, true}) {
        // The first is stepped by the calling thread, the last by a worker.
        for (const std::size_t faulty : {std::size_t{0}, std::size_t{7}}) {
          SCOPED_TRACE(fmt::format("{} threads, {}, {}, n{}", threads,
                                   place == Place::step ? "step" : "outputs", number ? "int" : "error",
                                   faulty));
          Simulation sim;
          fill(sim, GetParam(), faulty, {place, number}, threads);
          const auto failure = failure_of_run(sim);
          ASSERT_TRUE(failure);
          EXPECT_EQ(failure->subsystem, fmt::format("n{}", faulty));
          EXPECT_NEAR(failure->time_s, fails_from_s, 1e-3);
          EXPECT_NE(failure->what.find(number ? "not a std::exception" : "the valve is stuck"),
                    std::string::npos)
              << failure->what;
          // The record stays at the last good point.
          EXPECT_LE(sim.engine->record().time_s(), 0.006);
        }
      }
    }
  }
}

TEST_P(Thrown, AtTheStartIsAFailureToo) {
  for (const Place place : {Place::initialize, Place::outputs}) {
    for (const bool number : {false, true}) {
      Simulation sim;
      fill(sim, GetParam(), 3, {place, number, 0.0}, 4);
      const auto failure = failure_of_run(sim);
      ASSERT_TRUE(failure);
      EXPECT_EQ(failure->subsystem, "n3");
      EXPECT_EQ(failure->time_s, 0.0);
    }
  }
}

/// A law between others that ends with `fail` from `fails_from_s` on. It knows no time: a source tells it.
std::optional<Failure> failure_of_law(const FailureSetting& setting, unsigned threads, void (*fail)()) {
  Simulation sim;
  fill(sim, setting, 99, {}, threads);
  sim.graph.add("clock", std::make_unique<Source>([](double t) { return t; }), milliseconds(1));
  sim.graph.add_element("law", std::make_unique<Law>([fail](double t, double x) -> double {
                          if (t > fails_from_s) fail();
                          return t + x;
                        }));
  std::vector<Seen> seen;
  sim.graph.add("reader", std::make_unique<Probe>(seen), milliseconds(1));
  sim.connect("clock.y", "law.u1");
  sim.connect("n0.y", "law.u2");
  sim.connect("law.y", "reader.u");
  return failure_of_run(sim);
}

TEST_P(Thrown, ByAnElementIsItsFailure) {
  for (const unsigned threads : {1U, 4U}) {
    const auto failure =
        failure_of_law(GetParam(), threads, [] { throw std::runtime_error("out of its table"); });
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->subsystem, "law");
    EXPECT_NE(failure->what.find("out of its table"), std::string::npos) << failure->what;
    EXPECT_NEAR(failure->time_s, fails_from_s, 1e-3);
  }
}

// The text of std::bad_alloc is its own name, which is not a message.
TEST_P(Thrown, ForLackOfMemoryIsToldInWords) {
  const auto failure = failure_of_law(GetParam(), 4, [] { throw std::bad_alloc(); });
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->subsystem, "law");
  EXPECT_EQ(failure->what, "there is not enough memory");
}

// Several fail in one step: told is the first in order, however the threads share them.
TEST_P(Thrown, BySeveralIsToldOfTheFirst) {
  for (const unsigned threads : {1U, 2U, 4U}) {
    Simulation sim;
    sim.options.scheme = GetParam().scheme;
    sim.options.degree = GetParam().degree;
    sim.options.threads = threads;
    for (int i = 0; i < 8; ++i) {
      sim.graph.add(
          fmt::format("n{}", i),
          std::make_unique<Follower>(GetParam().sampling, i >= 2 ? std::optional(Fault{}) : std::nullopt),
          milliseconds(1));
    }
    for (int i = 0; i < 8; ++i) sim.connect(fmt::format("n{}.y", i), fmt::format("n{}.u", (i + 1) % 8));
    const auto failure = failure_of_run(sim);
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->subsystem, "n2") << threads;
  }
}

// Costs of implicit schemes were always 0.
TEST_P(Thrown, NothingAndTheStepsAreTimed) {
  for (const unsigned threads : {1U, 4U}) {
    Simulation sim;
    fill(sim, GetParam(), 99, {}, threads);
    sim.run("0.2");
    for (Index n = 0; n < 8; ++n) {
      EXPECT_GT(sim.engine->cost(n).mean_step_s, 0.0) << n;
      EXPECT_EQ(sim.engine->cost(n).steps, 200U);
    }
  }
}

// The address of its inputs was looked up behind the last input of the system.
TEST_P(Thrown, NothingByALastNodeWithoutInputs) {
  Simulation sim;
  sim.options.scheme = GetParam().scheme;
  sim.options.degree = GetParam().degree;
  std::vector<Seen> seen;
  sim.graph.add("a", std::make_unique<Probe>(seen), milliseconds(1));
  sim.graph.add("z", std::make_unique<Source>([](double t) { return t; }), milliseconds(1));
  sim.connect("z.y", "a.u");
  sim.run("0.02");
  EXPECT_EQ(sim.engine->cost(1).steps, 20U);
  EXPECT_FALSE(sim.engine->record().energy(1).available);
  EXPECT_DOUBLE_EQ(sim.output("z.y"), 0.02);
}

INSTANTIATE_TEST_SUITE_P(All, Thrown, ::testing::ValuesIn(failure_settings),
                         [](const auto& tested) { return std::string(tested.param.name); });

/// A body whose account looks at the room that it is given.
class WatchedBody final : public Subsystem, public EnergyAccount {
 public:
  WatchedBody(BodyParameters parameters, std::vector<std::size_t>& rooms)
      : body_(std::move(parameters)), rooms_(rooms) {}
  [[nodiscard]] Description describe() const override { return body_.describe(); }
  StepStatus initialize(const Experiment& experiment) override { return body_.initialize(experiment); }
  StepStatus step(double t, double h, const InputView& u) override { return body_.step(t, h, u); }
  void outputs(double t, const double* u, double* y) override { body_.outputs(t, u, y); }
  Rewindable* rewindable() override { return body_.rewindable(); }
  [[nodiscard]] const EnergyAccount* energy_account() const override { return this; }
  void sample(const AccountInputs& inputs, AccountSample& sample) const override {
    rooms_.push_back(sample.received_J.size());
    body_.sample(inputs, sample);
  }

 private:
  Body body_;
  std::vector<std::size_t>& rooms_;
};

// Three of four callers gave arrays that were longer than there are inputs.
TEST(Accounts, HaveRoomForEveryInputAndNoMore) {
  for (const char* scheme : {"jacobi", "gauss-seidel", "semi-implicit"}) {
    for (const char* method : {"", "energy-leak", "passivity", "residual-power"}) {
      Simulation sim;
      sim.options.scheme = scheme;
      const bool implicit = std::string(scheme) == "semi-implicit";
      if (implicit && *method != '\0') continue;  // takes none
      sim.options.degree = implicit ? 1 : 0;
      if (*method != '\0') sim.options.corrections.push_back(correction("coupling", method));
      BodyParameters giver;
      giver.kc_N_m = 100.0;
      giver.v0_m_s = {1.0, 0.5, 0.0};
      BodyParameters receiver;
      receiver.k_N_m = 10.0;
      receiver.v0_m_s = {-1.0, 0.0, 0.2};
      std::vector<std::size_t> of_giver;
      std::vector<std::size_t> of_receiver;
      sim.graph.add("giver", std::make_unique<WatchedBody>(giver, of_giver), milliseconds(1));
      sim.graph.add("receiver", std::make_unique<WatchedBody>(receiver, of_receiver), milliseconds(1));
      sim.graph.bond(spring_bond("coupling", "giver", "receiver"));
      sim.start("0.05");
      do {
        static_cast<void>(sim.engine->record().energy(0));
        static_cast<void>(sim.engine->record().imbalance_J(0));
      } while (sim.advance());
      ASSERT_GT(of_giver.size(), 20U);
      ASSERT_GT(of_receiver.size(), 20U);
      for (const std::size_t room : of_giver) ASSERT_EQ(room, 12U) << scheme << method;
      for (const std::size_t room : of_receiver) ASSERT_EQ(room, 6U) << scheme << method;
    }
  }
}

}  // namespace
}  // namespace ergon
