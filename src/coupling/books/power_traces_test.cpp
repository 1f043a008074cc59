#include "ergon/coupling/books/power_traces.hpp"

#include <gtest/gtest.h>

#include <random>

#include "support/lane_widths.hpp"

namespace ergon {
namespace {

constexpr double trace_step_s = 0.01;

/// Bonds with random powers; energies created and exchanged are their integrals, and one bond bursts for a while.
struct RandomBonds {
  explicit RandomBonds(std::size_t count) : figures(count), imbalances_J(count) { figures.last_points = {0}; }
  void go_on() {
    ++figures.last_points.front();
    std::normal_distribution<double> normal;
    for (Index b = 0; b < figures.bonds(); ++b) {
      const bool burst = b == 1 && figures.last_points.front() / 20 == 15;
      figures.power_into_b_W[b] = 100.0 * normal(random);
      figures.exchanged_energy_J[b] += std::abs(figures.power_into_b_W[b]) * trace_step_s;
      figures.interface_energy_J[b] += (burst ? 500.0 : 0.01) * normal(random) * trace_step_s;
      imbalances_J[b] += (burst ? 900.0 : 0.02) * normal(random) * trace_step_s;
    }
  }
  [[nodiscard]] Tick now() const { return figures.last_points.front(); }
  [[nodiscard]] double time_s() const { return static_cast<double>(now()) * trace_step_s; }

  BondFigures figures;
  std::vector<double> imbalances_J;
  std::mt19937 random{5};
};

/// Everything that is told of a bond.
std::vector<double> told(const PowerTraces& traces, std::size_t bond) {
  std::vector<double> scratch;
  scratch.reserve(TimeWindows::capacity);
  std::vector<double> all = {
      traces.finite(bond) ? 1.0 : 0.0, traces.created_J(bond), traces.swing_J(bond),
      traces.created_ratio(bond),      traces.growth(bond),    traces.limited_share(bond)};
  const PowerTraces::Span span = traces.creation(bond);
  all.insert(all.end(), {static_cast<double>(span.first), static_cast<double>(span.last)});
  if (const auto change = traces.sudden_change(bond, scratch)) {
    all.push_back(change->energy_ratio);
    for (std::size_t i = 0; i < change->count; ++i) {
      all.push_back(static_cast<double>(change->bursts[i].windows.first));
      all.push_back(static_cast<double>(change->bursts[i].windows.last));
      all.push_back(change->bursts[i].level);
    }
  }
  return all;
}

enum class Told { by_interface, by_imbalance };

/// `together(k)`: the k-th point is learnt of all bonds at once, as far as that is possible.
template <class Together>
std::vector<std::vector<double>> figures_of_run(std::size_t bonds, Told by, const Together& together) {
  RandomBonds run(bonds);
  PowerTraces traces(bonds);
  TimeWindows windows;
  traces.start(run.figures, 0.0);
  for (int k = 1; k <= 500; ++k) {
    run.go_on();
    while (windows.must_widen(run.now())) {
      windows.widen();
      traces.widen();
    }
    const std::size_t window = windows.index(run.now());
    const bool by_interface = by == Told::by_interface;
    if (together(k)) {
      EXPECT_TRUE(traces.learn_all(run.figures, run.time_s(), window, by_interface));
      if (!by_interface && k % 3 == 0) traces.learn_imbalances(run.imbalances_J, run.time_s(), window);
      continue;
    }
    const std::size_t learnt =
        traces.learn_powers(run.figures, run.now(), run.time_s(), window, [&](std::size_t b, double H_s) {
          if (by_interface) traces.learn_interface(b, run.figures.interface_energy_J[b], H_s, window);
          if (!by_interface && k % 3 == 0)
            traces.learn_imbalance(b, run.imbalances_J[b], run.time_s(), window);
        });
    EXPECT_EQ(learnt, bonds);
  }
  std::vector<std::vector<double>> all;
  for (std::size_t b = 0; b < bonds; ++b) all.push_back(told(traces, b));
  return all;
}

TEST(PowerTraces, OfAllBondsAtOnceAreThoseOfEach) {
  for (std::size_t bonds = 1; bonds <= 9; ++bonds) {
    for (const Told by : {Told::by_interface, Told::by_imbalance}) {
      const auto each = figures_of_run(bonds, by, [](int) { return false; });
      testing::for_all_lane_widths([&] {
        EXPECT_EQ(figures_of_run(bonds, by, [](int) { return true; }), each) << bonds;
        EXPECT_EQ(figures_of_run(bonds, by, [](int k) { return k % 7 != 0; }), each) << bonds << ", by turns";
      });
    }
  }
}

// What the figures are compared for exists.
TEST(PowerTraces, TellABurst) {
  const auto all = figures_of_run(3, Told::by_interface, [](int) { return true; });
  EXPECT_GT(all[1].size(), all[0].size());
}

// What is saved goes on as it would have, and so does what was in step with nothing saved.
TEST(PowerTraces, AreRestoredInStep) {
  RandomBonds run(5);
  PowerTraces traces(5);
  traces.start(run.figures, 0.0);
  const auto learn = [](PowerTraces& to, RandomBonds& from, int points) {
    for (int k = 0; k < points; ++k) {
      from.go_on();
      ASSERT_TRUE(to.learn_all(from.figures, from.time_s(), static_cast<std::size_t>(from.now() / 4), true));
    }
  };
  learn(traces, run, 100);
  std::vector<std::byte> bytes;
  Archive writing = Archive::writing(bytes);
  traces.archive(writing);
  PowerTraces restored(5);
  Archive reading = Archive::reading(bytes);
  restored.archive(reading);
  EXPECT_TRUE(reading.at_end());
  RandomBonds again = run;
  learn(traces, run, 200);
  learn(restored, again, 200);
  for (std::size_t b = 0; b < 5; ++b) EXPECT_EQ(told(restored, b), told(traces, b));
}

}  // namespace
}  // namespace ergon
