// Semi-implicit and implicit coupling: published figures, and statements that hold for every way of solving.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>

#include "benchmark_support.hpp"
#include "benchmarks/framework/convergence.hpp"
#include "benchmarks/framework/simulation.hpp"
#include "benchmarks/semi-stability/linear_step_map.hpp"
#include "core/problem.hpp"

namespace ergon::bench {
namespace {

const std::filesystem::path two_masses = benchmark_folder("semi-convergence");

std::string text_of(const Row& row, const std::string& key) {
  for (const auto& [name, value] : row.settings) {
    if (name == key && std::holds_alternative<std::string>(value)) return std::get<std::string>(value);
  }
  return {};
}

// 9 errors and 9 orders, Hermite's error and order, and the k = 1 errors of 5 + 7 rules × 3 decompositions.
TEST(SemiImplicit, ErrorsAndOrdersOfTheTwoMassOscillator) {
  const auto rows = expect_all_known_figures("semi-convergence", 9 + 9 + 2 + 36);
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
TEST(SemiImplicit, DoublePendulum) {
  expect_all_known_figures("double-pendulum", 6);
}
TEST(SemiImplicit, SliderCrank) {
  expect_all_known_figures("slider-crank", 6);
}
TEST(SemiImplicit, UniversalJointInSpace) {
  expect_all_known_figures("universal-joint-3d", 3);
}

#ifndef __SANITIZE_ADDRESS__  // a million steps
TEST(SemiImplicit, StabilityMap) {
  const auto rows = expect_all_known_figures("semi-stability", 12);
  // k = 2 is unstable exactly here.
  int unstable = 0;
  for (const Row& row : rows) {
    if (row.quantity != "stable" || text_of(row, "scheme") != "semi-implicit" || row.ours > 0.5) continue;
    const double k = std::get<double>(row.settings[1].second);
    const double c = std::get<double>(row.settings[3].second);
    const double d = std::get<double>(row.settings[4].second);
    EXPECT_EQ(k, 2.0);
    EXPECT_TRUE((c > 3e4 && c < 4e4 && d < 4.0) || (c > 9e4 && d < 11.0)) << c << ", " << d;
    ++unstable;
  }
  EXPECT_EQ(unstable, 5);
}
#endif

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
      Engine& engine = simulation.start();
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

// Reported energies of runs that end where they began in energy: the verdict trusts implicit runs.
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
  EXPECT_NE(message("subsystem.left.step_size=2e-3").find("one communication step"), std::string::npos);
}

}  // namespace
}  // namespace ergon::bench
