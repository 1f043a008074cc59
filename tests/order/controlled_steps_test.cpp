// Steps controlled by two solutions, or by the interface power: what they cannot see is refused, what leaves rest is measured by what it
// becomes, and what is asked for is what comes out.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <numbers>
#include <vector>

#include "benchmarks/lim2021/oscillator_reference.hpp"
#include "benchmarks/reference/linear_solution.hpp"
#include "ergon/run/simulation.hpp"
#include "support/scratch_directory.hpp"

namespace ergon::bench {
namespace {

const std::filesystem::path published = std::filesystem::path(ERGON_SOURCE_DIR) / "benchmarks";

std::string refusal_of(const std::filesystem::path& scenario, const std::vector<std::string>& settings) {
  try {
    Simulation simulation(scenario, settings);
    simulation.start();
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(ControlledSteps, WhatAMethodCannotSeeIsRefused) {
  const auto two_masses = published / "macro-steps" / "two-masses.toml";
  const std::vector<std::string> euler = {"left.integrator={method=\"semi-implicit-euler\"}",
                                          "right.integrator={method=\"semi-implicit-euler\"}"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.end(), euler.begin(), euler.end());
    return more;
  };
  // Predictor and corrector are equal: the inputs at the end of a step reach nobody.
  EXPECT_NE(refusal_of(two_masses, with({"step_control.method=milne"})).find("would see an error of 0"),
            std::string::npos);
  EXPECT_EQ(refusal_of(two_masses, {"step_control.method=milne"}), "");
  EXPECT_NE(refusal_of(two_masses, with({"coupling.scheme=jacobi", "step_control.method=interface-power"}))
                .find("would see an error of 0"),
            std::string::npos);
  const auto f_s = published / "lim-oscillator" / "f-s.toml";
  EXPECT_NE(refusal_of(f_s, {"bond.coupling.feedthrough=refresh", "step_control.method=interface-power"})
                .find("would see an error of 0"),
            std::string::npos);
  // Stale efforts do show in the books.
  EXPECT_EQ(refusal_of(f_s, {"step_control.method=interface-power"}), "");
}

TEST(ControlledSteps, FirstOrderIntegratorsAreWarnedOf) {
  const Simulation simulation(published / "lim-oscillator" / "f-s.toml", {"step_control.method=richardson"});
  const auto& all = simulation.problems().all();
  EXPECT_TRUE(std::any_of(all.begin(), all.end(), [](const Problem& p) {
    return p.what.find("Fixed steps of equal error") != std::string::npos;
  }));
}

/// Two masses at rest, one of them pushed by a sine: their positions begin as t³ and t⁵.
std::string driven(double frequency_Hz, double damping_N_s_m) {
  return fmt::format(R"(
simulation = {{ stop_time = 5.0, step_size = 1e-3 }}
coupling = {{ extrapolation = "linear" }}
subsystem = [
  {{ name = "drive", model = "source.sine", parameters = {{ amplitude = 20.0, frequency_Hz = {}, unit = "N" }} }},
  {{ name = "cart", model = "oscillator.force_output", integrator = {{ method = "rk4" }}, parameters = {{ m = 2.0, kc = 400.0, cc = {} }} }},
  {{ name = "load", model = "oscillator.mass", integrator = {{ method = "rk4" }}, parameters = {{ m = 0.5, k = 100.0, c = 0.5 }} }} ]
connection = [ {{ from = "drive.value", to = "cart.external_force" }} ]
[[bond]]
name = "spring"
a = {{ effort = "cart.force", flow = "cart.velocity_in", displacement = "cart.position_in" }}
b = {{ effort = "load.force", flow = "load.velocity", displacement = "load.position" }}
)",
                     frequency_Hz, damping_N_s_m);
}

struct Driven {
  double error = 0.0;  ///< of either position, over its largest value
  StepControlRecord control;
  std::uint64_t steps = 0;
  std::uint64_t discarded = 0;
};

Driven run_driven(double frequency_Hz, double damping_N_s_m, double rtol) {
  const ScratchDirectory folder;
  const auto file = folder / "driven.toml";
  std::ofstream(file) << driven(frequency_Hz, damping_N_s_m);
  // The sine is the first of two more states: ẋ = ωy, ẏ = −ωx.
  const double w = 2.0 * std::numbers::pi * frequency_Hz;
  const double c = damping_N_s_m;
  const std::vector<double> a = {0,    0,     1,      0,
                                 0,    0,  //
                                 0,    0,     0,      1,
                                 0,    0,  //
                                 -200, 200,   -c / 2, c / 2,
                                 10,   0,  //
                                 800,  -1000, 2 * c,  -2 * c - 1.0,
                                 0,    0,  //
                                 0,    0,     0,      0,
                                 0,    w,  //
                                 0,    0,     0,      0,
                                 -w,   0};
  const std::vector<double> z0 = {0, 0, 0, 0, 0, 1};
  const numerics::LinearSolution exact(a, z0);
  Simulation simulation(file, {"step_control.method=richardson", fmt::format("step_control.rtol={}", rtol)});
  const Index outputs[] = {simulation.output("cart.position"), simulation.output("load.position")};
  double error[2] = {};
  double size[2] = {};
  Driven result;
  const auto failure = simulation.for_each_point([&](const StepRecord& record) {
    std::array<double, 6> z{};
    exact.at(record.time_s(), z);
    for (std::size_t i = 0; i < 2; ++i) {
      error[i] = std::max(error[i], std::abs(record.output(outputs[i]) - z[i]));
      size[i] = std::max(size[i], std::abs(z[i]));
    }
    result.control = *record.step_control();
  });
  EXPECT_FALSE(failure);
  for (std::size_t i = 0; i < 2; ++i) result.error = std::max(result.error, error[i] / size[i]);
  const NodeCost cost = simulation.engine().cost(*simulation.system().find_node("load"));
  result.steps = cost.steps;
  result.discarded = cost.discarded;
  return result;
}

// Against their own size so far, next to nothing, no step would be small enough.
TEST(ControlledSteps, DoNotCollapseAtRest) {
  const Driven run = run_driven(0.5, 2.0, 1e-2);
  EXPECT_LT(run.control.accepted, 2000U);
  EXPECT_EQ(run.control.forced, 0U);
  EXPECT_LT(run.error, 3e-2);
}

TEST(ControlledSteps, CountStepsThatAreSetBack) {
  const Driven run = run_driven(0.5, 2.0, 1e-2);
  // Each window was taken as a whole, and in two halves, which stay.
  EXPECT_GE(run.discarded, run.control.accepted + run.control.rejected * 3);
  EXPECT_EQ(run.steps - run.discarded, run.control.accepted * 2);
}

TEST(ControlledSteps, HaveAboutTheErrorThatIsAskedFor) {
  std::vector<double> ratios;
  for (const double frequency_Hz : {0.3, 0.7, 1.5}) {
    for (const double damping : {0.5, 5.0}) {
      for (const double rtol : {1e-2, 1e-3})
        ratios.push_back(run_driven(frequency_Hz, damping, rtol).error / rtol);
    }
  }
  std::sort(ratios.begin(), ratios.end());
  EXPECT_LT(ratios.back(), 3.0) << fmt::format("{}", fmt::join(ratios, ", "));
  EXPECT_GT(ratios[ratios.size() / 2], 0.05) << fmt::format("{}", fmt::join(ratios, ", "));
}

// Residuals of constraints have no size: 1e-16 of them is not an error.
TEST(ControlledSteps, AreNotMeasuredByResidualsOfConstraints) {
  Simulation simulation(published / "pendula" / "pendula.toml",
                        {"simulation.stop_time=2", "bond.spring.correction={method=\"none\"}",
                         "bond.spring.feedthrough=refresh", "first.integrator={method=\"newmark\"}",
                         "second.integrator={method=\"newmark\"}", "coupling.extrapolation=linear",
                         "step_control.method=richardson", "step_control.rtol=1e-2"});
  simulation.run();
  const auto& control = simulation.summary().step_control;
  ASSERT_TRUE(control);
  EXPECT_LT(control->accepted, 2000U);
  EXPECT_EQ(control->forced, 0U);
}

}  // namespace
}  // namespace ergon::bench
