// Semi-implicit and implicit coupling: published figures, and statements that hold for every way of solving.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>

#include "benchmark_support.hpp"
#include "benchmarks/framework/convergence.hpp"
#include "benchmarks/reference/linear_solution.hpp"
#include "benchmarks/semi-stability/linear_step_map.hpp"
#include "ergon/core/live_subsystem.hpp"
#include "ergon/core/problem.hpp"
#include "ergon/coupling/schemes/implicit/state_sensitivity.hpp"
#include "ergon/run/simulation.hpp"

namespace ergon::bench {
namespace {

const std::filesystem::path two_masses = benchmark_folder("semi-convergence");

std::string text_of(const Row& row, const std::string& key) {
  for (const auto& [name, value] : row.settings) {
    if (name == key && std::holds_alternative<std::string>(value)) return std::get<std::string>(value);
  }
  return {};
}

// The documented default may be written down.
TEST(Implicit, MethodNoneIsNoCorrection) {
  const auto position_after = [](const std::string& correction) {
    std::vector<std::string> settings = {"coupling.scheme=implicit", "simulation.stop_time=0.02"};
    if (!correction.empty()) settings.push_back("bond.coupling.correction={method=\"" + correction + "\"}");
    Simulation simulation(benchmark_folder("lim-oscillator") / "f-s.toml", settings);
    const Index output = simulation.output("right.position");
    double last = 0.0;
    EXPECT_FALSE(simulation.for_each_point([&](const StepRecord& record) { last = record.output(output); }));
    return last;
  };
  EXPECT_EQ(position_after("none"), position_after(""));
  EXPECT_THROW((void)position_after("residual-power"), InputError)
      << "an implicit scheme has nothing to correct";
}

// 9 errors and 9 orders, Hermite's error and order, and the k = 1 errors of 5 + 8 rules × 3 decompositions.
TEST(SemiImplicit, ErrorsAndOrdersOfTheTwoMassOscillator) {
  const auto rows = expect_all_known_figures("semi-convergence", 9 + 9 + 2 + 39);
  // Broyden's updates give what finite differences give, for two integrations of each of the two subsystems per step.
  for (const Row& finite : rows) {
    if (text_of(finite, "jacobian") != "finite-difference" || finite.quantity != "max_error") continue;
    for (const Row& broyden : rows) {
      if (text_of(broyden, "jacobian") != "broyden" ||
          text_of(broyden, "decomposition") != text_of(finite, "decomposition") ||
          text_of(broyden, "scheme") != text_of(finite, "scheme")) {
        continue;
      }
      if (broyden.quantity == "max_error") {
        EXPECT_NEAR(broyden.ours / finite.ours, 1.0, 5e-4) << describe(broyden);
      }
      if (broyden.quantity == "integrations_per_step" && text_of(broyden, "scheme") == "semi-implicit") {
        EXPECT_NEAR(broyden.ours, 4.0, 0.02) << describe(broyden);
      }
    }
  }
}

TEST(SemiImplicit, FiveMassesInARow) {
  expect_all_known_figures("mass-chain", 6);
}

#ifndef __SANITIZE_ADDRESS__  // a million steps; what they do is done there by the chain and by the tests of joints
TEST(SemiImplicit, DoublePendulum) {
  expect_all_known_figures("double-pendulum", 3);
}

TEST(SemiImplicit, UniversalJointInSpace) {
  expect_all_known_figures("universal-joint-3d", 3);
}

TEST(SemiImplicit, SliderCrank) {
  expect_all_known_figures("slider-crank", 6);
}

TEST(SemiImplicit, StabilityMap) {
  const auto rows = expect_all_known_figures("semi-stability", 14);
  // k = 2 is unstable exactly here.
  int unstable = 0;
  for (const Row& row : rows) {
    if (row.quantity != "stable" || text_of(row, "scheme") != "semi-implicit" || row.ours > 0.5) continue;
    const double k = std::get<double>(row.settings[2].second);
    const double c = std::get<double>(row.settings[4].second);
    const double d = std::get<double>(row.settings[5].second);
    EXPECT_EQ(k, 2.0);
    EXPECT_TRUE((c > 3e4 && c < 4e4 && d < 4.0) || (c > 9e4 && d < 11.0)) << c << ", " << d;
    ++unstable;
  }
  EXPECT_EQ(unstable, 5);
}
#endif

TEST(MacroSteps, ErrorsStayWithinTenTimesTheTolerance) {
  const auto rows = expect_all_known_figures("macro-steps", 36);
  for (const Row& row : rows) {
    if (row.quantity == "steps_relative") {
      EXPECT_LT(row.ours, 1.0) << describe(row);
    }
  }
}

// The end is met exactly, whatever the steps are.
TEST(MacroSteps, TheRunEndsAtItsEnd) {
  for (const char* method : {"milne", "richardson"}) {
    const bool milne = method == std::string("milne");
    auto settings = scheme_settings(milne ? "semi-implicit" : "explicit", 1, 1e-3);
    settings.push_back(std::string("step_control.method=") + method);
    settings.emplace_back("step_control.rtol=1e-3");
    settings.emplace_back("step_control.min_step=1e-6");
    settings.emplace_back("simulation.stop_time=0.123457");
    Simulation simulation(benchmark_folder("macro-steps") / "two-masses.toml", settings);
    double last_s = 0.0;
    ASSERT_FALSE(simulation.for_each_point([&](const StepRecord& record) { last_s = record.time_s(); }));
    EXPECT_EQ(last_s, 0.123457) << method;
  }
}

TEST(MacroSteps, MethodsThatDoNotFitTheSchemeAreRefused) {
  auto settings = scheme_settings("explicit", 1, 1e-3);
  settings.emplace_back("step_control.method=milne");
  try {
    Simulation(benchmark_folder("macro-steps") / "two-masses.toml", settings);
    FAIL() << "not refused";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("richardson"), std::string::npos) << error.what();
  }
}

/// The coupled system with its interface discretised, solved as a whole: every step is a matrix.
std::vector<double> monolithic_interface(int k, int steps) {
  const CoupledMasses masses{.stiffness_N_m = 1000.0, .damping_Ns_m = 10.0, .H_s = 1e-3};
  Eigen::VectorXd z = Eigen::VectorXd::Zero(step_map_size);
  z[1] = 100.0;
  z[3] = -100.0;
  z[4] = -10.0 * 200.0;  // λ = c(x₂ − x₁) + d(v₂ − v₁), on the left mass
  for (int n = 0; n < steps; ++n) z = step_map(masses, std::min(k, n + 1), true) * z;
  return {z[0], z[1], z[2], z[3]};
}

class ImplicitDegree : public testing::TestWithParam<int> {};

TEST_P(ImplicitDegree, ConvergedItIsTheMonolithicSolutionOfTheDiscretisedInterface) {
  const int k = GetParam();
  constexpr int steps = 200;
  auto settings = scheme_settings("implicit", k, 1e-3);
  for (const char* extra : {"simulation.stop_time=0.2", "coupling.tolerance=1e-13",
                            "subsystem.left.integrator.step=1e-5", "subsystem.right.integrator.step=1e-5"}) {
    settings.emplace_back(extra);
  }
  const std::vector<double> exact = monolithic_interface(k, steps);
  const Trajectory nothing = [](double, std::span<double>) {};
  const ComparedRun run =
      compare(two_masses / "f-f.toml", settings,
              {"left.position", "left.velocity", "right.position", "right.velocity"}, nothing);
  ASSERT_EQ(run.steps, steps);
  for (std::size_t i = 0; i < exact.size(); ++i) EXPECT_NEAR(run.last[i], exact[i], 1e-10 * 100.0) << i;
}

INSTANTIATE_TEST_SUITE_P(All, ImplicitDegree, testing::Values(0, 1, 2));

// Appendix B: ∂g/∂u tends to the identity with the step, and the coupling variables to those before.
TEST(SemiImplicit, IsZeroStable) {
  for (const char* scenario : {"f-f.toml", "f-d.toml", "d-d.toml"}) {
    double previous_distance = 0.0;
    double previous_change = 0.0;
    for (const double H : {1e-4, 1e-5, 1e-6}) {
      auto settings = scheme_settings("semi-implicit", 1, H);
      settings.push_back("simulation.stop_time=1e-4");
      Simulation simulation(two_masses / scenario, settings);
      ASSERT_FALSE(simulation.start());
      Engine& engine = simulation.engine();
      const Tick step = engine.grid().ticks(Rational::from_double(H).value());
      const std::vector<double> G = engine.interface_jacobian(step);
      const auto n = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(G.size()))));
      ASSERT_GT(n, 0U);
      double distance = 0.0;
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
          // Forces answer to positions, which are not of their size: rows are compared with the whole.
          if (i == j) distance = std::max(distance, std::abs(G[i * n + j] - 1.0));
        }
      }
      std::vector<double> before;
      for (Index o = 0; o < simulation.system().outputs.size(); ++o)
        before.push_back(engine.record().output(o));
      ASSERT_FALSE(engine.advance());
      double change = 0.0;
      for (Index o = 0; o < before.size(); ++o) {
        change =
            std::max(change, std::abs(engine.record().output(o) - before[o]) / (1.0 + std::abs(before[o])));
      }
      if (previous_change > 0.0) {
        EXPECT_LT(distance, 0.2 * previous_distance + 1e-9) << scenario << " " << H;
        EXPECT_LT(change, 0.2 * previous_change) << scenario << " " << H;
      }
      previous_distance = distance;
      previous_change = change;
    }
  }
}

