#include "ergon/verdict/power_traces.hpp"

#include <gtest/gtest.h>

#include <cmath>
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
  std::vector<double> all = {traces.finite(bond) ? 1.0 : 0.0, traces.created_J(bond),
                             traces.peak_to_peak_J(bond), traces.created_ratio(bond), traces.growth(bond)};
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

/// `together(k)`: the k-th point is observed of all bonds at once, as far as that is possible.
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
      EXPECT_TRUE(traces.observe_all(run.figures, run.time_s(), window, by_interface));
      if (!by_interface && k % 3 == 0) traces.observe_imbalances(run.imbalances_J, run.time_s(), window);
      continue;
    }
    const std::size_t observed =
        traces.observe_powers(run.figures, run.now(), run.time_s(), window, [&](std::size_t b, double H_s) {
          if (by_interface) traces.observe_interface(b, run.figures.interface_energy_J[b], H_s, window);
          if (!by_interface && k % 3 == 0)
            traces.observe_imbalance(b, run.imbalances_J[b], run.time_s(), window);
        });
    EXPECT_EQ(observed, bonds);
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

/// Energy passed on: E = a(1 + 2 sin(ωt − π/6)), between −a and 3a from 0 on, in periods of 1 s; created by the interface: `created_J(t)`.
class SwingingBonds {
 public:
  SwingingBonds(std::size_t count, Told by) : figures_(count), created_J_(count), traces_(count), by_(by) {
    figures_.last_points = {0};
    set(1.0, 0.0);
    traces_.start(figures_, 0.0);
  }
  template <class Created>
  void swing(double a, int seconds, const Created& created_J) {
    for (const Tick end = now_ + seconds * points_per_s; now_ < end;) {
      ++now_;
      set(a, created_J(time_s()));
      const auto window = static_cast<std::size_t>((now_ - 1) / (points_per_s / 10));
      ASSERT_TRUE(traces_.observe_all(figures_, time_s(), window, by_ == Told::by_interface));
      if (by_ == Told::by_imbalance) traces_.observe_imbalances(created_J_, time_s(), window);
    }
  }
  [[nodiscard]] const PowerTraces& traces() const { return traces_; }

 private:
  static constexpr Tick points_per_s = 1000;
  [[nodiscard]] double time_s() const { return static_cast<double>(now_) / points_per_s; }
  void set(double a, double created_J) {
    constexpr double pi = 3.14159265358979323846;
    const double power_W = a * 4.0 * pi * std::cos(2.0 * pi * time_s() - pi / 6.0);
    for (Index b = 0; b < figures_.bonds(); ++b) {
      figures_.power_into_b_W[b] = power_W;
      if (now_ > 0) figures_.exchanged_energy_J[b] += std::abs(power_W) / points_per_s;
      figures_.interface_energy_J[b] = created_J_[b] = created_J;
    }
  }
  BondFigures figures_;
  std::vector<double> created_J_;
  PowerTraces traces_;
  Told by_;
  Tick now_ = 0;
};

// Swing 4 J, of which 0.3 J are destroyed; then 20 J at once, with swings of 24 J that are no proof of what belongs there.
TEST(PowerTraces, OfSwingsTellWhatTheyAreByThemselves) {
  for (const std::size_t bonds : {1U, 6U}) {
    for (const Told by : {Told::by_interface, Told::by_imbalance}) {
      testing::for_all_lane_widths([&] {
        SwingingBonds run(bonds, by);
        const PowerTraces& traces = run.traces();
        run.swing(1.0, 4, [](double t) { return -0.075 * t; });
        for (std::size_t b = 0; b < bonds; ++b) {
          EXPECT_NEAR(traces.peak_to_peak_J(b), 4.0, 1e-4);
          EXPECT_NEAR(traces.created_J(b), -0.3, 1e-12);
          EXPECT_NEAR(traces.created_ratio(b), 0.3 / 4.0, 1e-5);
          EXPECT_NEAR(traces.growth(b), 1.0, 1e-3);
          EXPECT_EQ(traces.creation(b).last, 39U);
        }
        run.swing(6.0, 4, [](double) { return -20.0; });
        std::vector<double> scratch(TimeWindows::capacity);
        for (std::size_t b = 0; b < bonds; ++b) {
          EXPECT_NEAR(traces.peak_to_peak_J(b), 4.0, 1e-4);
          EXPECT_NEAR(traces.created_ratio(b), 20.0 / 4.0, 1e-3);
          EXPECT_NEAR(traces.growth(b), 6.0, 1e-2);
          const auto change = traces.sudden_change(b, scratch);
          ASSERT_TRUE(change);
          EXPECT_EQ(change->count, 1U);
          EXPECT_EQ(change->bursts[0].windows.first, 40U);
          EXPECT_EQ(change->bursts[0].windows.last, 40U);
        }
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
  const auto observe = [](PowerTraces& to, RandomBonds& from, int points) {
    for (int k = 0; k < points; ++k) {
      from.go_on();
      ASSERT_TRUE(
          to.observe_all(from.figures, from.time_s(), static_cast<std::size_t>(from.now() / 4), true));
    }
  };
  observe(traces, run, 100);
  std::vector<std::byte> bytes;
  Archive writing = Archive::writing(bytes);
  traces.archive(writing);
  PowerTraces restored(5);
  Archive reading = Archive::reading(bytes);
  restored.archive(reading);
  EXPECT_TRUE(reading.at_end());
  RandomBonds again = run;
  observe(traces, run, 200);
  observe(restored, again, 200);
  for (std::size_t b = 0; b < 5; ++b) EXPECT_EQ(told(restored, b), told(traces, b));
}

}  // namespace
}  // namespace ergon
