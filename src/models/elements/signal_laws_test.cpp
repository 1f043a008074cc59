#include <gtest/gtest.h>

#include <cmath>

#include "support/model_making.hpp"

namespace ergon {
namespace {

using namespace testing_models;
using Numbers = std::vector<double>;

double at(const Element& law, const Numbers& u) {
  double y = 0.0;
  law.evaluate(u.data(), &y);
  return y;
}
Numbers slopes(const Element& law, const Numbers& u) {
  Numbers jacobian(u.size());
  law.differentiable()->output_jacobian(0.0, u.data(), jacobian.data());
  return jacobian;
}

TEST(SignalLaws, ProductAndItsSlopes) {
  const auto product = make_element("product", {{"inputs", 3.0}});
  EXPECT_EQ(at(*product, {2.0, -3.0, 5.0}), -30.0);
  EXPECT_EQ(slopes(*product, {2.0, 0.0, 5.0}), (Numbers{0.0, 10.0, 0.0}));
}

TEST(SignalLaws, SaturationAndDeadZoneAddUpToTheSignal) {
  const auto saturation = make_element("saturation", {{"lower", -0.5}, {"upper", 2.0}});
  const auto zone = make_element("dead-zone", {{"lower", -0.5}, {"upper", 2.0}});
  for (const double in : {-3.0, -0.5, 0.0, 1.9, 2.0, 7.0}) {
    EXPECT_EQ(at(*saturation, {in}) + at(*zone, {in}), in);
    EXPECT_EQ(at(*saturation, {in}), std::min(std::max(in, -0.5), 2.0));
  }
  EXPECT_EQ(slopes(*saturation, {1.0}), (Numbers{1.0}));
  EXPECT_EQ(slopes(*saturation, {3.0}), (Numbers{0.0}));
  EXPECT_EQ(slopes(*zone, {3.0}), (Numbers{1.0}));
  EXPECT_TRUE(std::isnan(at(*saturation, {std::nan("")})));
  EXPECT_TRUE(std::isnan(at(*zone, {std::nan("")})));
}

TEST(SignalLaws, LookupIsLinearBetweenItsPoints) {
  const Values table = {{"x", Numbers{-1.0, 0.0, 2.0}}, {"y", Numbers{4.0, 0.0, 1.0}}};
  const auto held = make_element("lookup", table);
  Values on = table;
  on.emplace_back("outside", "extend");
  const auto extended_law = make_element("lookup", on);
  for (const auto& law : {held.get(), extended_law.get()}) {
    EXPECT_EQ(at(*law, {-1.0}), 4.0);
    EXPECT_EQ(at(*law, {-0.25}), 1.0);
    EXPECT_EQ(at(*law, {0.5}), 0.25);
    EXPECT_EQ(at(*law, {2.0}), 1.0);
    EXPECT_EQ(slopes(*law, {-0.25}), (Numbers{-4.0}));
  }
  EXPECT_EQ(at(*held, {-3.0}), 4.0);
  EXPECT_EQ(at(*held, {6.0}), 1.0);
  EXPECT_EQ(at(*extended_law, {-3.0}), 12.0);
  EXPECT_EQ(at(*extended_law, {6.0}), 3.0);
  EXPECT_TRUE(std::isnan(at(*held, {std::nan("")})));
}

// Bilinear interpolation is exact for a + b x + c y + d x y.
TEST(SignalLaws, LookupInTwoDimensionsIsBilinear) {
  const Numbers x = {-1.0, 0.5, 2.0};
  const Numbers y = {0.0, 3.0};
  const auto exact = [](double a, double b) { return 1.0 + 2.0 * a - b + 0.5 * a * b; };
  Numbers values;
  for (const double a : x) {
    for (const double b : y) values.push_back(exact(a, b));
  }
  const auto law = make_element("lookup-2d", {{"x", x}, {"y", y}, {"values", values}});
  for (const double a : {-1.0, -0.3, 0.5, 1.7}) {
    for (const double b : {0.0, 1.1, 2.9}) {
      EXPECT_NEAR(at(*law, {a, b}), exact(a, b), 1e-14);
      const Numbers slope = slopes(*law, {a, b});
      EXPECT_NEAR(slope[0], 2.0 + 0.5 * b, 1e-14);
      EXPECT_NEAR(slope[1], -1.0 + 0.5 * a, 1e-14);
    }
  }
  EXPECT_NEAR(at(*law, {9.0, 9.0}), exact(2.0, 3.0), 1e-14) << "as at the edge";
  EXPECT_EQ(slopes(*law, {9.0, 9.0}), (Numbers{0.0, 0.0}));
}

TEST(SignalLaws, FormulasAreLawsWithTheirSlopes) {
  const auto law = make_element(
      "expression",
      {{"formulas", "input x [mm], y [m]\nparameter k [N/m] = 3\noutput f [N] = k*(x + y)^2/y"}});
  // x in mm: 2000 mm + 1 m = 3 m.
  EXPECT_NEAR(at(*law, {2000.0, 1.0}), 27.0, 1e-13);
  const Numbers slope = slopes(*law, {2000.0, 1.0});
  EXPECT_NEAR(slope[0], 1e-3 * 2.0 * 3.0 * 3.0, 1e-15);
  EXPECT_NEAR(slope[1], 2.0 * 3.0 * 3.0 - 27.0, 1e-12);
  EXPECT_EQ(law->describe().feedthrough.size(), 2U);
}

TEST(SignalLaws, MistakesAreRefused) {
  const auto refused = [](const std::string& name, const Values& values) {
    ProblemList problems;
    const ElementInfo* info = find_element(name);
    EXPECT_EQ(info->make(ParameterSet(info->parameters, given(values), "'tested'", problems), problems),
              nullptr);
    return text_of(problems);
  };
  EXPECT_NE(refused("lookup", {{"x", Numbers{1.0, 1.0}}}).find("increasing"), std::string::npos);
  EXPECT_NE(refused("lookup", {{"y", Numbers{1.0}}}).find("has 1 numbers, but the table has 2"),
            std::string::npos);
  EXPECT_NE(refused("lookup-2d", {{"values", Numbers{1.0}}}).find("has 1 numbers, but the table has 4"),
            std::string::npos);
  EXPECT_NE(refused("saturation", {{"lower", 2.0}}).find("Let lower < upper"), std::string::npos);
  EXPECT_NE(refused("expression", {{"formulas", "input a\noutput b = c"}})
                .find("line 2, column 12 of 'formulas': 'c' is not defined"),
            std::string::npos);
  EXPECT_NE(refused("expression", {{"formulas", "state a\noutput b = a"}}).find("An element has no states"),
            std::string::npos);
  EXPECT_NE(refused("expression", {{"formulas", "output b = time"}}).find("There is no 'time' here"),
            std::string::npos);
}

// Means of 20000 numbers: within 5 standard errors.
TEST(Noise, HasItsMeanAndDeviationAndRepeats) {
  for (const char* distribution : {"normal", "uniform"}) {
    const auto noise = make_model(
        "source.noise",
        {{"mean", 2.0}, {"standard_deviation", 3.0}, {"sample_time", 0.01}, {"distribution", distribution}});
    const auto again = make_model(
        "source.noise",
        {{"mean", 2.0}, {"standard_deviation", 3.0}, {"sample_time", 0.01}, {"distribution", distribution}});
    const auto other = make_model("source.noise", {{"mean", 2.0},
                                                   {"standard_deviation", 3.0},
                                                   {"sample_time", 0.01},
                                                   {"distribution", distribution},
                                                   {"seed", 2.0}});
    double sum = 0.0, squares = 0.0, products = 0.0, last = 0.0, with_other = 0.0;
    constexpr int count = 20000;
    for (int i = 0; i < count; ++i) {
      const double t = i * 0.01;
      const double value = outputs(*noise, {}, t)[0] - 2.0;
      EXPECT_EQ(outputs(*again, {}, t + 0.009)[0], value + 2.0) << "held, and repeated by the seed";
      sum += value;
      squares += value * value;
      products += value * last;
      with_other += value * (outputs(*other, {}, t)[0] - 2.0);
      last = value;
    }
    const double error = 5.0 / std::sqrt(count);
    EXPECT_NEAR(sum / count, 0.0, 3.0 * error) << distribution;
    EXPECT_NEAR(squares / count, 9.0, 9.0 * 1.5 * error) << distribution;
    EXPECT_NEAR(products / count, 0.0, 9.0 * error) << "neighbours know nothing of each other";
    EXPECT_NEAR(with_other / count, 0.0, 9.0 * error) << "another seed, another noise";
  }
}

}  // namespace
}  // namespace ergon