/// How the state of a subsystem changes when one of its inputs does, by leading terms or all of them.
std::vector<double> sensitivity(const Simulation& simulation, const std::string& name,
                                const std::vector<std::pair<std::string, std::vector<double>>>& changes,
                                double H_s, SensitivitySeries series) {
  const CoupledSystem& system = simulation.system();
  const Node& node = system.nodes[system.find_node(name).value()];
  const DirectionalDerivatives& derivatives = *node.subsystem->directional_derivatives();
  const std::size_t inputs = node.input_count;
  const std::vector<double> u(inputs, 0.0);
  std::vector<double> change(3 * inputs, 0.0);
  for (const auto& [input, coefficients] : changes) {
    const Index i = system.find_input(name + "." + input).value() - node.first_input;
    for (std::size_t d = 0; d < coefficients.size(); ++d) change[d * inputs + i] = coefficients[d];
  }
  std::vector<double> states(derivatives.state_count());
  StateSensitivity(states.size(), inputs, node.output_count)
      .compute(0, derivatives, 0.0, u.data(), inputs, change.data(), inputs, 2, H_s, series, states);
  return states;
}

// Eq. (92): the crank, pinned at its start, with the force λ(−sin φ2, cos φ2) at its end.
TEST(EffectiveInertia, OfTheSliderCrankIsThePublishedFormula) {
  Simulation simulation(benchmark_folder("slider-crank") / "slider-crank.toml");
  ASSERT_FALSE(simulation.start());
  constexpr double H = 1e-3;
  const double l1 = std::sqrt(2.0);
  const double J1 = std::sqrt(2.0) * 2.0 / 12.0;
  const double phi1 = M_PI / 4.0;
  const double lambda = 7.0;
  for (const double phi2 : {0.3, 1.1, 2.5}) {
    const auto by_lambda = sensitivity(
        simulation, "crank", {{"end_force[0]", {-std::sin(phi2)}}, {"end_force[1]", {std::cos(phi2)}}}, H,
        SensitivitySeries::leading);
    const double c = std::cos(phi1) * std::cos(phi2) + std::sin(phi1) * std::sin(phi2);
    EXPECT_NEAR(by_lambda[0], H * H * l1 / (8.0 * J1) * c, 1e-9 * H * H);
    EXPECT_NEAR(by_lambda[1], H * l1 / (4.0 * J1) * c, 1e-9 * H);
    const auto by_angle = sensitivity(
        simulation, "crank",
        {{"end_force[0]", {-lambda * std::cos(phi2)}}, {"end_force[1]", {-lambda * std::sin(phi2)}}}, H,
        SensitivitySeries::leading);
    const double s = std::sin(phi1) * std::cos(phi2) - std::cos(phi1) * std::sin(phi2);
    EXPECT_NEAR(by_angle[0], H * H * lambda * l1 / (8.0 * J1) * s, 1e-9 * H * H * lambda);
    EXPECT_NEAR(by_angle[1], H * lambda * l1 / (4.0 * J1) * s, 1e-9 * H * lambda);
  }
}

