#include "ergon/coupling/engine.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "support/coupled_subsystems.hpp"

namespace ergon {
namespace {

using namespace testing;

double time_itself(double t) {
  return t;
}
double square(double t) {
  return t * t;
}

std::vector<double> starts(const std::vector<Seen>& seen) {
  std::vector<double> values;
  for (const Seen& s : seen) values.push_back(s.start);
  return values;
}

/// A source whose value is the time of its sample, and a probe that writes down what it gets.
Simulation source_and_probe(std::function<double(double)> f, int source_ms, int probe_ms,
                            std::vector<Seen>& seen) {
  Simulation sim;
  sim.graph.add("source", std::make_unique<Source>(std::move(f)), milliseconds(source_ms));
  sim.graph.add("probe", std::make_unique<Probe>(seen), milliseconds(probe_ms));
  sim.connect("source.y", "probe.u");
  return sim;
}

// ── Jacobi ──

// 2 ms and 3 ms share only every sixth point, yet data flow at every one. A sample is its own time in seconds, so a
// receiver must see the latest multiple of the other's step that is not in its future.
TEST(Jacobi, EveryReceiverSeesTheNewestSampleAtEveryPointOfItsOwn) {
  for (const auto& [source_ms, probe_ms] : {std::pair{2, 3}, {3, 2}, {1, 7}, {7, 1}, {5, 5}}) {
    std::vector<Seen> seen;
    Simulation sim = source_and_probe(time_itself, source_ms, probe_ms, seen);
    sim.run("0.210");
    ASSERT_EQ(seen.size(), static_cast<std::size_t>(210 / probe_ms));
    for (std::size_t i = 0; i < seen.size(); ++i) {
      const int now = static_cast<int>(i) * probe_ms;
      EXPECT_EQ(seen[i].t, now / 1000.0);
      EXPECT_EQ(seen[i].start, now / source_ms * source_ms / 1000.0)
          << source_ms << " → " << probe_ms << " at " << now;
      EXPECT_EQ(seen[i].end, seen[i].start) << "held";
    }
  }
}

// The points of the run are the union of both grids, each once: 0 2 3 4 6 8 9 10 12 ms.
TEST(Jacobi, CommunicationPointsAreTheUnionOfAllGrids) {
  std::vector<Seen> seen;
  Simulation sim = source_and_probe(time_itself, 2, 3, seen);
  sim.start("0.012");
  std::vector<Tick> points = {sim.engine->record().tick()};
  while (sim.advance()) points.push_back(sim.engine->record().tick());
  EXPECT_EQ(points, (std::vector<Tick>{0, 2, 3, 4, 6, 8, 9, 10, 12}));
  EXPECT_EQ(sim.engine->record().time_s(), 0.012);
}

// A quadratic signal: from the third sample on its extrapolation is exact wherever the receiver stands.
TEST(Jacobi, ExtrapolatesBetweenUnequalGrids) {
  std::vector<Seen> seen;
  Simulation sim = source_and_probe(square, 2, 3, seen);
  sim.options.degree = 2;
  sim.run("0.060");
  for (const Seen& s : seen) {
    if (s.t < 0.004) continue;
    EXPECT_EQ(s.degree, 2);
    EXPECT_NEAR(s.start, s.t * s.t, 1e-15);
    EXPECT_NEAR(s.end, (s.t + s.h) * (s.t + s.h), 1e-15);
  }
}

/// A ring of seven masses of three rates, nonlinear through sums; returns the last outputs by name.
std::map<std::string, double> run_ring(const std::vector<int>& order, unsigned threads,
                                       const std::string& scheme) {
  Simulation sim;
  sim.options.threads = threads;
  sim.options.degree = 2;
  sim.options.scheme = scheme;
  const auto name = [](int i) { return "m" + std::to_string(i); };
  for (const int i : order) {
    MassParameters p;
    p.m_kg = 1.0 + 0.1 * i;
    p.k_N_m = 10.0 * i;
    p.kc_N_m = 100.0 / 3.0;
    p.v0_m_s = std::cos(i);
    p.sampling = i % 2 == 0 ? InputSampling::start : InputSampling::continuous;
    sim.graph.add(name(i), std::make_unique<SpringMass>(p), milliseconds(1 + i % 3));
  }
  for (const int i : order) {
    ConnectionSpec spec;
    spec.from = {name((i + 1) % 7) + ".position", name((i + 2) % 7) + ".position",
                 name((i + 4) % 7) + ".position"};
    if (order.front() != 0) std::reverse(spec.from.begin(), spec.from.end());
    spec.to = name(i) + ".position_in";
    spec.gain = 1.0 / 3.0;
    sim.graph.connect(spec);
  }
  sim.run("0.3");
  std::map<std::string, double> last;
  for (Index o = 0; o < sim.system->outputs.size(); ++o) {
    last[sim.system->outputs[o].text] = sim.engine->record().output(o);
  }
  return last;
}

TEST(Jacobi, DoesNotDependOnTheOrderOfSubsystemsBitForBit) {
  const auto forward = run_ring({0, 1, 2, 3, 4, 5, 6}, 1, "jacobi");
  EXPECT_EQ(run_ring({6, 5, 4, 3, 2, 1, 0}, 1, "jacobi"), forward);
  EXPECT_EQ(run_ring({3, 0, 6, 1, 5, 2, 4}, 1, "jacobi"), forward);
  EXPECT_GT(std::abs(forward.at("m3.position")), 1e-6) << "something must move for this to mean anything";
}

TEST(Jacobi, DoesNotDependOnTheNumberOfThreadsBitForBit) {
  const auto one = run_ring({0, 1, 2, 3, 4, 5, 6}, 1, "jacobi");
  for (const unsigned threads : {2U, 3U, 9U}) {
    EXPECT_EQ(run_ring({0, 1, 2, 3, 4, 5, 6}, threads, "jacobi"), one) << threads;
  }
}

// ── The last step ──

// 1.0 = 3·0.3 + 0.1: the fourth step is cut to end with the run, and the run says so.
TEST(Clock, LastStepIsClampedToTheEndAndNoted) {
  for (const char* scheme : {"jacobi", "gauss-seidel"}) {
    std::vector<Seen> seen;
    Simulation sim = source_and_probe(time_itself, 300, 300, seen);
    sim.options.scheme = scheme;
    sim.start("1.0");
    EXPECT_FALSE(sim.engine->last_step_clamped());
    while (sim.advance()) {
    }
    ASSERT_EQ(seen.size(), 4U);
    EXPECT_EQ(seen[3].t, 0.9);
    EXPECT_EQ(seen[3].h, 0.1);
    EXPECT_EQ(sim.engine->record().time_s(), 1.0);
    EXPECT_EQ(sim.output("source.y"), 1.0);
    EXPECT_EQ(sim.output("probe.steps"), 4.0);
    EXPECT_TRUE(sim.engine->last_step_clamped());
  }
}

TEST(Clock, WholeStepsAreNotCalledClamped) {
  std::vector<Seen> seen;
  Simulation sim = source_and_probe(time_itself, 250, 500, seen);
  sim.run("1.0");
  EXPECT_FALSE(sim.engine->last_step_clamped());
}

// The slow one is cut short, the fast one is not; both end at the end.
TEST(Clock, ClampsEachRateByItself) {
  std::vector<Seen> seen;
  Simulation sim = source_and_probe(time_itself, 1, 7, seen);
  sim.run("0.010");
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_DOUBLE_EQ(seen[1].h, 0.003);
  EXPECT_EQ(sim.output("source.y"), 0.010);
}

// ── Gauss–Seidel: the sample is its own time, so what is seen tells when it was made ──

TEST(GaussSeidel, WhoComesLaterSeesTheNewSampleAndWhoComesEarlierTheOld) {
  std::vector<Seen> seen;
  Simulation later = source_and_probe(time_itself, 1, 1, seen);
  later.options.scheme = "gauss-seidel";
  later.options.order = {"source", "probe"};
  later.run("0.004");
  EXPECT_EQ(starts(seen), (std::vector<double>{0.001, 0.002, 0.003, 0.004}));

  seen.clear();
  Simulation earlier = source_and_probe(time_itself, 1, 1, seen);
  earlier.options.scheme = "gauss-seidel";
  earlier.options.order = {"probe", "source"};
  earlier.run("0.004");
  EXPECT_EQ(starts(seen), (std::vector<double>{0.0, 0.001, 0.002, 0.003}));
}

// Between the new sample and the last: at the start of the step the last one, at its end the new one, exactly.
TEST(GaussSeidel, WithLinearWhoComesLaterInterpolates) {
  std::vector<Seen> seen;
  Simulation sim = source_and_probe(square, 1, 1, seen);
  sim.options.scheme = "gauss-seidel";
  sim.options.order = {"source", "probe"};
  sim.options.degree = 1;
  sim.run("0.005");
  for (const Seen& s : seen) {
    EXPECT_EQ(s.start, s.t * s.t);
    EXPECT_NEAR(s.end, (s.t + s.h) * (s.t + s.h), 1e-18);
  }
}

// Slow first: its result of 4 ms is there when the fast one starts. Held, the fast one sees the end of the slow step in
// all four of its own; with linear it interpolates at its own communication times.
TEST(GaussSeidel, SlowFirstTheFastInterpolates) {
  std::vector<Seen> seen;
  Simulation hold = source_and_probe(time_itself, 4, 1, seen);
  hold.options.scheme = "gauss-seidel";
  hold.options.order = {"source", "probe"};
  hold.run("0.008");
  EXPECT_EQ(starts(seen), (std::vector<double>{0.004, 0.004, 0.004, 0.004, 0.008, 0.008, 0.008, 0.008}));

  seen.clear();
  Simulation linear = source_and_probe(time_itself, 4, 1, seen);
  linear.options.scheme = "gauss-seidel";
  linear.options.order = {"source", "probe"};
  linear.options.degree = 1;
  linear.run("0.008");
  ASSERT_EQ(seen.size(), 8U);
  for (const Seen& s : seen) {
    EXPECT_NEAR(s.start, s.t, 1e-15);
    EXPECT_NEAR(s.end, s.t + s.h, 1e-15);
  }
}

// While the slow one is ahead, the record still shows what is true at the point: its sample of the past.
TEST(GaussSeidel, TheRecordDoesNotShowTheFuture) {
  std::vector<Seen> seen;
  Simulation sim = source_and_probe(time_itself, 4, 1, seen);
  sim.options.scheme = "gauss-seidel";
  sim.options.order = {"source", "probe"};
  sim.start("0.008");
  while (sim.advance()) {
    const int ms = static_cast<int>(std::lround(1000.0 * sim.engine->record().time_s()));
    EXPECT_EQ(sim.output("source.y"), ms / 4 * 4 / 1000.0) << ms;
  }
}

// Fast first: the slow one takes its step when the fast one has reached the end of it. Held, it sees that end; with
// linear it interpolates between the samples at its own two points, however many lie between (a parabola tells: a line
// through the last two of the fast samples would give −12e-6 at the start of the first step instead of 0).
TEST(GaussSeidel, FastFirstTheSlowExecutesAtItsEnd) {
  std::vector<Seen> seen;
  Simulation hold = source_and_probe(time_itself, 1, 4, seen);
  hold.options.scheme = "gauss-seidel";
  hold.options.order = {"source", "probe"};
  hold.run("0.012");
  EXPECT_EQ(starts(seen), (std::vector<double>{0.004, 0.008, 0.012}));
  EXPECT_EQ(seen[1].t, 0.004);

  seen.clear();
  Simulation linear = source_and_probe(square, 1, 4, seen);
  linear.options.scheme = "gauss-seidel";
  linear.options.order = {"source", "probe"};
  linear.options.degree = 1;
  linear.run("0.012");
  ASSERT_EQ(seen.size(), 3U);
  for (const Seen& s : seen) {
    EXPECT_EQ(s.start, s.t * s.t);
    EXPECT_NEAR(s.end, (s.t + s.h) * (s.t + s.h), 1e-18);
    EXPECT_EQ(s.degree, 1);
  }
}

// d mirrors n and comes before it, so its sample at 4 ms is made with n's of 3 ms and set right by refresh when 4 ms is
// reached. The slow one behind them interpolates from there: the value at the start of its second step is the right one.
TEST(GaussSeidel, ASlowReceiverInterpolatesFromRefreshedSamples) {
  std::vector<Seen> seen;
  Simulation sim;
  sim.options.scheme = "gauss-seidel";
  sim.options.order = {"d", "n", "probe"};
  sim.options.degree = 1;
  sim.graph.add("n", std::make_unique<Source>(square), milliseconds(1));
  sim.graph.add("d", std::make_unique<Relay>(1.0, 0.0), milliseconds(1));
  sim.graph.add("probe", std::make_unique<Probe>(seen), milliseconds(4));
  sim.connect("n.y", "d.u");
  sim.connect("d.y", "probe.u");
  sim.run("0.012");
  ASSERT_EQ(seen.size(), 3U);
  for (const Seen& s : seen) EXPECT_EQ(s.start, s.t * s.t);
}

// Three samples at its own points make a parabola exact in between as well.
TEST(GaussSeidel, FastFirstQuadraticIsExactForAParabola) {
  std::vector<Seen> seen;
  Simulation sim = source_and_probe(square, 1, 4, seen);
  sim.options.scheme = "gauss-seidel";
  sim.options.order = {"source", "probe"};
  sim.options.degree = 2;
  sim.run("0.020");
  for (std::size_t i = 1; i < seen.size(); ++i) EXPECT_EQ(seen[i].degree, 2);
  EXPECT_NEAR(seen[3].end, 0.016 * 0.016, 1e-17);
}

TEST(GaussSeidel, ReportsAnOrderThatDoesNotFit) {
  for (const std::vector<std::string>& order : {std::vector<std::string>{"sorce"}, {"probe", "probe"}}) {
    std::vector<Seen> seen;
    Simulation sim = source_and_probe(time_itself, 1, 1, seen);
    sim.options.scheme = "gauss-seidel";
    sim.options.order = order;
    EXPECT_FALSE(sim.build("1"));
    EXPECT_EQ(sim.problems.all().size(), 1U);
  }
}

// ── Settings and failures ──

TEST(EngineErrors, UnknownSchemeAndDegree) {
  std::vector<Seen> seen;
  Simulation scheme = source_and_probe(time_itself, 1, 1, seen);
  scheme.options.scheme = "jacoby";
  EXPECT_FALSE(scheme.build("1"));
  EXPECT_NE(std::string(InputError(scheme.problems).what()).find("Did you mean 'jacobi'?"),
            std::string::npos);

  Simulation degree = source_and_probe(time_itself, 1, 1, seen);
  degree.options.degree = 4;
  EXPECT_FALSE(degree.build("1"));
  EXPECT_NE(std::string(InputError(degree.problems).what()).find("degree 4"), std::string::npos);
}

/// Runs until it fails.
Failure failure_of(Simulation& sim, const char* stop_time) {
  EXPECT_TRUE(sim.build(stop_time));
  auto failure = sim.engine->initialize(sim.problems);
  while (!failure && !sim.engine->done()) failure = sim.engine->advance();
  EXPECT_TRUE(failure);
  return failure.value_or(Failure{});
}

TEST(EngineErrors, ANaNStopsWithSubsystemPortAndTime) {
  for (const char* scheme : {"jacobi", "gauss-seidel"}) {
    std::vector<Seen> seen;
    Simulation sim = source_and_probe([](double t) { return t < 0.0025 ? t : std::nan(""); }, 1, 1, seen);
    sim.options.scheme = scheme;
    const Failure failure = failure_of(sim, "1");
    EXPECT_EQ(failure.subsystem, "source");
    EXPECT_EQ(failure.port, "y");
    EXPECT_EQ(failure.time_s, 0.003);
    EXPECT_NE(failure.what.find("source.y"), std::string::npos);
    // The last good point stays on record.
    EXPECT_EQ(sim.engine->record().time_s(), 0.002);
    EXPECT_EQ(sim.output("source.y"), 0.002);
  }
}

TEST(EngineErrors, AnInfiniteOutputAtTheStartStopsToo) {
  std::vector<Seen> seen;
  Simulation sim = source_and_probe([](double t) { return 1.0 / t; }, 1, 1, seen);
  const Failure failure = failure_of(sim, "1");
  EXPECT_EQ(failure.subsystem, "source");
  EXPECT_EQ(failure.time_s, 0.0);
}

// √ of a negative number: the law is to blame, not the subsystem that chokes on it one step later.
TEST(EngineErrors, ALawThatGivesNaNIsNamed) {
  std::vector<Seen> seen;
  Simulation sim;
  sim.graph.add("source", std::make_unique<Source>([](double t) { return 0.0025 - t; }), milliseconds(1));
  sim.graph.add("probe", std::make_unique<Probe>(seen), milliseconds(1));
  sim.graph.add_element("law", std::make_unique<Law>([](double u, double) { return std::sqrt(u); }));
  sim.connect("source.y", "law.u1");
  sim.connect("law.y", "probe.u");
  const Failure failure = failure_of(sim, "1");
  EXPECT_EQ(failure.subsystem, "law");
  EXPECT_EQ(failure.port, "y");
  EXPECT_EQ(failure.time_s, 0.003);
  EXPECT_EQ(sim.engine->record().time_s(), 0.002);
  EXPECT_EQ(sim.output("law.y"), std::sqrt(0.0025 - 0.002));
}

// 100·1e308 overflows: not with the input of the step, which is 0, but with the refreshed one.
TEST(EngineErrors, ANaNThatOnlyRefreshBringsIsFound) {
  Simulation sim;
  sim.graph.add("source", std::make_unique<Source>([](double t) { return t < 0.0015 ? 0.0 : 1e308; }),
                milliseconds(1));
  sim.graph.add("relay", std::make_unique<Relay>(100.0, 0.0), milliseconds(1));
  sim.connect("source.y", "relay.u");
  const Failure failure = failure_of(sim, "1");
  EXPECT_EQ(failure.subsystem, "relay");
  EXPECT_EQ(failure.time_s, 0.002);
}

/// Fails in its n-th step.
class Failing final : public Subsystem {
 public:
  explicit Failing(int n) : left_(n) {}
  [[nodiscard]] Description describe() const override {
    Description d;
    d.outputs = {scalar("y")};
    return d;
  }
  StepStatus initialize(const Experiment& /*experiment*/) override { return {}; }
  StepStatus step(double /*t*/, double /*h*/, const InputView& /*u*/) override {
    if (--left_ == 0) return {false, "the bearing has seized"};
    return {};
  }
  void outputs(double /*t*/, const double* /*u*/, double* y) override { y[0] = 0.0; }

