#include "ergon/study/plan/design.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <set>

#include "ergon/core/problem.hpp"
#include "ergon/study/plan/sobol_sequence.hpp"
#include "ergon/study/sobol_indices.hpp"

namespace ergon::study {
namespace {

std::vector<Axis> axes(std::initializer_list<const char*> texts) {
  std::vector<Axis> list;
  for (const char* text : texts) list.push_back(Axis::parse(text, "--vary"));
  return list;
}

TEST(Design, NestsValuesInTheOrderOfTheAxes) {
  const Plan plan = make_plan(axes({"a=1,2", "b=x,y,z"}), {});
  ASSERT_EQ(plan.runs.size(), 6U);
  EXPECT_EQ(plan.runs[0], (std::vector<std::string>{"1", "x"}));
  EXPECT_EQ(plan.runs[1], (std::vector<std::string>{"1", "y"}));
  EXPECT_EQ(plan.runs[3], (std::vector<std::string>{"2", "x"}));
  const Plan zip = make_plan(axes({"a=1,2,3", "b=x,y,z"}), {.design = Design::zip});
  ASSERT_EQ(zip.runs.size(), 3U);
  EXPECT_EQ(zip.runs[1], (std::vector<std::string>{"2", "y"}));
}

TEST(Design, SpreadsValuesAsTheirFunctionsSay) {
  const Axis log = Axis::parse("h=log(1e-4,1e-2,9)", "--vary");
  ASSERT_EQ(log.size(), 9U);
  EXPECT_EQ(log.value(0), "0.0001");
  EXPECT_EQ(log.value(4), "0.001");
  EXPECT_EQ(log.value(8), "0.01");
  EXPECT_EQ(log.value(1), "0.000177828");  // 10^(-3.75)
  const Axis lin = Axis::parse("a=lin(0,1,11)", "--vary");
  EXPECT_EQ(lin.value(3), "0.3");
  // Lists keep commas that are inside of brackets.
  EXPECT_EQ(Axis::parse("a=[1,2],[3,4]", "--vary").values, (std::vector<std::string>{"[1,2]", "[3,4]"}));
}

// Φ(Φ⁻¹(u)) = u, to the last digits also in the tails.
TEST(Design, InvertsTheNormalDistribution) {
  for (const double u : {1e-12, 1e-6, 0.025, 0.3, 0.5, 0.9, 0.999, 1.0 - 1e-9}) {
    const double x = normal_quantile(u);
    EXPECT_NEAR(0.5 * std::erfc(-x / std::numbers::sqrt2) / u, 1.0, 1e-12) << u;
  }
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-13);  // every table of the distribution
}

// Each axis of a Latin hypercube has one point in each of n strata, and so have the first 2ᵏ points of a Sobol sequence; it also has one
// in each box 2⁻ᵃ × 2⁻ᵇ of its first two dimensions, which is a (0, 2)-sequence.
TEST(Design, FillsStrata) {
  constexpr std::size_t n = 64, d = 21;
  for (const Design design : {Design::lhs, Design::sobol}) {
    const auto points = unit_points(design, n, d, 7);
    for (std::size_t i = 0; i < d; ++i) {
      std::set<std::size_t> strata;
      for (std::size_t k = 0; k < n; ++k) strata.insert(static_cast<std::size_t>(points[k * d + i] * n));
      EXPECT_EQ(strata.size(), n) << i;
    }
  }
  const auto points = unit_points(Design::sobol, n, d, 7);
  for (std::size_t a = 1; a < n; a *= 2) {
    std::set<std::pair<std::size_t, std::size_t>> boxes;
    for (std::size_t k = 0; k < n; ++k)
      boxes.emplace(static_cast<std::size_t>(points[k * d] * static_cast<double>(a)),
                    static_cast<std::size_t>(points[k * d + 1] * static_cast<double>(n / a)));
    EXPECT_EQ(boxes.size(), n) << a;
  }
}

// The first points of the sequence without shift, as published with the direction numbers [joe2008].
TEST(Design, BeginsAsTheSobolSequence) {
  SobolSequence sequence(3);
  const double expected[][3] = {
      {0, 0, 0}, {0.5, 0.5, 0.5}, {0.75, 0.25, 0.25}, {0.25, 0.75, 0.75}, {0.375, 0.375, 0.625}};
  for (const auto& wanted : expected) {
    double point[3];
    sequence.next(point);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(point[i], wanted[i]);
  }
}

TEST(Design, DrawsTheSameOnEveryMachineAndFromEverySeedAnother) {
  const auto one =
      make_plan(axes({"a=normal(10,1)", "b=uniform(0,1)"}), {.design = {}, .samples = 50, .seed = 3});
  const auto same =
      make_plan(axes({"a=normal(10,1)", "b=uniform(0,1)"}), {.design = {}, .samples = 50, .seed = 3});
  const auto other =
      make_plan(axes({"a=normal(10,1)", "b=uniform(0,1)"}), {.design = {}, .samples = 50, .seed = 4});
  EXPECT_EQ(one.design, Design::random);
  EXPECT_EQ(one.runs, same.runs);
  EXPECT_NE(one.runs, other.runs);
}

TEST(Design, RefusesWhatIsNoPlan) {
  EXPECT_THROW((void)Axis::parse("a", "x"), InputError);
  EXPECT_THROW((void)Axis::parse("a=", "x"), InputError);
  EXPECT_THROW((void)Axis::parse("a=1,,2", "x"), InputError);
  EXPECT_THROW((void)Axis::parse("a=log(0,1,3)", "x"), InputError);
  EXPECT_THROW((void)Axis::parse("a=lin(0,1)", "x"), InputError);
  EXPECT_THROW((void)Axis::parse("a=normal(0,-1)", "x"), InputError);
  EXPECT_THROW((void)Axis::parse("a=csv(/nowhere.csv,x)", "x"), InputError);
  EXPECT_THROW((void)make_plan({}, {}), InputError);
  EXPECT_THROW((void)make_plan(axes({"a=1,2", "a=3"}), {}), InputError);
  EXPECT_THROW((void)make_plan(axes({"a=1,2", "b=3"}), {.design = Design::zip}), InputError);
  EXPECT_THROW((void)make_plan(axes({"a=normal(0,1)"}), {}), InputError);
  EXPECT_THROW((void)make_plan(axes({"a=normal(0,1)"}), {.design = Design::cartesian}), InputError);
  EXPECT_THROW((void)make_plan(axes({"a=1,2"}), {.design = Design::cartesian, .samples = 3}), InputError);
  EXPECT_THROW((void)make_plan(axes({"a=lin(0,1,1000000)", "b=lin(0,1,1000000)"}), {}), InputError);
}

// Ishigami's function sin x₁ + a sin² x₂ + b x₃⁴ sin x₁ on [−π, π]³ with a = 7, b = 0.1: its variances are known [ishigami1990].
TEST(SobolIndices, AreThoseOfIshigamisFunction) {
  constexpr double a = 7.0, b = 0.1, pi = std::numbers::pi;
  const double pi4 = std::pow(pi, 4), pi8 = pi4 * pi4;
  const double v1 = 0.5 * std::pow(1.0 + b * pi4 / 5.0, 2);
  const double v2 = a * a / 8.0;
  const double v13 = b * b * pi8 * (1.0 / 18.0 - 1.0 / 50.0);
  const double v = v1 + v2 + v13;
  const double first[] = {v1 / v, v2 / v, 0.0};
  const double total[] = {(v1 + v13) / v, v2 / v, v13 / v};

  const Plan plan = make_plan(axes({"x1=uniform(-3.14159265358979,3.14159265358979)",
                                    "x2=uniform(-3.14159265358979,3.14159265358979)",
                                    "x3=uniform(-3.14159265358979,3.14159265358979)"}),
                              {.design = Design::saltelli, .samples = 4096});
  ASSERT_EQ(plan.runs.size(), 4096U * 5U);
  std::vector<double> outcomes;
  for (const auto& run : plan.runs) {
    const double x1 = std::stod(run[0]), x2 = std::stod(run[1]), x3 = std::stod(run[2]);
    outcomes.push_back(std::sin(x1) + a * std::pow(std::sin(x2), 2) + b * std::pow(x3, 4) * std::sin(x1));
  }
  const auto indices = sobol_indices(outcomes, 3);
  ASSERT_EQ(indices.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(indices[i].first, first[i], 0.02) << i;
    EXPECT_NEAR(indices[i].total, total[i], 0.02) << i;
    EXPECT_LE(indices[i].first_low, first[i]) << i;
    EXPECT_GE(indices[i].first_high, first[i]) << i;
    EXPECT_LE(indices[i].total_low, total[i]) << i;
    EXPECT_GE(indices[i].total_high, total[i]) << i;
    EXPECT_LT(indices[i].total_high - indices[i].total_low, 0.1) << i;
  }
  // A run without result takes its row with it, and nothing else.
  outcomes[7] = std::nan("");
  EXPECT_NEAR(sobol_indices(outcomes, 3)[0].total, total[0], 0.02);
  EXPECT_TRUE(sobol_indices(std::vector<double>(50, 1.0), 3).empty());
}

}  // namespace
}  // namespace ergon::study