// The force polynomial that is 1 at the end of the step and 0 at the samples before; the mass is what the model calls its
// effective inertia.
TEST(EffectiveInertia, WeightsOfDegreesZeroToTwo) {
  Simulation simulation(two_masses / "f-f.toml");
  ASSERT_FALSE(simulation.start());
  constexpr double H = 1e-3;
  const std::vector<std::vector<double>> polynomials = {{1.0}, {0.0, 1.0 / H}, {0.0, 0.5 / H, 0.5 / (H * H)}};
  const double weights[][2] = {{1.0, 1.0 / 2.0}, {1.0 / 2.0, 1.0 / 6.0}, {5.0 / 12.0, 1.0 / 8.0}};
  for (const char* name : {"left", "right"}) {
    const CoupledSystem& system = simulation.system();
    const Node& node = system.nodes[system.find_node(name).value()];
    const std::size_t force = system.find_input(std::string(name) + ".force").value() - node.first_input;
    const std::size_t velocity =
        system.find_output(std::string(name) + ".velocity").value() - node.first_output;
    ASSERT_TRUE(
        live(node)->interface_inertia()->prepare_interface(std::vector<InterfacePort>{{force, velocity}}));
    double mass_kg = 0.0;
    double unused = 0.0;
    const std::vector<double> u(node.input_count, 0.0);
    live(node)->interface_inertia()->interface_inertia(0.0, H, u.data(), &mass_kg, &unused);
    for (std::size_t k = 0; k < 3; ++k) {
      const auto change =
          sensitivity(simulation, name, {{"force", polynomials[k]}}, H, SensitivitySeries::leading);
      // Derivatives are differences of accelerations of 1000 m/s²: rounding leaves 5e-9.
      EXPECT_NEAR(change[1], weights[k][0] * H / mass_kg, 1e-8 * H) << k;
      EXPECT_NEAR(change[0], weights[k][1] * H * H / mass_kg, 1e-8 * H * H) << k;
    }
  }
}

