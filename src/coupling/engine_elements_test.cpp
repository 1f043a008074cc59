#include <gtest/gtest.h>

#include <map>

#include "support/coupled_subsystems.hpp"

namespace ergon {
namespace {

using namespace testing;

double identity(double t) {
  return t;
}
double sum(double a, double b) {
  return a + b;
}

/// Two sources whose samples are their own times, a law that adds them, a probe behind it.
Simulation sum_of_two(int a_ms, int b_ms, int probe_ms, EvaluateAt evaluate, std::vector<Seen>& seen) {
  Simulation sim;
  sim.graph.add("a", std::make_unique<Source>(identity), milliseconds(a_ms));
  sim.graph.add("b", std::make_unique<Source>(identity), milliseconds(b_ms));
  sim.graph.add("probe", std::make_unique<Probe>(seen), milliseconds(probe_ms));
  sim.graph.add_element("law", std::make_unique<Law>(sum), evaluate);
  sim.connect("a.y", "law.u1");
  sim.connect("b.y", "law.u2");
  sim.connect("law.y", "probe.u");
  return sim;
}

// 2 ms and 3 ms meet every 6 ms: only there do all sources have a new sample. Held in between.
TEST(Elements, AtSourcesAreSampledWhereAllSourcesAreNew) {
  std::vector<Seen> seen;
  Simulation sim = sum_of_two(2, 3, 1, EvaluateAt::sources, seen);
  sim.run("0.030");
  ASSERT_EQ(seen.size(), 30U);
  for (std::size_t ms = 0; ms < seen.size(); ++ms) {
    const double s = static_cast<double>(ms / 6 * 6) / 1000.0;
    EXPECT_EQ(seen[ms].start, s + s) << ms;
  }
  EXPECT_EQ(sim.engine->cost(*sim.system->find_node("law")).steps, 5U);
}

// At the receiver's points from what its sources are then: held, the newest sample of each.
TEST(Elements, AtReceiverAreSampledAtItsPointsFromTheNewestSamples) {
  std::vector<Seen> seen;
  Simulation sim = sum_of_two(2, 3, 1, EvaluateAt::receiver, seen);
  sim.run("0.030");
  ASSERT_EQ(seen.size(), 30U);
  for (std::size_t ms = 0; ms < seen.size(); ++ms) {
    EXPECT_EQ(seen[ms].start,
              static_cast<double>(ms / 2 * 2) / 1000.0 + static_cast<double>(ms / 3 * 3) / 1000.0)
        << ms;
  }
}

// … and extrapolated, where the run extrapolates: two lines in time are their own extrapolation.
TEST(Elements, AtReceiverExtrapolateTheirSources) {
  std::vector<Seen> seen;
  Simulation sim = sum_of_two(2, 3, 1, EvaluateAt::receiver, seen);
  sim.options.degree = 1;
  sim.run("0.030");
  for (const Seen& s : seen) {
    if (s.t >= 0.0035) {
      EXPECT_NEAR(s.start, 2.0 * s.t, 1e-15);
      EXPECT_NEAR(s.end, 2.0 * (s.t + s.h), 1e-15);
    }
  }
}

// A slow receiver does not make a fast law: it is sampled every 4 ms.
TEST(Elements, AtReceiverTakeItsRateEvenWhereThatIsSlower) {
  std::vector<Seen> seen;
  Simulation sim = sum_of_two(1, 1, 4, EvaluateAt::receiver, seen);
  sim.run("0.020");
  EXPECT_EQ(sim.engine->cost(*sim.system->find_node("law")).steps, 5U);
  for (const Seen& s : seen) EXPECT_EQ(s.start, 2.0 * s.t);
}

// law2 = law1 + b, where law1 = a + b: both follow the same points, in this order, whatever they are called.
TEST(Elements, ChainsAreEvaluatedInOrderOfDepth) {
  for (const bool reversed : {false, true}) {
    std::vector<Seen> seen;
    const std::string first = reversed ? "z" : "e";
    const std::string second = reversed ? "e" : "z";
    Simulation sim;
    sim.graph.add("a", std::make_unique<Source>(identity), milliseconds(1));
    sim.graph.add("b", std::make_unique<Source>(identity), milliseconds(2));
    sim.graph.add("probe", std::make_unique<Probe>(seen), milliseconds(1));
    sim.graph.add_element(first, std::make_unique<Law>(sum));
    sim.graph.add_element(second, std::make_unique<Law>(sum));
    sim.connect("a.y", first + ".u1");
    sim.connect("b.y", first + ".u2");
    sim.connect(first + ".y", second + ".u1");
    sim.connect("b.y", second + ".u2");
    sim.connect(second + ".y", "probe.u");
    sim.run("0.010");
    for (std::size_t ms = 0; ms < seen.size(); ++ms) {
      const double s = static_cast<double>(ms / 2 * 2) / 1000.0;
      EXPECT_EQ(seen[ms].start, 2.0 * s + s) << ms;
    }
  }
}

// source → p.x → q → p.y: p and q read each other without a loop, and p.y is three laws deep at every point.
TEST(Elements, LawsThatReadEachOthersPortsAreNotLate) {
  std::vector<Seen> seen;
  Simulation sim;
  sim.graph.add("source", std::make_unique<Source>(identity), milliseconds(1));
  sim.graph.add("probe", std::make_unique<Probe>(seen), milliseconds(1));
  sim.graph.add_element("p", std::make_unique<TwoChannels>(2.0, 3.0));
  sim.graph.add_element("q", std::make_unique<Law>(sum));
  sim.connect("source.y", "p.u");
  sim.connect("p.x", "q.u1");
  sim.connect("q.y", "p.v");
  sim.connect("p.y", "probe.u");
  sim.run("0.010");
  ASSERT_EQ(seen.size(), 10U);
  for (const Seen& s : seen) EXPECT_EQ(s.start, 3.0 * (2.0 * s.t)) << s.t;
}

TEST(Elements, ALawOfNothingKeepsItsValue) {
  std::vector<Seen> seen;
  Simulation sim;
  sim.graph.add("probe", std::make_unique<Probe>(seen), milliseconds(1));
  sim.graph.add_element("law", std::make_unique<Law>([](double, double) { return 7.0; }));
  sim.connect("law.y", "probe.u");
  sim.options.degree = 1;
  sim.run("0.003");
  for (const Seen& s : seen) EXPECT_EQ(s.end, 7.0);
}

// ── Gauss–Seidel ──

// a goes to 1 ms, the law follows at once with b as it was, the probe sees it. Then b.
TEST(ElementsGaussSeidel, WhoComesLaterSeesTheLawOfTheNewSample) {
  for (const EvaluateAt evaluate : {EvaluateAt::sources, EvaluateAt::receiver}) {
    std::vector<Seen> seen;
    Simulation sim = sum_of_two(1, 1, 1, evaluate, seen);
    sim.options.scheme = "gauss-seidel";
    sim.options.order = {"a", "probe", "b"};
    sim.run("0.005");
    for (const Seen& s : seen) EXPECT_NEAR(s.start, (s.t + 0.001) + s.t, 1e-18);
    // At the point itself both are there.
    EXPECT_EQ(sim.output("law.y"), 0.010);
  }
}

// The fast source reaches its own points, but they are not the law's: it waits for 4 ms, where the slow one ends too.
TEST(ElementsGaussSeidel, AtSourcesAreNotSampledBetweenTheirPoints) {
  std::vector<Seen> seen;
  Simulation sim = sum_of_two(1, 4, 1, EvaluateAt::sources, seen);
  sim.options.scheme = "gauss-seidel";
  sim.options.order = {"a", "probe", "b"};
  sim.start("0.008");
  std::map<Tick, double> law;
  do {
    law[sim.engine->record().tick()] = sim.output("law.y");
  } while (sim.advance());
  EXPECT_EQ(law.at(1), 0.0);
  EXPECT_EQ(law.at(3), 0.0);
  EXPECT_EQ(law.at(4), 0.008);
  EXPECT_EQ(law.at(7), 0.008);
  EXPECT_EQ(law.at(8), 0.016);
}

// Steps of 3 ms end at 10 ms, which is not a multiple of 3 but a point of all: there, too, a is new and b is not.
TEST(ElementsGaussSeidel, TheClampedEndIsAPointOfTheLaw) {
  std::vector<Seen> seen;
  Simulation sim = sum_of_two(3, 3, 3, EvaluateAt::sources, seen);
  sim.options.scheme = "gauss-seidel";
  sim.options.order = {"a", "probe", "b"};
  sim.run("0.010");
  ASSERT_EQ(seen.size(), 4U);
  EXPECT_DOUBLE_EQ(seen[3].start, 0.010 + 0.009);
}

// The slow receiver steps at its end, behind the fast source, and its law is that of the fast source's last sample.
TEST(ElementsGaussSeidel, ASlowReceiverAtItsEndSeesTheLawOfTheLastSample) {
  for (const EvaluateAt evaluate : {EvaluateAt::sources, EvaluateAt::receiver}) {
    std::vector<Seen> seen;
    Simulation sim = sum_of_two(1, 1, 4, evaluate, seen);
    sim.options.scheme = "gauss-seidel";
    sim.options.order = {"a", "b", "probe"};
    sim.run("0.012");
    ASSERT_EQ(seen.size(), 3U);
    for (const Seen& s : seen) EXPECT_DOUBLE_EQ(s.start, 2.0 * (s.t + s.h));
  }
}

}  // namespace
}  // namespace ergon
