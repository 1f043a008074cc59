// Runs that nobody keeps books of, judged from the coupling variables alone, against their true energy.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <mutex>
#include <random>

#include "ergon/run/simulation.hpp"
#include "ergon/verdict/verdict.hpp"
#include "support/spring_ends.hpp"

namespace ergon {
namespace {

using testing::Allows;
using testing::HiddenMass;
using testing::SpringGiver;
using testing::SpringMover;

/// Two masses in n dimensions and the spring between them.
struct BlindPair {
  double m1 = 1.0, m2 = 2.0, k1 = 50.0, k2 = 90.0;
  std::vector<double> coupling = {120.0};
  double damping = 0.0;
  std::vector<double> v1 = {1.0}, v2 = {-0.5};
  HiddenMass behind_giver{}, behind_mover{};
  Allows allows{};
  Rational step_s{1, 500};
  FeedthroughMode feedthrough = FeedthroughMode::stale;
  double duration_s = 3.0;
};

struct Judged {
  VerdictValue value = VerdictValue::not_monitored;
  ReasonKind kind = ReasonKind::not_monitored;
  double ratio = 0.0;
  double true_error = 0.0;  ///< max |E − E₀|/E₀
  std::vector<double> positions;
};

Judged judged(const BlindPair& p) {
  const SpringGiver* giver = nullptr;
  const SpringMover* mover = nullptr;
  const auto build = [&] {
    SystemGraph graph;
    auto d = std::make_unique<SpringGiver>(p.m1, p.k1, p.v1, p.coupling, p.damping, p.allows, p.behind_giver);
    auto n = std::make_unique<SpringMover>(p.m2, p.k2, p.v2, p.behind_mover);
    giver = d.get();
    mover = n.get();
    graph.add("giver", std::move(d), p.step_s);
    graph.add("mover", std::move(n), p.step_s);
    BondSpec bond;
    bond.name = "spring";
    bond.a = {{"giver.force"}, {"giver.velocity_in"}, {"giver.position_in"}};
    bond.b = {{"mover.force"}, {"mover.velocity"}, {"mover.position"}};
    bond.feedthrough = p.feedthrough;
    graph.bond(bond);
    return graph;
  };
  SimulationOptions options;
  options.stop_time_s = Rational(static_cast<std::int64_t>(p.duration_s * 1000.0), 1000);
  Simulation simulation(build, options);
  Judged result;
  double start_J = 0.0;
  simulation.for_each_point([&](const StepRecord& record) {
    const double E = giver->energy_J() + mover->energy_J() + giver->coupling_J(mover->state());
    if (record.tick() == 0) start_J = E;
    result.true_error = std::max(result.true_error, std::abs(E - start_J) / start_J);
    result.positions.push_back(mover->state()[0]);
  });
  const Verdict& verdict = simulation.verdict();
  result.value = verdict.value;
  if (!verdict.reasons.empty()) {
    result.kind = verdict.reasons.front().kind;
    result.ratio = verdict.reasons.front().ratio.value_or(0.0);
  }
  return result;
}

void expect_fair(const Judged& j, const std::string& what) {
  if (j.true_error < 0.02) {
    EXPECT_EQ(j.value, VerdictValue::consistent) << what << ' ' << j.true_error;
  }
  if (j.true_error > 0.2) {
    EXPECT_EQ(j.value, VerdictValue::unreliable) << what << ' ' << j.true_error;
  }
}

const Rational steps[] = {{1, 4000}, {1, 500}, {1, 200}};

// All that a simulator of others may allow: derivatives, or its state to be saved.
TEST(SeenFromOutside, EveryWayToProbeGivesTheSameVerdict) {
  int wrong = 0;
  for (const Rational& step : steps) {
    BlindPair p;
    p.step_s = step;
    for (const Allows& allows : {Allows{.setting = true}, Allows{.derivatives = true}, Allows{.saving = true},
                                 Allows{.saving = true, .any_step = false}}) {
      p.allows = allows;
      const Judged j = judged(p);
      expect_fair(j, fmt::format("{} s", step.value()));
      EXPECT_EQ(j.kind, ReasonKind::black_box_estimate);
      EXPECT_NEAR(j.ratio, j.true_error, 0.1 * j.true_error + 1e-3);
      wrong += j.true_error > 0.2;
    }
    p.allows = {};
    EXPECT_EQ(judged(p).value, VerdictValue::doubtful) << "nothing tells";
  }
  EXPECT_GE(wrong, 4);
}

TEST(SeenFromOutside, WhoIsProbedByStepsMovesAsBefore) {
  BlindPair p;
  const Judged untouched = judged(p);
  p.allows.saving = true;
  EXPECT_EQ(judged(p).positions, untouched.positions);
}

/// Lists the lengths of all steps, those for trial, too.
class Logged final : public Subsystem {
 public:
  Logged(std::unique_ptr<Subsystem> inner, std::vector<double>& lengths_s)
      : inner_(std::move(inner)), lengths_s_(lengths_s) {}
  [[nodiscard]] Description describe() const override { return inner_->describe(); }
  StepStatus initialize(const Experiment& e) override { return inner_->initialize(e); }
  StepStatus step(double t, double h, const InputView& u) override {
    lengths_s_.push_back(h);
    return inner_->step(t, h, u);
  }
  void outputs(double t, const double* u, double* y) override { inner_->outputs(t, u, y); }
  Rewindable* rewindable() override { return inner_->rewindable(); }

