#include <gtest/gtest.h>

#include <cmath>

#include "ergon/coupling/schemes/implicit/interface_structure.hpp"
#include "ergon/coupling/schemes/implicit/update_rule.hpp"
#include "ergon/coupling/schemes/scheme.hpp"
#include "ergon/coupling/state/snapshot.hpp"
#include "support/coupled_subsystems.hpp"

namespace ergon {
namespace {

using namespace testing;

/// ẋ = rate·x + u with the trapezoidal rule for u that follows a straight line: exact enough to be worked out by hand.
///   x₁ = x₀ + H/2 (rate (x₀ + x₁) + u₀ + u₁)
class Lag final : public Rewinding, public DirectionalDerivatives {
 public:
  explicit Lag(double rate, double x0 = 0.0) : rate_(rate), x0_(x0) {}
  [[nodiscard]] Description describe() const override {
    Description d;
    d.inputs = {scalar("u")};
    d.outputs = {scalar("x")};
    return d;
  }
  StepStatus initialize(const Experiment& /*experiment*/) override {
    state_ = {x0_};
    return {};
  }
  StepStatus step(double /*t*/, double h, const InputView& u) override {
    if (failing_ != nullptr) return {false, failing_};
    state_[0] =
        (state_[0] * (1.0 + 0.5 * h * rate_) + 0.5 * h * (u(0, 0.0) + u(0, h))) / (1.0 - 0.5 * h * rate_);
    return {};
  }
  void outputs(double /*t*/, const double* /*u*/, double* y) override { y[0] = state_[0]; }

  [[nodiscard]] const DirectionalDerivatives* directional_derivatives() const override { return this; }
  [[nodiscard]] std::size_t state_count() const override { return 1; }
  void directional_derivative(double /*t*/, const double* /*u*/, const double* state_change,
                              const double* input_change, double* rate_change,
                              double* output_change) const override {
    rate_change[0] = rate_ * state_change[0] + input_change[0];
    output_change[0] = state_change[0];
  }
  void fail(const char* reason) { failing_ = reason; }

