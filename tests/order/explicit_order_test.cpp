// Order of convergence of explicit coupling in the maximum norm: accurate subsystems, so that nothing but the coupling
// error is left.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "benchmarks/lim2021/oscillator_reference.hpp"
#include "benchmarks/reference/convergence.hpp"
#include "benchmarks/reference/linear_solution.hpp"
#include "ergon/run/simulation.hpp"

namespace ergon::bench {
namespace {

const std::filesystem::path folder =
    std::filesystem::path(ERGON_SOURCE_DIR) / "benchmarks" / "lim-oscillator";

enum class Start { exact_history, cold, starter };

struct Claim {
  std::string arrangement;
  std::string extrapolation;
  Start start;
  double order;
  std::string feedthrough = "refresh";
  double coupling_damping_N_s_m = 0.0;
  double left_step = 1.0;  ///< as a multiple of that of the right mass
  int right_ratio = 1;     ///< steps of the right mass within one of the left one
  std::string scheme = "jacobi";
  std::string first = "left";  ///< of a sweep
};

void PrintTo(const Claim& claim, std::ostream* out) {
  *out << claim.arrangement << ' ' << claim.extrapolation;
}

std::string list_text(const std::vector<double>& values) {
  return fmt::format("[{}]", fmt::join(values, ", "));
}

/// Largest error of either position at any communication point of both, in [0, 0.5 s].
double coupling_error(const Claim& claim, double H) {
  TwoMassOscillator data;
  data.cc = claim.coupling_damping_N_s_m;
  const auto a = data.matrix();
  const numerics::LinearSolution exact(a, data.z0);
  // RK4 with an internal step of 5e-5: ωh ≈ 1.7e-3, error about 1e-11 of the amplitude, far below the coupling's.
  std::vector<std::string> set = {"left.integrator.method=rk4",
                                  "right.integrator.method=rk4",
                                  "left.integrator.step=5e-5",
                                  "right.integrator.step=5e-5",
                                  "simulation.stop_time=0.5",
                                  fmt::format("simulation.step_size={}", H),
                                  fmt::format("coupling.extrapolation={}", claim.extrapolation)};
  if (claim.right_ratio != 1) set.push_back(fmt::format("right.step_size={}", H / claim.right_ratio));
  if (claim.scheme != "jacobi") {
    set.push_back("coupling.scheme=" + claim.scheme);
    set.push_back(fmt::format("coupling.order=[\"{}\", \"{}\"]", claim.first,
                              claim.first == "left" ? "right" : "left"));
  }
  if (claim.left_step != 1.0) set.push_back(fmt::format("left.step_size={}", claim.left_step * H));
  if (claim.arrangement == "f-s") {
    set.push_back("bond.coupling.feedthrough=" + claim.feedthrough);
    set.push_back(fmt::format("left.cc={}", data.cc));
  }
  if (claim.start == Start::starter) set.emplace_back("coupling.starter=repeat");
  if (claim.start == Start::exact_history) {
    std::vector<double> x1, x2, v1, v2, f;
    for (int j = 1; j <= 3; ++j) {
      std::array<double, 4> z{};
      exact.at(-j * H / claim.right_ratio, z);
      x2.push_back(z[1]);
      v2.push_back(z[3]);
      exact.at(-j * H, z);
      x1.push_back(z[0]);
      v1.push_back(z[2]);
      f.push_back(data.kc * (z[0] - z[1]));
    }
    set.push_back("left.initial_history.position=" + list_text(x1));
    set.push_back("left.initial_history.velocity=" + list_text(v1));
    set.push_back("right.initial_history.position=" + list_text(x2));
    set.push_back("right.initial_history.velocity=" + list_text(v2));
    if (claim.arrangement == "f-s") set.push_back("left.initial_history.force=" + list_text(f));
  }
  Simulation simulation(folder / (claim.arrangement + ".toml"), set);
  const Index x1 = simulation.output("left.position");
  const Index x2 = simulation.output("right.position");
  double worst = 0.0;
  // Steps of H and ¾H meet every 3H.
  const double common_s = claim.left_step == 1.0 ? H : 3.0 * H;
  const auto failure = simulation.for_each_point([&](const StepRecord& record) {
    const double periods = record.time_s() / common_s;
    if (std::abs(periods - std::round(periods)) > 1e-6) return;
    std::array<double, 4> z{};
    exact.at(record.time_s(), z);
    worst = std::max({worst, std::abs(record.output(x1) - z[0]), std::abs(record.output(x2) - z[1])});
  });
  EXPECT_FALSE(failure);
  return worst;
}

class ExplicitOrder : public testing::TestWithParam<Claim> {};

TEST_P(ExplicitOrder, IsReachedInTheMaximumNorm) {
  const Claim& claim = GetParam();
  std::vector<double> steps;
  std::vector<double> errors;
  for (const double H : {4e-3, 2e-3, 1e-3, 5e-4, 2.5e-4}) {
    steps.push_back(H);
    errors.push_back(coupling_error(claim, H));
  }
  const double order = numerics::fitted_order(steps, errors);
  EXPECT_GE(order, claim.order - 0.1) << list_text(errors);
  EXPECT_LE(order, claim.order + 0.3) << list_text(errors);
}

std::vector<Claim> claims() {
  std::vector<Claim> all;
  for (const char* arrangement : {"s-s", "f-s", "f-f"}) {
    for (const auto& [name, degree] :
         {std::pair{"hold", 0}, std::pair{"linear", 1}, std::pair{"quadratic", 2}}) {
      if (std::string(arrangement) != "f-f")
        all.push_back({arrangement, name, Start::exact_history, degree + 1.0});
      all.push_back({arrangement, name, Start::cold, std::min(degree + 1.0, 2.0)});
      all.push_back({arrangement, name, Start::starter, degree + 1.0});
    }
  }
  // Outputs that cannot be asked again, with a damper between the masses: the flow is predicted as well as it is extrapolated.
  all.push_back({"f-s", "linear", Start::starter, 2.0, "predict", 5.0});
  all.push_back({"f-s", "quadratic", Start::starter, 3.0, "predict", 5.0});
  // The spring has new forces where both masses arrive together: three steps of the slower, more than the two of its degree.
  all.push_back({"f-f", "quadratic", Start::starter, 3.0, "refresh", 0.0, 0.75});
  // A slow receiver of a fast sender: the polynomial goes through samples at the points of the receiver.
  for (const char* arrangement : {"s-s", "f-s"}) {
    all.push_back({.arrangement = arrangement,
                   .extrapolation = "linear",
                   .start = Start::cold,
                   .order = 2.0,
                   .right_ratio = 4});
    for (const Start start : {Start::starter, Start::exact_history})
      all.push_back({.arrangement = arrangement,
                     .extrapolation = "quadratic",
                     .start = start,
                     .order = 3.0,
                     .right_ratio = 4});
  }
  all.push_back({"f-s", "quadratic", Start::starter, 3.0, "predict", 5.0, 1.0, 4});
  // Who comes last in a sweep interpolates between its own points, of which the starter gives as many before the start.
  for (const char* first : {"left", "right"}) {
    all.push_back({.arrangement = "f-s",
                   .extrapolation = "cubic",
                   .start = Start::starter,
                   .order = 4.0,
                   .right_ratio = 4,
                   .scheme = "gauss-seidel",
                   .first = first});
  }
  return all;
}

std::string claim_name(const testing::TestParamInfo<Claim>& claim) {
  static constexpr const char* starts[] = {"ExactHistory", "ColdStart", "Starter"};
  std::string name = claim.param.arrangement + claim.param.extrapolation;
  name += starts[static_cast<int>(claim.param.start)];
  if (claim.param.feedthrough != "refresh") name += claim.param.feedthrough;
  if (claim.param.left_step != 1.0) name += "Uneven";
  if (claim.param.right_ratio != 1) name += "SlowReceiver";
  if (claim.param.scheme != "jacobi") name += claim.param.first + "First";
  std::erase(name, '-');
  return name;
}

// A polynomial through samples h apart that goes on over H would carry their errors on by (H/h)^degree: the finer the fast side, the
// sooner the run would explode.
TEST(SlowReceivers, AreNoLessStableWhereTheFastSideIsRefined) {
  for (const char* extrapolation : {"linear", "quadratic", "cubic"}) {
    const auto error_at = [&](int ratio) {
      Claim claim{.arrangement = "f-s", .extrapolation = extrapolation, .start = Start::cold, .order = 0.0};
      claim.right_ratio = ratio;
      return coupling_error(claim, 2e-3);
    };
    const double coarse = error_at(2);
    EXPECT_LT(coarse, 1.0) << extrapolation;  // of an amplitude of 10 m
    for (const int ratio : {8, 32})
      EXPECT_LT(error_at(ratio), 1.5 * coarse) << extrapolation << " 1:" << ratio;
  }
}

INSTANTIATE_TEST_SUITE_P(Coupling, ExplicitOrder, testing::ValuesIn(claims()), claim_name);

}  // namespace
}  // namespace ergon::bench
