#include <gtest/gtest.h>

#include <cmath>

#include "support/coupled_subsystems.hpp"

/// One D (a law of the position and velocity it is given) on one N (a motion that nothing disturbs), so that every
/// output of D tells with which input it was evaluated.
namespace ergon {
namespace {

using namespace testing;

double x(double t) {
  return 3.0 + 2.0 * t - 500.0 * t * t + 1e5 * t * t * t;
}
double v(double t) {
  return 2.0 - 1000.0 * t + 3e5 * t * t;
}

/// Gives back what it was given: force = position_in, echo = velocity_in. Both feed through.
class Mirror final : public Rewinding {
 public:
  explicit Mirror(bool reevaluates = true, const char* length = "m", bool position_feeds_through = true)
      : reevaluates_(reevaluates), length_(length), position_feeds_through_(position_feeds_through) {}
  [[nodiscard]] Description describe() const override {
    Description d;
    d.inputs = {scalar("position_in", length_), scalar("velocity_in", "m/s")};
    d.outputs = {scalar("force", "N"), scalar("echo")};
    d.feedthrough = {{1, 1}};
    if (position_feeds_through_) d.feedthrough.push_back({0, 0});
    d.samples_input = InputSampling::start;
    d.reevaluates_outputs = reevaluates_;
    return d;
  }
  StepStatus initialize(const Experiment& /*experiment*/) override { return {}; }
  StepStatus step(double /*t*/, double /*h*/, const InputView& /*u*/) override { return {}; }
  void outputs(double /*t*/, const double* u, double* y) override {
    y[0] = u[0];
    y[1] = u[1];
  }

