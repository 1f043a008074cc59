#include <gtest/gtest.h>

#include "ergon/models/elements/arithmetic.hpp"
#include "ergon/models/elements/spring_damper.hpp"
#include "support/model_making.hpp"

namespace ergon {
namespace {

using namespace testing_models;

TEST(SpringDamper, PushesItsEndsApartWithOppositeForces) {
  const auto law = make_element("spring-damper", {{"k", 100.0}, {"c", 2.0}});
  const std::vector<double> u = {0.3, 5.0, 0.1, 1.0};
  const auto y = outputs(*law, u);
  EXPECT_EQ(y[1], 100.0 * (0.3 - 0.1) + 2.0 * (5.0 - 1.0));
  EXPECT_EQ(y[0], -y[1]);
  EXPECT_DOUBLE_EQ(law->stored_J(u.data()), 0.5 * 100.0 * 0.04);
  EXPECT_DOUBLE_EQ(law->dissipation_W(u.data()), 2.0 * 16.0);
}

TEST(SpringDamper, ItsOtherNamesStandForOtherLaws) {
  const std::vector<double> stretched = {4.0, 0.0, 0.0, 0.0};
  const std::vector<double> moving = {0.0, 3.0, 0.0, 0.0};
  const auto root = make_element("square-root", {{"k", 10.0}, {"c", 1.0}});
  EXPECT_EQ(outputs(*root, stretched)[1], 20.0);
  EXPECT_EQ(outputs(*root, moving)[1], 3.0);
  EXPECT_DOUBLE_EQ(root->stored_J(stretched.data()), 2.0 / 3.0 * 10.0 * 8.0);
  const auto quadratic = make_element("quadratic-damper", {{"k", 10.0}, {"c", 1.0}});
  EXPECT_EQ(outputs(*quadratic, stretched)[1], 40.0);
  EXPECT_EQ(outputs(*quadratic, moving)[1], 9.0);
}

TEST(Gain, ScalesAndShifts) {
  const auto gain = make_element("gain", {{"gain", -2.0}, {"offset", 0.5}});
  EXPECT_EQ(outputs(*gain, {3.0})[0], -5.5);
}

TEST(Sum, AddsFromLeftToRight) {
  const auto sum = make_element("sum", {{"inputs", 3.0}});
  EXPECT_EQ(outputs(*sum, {1e16, 1.0, -1e16})[0], 0.0);
  EXPECT_EQ(outputs(*sum, {1e16, -1e16, 1.0})[0], 1.0);
}

TEST(Sum, NeedsAWholeNumberOfInputs) {
  ProblemList problems;
  const ElementInfo& info = *find_element("sum");
  EXPECT_EQ(info.make(ParameterSet(info.parameters, given({{"inputs", 2.5}}), "'s'", problems), problems),
            nullptr);
  EXPECT_TRUE(problems.has_errors());
}

TEST(Transformer, PassesPowerWhateverItsRatio) {
  const auto law = make_element("transformer", {});
  for (const double r : {-2.0, 0.0, 0.5}) {
    const std::vector<double> u = {3.0, 7.0, r};  // effort of a, flow of b
    const auto y = outputs(*law, u);
    EXPECT_EQ(y[0], r * 3.0);
    EXPECT_EQ(y[1], r * 7.0);
    EXPECT_EQ(y[0] * u[1], u[0] * y[1]);
  }
}

}  // namespace
}  // namespace ergon
