#include <gtest/gtest.h>

#include <cmath>

#include "support/coupled_subsystems.hpp"

namespace ergon {
namespace {

using namespace testing;

std::string text_of(const ProblemList& problems) {
  return InputError(problems).what();
}

// ── Algebraic loops at t₀ ──

/// Two channels of a subsystem, each y = gain·u + bias.
class TwoRelays final : public Subsystem {
 public:
  TwoRelays(double gain, double bias) : gain_(gain), bias_(bias) {}
  [[nodiscard]] Description describe() const override {
    Description d;
    d.inputs = {scalar("u"), scalar("v")};
    d.outputs = {scalar("x"), scalar("y")};
    d.feedthrough = {{0, 0}, {1, 1}};
    d.samples_input = InputSampling::start;
    return d;
  }
  StepStatus initialize(const Experiment& /*experiment*/) override { return {}; }
  StepStatus step(double /*t*/, double /*h*/, const InputView& /*u*/) override { return {}; }
  void outputs(double /*t*/, const double* u, double* y) override {
    y[0] = gain_ * u[0] + bias_;
    y[1] = gain_ * u[1] + bias_;
  }

 private:
  double gain_;
  double bias_;
};

// a = b/2 + 1, b = a/2 + 2  →  a = 8/3, b = 10/3.
TEST(AlgebraicLoop, IsSolvedAtTheStartAndReported) {
  Simulation sim;
  sim.graph.add("a", std::make_unique<Relay>(0.5, 1.0), milliseconds(1));
  sim.graph.add("b", std::make_unique<Relay>(0.5, 2.0), milliseconds(1));
  sim.graph.add("c", std::make_unique<Relay>(3.0, 0.0), milliseconds(1));  // behind the loop
  sim.connect("a.y", "b.u");
  sim.connect("b.y", "a.u");
  sim.connect("b.y", "c.u");
  sim.start("0.1");
  EXPECT_NEAR(sim.output("a.y"), 8.0 / 3.0, 1e-11);
  EXPECT_NEAR(sim.output("b.y"), 10.0 / 3.0, 1e-11);
  EXPECT_NEAR(sim.output("c.y"), 10.0, 1e-11);
  EXPECT_TRUE(sim.problems.has_warnings());
  EXPECT_NE(text_of(sim.problems).find("a.y, b.y depend on each other"), std::string::npos)
      << text_of(sim.problems);
}

// Loop gain 9: passing values around would run away, Newton does not care. a = 3b + 1, b = 3a + 1 → both −1/2.
TEST(AlgebraicLoop, IsSolvedEvenWhereIterationDiverges) {
  Simulation sim;
  sim.graph.add("a", std::make_unique<Relay>(3.0, 1.0), milliseconds(1));
  sim.graph.add("b", std::make_unique<Relay>(3.0, 1.0), milliseconds(2));  // another stage
  sim.connect("a.y", "b.u");
  sim.connect("b.y", "a.u");
  sim.start("0.1");
  EXPECT_NEAR(sim.output("a.y"), -0.5, 1e-11);
  EXPECT_NEAR(sim.output("b.y"), -0.5, 1e-11);
}

// Two loops through the same two subsystems, gain 9 each: solving the second must not shake the first.
TEST(AlgebraicLoop, LoopsThatShareSubsystemsDoNotDisturbEachOther) {
  Simulation sim;
  sim.graph.add("a", std::make_unique<TwoRelays>(3.0, 1.0), milliseconds(1));
  sim.graph.add("b", std::make_unique<TwoRelays>(3.0, 2.0), milliseconds(1));
  sim.connect("a.x", "b.u");
  sim.connect("b.x", "a.u");
  sim.connect("a.y", "b.v");
  sim.connect("b.y", "a.v");
  sim.start("0.1");
  EXPECT_EQ(sim.system->loops.size(), 2U);
  // a = 3b + 1, b = 3a + 2  →  a = −7/8, b = −5/8
  for (const char* channel : {"x", "y"}) {
    EXPECT_NEAR(sim.output(std::string("a.") + channel), -0.875, 1e-11);
    EXPECT_NEAR(sim.output(std::string("b.") + channel), -0.625, 1e-11);
  }
}

// a: y = (y + c2)/2 lies behind two relays and is found first; z: y = y/2 + 1 = 2 lies behind nothing, and zz reads it.
// Solved in the order found, z would still have its provisional value when zz is evaluated.
TEST(AlgebraicLoop, ShallowLoopsAreSolvedBeforeDeepOnes) {
  Simulation sim;
  sim.graph.add("s", std::make_unique<Source>([](double) { return 1.0; }), milliseconds(1));
  sim.graph.add("c1", std::make_unique<Relay>(1.0, 0.0), milliseconds(1));
  sim.graph.add("c2", std::make_unique<Relay>(1.0, 0.0), milliseconds(1));
  sim.graph.add("a", std::make_unique<Relay>(0.5, 0.0), milliseconds(1));
  sim.graph.add("z", std::make_unique<Relay>(0.5, 1.0), milliseconds(1));
  sim.graph.add("zz", std::make_unique<Relay>(1.0, 0.0), milliseconds(1));
  sim.connect("s.y", "c1.u");
  sim.connect("c1.y", "c2.u");
  sim.connect("z.y", "z.u");
  sim.connect("z.y", "zz.u");
  ConnectionSpec both;
  both.from = {"a.y", "c2.y"};
  both.to = "a.u";
  sim.graph.connect(both);
  sim.start("0.1");
  EXPECT_NEAR(sim.output("z.y"), 2.0, 1e-11);
  EXPECT_NEAR(sim.output("zz.y"), 2.0, 1e-11);
  EXPECT_NEAR(sim.output("a.y"), 1.0, 1e-11);
}

// y = u + 1 and u = y.
TEST(AlgebraicLoop, WithoutASolutionIsAnError) {
  Simulation sim;
  sim.graph.add("a", std::make_unique<Relay>(1.0, 1.0), milliseconds(1));
  sim.connect("a.y", "a.u");
  ASSERT_TRUE(sim.build("0.1"));
  sim.engine->initialize(sim.problems);
  EXPECT_TRUE(sim.problems.has_errors());
  EXPECT_NE(text_of(sim.problems).find("loop through a.y has no solution at the start"), std::string::npos)
      << text_of(sim.problems);
}

// ── Stated values ──

Simulation stated(double value) {
  Simulation sim;
  sim.graph.add("source", std::make_unique<Source>([](double) { return 2.0; }), milliseconds(1));
  sim.graph.add("relay", std::make_unique<Relay>(1.0, 0.0), milliseconds(1));
  sim.connect("source.y", "relay.u");
  sim.graph.set_input_start("relay.u", {value});
  return sim;
}

TEST(StatedStart, ThatContradictsWhatArrivesIsAnError) {
  Simulation sim = stated(1.0);
  ASSERT_TRUE(sim.build("0.1"));
  sim.engine->initialize(sim.problems);
  ASSERT_TRUE(sim.problems.has_errors());
  const std::string text = text_of(sim.problems);
  EXPECT_NE(text.find("'relay.u' is to start at 1, but 'source.y' sends 2"), std::string::npos) << text;
}

TEST(StatedStart, ThatAgreesIsFine) {
  Simulation sim = stated(2.0);
  sim.start("0.1");
  EXPECT_TRUE(sim.problems.all().empty());
}

TEST(StatedStart, IsTheValueOfAnUnconnectedInput) {
  Simulation sim;
  sim.graph.add("relay", std::make_unique<Relay>(2.0, 0.0), milliseconds(1));
  sim.graph.set_input_start("relay.u", {21.0});
  sim.run("0.003");
  EXPECT_EQ(sim.output("relay.y"), 42.0);
}

// ── History ──

double polynomial(int degree, double t) {
  double value = 0.0;
  for (int d = 0; d <= degree; ++d) value += (d + 1.0) * std::pow(100.0 * t, d);
  return value;
}

/// A polynomial source and a probe that must see it exactly in every step, the first included.
struct Exactness {
  std::vector<Seen> seen;
  Simulation sim;
  int degree;
  Exactness(int polynomial_degree, int source_ms, int probe_ms) : degree(polynomial_degree) {
    sim.graph.add("source", std::make_unique<Source>([this](double t) { return polynomial(degree, t); }),
                  milliseconds(source_ms));
    sim.graph.add("probe", std::make_unique<Probe>(seen), milliseconds(probe_ms));
    sim.connect("source.y", "probe.u");
    sim.options.degree = polynomial_degree;
  }
  void expect_exact() const {
    ASSERT_FALSE(seen.empty());
    for (const Seen& s : seen) {
      EXPECT_EQ(s.degree, degree) << s.t;
      EXPECT_NEAR(s.start, polynomial(degree, s.t), 1e-9) << "degree " << degree << " at " << s.t;
      EXPECT_NEAR(s.end, polynomial(degree, s.t + s.h), 1e-9) << "degree " << degree << " at " << s.t;
    }
  }
};

TEST(InitialHistory, MakesTheFirstStepExact) {
  for (int degree = 1; degree <= 3; ++degree) {
    for (const auto& [source_ms, probe_ms] : {std::pair{1, 1}, {2, 3}, {3, 2}}) {
      Exactness test(degree, source_ms, probe_ms);
      std::vector<double> history;
      for (int j = 1; j <= degree; ++j) history.push_back(polynomial(degree, -j * source_ms / 1000.0));
      test.sim.options.initial_history["source.y"] = history;
      test.sim.run("0.012");
      test.expect_exact();
    }
  }
}

TEST(InitialHistory, WithoutItTheDegreeGrowsWithTheSamples) {
  Exactness test(3, 1, 1);
  test.sim.run("0.006");
  for (std::size_t k = 0; k < test.seen.size(); ++k) {
    EXPECT_EQ(test.seen[k].degree, static_cast<int>(std::min<std::size_t>(k, 3)));
  }
}

// Both are sampled at the same time but only one has a past; what nobody reads (probe.steps) needs none.
TEST(InitialHistory, IsRefusedWhereAnotherSampleOfTheSameTimeHasNone) {
  Simulation sim;
  std::vector<Seen> seen;
  sim.options.degree = 1;
  sim.graph.add("a", std::make_unique<Source>([](double t) { return t; }), milliseconds(1));
  sim.graph.add("b", std::make_unique<Source>([](double t) { return t; }), milliseconds(1));
  sim.graph.add("probe", std::make_unique<Probe>(seen), milliseconds(1));
  ConnectionSpec spec;
  spec.from = {"a.y", "b.y"};
  spec.to = "probe.u";
  sim.graph.connect(spec);
  sim.options.initial_history["a.y"] = {-0.001};
  EXPECT_THROW(sim.start("1"), InputError);
  EXPECT_NE(text_of(sim.problems).find("samples of 'a.y', but none of 'b.y'"), std::string::npos);
}

TEST(InitialHistory, OfAnUnknownOutputIsAnError) {
  Exactness test(1, 1, 1);
  test.sim.options.initial_history["source.z"] = {1.0};
  EXPECT_THROW(test.sim.start("1"), InputError);
  EXPECT_NE(text_of(test.sim.problems).find("Did you mean 'source.y'?"), std::string::npos);
}

// The law of two sources, 2 and 3 ms, is sampled every 6 ms: so is its past.
TEST(InitialHistory, OfALawIsAtItsOwnPoints) {
  Simulation sim;
  std::vector<Seen> seen;
  sim.options.degree = 1;
  sim.graph.add("a", std::make_unique<Source>([](double t) { return t; }), milliseconds(2));
  sim.graph.add("b", std::make_unique<Source>([](double t) { return t; }), milliseconds(3));
  sim.graph.add("probe", std::make_unique<Probe>(seen), milliseconds(1));
  sim.graph.add_element("law", std::make_unique<Law>([](double p, double q) { return p + q; }));
  sim.connect("a.y", "law.u1");
  sim.connect("b.y", "law.u2");
  sim.connect("law.y", "probe.u");
  sim.options.initial_history["law.y"] = {-0.012};
  sim.run("0.012");
  for (const Seen& s : seen) EXPECT_NEAR(s.start, 2.0 * s.t, 1e-15);
}

// ── Starter ──

TEST(Starter, MakesTheFirstStepExactForPolynomialsOfTheDegree) {
  for (const char* scheme : {"jacobi", "gauss-seidel"}) {
    for (int degree = 1; degree <= 3; ++degree) {
      for (const auto& [source_ms, probe_ms] : {std::pair{1, 1}, {2, 3}, {3, 2}}) {
        Exactness test(degree, source_ms, probe_ms);
        test.sim.options.starter = Starter::repeat;
        test.sim.options.scheme = scheme;
        // The source last, so that the probe extrapolates in Gauss–Seidel as well.
        if (std::string(scheme) == "gauss-seidel") test.sim.options.order = {"probe", "source"};
        test.sim.start("0.036");
        test.seen.clear();  // what the tries saw
        while (test.sim.advance()) {
        }
        test.expect_exact();
      }
    }
  }
}

TEST(Starter, SetsEverythingBack) {
  Exactness test(2, 1, 1);
  test.sim.options.starter = Starter::repeat;
  test.sim.start("0.010");
  EXPECT_EQ(test.seen.size(), 3U * 2U) << "three tries of two steps";
  EXPECT_EQ(test.sim.output("probe.steps"), 0.0);
  EXPECT_EQ(test.sim.engine->record().tick(), 0);
  while (test.sim.advance()) {
  }
  EXPECT_EQ(test.sim.output("probe.steps"), 10.0);
  EXPECT_EQ(test.sim.engine->cost(*test.sim.system->find_node("probe")).steps, 10U);
}

TEST(Starter, OfHoldDoesNothing) {
  Exactness test(0, 1, 1);
  test.sim.options.starter = Starter::repeat;
  test.sim.start("0.010");
  EXPECT_TRUE(test.seen.empty());
}

/// Cannot be set back.
class OneWay final : public Subsystem {
 public:
  [[nodiscard]] Description describe() const override { return {}; }
  StepStatus initialize(const Experiment& /*experiment*/) override { return {}; }
  StepStatus step(double /*t*/, double /*h*/, const InputView& /*u*/) override { return {}; }
  void outputs(double /*t*/, const double* /*u*/, double* /*y*/) override {}
};

TEST(Starter, IsRefusedWhereItCannotWork) {
  Exactness no_rewind(2, 1, 1);
  no_rewind.sim.graph.add("oneway", std::make_unique<OneWay>(), milliseconds(1));
  no_rewind.sim.options.starter = Starter::repeat;
  EXPECT_THROW(no_rewind.sim.start("1"), InputError);
  EXPECT_NE(text_of(no_rewind.sim.problems).find("cannot set 'oneway' back"), std::string::npos);

  Exactness too_short(3, 1, 1);
  too_short.sim.options.starter = Starter::repeat;
  EXPECT_THROW(too_short.sim.start("0.002"), InputError);

  Exactness both(1, 1, 1);
  both.sim.options.starter = Starter::repeat;
  both.sim.options.initial_history["source.y"] = {1.0};
  EXPECT_THROW(both.sim.start("1"), InputError);
}

}  // namespace
}  // namespace ergon
