#pragma once

// Examples of everyday systems against monolithic solutions: one set of ordinary differential equations, integrated by the classical
// Runge-Kutta method with small steps.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "ergon/run/simulation.hpp"

namespace ergon::bench {

inline const std::filesystem::path everyday_examples = std::filesystem::path(ERGON_SOURCE_DIR) / "examples";

template <std::size_t n>
using Numbers = std::array<double, n>;

/// States after each of `points` intervals of `interval_s`, the start first; `steps` of the method in each.
template <std::size_t n, typename Rates>
std::vector<Numbers<n>> monolithic(Numbers<n> z, const Rates& rates, double interval_s, int points,
                                   int steps) {
  const auto moved = [](Numbers<n> from, double h, const Numbers<n>& rate) {
    for (std::size_t i = 0; i < n; ++i) from[i] += h * rate[i];
    return from;
  };
  std::vector<Numbers<n>> all = {z};
  const double h = interval_s / steps;
  for (int point = 0; point < points; ++point) {
    for (int step = 0; step < steps; ++step) {
      const double t = point * interval_s + step * h;
      const Numbers<n> k1 = rates(t, z), k2 = rates(t + h / 2, moved(z, h / 2, k1)),
                       k3 = rates(t + h / 2, moved(z, h / 2, k2)), k4 = rates(t + h, moved(z, h, k3));
      for (std::size_t i = 0; i < n; ++i) z[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
    }
    all.push_back(z);
  }
  return all;
}

/// An output of the example, and how it follows from the monolithic state.
template <std::size_t n>
struct Compared {
  std::string output;
  std::function<double(const Numbers<n>&)> exact;
};

/// Runs the example with its checks; every output stays within 0.5 % of its range of the monolithic solution, the verdict is reliable,
/// and every bond closes within 1 % of the energy that went through it.
template <std::size_t n>
void expect_agreement(const std::string& example, const std::vector<Numbers<n>>& exact, double interval_s,
                      const std::vector<Compared<n>>& compared, bool has_balance = true) {
  Simulation simulation(everyday_examples / (example + ".toml"));
  simulation.check_motion(MotionCheck::automatic);
  std::vector<Index> indices;
  for (const Compared<n>& c : compared) indices.push_back(simulation.output(c.output));
  std::vector<double> worst(compared.size(), 0.0), lowest(compared.size(), INFINITY),
      highest(compared.size(), -INFINITY);
  std::size_t seen = 0;
  ASSERT_FALSE(simulation.for_each_point([&](const StepRecord& record) {
    const double point = record.time_s() / interval_s;
    const auto k = static_cast<std::size_t>(std::llround(point));
    if (std::abs(point - static_cast<double>(k)) > 1e-6 || k >= exact.size()) return;
    ++seen;
    for (std::size_t i = 0; i < compared.size(); ++i) {
      const double value = compared[i].exact(exact[k]);
      worst[i] = std::max(worst[i], std::abs(record.output(indices[i]) - value));
      lowest[i] = std::min(lowest[i], value);
      highest[i] = std::max(highest[i], value);
    }
  }));
  EXPECT_EQ(seen, exact.size());
  for (std::size_t i = 0; i < compared.size(); ++i) {
    EXPECT_LT(worst[i], 0.005 * (highest[i] - lowest[i])) << compared[i].output;
    EXPECT_GT(highest[i], lowest[i]) << compared[i].output << " does not move";
  }
  const Summary& summary = simulation.summary();
  ASSERT_TRUE(summary.verdict);
  EXPECT_EQ(summary.verdict->value, VerdictValue::reliable);
  EXPECT_EQ(std::any_of(summary.verdict->reasons.begin(), summary.verdict->reasons.end(),
                        [](const VerdictReason& r) { return r.kind == ReasonKind::energy_balance; }),
            has_balance)
      << "a balance of all parts";
  EXPECT_FALSE(summary.bonds.empty());
  for (const BondSummary& bond : summary.bonds) {
    const double created_J = bond.imbalance_energy_J.value_or(bond.interface_energy_J);
    EXPECT_LT(std::abs(created_J), 0.01 * std::abs(bond.exchanged_energy_J)) << bond.name;
  }
}

}  // namespace ergon::bench
