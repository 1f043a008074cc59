// Interface models [peiret2019, (5)-(7)]: flows that go on between two samples, solved together with who receives them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ergon/run/simulation.hpp"
#include "golden/benchmark_support.hpp"
#include "support/model_making.hpp"
#include "support/scenario_opening.hpp"

namespace ergon::bench {
namespace {

// The largest stable steps: those of two bodies as a step map has them that was written apart from the engine, that of the crane
// with linear extrapolation where the paper has it.
TEST(InterfaceModel, EveryKnownFigureHolds) {
  const auto rows = expect_all_known_figures("interface-model", 3 + 1);
  const auto limit = [&](const char* system, const char* predictor) {
    for (const Row& row : rows) {
      if (row.quantity == "largest_stable_step" && std::get<std::string>(row.settings[0].second) == system &&
          std::get<std::string>(row.settings[1].second) == predictor)
        return row.ours;
    }
    return std::nan("");
  };
  for (const char* system : {"two-bodies", "hydraulic-crane"}) {
    const double with = limit(system, "interface-model");
    EXPECT_GT(with, 2.0 * limit(system, "hold")) << system;
    EXPECT_GT(with, 2.0 * limit(system, "linear")) << system;
  }
}

/// Pushes with an effort that depends on what it is told, e = constant − c·w − q·|w|·w − k·s; gives back what it was told. It knows no
/// derivative: its effort is probed.
class Pusher final : public Subsystem {
 public:
  struct Law {
    double constant_N = 0.0;
    double c_Ns_m = 0.0;
    double quadratic_Ns2_m2 = 0.0;
    double stiffness_N_m = 0.0;
  };
  explicit Pusher(const Law& law) : law_(law) {}

  [[nodiscard]] Description describe() const override {
    Description d;
    d.inputs = {{"velocity_in", Unit::of("m/s"), 1, ""}, {"position_in", Unit::of("m"), 1, ""}};
    d.outputs = {{"force", Unit::of("N"), 1, ""},
                 {"felt_velocity", Unit::of("m/s"), 1, ""},
                 {"felt_position", Unit::of("m"), 1, ""}};
    d.feedthrough = {{0, 0}, {0, 1}, {1, 0}, {2, 1}};
    return d;
  }
  StepStatus initialize(const Experiment& /*experiment*/) override { return {}; }
  StepStatus step(double /*t*/, double /*h*/, const InputView& /*u*/) override { return {}; }
  void outputs(double /*t*/, const double* u, double* y) override {
    y[0] = law_.constant_N - law_.c_Ns_m * u[0] - law_.quadratic_Ns2_m2 * std::abs(u[0]) * u[0] -
           law_.stiffness_N_m * u[1];
    y[1] = u[0];
    y[2] = u[1];
  }

