#include "ergon/signal/extrapolation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "ergon/signal/sample_ring.hpp"

namespace ergon {
namespace {

double polynomial(int degree, double t) {
  double value = 0.0;
  for (int d = 0; d <= degree; ++d) value += (1.0 + 0.5 * d) * std::pow(t, d);
  return value;
}

// A polynomial of degree d is its own interpolant through d + 1 samples, wherever they lie.
TEST(PolynomialWeights, ReproducePolynomialsOfTheirDegreeOnUnevenSamples) {
  const std::vector<double> all = {-0.3, -0.35, -0.6, -1.1};
  for (int degree = 0; degree <= max_extrapolation_degree; ++degree) {
    const std::vector<double> s(all.begin(), all.begin() + degree + 1);
    const auto w = polynomial_weights(s);
    for (const double tau : {0.0, 0.2, 0.7}) {
      double value = 0.0;
      for (std::size_t d = 0; d < s.size(); ++d) {
        for (std::size_t j = 0; j < s.size(); ++j) {
          value += std::pow(tau, static_cast<double>(d)) * w.weight[d][j] * polynomial(degree, s[j]);
        }
      }
      EXPECT_NEAR(value, polynomial(degree, tau), 1e-12) << "degree " << degree << " at " << tau;
    }
  }
}

// 49·(1/49) is not 1 in binary, so the product alone would miss it.
TEST(PolynomialWeights, SampleAtZeroIsTheConstantTermExactly) {
  const std::vector<double> s = {0.0, -49.0, -0.2, -0.30000000000000004};
  const auto w = polynomial_weights(s);
  EXPECT_EQ(w.weight[0][0], 1.0);
  for (std::size_t j = 1; j < s.size(); ++j) EXPECT_EQ(w.weight[0][j], 0.0);
}

TEST(Extrapolation, NamesRoundTrip) {
  for (int d = 0; d <= max_extrapolation_degree; ++d)
    EXPECT_EQ(extrapolation_degree(extrapolation_name(d)), d);
  EXPECT_FALSE(extrapolation_degree("quartic"));
}

TEST(SampleRing, KeepsTheNewestSamplesInOrderOfAge) {
  SampleRing ring(3, 1);
  for (Tick k = 0; k < 5; ++k) {
    ring.pending()[0] = static_cast<double>(10 * k);
    ring.commit(k);
  }
  ASSERT_EQ(ring.count(), 3U);
  for (std::size_t age = 0; age < 3; ++age) {
    EXPECT_EQ(ring.tick(age), 4 - static_cast<Tick>(age));
    EXPECT_EQ(ring.sample(age)[0], 40.0 - 10.0 * static_cast<double>(age));
  }
  EXPECT_EQ(ring.sample_at(3)[0], 30.0);
}

TEST(SampleRing, TakesAHistoryFromOutsideBehindTheOldest) {
  SampleRing ring(3, 1);
  ring.pending()[0] = 1.0;
  ring.commit(0);
  const double older = 7.0;
  const double oldest = 8.0;
  EXPECT_TRUE(ring.append_older(-2, &older));
  EXPECT_TRUE(ring.append_older(-4, &oldest));
  EXPECT_FALSE(ring.append_older(-6, &oldest));
  EXPECT_EQ(ring.sample(1)[0], 7.0);
  EXPECT_EQ(ring.tick(2), -4);
}

}  // namespace
}  // namespace ergon