 private:
  bool reevaluates_;
  const char* length_;
  bool position_feeds_through_;
};

struct Point {
  double t;
  double position;
  double velocity;
};

struct FeedthroughSetting {
  int d_ms = 1;
  int n_ms = 1;
  std::optional<FeedthroughMode> mode = {};
  std::optional<FeedthroughMode> bond_mode = {};
  const char* scheme = "jacobi";
  std::vector<std::string> order = {};
  bool reevaluates = true;
  const char* length = "m";
  int degree = 0;
  bool position_feeds_through = true;
  Starter starter = Starter::none;
};

/// What D gave at its own points, t₀ included.
std::vector<Point> run(const FeedthroughSetting& s, FeedthroughMode* used = nullptr) {
  Simulation sim;
  sim.options.scheme = s.scheme;
  sim.options.order = s.order;
  sim.options.feedthrough = s.mode;
  sim.options.degree = s.degree;
  sim.options.starter = s.starter;
  sim.graph.add("d", std::make_unique<Mirror>(s.reevaluates, s.length, s.position_feeds_through),
                milliseconds(s.d_ms));
  sim.graph.add("n", std::make_unique<Motion>(x, v), milliseconds(s.n_ms));
  BondSpec bond;
  bond.name = "b";
  bond.a = {{"d.force"}, {"d.velocity_in"}, {"d.position_in"}};
  bond.b = {{"n.force"}, {"n.velocity"}, {"n.position"}};
  bond.feedthrough = s.bond_mode;
  sim.graph.bond(bond);
  sim.start("0.024");
  std::vector<Point> points;
  const auto note = [&] {
    if (sim.engine->record().tick() % s.d_ms != 0) return;
    points.push_back({sim.engine->record().time_s(), sim.output("d.force"), sim.output("d.echo")});
  };
  note();
  while (sim.advance()) note();
  if (used != nullptr) *used = sim.engine->feedthrough_mode(*sim.system->find_input("d.position_in"));
  return points;
}

constexpr double feedthrough_H = 0.001;
constexpr double tolerance = 1e-12;

TEST(Feedthrough, StaleEvaluatesWithTheInputOfTheStep) {
  const auto points = run({.mode = FeedthroughMode::stale});
  EXPECT_EQ(points[0].position, x(0.0)) << "at the start the true input is known";
  for (std::size_t k = 1; k < points.size(); ++k) {
    EXPECT_EQ(points[k].position, x(points[k - 1].t));
    EXPECT_EQ(points[k].velocity, v(points[k - 1].t));
  }
}

// A neighbour in the same stage follows polynomials; who samples at the start still used the value at the start.
TEST(Feedthrough, StaleIsTheStartValueForWhoSamplesAtTheStartEvenAmongOthers) {
  std::vector<Seen> seen;
  Simulation sim;
  sim.options.degree = 1;
  sim.options.feedthrough = FeedthroughMode::stale;
  sim.graph.add("n", std::make_unique<Source>(x), milliseconds(1));
  sim.graph.add("d", std::make_unique<Relay>(1.0, 0.0), milliseconds(1));
  sim.graph.add("probe", std::make_unique<Probe>(seen), milliseconds(1));
  sim.connect("n.y", "d.u");
  sim.connect("n.y", "probe.u");
  sim.start("0.010");
  for (int k = 1; sim.advance(); ++k) EXPECT_EQ(sim.output("d.y"), x((k - 1) * feedthrough_H)) << k;
  EXPECT_NE(seen.back().end, seen.back().start);
}

TEST(Feedthrough, RefreshEvaluatesWithTheInputOfThePoint) {
  for (const Point& p : run({.mode = FeedthroughMode::refresh})) {
    EXPECT_EQ(p.position, x(p.t));
    EXPECT_EQ(p.velocity, v(p.t));
  }
}

// ξ̂ = ξ + Hξ̇ + ½H²a,  ξ̇^ = ξ̇ + Ha,  a the backward difference of ξ̇, 0 in the first step.
TEST(Feedthrough, PredictUsesTheKinematics) {
  const auto points = run({.mode = FeedthroughMode::predict});
  for (std::size_t k = 1; k < points.size(); ++k) {
    const double t = points[k - 1].t;
    const double a = k == 1 ? 0.0 : (v(t) - v(points[k - 2].t)) / feedthrough_H;
    EXPECT_NEAR(points[k].position, x(t) + feedthrough_H * v(t) + 0.5 * feedthrough_H * feedthrough_H * a,
                tolerance)
        << k;
    EXPECT_NEAR(points[k].velocity, v(t) + feedthrough_H * a, tolerance) << k;
  }
  // By hand, k = 2: x(1 ms) = 3.0016, v = 1.3, a = (1.3 − 2)/1 ms = −700: 3.0016 + 0.0013 − 0.00035.
  EXPECT_NEAR(points[2].position, 3.00255, tolerance);
  EXPECT_NEAR(points[2].velocity, 0.6, tolerance);
}

// The starter has taken the first steps already, but they were set back: a is 0 again in the first real step.
TEST(Feedthrough, PredictForgetsTheTriesOfTheStarter) {
  const auto points = run({.mode = FeedthroughMode::predict, .degree = 1, .starter = Starter::repeat});
  EXPECT_NEAR(points[1].position, x(0.0) + feedthrough_H * v(0.0), tolerance);
  EXPECT_NEAR(points[1].velocity, v(0.0), tolerance);
}

// Beyond linear extrapolation, displacement and flow are predicted with its degree, from the history that the starter has
// found: cubics meet the cubic of this motion from the first step on.
TEST(Feedthrough, PredictHasTheDegreeOfTheExtrapolation) {
  const auto points = run({.mode = FeedthroughMode::predict, .degree = 3, .starter = Starter::repeat});
  for (std::size_t k = 1; k < points.size(); ++k) {
    EXPECT_NEAR(points[k].position, x(points[k].t), 1e-10) << k;
    EXPECT_NEAR(points[k].velocity, v(points[k].t), 1e-7) << k;
  }
}

// N has sent its last sample up to 3 ms ago: D predicts from that sample over the whole time since, with the
// difference of N's samples; taken over D's own short step the acceleration would be 4 times too large.
TEST(Feedthrough, PredictFromASlowerSource) {
  const auto points = run({.d_ms = 1, .n_ms = 4, .mode = FeedthroughMode::predict});
  for (std::size_t k = 1; k < points.size(); ++k) {
    const double s = static_cast<double>((k - 1) / 4 * 4) * feedthrough_H;
    const double a = s == 0.0 ? 0.0 : (v(s) - v(s - 4 * feedthrough_H)) / (4 * feedthrough_H);
    const double dt = points[k].t - s;
    EXPECT_NEAR(points[k].position, x(s) + dt * v(s) + 0.5 * dt * dt * a, tolerance) << k;
    EXPECT_NEAR(points[k].velocity, v(s) + dt * a, tolerance) << k;
  }
}

// N sends more often than D steps: the difference is over D's step, as the macro step of the method.
TEST(Feedthrough, PredictFromAFasterSource) {
  const auto points = run({.d_ms = 4, .n_ms = 1, .mode = FeedthroughMode::predict});
  const double H4 = 4 * feedthrough_H;
  for (std::size_t k = 1; k < points.size(); ++k) {
    const double t = points[k - 1].t;
    const double a = k == 1 ? 0.0 : (v(t) - v(t - H4)) / H4;
    EXPECT_NEAR(points[k].position, x(t) + H4 * v(t) + 0.5 * H4 * H4 * a, tolerance) << k;
  }
}

// N comes first, so its sample at the end of D's step is there: nothing is left to predict.
TEST(Feedthrough, PredictInGaussSeidelBehindTheSourceIsExact) {
  for (const Point& p :
       run({.mode = FeedthroughMode::predict, .scheme = "gauss-seidel", .order = {"n", "d"}})) {
    EXPECT_EQ(p.position, x(p.t));
    EXPECT_EQ(p.velocity, v(p.t));
  }
}

// The receiver takes millimetres and metres per second: x̂ in mm needs 1000 v.
TEST(Feedthrough, PredictConvertsUnits) {
  const auto metres = run({.mode = FeedthroughMode::predict});
  const auto millimetres = run({.mode = FeedthroughMode::predict, .length = "mm"});
  for (std::size_t k = 0; k < metres.size(); ++k) {
    EXPECT_NEAR(millimetres[k].position, 1000.0 * metres[k].position, 1e-9);
    EXPECT_NEAR(millimetres[k].velocity, metres[k].velocity, tolerance);
  }
}

// A pure damper: the velocity feeds through and the position does not. It is predicted all the same, by a line.
TEST(Feedthrough, PredictAFlowWhoseDisplacementDoesNotFeedThrough) {
  const auto points = run({.mode = FeedthroughMode::predict, .position_feeds_through = false});
  for (std::size_t k = 2; k < points.size(); ++k) {
    const double t = points[k - 1].t;
    EXPECT_NEAR(points[k].velocity, v(t) + (v(t) - v(t - feedthrough_H)), tolerance) << k;
  }
}

// At D's points only, from N extrapolated to there.
TEST(Feedthrough, RefreshFromASlowerSource) {
  for (const Point& p : run({.d_ms = 1, .n_ms = 4, .mode = FeedthroughMode::refresh})) {
    const int ms = static_cast<int>(std::lround(1000.0 * p.t));
    EXPECT_EQ(p.position, x(ms / 4 * 4 / 1000.0));
  }
  for (const Point& p : run({.d_ms = 1, .n_ms = 4, .mode = FeedthroughMode::refresh, .degree = 1})) {
    const int ms = static_cast<int>(std::lround(1000.0 * p.t));
    const double s = ms / 4 * 4 / 1000.0;
    if (s == 0.0) continue;
    EXPECT_NEAR(p.position, x(s) + (p.t - s) * (x(s) - x(s - 4 * feedthrough_H)) / (4 * feedthrough_H),
                tolerance);
  }
}

// A bond's own word counts before the run's; nothing said means refresh, or predict where D cannot.
TEST(Feedthrough, ModeComesFromTheBondThenTheRunThenTheAbility) {
  FeedthroughMode used{};
  run({.mode = FeedthroughMode::refresh, .bond_mode = FeedthroughMode::stale}, &used);
  EXPECT_EQ(used, FeedthroughMode::stale);
  run({.mode = FeedthroughMode::predict}, &used);
  EXPECT_EQ(used, FeedthroughMode::predict);
  run({}, &used);
  EXPECT_EQ(used, FeedthroughMode::refresh);
  run({.reevaluates = false}, &used);
  EXPECT_EQ(used, FeedthroughMode::predict);
}

TEST(Feedthrough, RefreshIsRefusedWhereDCannot) {
  EXPECT_THROW(run({.mode = FeedthroughMode::refresh, .reevaluates = false}), InputError);
}

// Plain signals have no kinematics: a line through the last two samples, even where the input itself is held.
TEST(Feedthrough, PredictAPlainSignalByALineAtLeast) {
  Simulation sim;
  sim.options.feedthrough = FeedthroughMode::predict;
  sim.graph.add("n", std::make_unique<Source>(x), milliseconds(1));
  sim.graph.add("d", std::make_unique<Relay>(1.0, 0.0), milliseconds(1));
  sim.connect("n.y", "d.u");
  sim.start("0.010");
  sim.advance();
  EXPECT_EQ(sim.output("d.y"), x(0.0)) << "one sample only: held";
  for (int k = 2; sim.advance(); ++k) {
    const double t = (k - 1) * feedthrough_H;
    EXPECT_NEAR(sim.output("d.y"), x(t) + (x(t) - x(t - feedthrough_H)), tolerance) << k;
  }
}

// With quadratic extrapolation the prediction is the parabola's; a sum is predicted term by term.
TEST(Feedthrough, PredictASumWithTheDegreeOfItsLink) {
  Simulation sim;
  sim.options.feedthrough = FeedthroughMode::predict;
  sim.options.degree = 2;
  sim.graph.add("n", std::make_unique<Source>([](double t) { return t * t; }), milliseconds(1));
  sim.graph.add("m", std::make_unique<Source>([](double t) { return 1.0 + t; }), milliseconds(2));
  sim.graph.add("d", std::make_unique<Relay>(1.0, 0.0), milliseconds(1));
  ConnectionSpec spec;
  spec.from = {"n.y", "m.y"};
  spec.to = "d.u";
  sim.graph.connect(spec);
  sim.start("0.020");
  for (int k = 1; sim.advance(); ++k) {
    const double t = k * feedthrough_H;
    if (k <= 5) continue;  // the slow source has three samples after 4 ms
    EXPECT_NEAR(sim.output("d.y"), t * t + 1.0 + t, tolerance) << k;
  }
}

// d1 depends on n, d2 on d1: refreshed in this order d2 shows n's sample of the same instant, through both.
TEST(Feedthrough, RefreshFollowsTheDepthOfChains) {
  for (const bool reversed : {false, true}) {
    Simulation sim;
    const char* first = reversed ? "z" : "a";
    const char* second = reversed ? "a" : "z";
    sim.graph.add("n", std::make_unique<Source>(x), milliseconds(1));
    sim.graph.add(first, std::make_unique<Relay>(2.0, 1.0), milliseconds(1));
    sim.graph.add(second, std::make_unique<Relay>(3.0, 0.0), milliseconds(1));
    sim.connect("n.y", std::string(first) + ".u");
    sim.connect(std::string(first) + ".y", std::string(second) + ".u");
    sim.start("0.010");
    do {
      const double t = sim.engine->record().time_s();
      EXPECT_EQ(sim.output(std::string(second) + ".y"), 3.0 * (2.0 * x(t) + 1.0));
    } while (sim.advance());
  }
}

}  // namespace
}  // namespace ergon
