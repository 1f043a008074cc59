// Pendula and the pendulum with a cable [rodriguez2022, Sect. 4.3; gonzalez2019, Sect. 4.2].
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "benchmarks/framework/simulation.hpp"
#include "benchmarks/pendulum-cable/monolithic.hpp"
#include "benchmarks/pendulum-cable/pendulum_cable.hpp"
#include "golden/benchmark_support.hpp"

namespace ergon::bench {
namespace {

// 20 start energies; three energy errors in each of two cases; the rods' length in the 10 runs of index 3.
TEST(Pendula, EveryKnownFigureHolds) {
  expect_all_known_figures("pendula", 20 + 6 + 10);
}

class PendulumCable : public ::testing::Test {
 protected:
  static constexpr double duration_s = 1.0;
  static constexpr double interval_s = 2e-3;
  const std::filesystem::path scenario_ = benchmark_folder("pendulum-cable") / "pendulum-cable.toml";

  /// Largest distance of A from the monolithic motion.
  double error_m(const CableMethod& method, double H_s) {
    auto overrides = cable_overrides({H_s, H_s}, method, 0.0);
    overrides.push_back(fmt::format("simulation.stop_time={}", duration_s));
    Simulation simulation(scenario_, overrides);
    const Index position = simulation.output("rod.position[0]");
    const auto every = static_cast<std::size_t>(std::lround(interval_s / H_s));
    double worst = 0.0;
    std::size_t point = 0;
    const auto failure = simulation.run([&](const StepRecord& record) {
      const std::size_t k = point++;
      if (k % every != 0) return;
      double square = 0.0;
      for (Index i = 0; i < 3; ++i) {
        const double off = record.output(position + i) - exact_.at(k / every)[i];
        square += off * off;
      }
      worst = std::max(worst, std::sqrt(square));
    });
    EXPECT_FALSE(failure);
    return worst;
  }
  void SetUp() override {
    MonolithicPendulumCable monolithic;
    exact_ = monolithic.motion_of_A(duration_s, interval_s, 2e-4);
    EXPECT_LT(monolithic.max_energy_error_J(), 1e-3);
  }

  std::vector<std::array<double, 3>> exact_;
};

TEST_F(PendulumCable, ConvergesWithOrderOneToTheMonolithicSolution) {
  for (const double limit : {0.0, 0.1}) {
    const CableMethod method{"", limit};
    std::vector<double> errors;
    for (const double H_s : {1e-3, 5e-4, 2.5e-4, 1.25e-4}) errors.push_back(error_m(method, H_s));
    for (std::size_t i = 1; i < errors.size(); ++i) {
      EXPECT_NEAR(std::log2(errors[i - 1] / errors[i]), 1.0, 0.15) << "limit " << limit << ", " << errors[i];
    }
    EXPECT_LT(errors.back(), 0.01);
  }
}

// One schedule of the table, three runs: the whole is `ergon bench pendulum-cable`.
TEST(PendulumCableTable, MedianEnergyErrorsAreThoseOfIndependentPrograms) {
  constexpr CableSchedule schedules[] = {{2e-3, 2e-3}};
  int known = 0;
  for (const Row& row : pendulum_cable_rows(benchmark_folder("pendulum-cable"), schedules, 3)) {
    EXPECT_TRUE(row.holds()) << describe(row) << " is " << row.ours << ", expected " << row.expected->text();
    known += row.expected ? 1 : 0;
  }
  EXPECT_EQ(known, 4);
}

}  // namespace
}  // namespace ergon::bench
