// Bonds with a ratio. Seen through a transformer r a mass m on a spring k is a mass m/r² on a spring k/r² that moves r times as far; with
// r a power of two no rounding tells them apart, so that motion, monitors, corrections and verdict must agree to the bit.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <sstream>

#include "ergon/run/simulation.hpp"
#include "support/scenario_opening.hpp"

namespace ergon::bond_ratio {
namespace {

using test::TemporaryFolder;

constexpr double ratio = 4.0;

/// `reflected`: the mass as it is seen from the spring, without a ratio. `a_first`: the end that sends the effort is side a.
std::string geared(bool reflected, bool a_first, const std::string& bond_settings,
                   const std::string& coupling) {
  const double m = reflected ? 2.0 / (ratio * ratio) : 2.0;
  const double k = reflected ? 1000.0 / (ratio * ratio) : 1000.0;
  const double c = reflected ? 0.5 / (ratio * ratio) : 0.5;
  const double scale = reflected ? ratio : 1.0;
  const char* sender =
      R"({ effort = "left.force", flow = "left.velocity_in", displacement = "left.position_in" })";
  const char* mass =
      R"({ effort = "right.force", flow = "right.velocity", displacement = "right.position" })";
  const std::string r = reflected ? "" : fmt::format("ratio = {}\n", a_first ? ratio : 1.0 / ratio);
  return fmt::format(R"([simulation]
stop_time = 0.5
step_size = 1e-3

[[subsystem]]
name = "left"
model = "oscillator.force_output"
parameters = {{ m = 1.0, k = 10.0, kc = 100.0, cc = 0.25 }}
initial = {{ v = 1.0 }}

[[subsystem]]
name = "right"
model = "oscillator.mass"
step_size = 5e-4
parameters = {{ m = {}, k = {}, c = {} }}
initial = {{ x = {}, v = {} }}

[[bond]]
name = "gear"
a = {}
b = {}
{}{}
[coupling]
{}
)",
                     m, k, c, scale * 0.01, scale * -0.5, a_first ? sender : mass, a_first ? mass : sender, r,
                     bond_settings, coupling);
}

struct Result {
  std::string bonds;
  std::vector<double> left;
  std::vector<double> right;
  std::string verdict;
};

std::string contents(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

Result run(const std::string& scenario) {
  const TemporaryFolder folder;
  Simulation simulation(folder.write("scenario.toml", scenario));
  simulation.write_to(folder.file("out"));
  Result result;
  simulation.start();
  do {
    result.left.push_back(simulation.value("left.position"));
    result.right.push_back(simulation.value("right.position"));
  } while (simulation.advance());
  simulation.run();
  result.verdict = name_of(simulation.verdict().value);
  result.bonds = contents(folder.file("out/bonds.csv"));
  return result;
}

/// Corrections, and what they make of the effort, are at the receiver, where efforts are r times as large: in bonds.csv as seen from the other
/// side.
std::string with_reflected_corrections(const std::string& bonds) {
  std::istringstream rows(bonds);
  std::string row;
  std::getline(rows, row);
  const auto cells_of = [](const std::string& text) {
    std::vector<std::string> cells;
    std::istringstream in(text);
    for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
    return cells;
  };
  const std::vector<std::string> names = cells_of(row);
  std::string result = row + '\n';
  while (std::getline(rows, row)) {
    std::vector<std::string> cells = cells_of(row);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (names[i] == "gear.correction" || names[i] == "gear.corrected_effort")
        cells[i] = fmt::format("{}", std::stod(cells[i]) / ratio);
    }
    result += fmt::format("{}\n", fmt::join(cells, ","));
  }
  return result;
}

struct Setting {
  const char* name;
  const char* bond;
  const char* coupling;
};

class ReflectedMass : public ::testing::TestWithParam<Setting> {};

TEST_P(ReflectedMass, IsTheMassBehindTheRatio) {
  for (const bool a_first : {true, false}) {
    const Result geared_run = run(geared(false, a_first, GetParam().bond, GetParam().coupling));
    const Result plain = run(geared(true, a_first, GetParam().bond, GetParam().coupling));
    ASSERT_GT(plain.left.size(), 400U);
    EXPECT_EQ(geared_run.left, plain.left);
    ASSERT_EQ(geared_run.right.size(), plain.right.size());
    for (std::size_t i = 0; i < plain.right.size(); ++i)
      ASSERT_EQ(ratio * geared_run.right[i], plain.right[i]) << i;
    EXPECT_EQ(with_reflected_corrections(geared_run.bonds), plain.bonds);
    EXPECT_EQ(geared_run.verdict, plain.verdict);
  }
}

constexpr const char* jacobi = "scheme = \"jacobi\"\nextrapolation = \"linear\"";
constexpr const char* stale = "feedthrough = \"stale\"\n";
INSTANTIATE_TEST_SUITE_P(
    Settings, ReflectedMass,
    ::testing::Values(
        Setting{"hold", "", "scheme = \"jacobi\"\nextrapolation = \"hold\""}, Setting{"linear", "", jacobi},
        Setting{"quadratic", "", "extrapolation = \"quadratic\""}, Setting{"stale", stale, jacobi},
        Setting{"predict", "feedthrough = \"predict\"\n", jacobi},
        Setting{"gauss_seidel", stale, "scheme = \"gauss-seidel\"\nextrapolation = \"linear\""},
        Setting{"energy_leak",
                "feedthrough = \"stale\"\ncorrection = { method = \"energy-leak\", limit = 0.25 }\n", jacobi},
        Setting{"residual_power",
                "feedthrough = \"stale\"\ncorrection = { method = \"residual-power\", limit = 0.5 }\n",
                jacobi},
        Setting{"passivity", "feedthrough = \"stale\"\ncorrection = { method = \"passivity\" }\n", jacobi}),
    [](const auto& tested) { return std::string(tested.param.name); });

// Increments of difference quotients are not in proportion to what they are added to: the bits of implicit schemes differ.
TEST(BondRatio, HoldsForImplicitSchemesAndInterfaceModels) {
  const auto same_step = [](std::string text) {
    return test::with(std::move(text), "step_size = 5e-4\n", "");
  };
  for (const char* coupling : {"scheme = \"semi-implicit\"", "scheme = \"implicit\"",
                               "scheme = \"jacobi\"\nextrapolation = \"interface-model\""}) {
    const Result geared_run = run(same_step(geared(false, true, "", coupling)));
    const Result plain = run(same_step(geared(true, true, "", coupling)));
    ASSERT_EQ(geared_run.right.size(), plain.right.size()) << coupling;
    for (std::size_t i = 0; i < plain.right.size(); ++i) {
      ASSERT_NEAR(ratio * geared_run.right[i], plain.right[i], 1e-9) << coupling << i;
      ASSERT_NEAR(geared_run.left[i], plain.left[i], 1e-9) << coupling << i;
    }
  }
}

/// A coil (L, R, C in series) whose current pushes a mass, F = r·i, and in which the mass induces u = −r·v.
constexpr double L = 0.2, R = 1.0, C = 0.01, m = 0.5, k = 40.0, c = 0.2, r = 3.0;
using CoilState = std::array<double, 4>;  // q, i, x, v

CoilState rate(const CoilState& s) {
  return {s[1], (-R * s[1] - s[0] / C - r * s[3]) / L, s[3], (-k * s[2] - c * s[3] + r * s[1]) / m};
}

/// Runge and Kutta's fourth order with steps of 10 µs.
CoilState exact_at(double end_s, CoilState s) {
  const double h = 1e-5;
  const auto ahead = [](const CoilState& from, double by, const CoilState& slope) {
    CoilState to = from;
    for (std::size_t j = 0; j < to.size(); ++j) to[j] += by * slope[j];
    return to;
  };
  for (int n = 0; n < static_cast<int>(std::lround(end_s / h)); ++n) {
    const CoilState k1 = rate(s);
    const CoilState k2 = rate(ahead(s, h / 2, k1));
    const CoilState k3 = rate(ahead(s, h / 2, k2));
    const CoilState k4 = rate(ahead(s, h, k3));
    for (std::size_t j = 0; j < s.size(); ++j) s[j] += h / 6 * (k1[j] + 2 * k2[j] + 2 * k3[j] + k4[j]);
  }
  return s;
}

std::string coil_and_mass(double step_s, const char* sides) {
  return fmt::format(R"([simulation]
stop_time = 0.5
step_size = {}

[[subsystem]]
name = "coil"
model = "electric.rlc_series"
integrator = {{ method = "rk4" }}
parameters = {{ L = {}, R = {}, C = {} }}
initial = {{ current = 1.0 }}

[[subsystem]]
name = "mass"
model = "oscillator.mass"
integrator = {{ method = "rk4" }}
parameters = {{ m = {}, k = {}, c = {} }}

[[bond]]
name = "motor"
kind = "gyrator"
ratio = "3 N/A"
{}
effort_sign = -1

[coupling]
scheme = "jacobi"
extrapolation = "linear"
)",
                     step_s, L, R, C, m, k, c, sides);
}