 private:
  Law law_;
};

/// A model that is pushed at `effort` and moves with `flow`.
struct Pushed {
  std::string model;
  testing_models::Values parameters;
  testing_models::Values initial;
  std::string effort, flow, displacement;
};

Simulation pushed_by(const Pushed& pushed, const Pusher::Law& law, int fast_steps, double stop_ms = 4.0) {
  SimulationOptions options;
  options.stop_time_s = Rational(static_cast<std::int64_t>(stop_ms), 1000);
  const auto build = [=] {
    SystemGraph graph;
    graph.add("slow", testing_models::make_model(pushed.model, pushed.parameters, pushed.initial),
              Rational(4, 1000));
    graph.add("pusher", std::make_unique<Pusher>(law), Rational(4, 1000 * fast_steps));
    BondSpec bond;
    bond.name = "bond";
    bond.a = {{"pusher.force"}, {"pusher.velocity_in"}, {"pusher.position_in"}};
    bond.b = {{"slow." + pushed.effort}, {"slow." + pushed.flow}, {"slow." + pushed.displacement}};
    bond.predictor = "interface-model";
    graph.bond(bond);
    return graph;
  };
  return {build, options};
}

const Pushed mass = {
    "oscillator.mass", {{"m", 2.0}, {"k", 50.0}, {"c", 1.5}}, {{"x", 0.1}, {"v", 0.3}}, "force", "velocity",
    "position"};

// Under a constant effort the model goes where one semi-implicit Euler step of the slow subsystem goes, in one step or in many.
TEST(InterfaceModel, ReproducesASemiImplicitStepOfTheSlowSubsystem) {
  for (const int fast_steps : {1, 4, 40}) {
    Simulation simulation = pushed_by(mass, {.constant_N = 7.0}, fast_steps);
    ASSERT_FALSE(simulation.for_each_point([](const StepRecord&) {}));
    const StepRecord& record = simulation.engine().record();
    const double flow = record.output(simulation.output("slow.velocity"));
    EXPECT_NEAR(flow, 0.3 + 4e-3 * (7.0 - 50.0 * 0.1 - 1.5 * 0.3) / 2.0, 1e-15);
    EXPECT_NEAR(record.output(simulation.output("pusher.felt_velocity")), flow, 1e-10 * std::abs(flow));
  }
}

// Where the flow depends on the position, w⁺ = D v⁺ + h Ḋv: the actuator of the crane.
TEST(InterfaceModel, ReproducesTheStepOfTheCraneAtItsActuator) {
  const double theta = 0.8, omega = 0.5, h = 4e-3;
  const Pushed crane = {"multibody.planar_crane",
                        {},
                        {{"theta1", theta}, {"theta2", -1.0}, {"omega1", omega}, {"omega2", -1.0}},
                        "force",
                        "velocity",
                        "position"};
  Simulation simulation = pushed_by(crane, {.constant_N = 5e3}, 1);
  double length = 0.0, rate = 0.0;
  ASSERT_FALSE(simulation.for_each_point([&](const StepRecord& record) {
    if (record.tick() != 0) return;
    length = record.output(simulation.output("slow.position"));
    rate = record.output(simulation.output("slow.velocity"));
  }));
  const StepRecord& record = simulation.engine().record();
  // s² = R² + B² − 2 R B cos(θ − β):  s s' = R (B × e),  s s'' + s'² = R (B · e)
  const double arm = rate / omega;
  const double reach = 0.5, base = std::sqrt(0.75);
  const double curvature = (reach * base * std::cos(theta) - arm * arm) / length;
  const double omega_end = record.output(simulation.output("slow.omega1"));
  EXPECT_NEAR(record.output(simulation.output("pusher.felt_velocity")),
              arm * omega_end + h * curvature * omega * omega, 1e-10 * std::abs(rate));
}

// Efforts that depend on flow and displacement are solved for, here to the root of a quadratic equation per step.
TEST(InterfaceModel, SolvesForEffortsThatDependOnTheFlow) {
  const double c = 300.0, q = 80.0, k = 2e5, h = 1e-3, m = 2.0;
  Simulation simulation = pushed_by(
      mass, {.constant_N = 100.0 + 0.1 * k, .c_Ns_m = c, .quadratic_Ns2_m2 = q, .stiffness_N_m = k}, 4);
  std::vector<double> felt, positions;
  ASSERT_FALSE(simulation.for_each_point([&](const StepRecord& record) {
    felt.push_back(record.output(simulation.output("pusher.felt_velocity")));
    positions.push_back(record.output(simulation.output("pusher.felt_position")));
  }));
  ASSERT_EQ(felt.size(), 5U);
  double w = 0.3, s = 0.1;
  for (std::size_t i = 1; i < felt.size(); ++i) {
    // m (w⁺ − w)/h = λ̃ + 100 + 0.1 k − c w⁺ − q w⁺² − k (s + h w⁺), w⁺ > 0
    const double a = q, b = m / h + c + h * k,
                 free = -50.0 * 0.1 - 1.5 * 0.3 + 100.0 + k * (0.1 - s) + m * w / h;
    ASSERT_GT(free, 0.0);
    w = (-b + std::sqrt(b * b + 4.0 * a * free)) / (2.0 * a);
    s += h * w;
    EXPECT_NEAR(felt[i], w, 1e-10);
    EXPECT_NEAR(positions[i], s, 1e-10);
  }
}

// What a subsystem knows of its derivative, and what is found by probing, lead to the same flows; so do two halves of a law that
// share one interface.
TEST(InterfaceModel, SeveralSubsystemsShareOneInterface) {
  const auto speeds = [](int parts) {
    SimulationOptions options;
    options.stop_time_s = Rational(2, 10);
    const auto build = [=] {
      SystemGraph graph;
      graph.add("slow",
                testing_models::make_model("oscillator.mass", {{"m", 2.0}, {"k", 500.0}}, {{"x", 0.1}}),
                Rational(8, 1000));
      for (int i = 0; i < parts; ++i) {
        const std::string name = fmt::format("part{}", i);
        graph.add(
            name,
            testing_models::make_model("oscillator.force_output",
                                       {{"m", 4.0 / parts}, {"kc", 400.0 / parts}, {"cc", 200.0 / parts}}),
            Rational(1, 1000));
        BondSpec bond;
        bond.name = name;
        bond.a = {{name + ".force"}, {name + ".velocity_in"}, {name + ".position_in"}};
        bond.b = {{"slow.force"}, {"slow.velocity"}, {"slow.position"}};
        bond.predictor = "interface-model";
        graph.bond(bond);
      }
      return graph;
    };
    Simulation simulation(build, options);
    const Index output = simulation.output("slow.velocity");
    std::vector<double> values;
    EXPECT_FALSE(simulation.for_each_point([&](const StepRecord& r) { values.push_back(r.output(output)); }));
    return values;
  };
  const auto one = speeds(1), three = speeds(3);
  ASSERT_EQ(one.size(), three.size());
  double largest = 0.0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_NEAR(one[i], three[i], 1e-11) << i;
    largest = std::max(largest, std::abs(one[i]));
  }
  EXPECT_GT(largest, 0.1);
}

/// Everything that is said against a scenario of the benchmark with these settings.
std::string said_against(const std::vector<std::string>& settings) {
  try {
    Simulation simulation(benchmark_folder("interface-model") / "two-bodies.toml", settings);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(InterfaceModel, WhatCannotBeIsSaidBeforeTheStart) {
  EXPECT_EQ(said_against({}), "");
  EXPECT_EQ(said_against({"slow.step_size=1e-4"}), "") << "equal steps are fine";
  const auto expect = [](const std::vector<std::string>& settings, const char* what, const char* remedy) {
    const std::string text = said_against(settings);
    EXPECT_NE(text.find(what), std::string::npos) << text;
    EXPECT_NE(text.find(remedy), std::string::npos) << text;
  };
  expect({"coupling.scheme=gauss-seidel"}, "scheme = \"gauss-seidel\" does not step both sides",
         "Use scheme = \"jacobi\"");
  expect({"coupling.scheme=implicit", "slow.step_size=1e-4"}, "scheme = \"implicit\"",
         "Use scheme = \"jacobi\"");
  expect({"fast.step_size=1e-2"}, "'fast', whose effort is integrated with it", "divides that of 'slow'");
  expect({"fast.step_size=2e-3"}, "'fast', whose effort is integrated with it", "divides that of 'slow'");
}

TEST(InterfaceModel, ABondWithoutInertiaBehindItIsRefused) {
  const std::filesystem::path file = benchmark_folder("pendula") / "pendula.toml";
  try {
    Simulation simulation(file, {"coupling.extrapolation=interface-model"});
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("cannot have extrapolation = \"interface-model\""),
              std::string::npos)
        << error.what();
  }
}

// The whole run may say it for all bonds, and a bond may say otherwise.
TEST(InterfaceModel, OfTheRunIsThatOfItsBonds) {
  const auto last = [](const std::vector<std::string>& settings) {
    Simulation simulation(benchmark_folder("interface-model") / "two-bodies.toml", settings);
    const Index x = simulation.output("slow.position");
    double value = 0.0;
    EXPECT_FALSE(simulation.for_each_point([&](const StepRecord& r) { value = r.output(x); }));
    return value;
  };
  const double with = last({});
  const double held = last({"bond.coupling.extrapolation=hold"});
  EXPECT_NE(with, held);
  EXPECT_EQ(last({"coupling.extrapolation=interface-model", "bond.coupling.extrapolation=hold"}), held);
}

}  // namespace
}  // namespace ergon::bench
