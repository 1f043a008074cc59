// A boom of two links on a cylinder: what is true of the log-handling crane and its interface model need not be true of other machines.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "ergon/run/simulation.hpp"
#include "golden/benchmark_support.hpp"

namespace ergon::bench {
namespace {

/// Lengths of the actuator every 0.12 s; nothing where the run breaks off.
std::optional<std::vector<double>> boom_lengths(double step_ms, const char* extrapolation,
                                                const char* feedthrough) {
  Simulation simulation(benchmark_folder("interface-model") / "two-link-boom.toml",
                        {fmt::format("links.step_size={:g}", 1e-3 * step_ms),
                         fmt::format("coupling.extrapolation={}", extrapolation),
                         fmt::format("coupling.feedthrough={}", feedthrough)});
  const Index length = simulation.output("links.lift_length");
  std::vector<double> lengths;
  const auto failure = simulation.for_each_point([&](const StepRecord& record) {
    const double periods = record.time_s() / 0.12;
    if (std::abs(periods - std::round(periods)) < 1e-6) lengths.push_back(record.output(length));
  });
  if (failure) return std::nullopt;
  return lengths;
}

double largest_distance_m(const std::vector<double>& a, const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0.0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

/// 2 y(h) − y(2h): the errors of these couplings halve with the step.
std::vector<double> extrapolated_lengths(const char* extrapolation) {
  const auto fine = boom_lengths(0.4, extrapolation, "stale"),
             coarse = boom_lengths(0.8, extrapolation, "stale");
  EXPECT_TRUE(fine && coarse);
  std::vector<double> limit = *fine;
  for (std::size_t i = 0; i < limit.size(); ++i) limit[i] += (*fine)[i] - (*coarse)[i];
  return limit;
}

TEST(TwoLinkBoom, StabilityOfStaleEffortsIsNotMonotoneInTheStep) {
  EXPECT_TRUE(boom_lengths(10.0, "interface-model", "stale"));
  for (const double step_ms : {20.0, 24.0, 30.0})
    EXPECT_FALSE(boom_lengths(step_ms, "interface-model", "stale"));
  EXPECT_TRUE(boom_lengths(40.0, "interface-model", "stale"));
}

TEST(TwoLinkBoom, RefreshedEffortsAreStableWhereStaleOnesAreNot) {
  const std::vector<double> truth = extrapolated_lengths("hold");
  for (const double step_ms : {20.0, 30.0}) {
    const auto lengths = boom_lengths(step_ms, "interface-model", "refresh");
    ASSERT_TRUE(lengths) << step_ms;
    EXPECT_LT(largest_distance_m(*lengths, truth), 0.015) << step_ms;  // of a stroke of 0.215 m
  }
  EXPECT_FALSE(boom_lengths(40.0, "interface-model", "refresh"));
}

TEST(TwoLinkBoom, TheModelIsMoreAccurateThanHold) {
  const std::vector<double> truth = extrapolated_lengths("hold"),
                            other = extrapolated_lengths("interface-model");
  const auto hold = boom_lengths(4.0, "hold", "stale"), model = boom_lengths(4.0, "interface-model", "stale");
  ASSERT_TRUE(hold && model);
  // The same limit from both sides, and nearer to each other than the errors that are measured with it.
  EXPECT_LT(largest_distance_m(truth, other), 0.1 * largest_distance_m(*model, truth));
  EXPECT_LT(1.5 * largest_distance_m(*model, truth), largest_distance_m(*hold, truth));
}

}  // namespace
}  // namespace ergon::bench