TEST(BondRatio, AGyratorLetsACurrentPushAndAVelocityInduce) {
  const CoilState exact = exact_at(0.5, {0.0, 1.0, 0.0, 0.0});
  std::array<double, 2> error{};
  for (std::size_t fine = 0; fine < 2; ++fine) {
    const TemporaryFolder folder;
    Simulation simulation(folder.write(
        "coil.toml",
        coil_and_mass(fine ? 2.5e-4 : 5e-4, R"(a = { effort = "coil.voltage", flow = "coil.current" }
b = { effort = "mass.force", flow = "mass.velocity" })")));
    simulation.run();
    error[fine] =
        std::hypot(simulation.value("coil.current") - exact[1], simulation.value("mass.position") - exact[2]);
  }
  EXPECT_LT(error[1], 1e-4 * std::hypot(exact[1], exact[2]));
  EXPECT_NEAR(std::log2(error[0] / error[1]), 2.0, 0.2);  // extrapolated in straight lines
}

// Power counted into both ends: without the sign the bond would be an engine.
TEST(BondRatio, TheSignOfAGyratorDecidesAboutItsEnergy) {
  const TemporaryFolder folder;
  const std::string sides = R"(a = { effort = "coil.voltage", flow = "coil.current" }
b = { effort = "mass.force", flow = "mass.velocity" })";
  const std::string right = coil_and_mass(2.5e-4, sides.c_str());
  Simulation good(folder.write("good.toml", right));
  good.run();
  EXPECT_EQ(name_of(good.verdict().value), "consistent");
  Simulation bad(folder.write("bad.toml", test::with(right, "effort_sign = -1", "effort_sign = 1")));
  bad.run();
  EXPECT_EQ(name_of(bad.verdict().value), "unreliable");
}

}  // namespace
}  // namespace ergon::bond_ratio