 private:
  std::unique_ptr<Subsystem> inner_;
  std::vector<double>& lengths_s_;
};

// One, two and three steps, with either of two inputs more and less: 24 trial steps, in the run and in its check run.
TEST(SeenFromOutside, ACheckRunIsProbedAsTheRunIs) {
  std::mutex mutex;
  std::deque<std::vector<double>> lengths_s;  // per instance; a check run steps in a thread of its own
  const Rational step_s{1, 500};
  const auto build = [&] {
    const std::lock_guard lock(mutex);
    SystemGraph graph;
    auto giver = std::make_unique<SpringGiver>(1.0, 50.0, std::vector{1.0}, std::vector{120.0}, 0.0,
                                               Allows{.saving = true});
    graph.add("giver", std::make_unique<Logged>(std::move(giver), lengths_s.emplace_back()), step_s);
    graph.add("mover", std::make_unique<SpringMover>(2.0, 90.0, std::vector{-0.5}), step_s);
    BondSpec bond;
    bond.name = "spring";
    bond.a = {{"giver.force"}, {"giver.velocity_in"}, {"giver.position_in"}};
    bond.b = {{"mover.force"}, {"mover.velocity"}, {"mover.position"}};
    graph.bond(bond);
    return graph;
  };
  SimulationOptions options;
  options.stop_time_s = Rational(1, 5);
  Simulation simulation(build, options);
  simulation.check_motion(MotionCheck::double_steps);
  simulation.run();
  ASSERT_TRUE(simulation.summary().motion.checked);
  std::vector<std::pair<double, std::ptrdiff_t>> runs;  // step, number of trial steps
  for (const std::vector<double>& lengths : lengths_s) {
    if (lengths.empty()) continue;
    const double longest_s = *std::max_element(lengths.begin(), lengths.end());
    runs.emplace_back(longest_s, std::count_if(lengths.begin(), lengths.end(),
                                               [&](double h) { return h < 0.5 * longest_s; }));
  }
  std::sort(runs.begin(), runs.end());
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_NEAR(runs[1].first, 2.0 * runs[0].first, 1e-12);
  EXPECT_EQ(runs[0].second, 24);
  EXPECT_EQ(runs[1].second, 24);
}

// A plane, and a spring whose axes are those of nobody; with a line spring, which has no stiffness across.
TEST(SeenFromOutside, BondsOfSeveralComponents) {
  int wrong = 0;
  for (const std::vector<double>& coupling :
       {std::vector{120.0, 30.0, 30.0, 80.0}, std::vector{90.0, 0.0, 0.0, 90.0},
        std::vector{100.0, 50.0, 50.0, 25.0}}) {
    for (const FeedthroughMode mode : {FeedthroughMode::stale, FeedthroughMode::refresh}) {
      for (const Rational& step : steps) {
        BlindPair p;
        p.coupling = coupling;
        // Along the line of the last one: what moves across it is out of its sight.
        p.v1 = {1.0, 0.5};
        p.v2 = {-0.6, -0.3};
        p.allows.setting = true;
        p.feedthrough = mode;
        p.step_s = step;
        const Judged j = judged(p);
        EXPECT_EQ(j.kind, ReasonKind::black_box_estimate);
        expect_fair(j, fmt::format("{} s", step.value()));
        wrong += j.true_error > 0.2;
      }
    }
  }
  EXPECT_GE(wrong, 3);
}

// A law that is not a spring: what one component does depends on another, and not the other way round.
TEST(SeenFromOutside, ALawWithoutEnergyIsDoubtful) {
  BlindPair p;
  p.coupling = {120.0, 60.0, 0.0, 80.0};
  p.v1 = {1.0, 0.4};
  p.v2 = {-0.5, 0.8};
  p.allows.setting = true;
  EXPECT_EQ(judged(p).value, VerdictValue::doubtful);
}

// A third mass, behind either end: never trusted where more than 20 % are wrong.
TEST(SeenFromOutside, AHiddenMassIsNoReasonForTrust) {
  std::mt19937_64 generator(7);
  const auto between = [&](double low, double high) {
    return low * std::pow(high / low, static_cast<double>(generator() >> 11U) * 0x1p-53);
  };
  int wrong = 0;
  int blamed = 0;
  for (int seed = 0; seed < 30; ++seed) {
    BlindPair p;
    p.m1 = between(0.1, 10.0);
    p.m2 = between(0.1, 10.0);
    p.k1 = between(10.0, 1000.0);
    p.k2 = between(10.0, 1000.0);
    p.coupling = {between(10.0, 1000.0)};
    (seed % 2 == 0 ? p.behind_giver : p.behind_mover) = {between(0.1, 10.0), between(10.0, 1000.0)};
    p.allows.setting = true;
    for (const FeedthroughMode mode : {FeedthroughMode::stale, FeedthroughMode::refresh}) {
      p.feedthrough = mode;
      for (const Rational& step : {Rational(1, 1000), Rational(1, 200)}) {
        p.step_s = step;
        const Judged j = judged(p);
        wrong += j.true_error > 0.2;
        blamed += j.value == VerdictValue::unreliable && j.true_error < 0.02;
        if (j.true_error > 0.2) {
          EXPECT_GE(severity(j.value), severity(VerdictValue::doubtful)) << seed << ' ' << step.value();
        }
      }
    }
  }
  EXPECT_GE(wrong, 10);
  EXPECT_EQ(blamed, 0);
}

}  // namespace
}  // namespace ergon