/// [current, charge, voltage, flux] at the end of examples/coupled-circuits.toml: one linear system, with the sine of the source
/// as two states of its own.
std::vector<double> analytic_circuits(double t_s) {
  constexpr double w = 2.0 * M_PI;
  // i' = (v + e − R i − q/C)/L, q' = i, v' = (−i − v/R − flux/L)/C, flux' = v, e' = w f, f' = −w e
  const std::vector<double> a = {-0.5 / 0.2,
                                 -1.0 / (0.1 * 0.2),
                                 1.0 / 0.2,
                                 0.0,
                                 1.0 / 0.2,
                                 0.0,  //
                                 1.0,
                                 0.0,
                                 0.0,
                                 0.0,
                                 0.0,
                                 0.0,  //
                                 -1.0 / 0.02,
                                 0.0,
                                 -1.0 / (10.0 * 0.02),
                                 -1.0 / 0.02,
                                 0.0,
                                 0.0,  //
                                 0.0,
                                 0.0,
                                 1.0,
                                 0.0,
                                 0.0,
                                 0.0,  //
                                 0.0,
                                 0.0,
                                 0.0,
                                 0.0,
                                 0.0,
                                 w,  //
                                 0.0,
                                 0.0,
                                 0.0,
                                 0.0,
                                 -w,
                                 0.0};
  const std::vector<double> z0 = {0.0, 0.0, 0.0, 0.0, 0.0, 10.0};
  std::vector<double> z(6);
  numerics::LinearSolution(a, z0).at(t_s, z);
  z.resize(4);
  return z;
}