 private:
  int left_;
};

// Two fail in the same step; the first by name is named, whichever thread met it.
TEST(EngineErrors, AFailingStepReportsSubsystemTimeAndReason) {
  for (const unsigned threads : {1U, 2U, 3U}) {
    Simulation sim;
    sim.options.threads = threads;
    for (const char* name : {"a", "b", "d", "e"}) {
      sim.graph.add(name, std::make_unique<Source>(time_itself), milliseconds(1));
    }
    sim.graph.add("f", std::make_unique<Failing>(3), milliseconds(1));
    sim.graph.add("c", std::make_unique<Failing>(3), milliseconds(1));
    const Failure failure = failure_of(sim, "1");
    EXPECT_EQ(failure.subsystem, "c");
    EXPECT_EQ(failure.port, "");
    EXPECT_EQ(failure.time_s, 0.002);
    EXPECT_EQ(failure.what, "the bearing has seized");
    EXPECT_EQ(sim.engine->record().time_s(), 0.002);
  }
}

TEST(EngineErrors, OnlyElementsIsNoSystem) {
  Simulation sim;
  sim.graph.add_element("law", std::make_unique<TwoChannels>(1.0, 1.0));
  SystemGraph& graph = sim.graph;
  sim.system = graph.freeze(sim.problems);
  ASSERT_NE(sim.system, nullptr);
  EXPECT_EQ(Engine::make(*sim.system, TimeGrid(Rational{}, Rational(1, 1), {}), {}, sim.problems), nullptr);
  EXPECT_NE(std::string(InputError(sim.problems).what()).find("no subsystem to step"), std::string::npos);
}

TEST(Engine, CountsStepsOfEachSubsystem) {
  std::vector<Seen> seen;
  Simulation sim = source_and_probe(time_itself, 1, 4, seen);
  sim.run("0.2");
  EXPECT_EQ(sim.engine->cost(*sim.system->find_node("source")).steps, 200U);
  EXPECT_EQ(sim.engine->cost(*sim.system->find_node("probe")).steps, 50U);
  EXPECT_EQ(sim.engine->period(*sim.system->find_node("probe")), 4);
}

}  // namespace
}  // namespace ergon