 private:
  double rate_;
  double x0_;
  const char* failing_ = nullptr;
};

/// A subsystem that only goes forward.
class Forward final : public Subsystem {
 public:
  [[nodiscard]] Description describe() const override {
    Description d;
    d.inputs = {scalar("u")};
    d.outputs = {scalar("y")};
    return d;
  }
  StepStatus initialize(const Experiment& /*experiment*/) override { return {}; }
  StepStatus step(double /*t*/, double /*h*/, const InputView& /*u*/) override { return {}; }
  void outputs(double /*t*/, const double* /*u*/, double* y) override { y[0] = 0.0; }
};

/// ẋ = −x + gain_1·y, ẏ = −2y + gain_2·x
struct ImplicitPair {
  Simulation sim;
  Lag* first = nullptr;
  explicit ImplicitPair(const std::string& scheme, const std::string& update = "finite-difference",
                        double gain_1 = 3.0, double gain_2 = -4.0) {
    sim.options.scheme = scheme;
    sim.options.degree = 1;
    sim.options.implicit.update = update;
    auto lag = std::make_unique<Lag>(-1.0, 1.0);
    first = lag.get();
    sim.graph.add("first", std::move(lag), milliseconds(10));
    sim.graph.add("second", std::make_unique<Lag>(-2.0, -0.5), milliseconds(10));
    connect("second.x", "first.u", gain_1);
    connect("first.x", "second.u", gain_2);
  }
  void connect(const char* from, const char* to, double gain) {
    ConnectionSpec spec;
    spec.from = {from};
    spec.to = to;
    spec.gain = gain;
    sim.graph.connect(std::move(spec));
  }
  [[nodiscard]] std::vector<double> values() const { return {sim.output("first.x"), sim.output("second.x")}; }
};

/// The trapezoidal rule for both together: what the coupled steps are, solved for the samples of the end.
std::vector<double> trapezoidal(int steps, double gain_1 = 3.0, double gain_2 = -4.0) {
  double x = 1.0;
  double y = -0.5;
  const double q = 0.5 * 0.01;
  for (int n = 0; n < steps; ++n) {
    // (1 + q) x' − q g₁ y' = (1 − q) x + q g₁ y;   −q g₂ x' + (1 + 2q) y' = q g₂ x + (1 − 2q) y
    const double b1 = (1.0 - q) * x + q * gain_1 * y;
    const double b2 = q * gain_2 * x + (1.0 - 2.0 * q) * y;
    const double a11 = 1.0 + q, a12 = -q * gain_1, a21 = -q * gain_2, a22 = 1.0 + 2.0 * q;
    const double det = a11 * a22 - a12 * a21;
    x = (a22 * b1 - a12 * b2) / det;
    y = (a11 * b2 - a21 * b1) / det;
  }
  return {x, y};
}

class EveryUpdateRule : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryUpdateRule, ConvergesToTheSolutionOfTheCoupledStep) {
  for (const double strength : {1.0, 30.0}) {  // the second pair is coupled strongly
    ImplicitPair pair("implicit", GetParam(), 3.0 * strength, -4.0 * strength);
    pair.sim.options.implicit.tolerance = 1e-12;
    pair.sim.run("1");
    const auto exact = trapezoidal(100, 3.0 * strength, -4.0 * strength);
    const auto ours = pair.values();
    for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(ours[i], exact[i], 1e-9) << strength;
    const ImplicitRecord* record = pair.sim.engine->record().implicit_steps();
    ASSERT_NE(record, nullptr);
    EXPECT_EQ(record->unknowns, 2U);
    EXPECT_EQ(record->steps, 100U);
    EXPECT_LE(record->largest_residual, 1e-12);
    EXPECT_GE(record->integrations, 400U) << "predictor and corrector of two subsystems";
  }
}

TEST_P(EveryUpdateRule, ARestoredEngineRepeatsBitForBit) {
  for (const char* scheme : {"semi-implicit", "implicit"}) {
    if (!find_update_rule(GetParam())->is_jacobian && scheme == std::string("semi-implicit")) continue;
    ImplicitPair pair(scheme, GetParam());
    pair.sim.start("1");
    for (int i = 0; i < 7; ++i) ASSERT_TRUE(pair.sim.advance());
    Snapshot snapshot = pair.sim.engine->make_snapshot();
    pair.sim.engine->save(snapshot);
    const auto look = [&] {
      std::vector<double> seen;
      for (int i = 0; i < 9; ++i) {
        EXPECT_TRUE(pair.sim.advance());
        for (const double value : pair.values()) seen.push_back(value);
      }
      return seen;
    };
    const auto first = look();
    pair.sim.engine->restore(snapshot);
    EXPECT_EQ(look(), first) << scheme;
  }
}

std::vector<std::string> all_rules() {
  std::vector<std::string> names;
  for (const UpdateRuleInfo& rule : update_rules()) {
    if (!rule.needs_inertia) names.emplace_back(rule.name);  // these subsystems have no inertia
  }
  return names;
}
INSTANTIATE_TEST_SUITE_P(All, EveryUpdateRule, ::testing::ValuesIn(all_rules()),
                         [](const ::testing::TestParamInfo<std::string>& param) {
                           std::string name = param.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

TEST_P(EveryUpdateRule, WithoutAnythingToExchangeStepsAreJustTaken) {
  Simulation sim;
  sim.options.scheme = "implicit";
  sim.options.implicit.update = GetParam();
  sim.graph.add("alone", std::make_unique<Lag>(-1.0, 1.0), milliseconds(10));
  sim.run("1");
  EXPECT_NEAR(sim.output("alone.x"), std::pow(0.995 / 1.005, 100), 1e-12);
}

// Both stay at rest under a stiff law whose force is nothing but rounding: no residual relative to that can be reached.
TEST_P(EveryUpdateRule, RoundingIsNoFailure) {
  Simulation sim;
  sim.options.scheme = "implicit";
  sim.options.degree = 1;
  sim.options.implicit.update = GetParam();
  for (const char* name : {"one", "two"})
    sim.graph.add(name, std::make_unique<Lag>(-1e-3, 0.7), milliseconds(10));
  sim.graph.add_element(
      "law", std::make_unique<Law>([](double a, double b) { return 1e4 * (b / 3.0 * 3.0 - a / 7.0 * 7.0); }));
  sim.connect("one.x", "law.u1");
  sim.connect("two.x", "law.u2");
  sim.connect("law.y", "one.u");
  sim.start("1");
  while (!sim.engine->done()) {
    const auto failure = sim.engine->advance();
    ASSERT_FALSE(failure) << failure->what;
  }
  EXPECT_NEAR(sim.output("one.x"), sim.output("two.x"), 1e-12);
}

// The problem is linear: one Newton step with an exact Jacobian is all.
TEST(SemiImplicit, OneNewtonStepSolvesALinearProblem) {
  ImplicitPair pair("semi-implicit", "finite-difference");
  pair.sim.run("1");
  const auto exact = trapezoidal(100);
  const auto ours = pair.values();
  for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(ours[i], exact[i], 1e-8);
  EXPECT_EQ(pair.sim.engine->record().implicit_steps()->iterations, 1);
  // Two subsystems, predictor and corrector, and each once more for the one variable that it reads.
  EXPECT_EQ(pair.sim.engine->record().implicit_steps()->integrations, 600U);
}

TEST(SemiImplicit, BroydenNeedsPredictorAndCorrectorAlone) {
  ImplicitPair pair("semi-implicit", "broyden");
  pair.sim.run("1");
  EXPECT_EQ(pair.sim.engine->record().implicit_steps()->integrations, 402U);
}

// u = 3t arrives exactly by a straight line over the slow step; each fast step has the part of it that is its own.
TEST(ImplicitMultirate, FastStepsSeeTheirPartOfThePolynomial) {
  std::vector<Seen> seen;
  Simulation sim;
  sim.options.scheme = "implicit";
  sim.options.degree = 1;
  sim.graph.add("source", std::make_unique<Source>([](double t) { return 3.0 * t; }), milliseconds(10));
  sim.graph.add("probe", std::make_unique<Probe>(seen), *Rational::parse("0.0025"));
  ConnectionSpec spec;
  spec.from = {"source.y"};
  spec.to = "probe.u";
  sim.graph.connect(std::move(spec));
  sim.start("0.03");
  ASSERT_TRUE(sim.advance());
  ASSERT_TRUE(sim.advance());
  ASSERT_GE(seen.size(), 4U);
  for (std::size_t k = 0; k < 4; ++k) {
    const Seen& step = seen[seen.size() - 4 + k];
    const double start_s = 0.01 + 0.0025 * static_cast<double>(k);
    EXPECT_NEAR(step.t, start_s, 1e-15);
    EXPECT_NEAR(step.h, 0.0025, 1e-15);
    EXPECT_NEAR(step.start, 3.0 * start_s, 1e-12);
    EXPECT_NEAR(step.end, 3.0 * (start_s + 0.0025), 1e-12);
  }
  EXPECT_EQ(sim.output("probe.steps"), 8.0);
}

TEST(ImplicitErrors, StepsThatDoNotDivideTheSlowestAreNamed) {
  Simulation sim;
  sim.options.scheme = "implicit";
  sim.graph.add("slow", std::make_unique<Lag>(-1.0), milliseconds(10));
  sim.graph.add("fast", std::make_unique<Lag>(-1.0), milliseconds(3));
  try {
    sim.start("0.03");
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("'fast'"), std::string::npos) << error.what();
  }
}

TEST(SemiImplicit, ThreadsChangeNoBit) {
  ImplicitPair one("implicit");
  one.sim.run("1");
  ImplicitPair two("implicit");
  two.sim.options.threads = 2;
  two.sim.run("1");
  EXPECT_EQ(one.values(), two.values());
}

TEST(SemiImplicit, TheJacobianOfTheInterfaceIsThatOfTheFormula) {
  ImplicitPair pair("semi-implicit");
  pair.sim.start("1");
  const auto before = pair.values();
  const std::vector<double> G = pair.sim.engine->interface_jacobian(pair.sim.engine->period(0));
  // ∂x₁/∂u₁ = (H/2)/(1 + H/2), times the gain of the link.
  ASSERT_EQ(G.size(), 4U);
  EXPECT_NEAR(G[0], 1.0, 1e-12);
  EXPECT_NEAR(G[1], -3.0 * 0.005 / 1.005, 1e-8);
  EXPECT_NEAR(G[2], 4.0 * 0.005 / 1.01, 1e-8);
  EXPECT_NEAR(G[3], 1.0, 1e-12);
  EXPECT_EQ(pair.values(), before);
}

TEST(ImplicitErrors, ASubsystemThatCannotGoBackIsRefusedBeforeTheStart) {
  Simulation sim;
  sim.options.scheme = "semi-implicit";
  sim.graph.add("pump", std::make_unique<Forward>(), milliseconds(1));
  sim.graph.add("pipe", std::make_unique<Lag>(-1.0), milliseconds(1));
  sim.connect("pipe.x", "pump.u");
  sim.connect("pump.y", "pipe.u");
  EXPECT_FALSE(sim.build("1"));
  const std::string message = InputError(sim.problems).what();
  EXPECT_NE(message.find("'pump' cannot roll back"), std::string::npos) << message;
  EXPECT_NE(message.find("jacobi"), std::string::npos) << message;
}

TEST(ImplicitErrors, DerivativesThatNobodyTellsAreNamed) {
  Simulation sim;
  sim.options.scheme = "semi-implicit";
  sim.options.degree = 1;
  sim.options.implicit.update = "directional";
  MassParameters mass;
  mass.sampling = InputSampling::continuous;
  sim.graph.add("mass", std::make_unique<ForcedMass>(mass), milliseconds(1));
  sim.graph.add("lag", std::make_unique<Lag>(-1.0), milliseconds(1));
  sim.connect("lag.x", "mass.force");
  sim.connect("mass.position", "lag.u");
  EXPECT_FALSE(sim.build("1"));
  const std::string message = InputError(sim.problems).what();
  EXPECT_NE(message.find("directional derivatives of 'mass'"), std::string::npos) << message;
}

// A fixed-point iteration with a gain beyond 1 per step, and no more trials than two.
TEST(ImplicitErrors, NoConvergenceNamesTheVariableAndKeepsTheLastPoint) {
  ImplicitPair pair("implicit", "anderson", 3e3, -4e3);
  pair.sim.options.implicit.max_iterations = 1;
  pair.sim.options.implicit.tolerance = 1e-14;
  pair.sim.start("1");
  const auto before = pair.values();
  const auto failure = pair.sim.engine->advance();
  ASSERT_TRUE(failure);
  EXPECT_NE(failure->what.find("did not converge"), std::string::npos) << failure->what;
  EXPECT_EQ(failure->port, "x");
  EXPECT_EQ(failure->time_s, 0.0);
  EXPECT_EQ(pair.values(), before);
}

// The number that is asked for is the number of iterations that are made, and that the message has.
TEST(ImplicitErrors, AsManyIterationsAreMadeAsAskedFor) {
  for (const int limit : {1, 2}) {  // two unknowns: the third iteration finds them
    ImplicitPair pair("implicit", "anderson", 3e3, -4e3);
    pair.sim.options.implicit.max_iterations = limit;
    pair.sim.options.implicit.tolerance = 1e-300;
    pair.sim.start("1");
    const auto failure = pair.sim.engine->advance();
    ASSERT_TRUE(failure) << limit;
    EXPECT_NE(failure->what.find(" after " + std::to_string(limit) + " iterations"), std::string::npos)
        << failure->what;
    EXPECT_EQ(pair.sim.engine->record().implicit_steps()->iterations, limit);
  }
}

/// ẋ = −u³ with the input at the end of the step: strongly nonlinear in what it reads.
class Cubic final : public Rewinding {
 public:
  [[nodiscard]] Description describe() const override {
    Description d;
    d.inputs = {scalar("u")};
    d.outputs = {scalar("x")};
    return d;
  }
  StepStatus initialize(const Experiment& /*experiment*/) override {
    state_ = {1.0};
    return {};
  }
  StepStatus step(double /*t*/, double h, const InputView& u) override {
    const double end = u(0, h);
    state_[0] -= h * end * end * end;
    return {};
  }
  void outputs(double /*t*/, const double* /*u*/, double* y) override { y[0] = state_[0]; }
};

// x' = x − h (gain·x')³ has one solution; Newton's method from far away needs new Jacobians and damping on the way.
TEST(Implicit, StrongNonlinearityIsSolvedByNewJacobiansAndDamping) {
  for (const char* rule : {"finite-difference", "frozen", "broyden"}) {
    Simulation sim;
    sim.options.scheme = "implicit";
    sim.options.degree = 1;
    sim.options.implicit.update = rule;
    sim.graph.add("cubic", std::make_unique<Cubic>(), milliseconds(100));
    sim.graph.add("gain", std::make_unique<Relay>(30.0, 0.0), milliseconds(100));
    sim.connect("cubic.x", "gain.u");
    sim.connect("gain.y", "cubic.u");
    sim.start("1");
    double x = 1.0;
    while (!sim.engine->done()) {
      const auto failure = sim.engine->advance();
      ASSERT_FALSE(failure) << rule << ": " << failure->what;
      // By bisection: x' + h (30 x')³ grows with x'.
      double low = 0.0, high = x;
      for (int i = 0; i < 200; ++i) {
        const double middle = 0.5 * (low + high);
        (middle + 0.1 * std::pow(30.0 * middle, 3) > x ? high : low) = middle;
      }
      x = low;
      EXPECT_NEAR(sim.output("cubic.x"), x, 1e-7) << rule;
    }
  }
}

TEST(ImplicitErrors, AFailingSubsystemIsNamedWithTheTime) {
  ImplicitPair pair("implicit");
  pair.sim.start("1");
  ASSERT_TRUE(pair.sim.advance());
  pair.first->fail("the valve is stuck");
  const auto failure = pair.sim.engine->advance();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->subsystem, "first");
  EXPECT_EQ(failure->what, "the valve is stuck");
  EXPECT_NEAR(failure->time_s, 0.01, 1e-15);
}

/// Masses in a row with a law between neighbours.
Simulation chain(int masses) {
  Simulation sim;
  sim.options.scheme = "semi-implicit";
  // Names in the order of the alphabet, as nodes are sorted.
  const auto mass = [](int i) { return std::string("mass_") + static_cast<char>('a' + i); };
  for (int i = 0; i < masses; ++i) {
    sim.graph.add(mass(i), std::make_unique<Lag>(-1.0, i), milliseconds(1));
  }
  for (int i = 0; i + 1 < masses; ++i) {
    const std::string law = std::string("law_") + static_cast<char>('a' + i);
    sim.graph.add_element(law, std::make_unique<Law>([](double a, double b) { return b - a; }));
    sim.connect(mass(i) + ".x", law + ".u1");
    sim.connect(mass(i + 1) + ".x", law + ".u2");
    // Only to the right: every mass has one input.
    sim.connect(law + ".y", mass(i + 1) + ".u");
  }
  return sim;
}

// Variable i is read by mass i + 1, which changes variables i and i + 1: every second column can be taken together.
TEST(InterfaceStructure, AChainOfAnyLengthNeedsTwoGroupsOfColumns) {
  for (const int masses : {4, 12}) {
    Simulation sim = chain(masses);
    sim.start("0.01");
    ASSERT_TRUE(sim.advance());
    const auto n = static_cast<std::uint64_t>(masses);
    // Predictor and corrector of all, and once more each that reads a variable; the number of groups is not seen here.
    EXPECT_EQ(sim.engine->record().implicit_steps()->integrations, 2 * n + (n - 1));
    const std::vector<double> G = sim.engine->interface_jacobian(1);
    const std::size_t unknowns = n - 1;
    ASSERT_EQ(G.size(), unknowns * unknowns);
    for (std::size_t r = 0; r < unknowns; ++r) {
      for (std::size_t c = 0; c < unknowns; ++c) {
        const bool coupled = r == c || r == c + 1;
        if (coupled) {
          EXPECT_GT(std::abs(G[r * unknowns + c]), 1e-6) << r << " " << c;
        } else {
          EXPECT_EQ(G[r * unknowns + c], 0.0) << r << " " << c;
        }
      }
    }
  }
}

TEST(InterfaceStructure, GroupsShareNeitherReadersNorRows) {
  Simulation sim = chain(12);
  ASSERT_TRUE(sim.build("0.01"));
  ProblemList problems;
  CouplingOptions options;
  const TimeGrid& grid = sim.engine->grid();
  const CouplingPlan plan(*sim.system, grid, options,
                          semi_implicit_scheme().layout({*sim.system, grid, options}, problems), problems);
  const InterfaceStructure structure = interface_structure(plan);
  EXPECT_EQ(structure.unknowns.size(), 11U);
  EXPECT_EQ(structure.groups.size(), 2U);
  std::size_t columns = 0;
  for (const auto& group : structure.groups) {
    std::vector<std::uint32_t> rows;
    for (const std::uint32_t i : group) {
      EXPECT_EQ(structure.unknowns[i].readers.size(), 1U);
      rows.insert(rows.end(), structure.unknowns[i].rows.begin(), structure.unknowns[i].rows.end());
    }
    std::sort(rows.begin(), rows.end());
    EXPECT_EQ(std::adjacent_find(rows.begin(), rows.end()), rows.end());
    columns += group.size();
  }
  EXPECT_EQ(columns, 11U);
}

}  // namespace
}  // namespace ergon