TEST(Circuits, ImplicitCouplingConvergesToTheAnalyticSolution) {
  const auto exact = analytic_circuits(2.0);
  const Trajectory nothing = [](double, std::span<double>) {};
  const std::filesystem::path scenario =
      std::filesystem::path(ERGON_SOURCE_DIR) / "examples" / "coupled-circuits.toml";
  for (const char* scheme : {"semi-implicit", "implicit"}) {
    for (int k = 0; k <= 2; ++k) {
      std::vector<double> errors;
      const std::vector<double> steps = {4e-3, 2e-3, 1e-3};
      for (const double H : steps) {
        const ComparedRun run =
            compare(scenario, scheme_settings(scheme, k, H),
                    {"line.current", "line.charge", "load.voltage", "load.flux"}, nothing);
        double error = 0.0;
        for (std::size_t i = 0; i < 4; ++i) error = std::max(error, std::abs(run.last[i] - exact[i]));
        errors.push_back(error);
      }
      EXPECT_NEAR(numerics::fitted_order(steps, errors), k + 1.0, 0.15) << scheme << " " << k;
      EXPECT_LT(errors.back(), k == 0 ? 3e-1 : k == 1 ? 1e-3 : 1e-4) << scheme << " " << k;
    }
  }
}

// What bonds tell of an implicit run: nearly nothing is created, and less with smaller steps.
TEST(SemiImplicit, BondsCreateLittleEnergy) {
  for (const char* scenario : {"f-f.toml", "f-d.toml"}) {
    double coarse = 0.0;
    for (const double H : {2e-3, 1e-3}) {
      Simulation simulation(two_masses / scenario, scheme_settings("semi-implicit", 1, H));
      ASSERT_FALSE(simulation.for_each_point([](const StepRecord&) {}));
      double created_J = 0.0;
      const StepRecord& record = simulation.engine().record();
      for (Index b = 0; b < record.bonds().size(); ++b) {
        const BondRecord& bond = record.bonds()[b];
        const double of_bond_J = bond.has_imbalance ? record.imbalance_J(b) : bond.interface_energy_J;
        EXPECT_GT(bond.exchanged_energy_J, 1000.0);
        EXPECT_LT(std::abs(of_bond_J), 1e-3 * bond.exchanged_energy_J) << scenario << " " << H;
        created_J = std::max(created_J, std::abs(of_bond_J));
      }
      if (H == 1e-3) {
        EXPECT_LE(created_J, 0.3 * coarse + 1e-9) << scenario;
      }
      coarse = created_J;
    }
  }
}

// Unstable at k = 1 beyond the map: a strip of stiffness and damping.
TEST(SemiImplicit, DegreeOneIsNotStableEverywhere) {
  bool unstable = false;
  for (double d = 1.0; d < 1e3; d *= 1.5) {
    const CoupledMasses masses{.stiffness_N_m = 3e5, .damping_Ns_m = d, .H_s = 5e-3};
    unstable = unstable || spectral_radius(masses, 1, true) > 1.0 + 1e-9;
  }
  EXPECT_TRUE(unstable);
}

TEST(SemiImplicit, HeldDisplacementsAreRefusedUnlessAskedFor) {
  for (const char* scenario : {"f-d.toml", "d-d.toml"}) {
    auto settings = scheme_settings("semi-implicit", 0, 1e-3);
    EXPECT_NO_THROW(Simulation(two_masses / scenario, settings));
    settings.emplace_back("coupling.accept_unstable=false");
    try {
      Simulation(two_masses / scenario, settings);
      FAIL() << "not refused";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("negative damping"), std::string::npos) << error.what();
    }
  }
}

TEST(SemiImplicit, WrongSettingsAreNamed) {
  auto settings = scheme_settings("semi-implicit", 1, 1e-3);
  const auto message = [&](const std::string& extra) -> std::string {
    auto with = settings;
    with.push_back(extra);
    try {
      Simulation(two_masses / "f-f.toml", with);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_NE(message("coupling.degree=3").find("Give 0, 1 or 2"), std::string::npos);
  EXPECT_NE(message("coupling.acceleration=anderson").find("more than the one trial"), std::string::npos);
  EXPECT_NE(message("coupling.jacobian=brayden").find("broyden"), std::string::npos);
  EXPECT_NE(message("subsystem.left.step_size=1.5e-3").find("not a whole number of steps"),
            std::string::npos);
}

}  // namespace
}  // namespace ergon::bench
