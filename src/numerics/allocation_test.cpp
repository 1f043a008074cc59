#include "support/counted_allocations.hpp"

#if ERGON_COUNTS_ALLOCATIONS

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>

#include "benchmarks/reference/linear_solution.hpp"
#include "ergon/numerics/newmark.hpp"
#include "ergon/numerics/phi_functions.hpp"
#include "ergon/numerics/sundials_integrator.hpp"

namespace ergon::numerics {
namespace {

constexpr std::size_t state_size = 6;

bool chain(double, const double* x, double* dxdt) {
  for (std::size_t i = 0; i < state_size; ++i) {
    const double left = i > 0 ? x[i - 1] : 1.0;
    dxdt[i] = 10.0 * (left - x[i]) - x[i] * x[i] * x[i];
  }
  return true;
}

TEST(Allocation, TheCounterCounts) {
  const long before = allocations;
  delete new volatile int(1);
  EXPECT_GT(allocations, before);
}

class SundialsAllocationTest : public testing::TestWithParam<SundialsMethod> {};

TEST_P(SundialsAllocationTest, NoneOnceConstructed) {
  SundialsOptions options;
  options.method = GetParam();
  SundialsIntegrator integrator(state_size, options);
  std::array<double, state_size> x{};
  const long before = allocations;
  bool ok = true;
  for (int step = 0; step < 50; ++step) ok = ok && integrator.advance(0.1 * step, 0.1, chain, x.data()).ok;
  EXPECT_EQ(allocations - before, 0);
  EXPECT_TRUE(ok);
}

INSTANTIATE_TEST_SUITE_P(Methods, SundialsAllocationTest,
                         testing::Values(SundialsMethod::cvode_bdf, SundialsMethod::cvode_adams,
                                         SundialsMethod::arkode_dirk));

TEST(Allocation, NoneInNewmark) {
  NewmarkIntegrator integrator(state_size);
  std::array<double, state_size> q{};
  std::array<double, state_size> v{};
  const auto acc = [](double t, const double* position, const double* velocity, double* a) {
    for (std::size_t i = 0; i < state_size; ++i) {
      a[i] = -std::sin(position[i]) - 0.1 * velocity[i] - 0.1 * position[(i + 1) % state_size] + std::cos(t);
    }
    return true;
  };
  const long before = allocations;
  bool ok = true;
  for (int step = 0; step < 100; ++step)
    ok = ok && integrator.step(0.1 * step, 0.1, acc, q.data(), v.data()).ok;
  EXPECT_EQ(allocations - before, 0);
  EXPECT_TRUE(ok);
}

TEST(Allocation, NoneInPhiFunctionsOfTheSameSize) {
  for (const Eigen::Index states : {2, 12, 300}) {  // Eigen's product of the last would need a heap
    PhiFunctions phi;
    phi.argument(states).setConstant(-1.0);
    phi.compute(3);
    const long before = allocations;
    phi.argument(states).setConstant(0.5 / static_cast<double>(states));
    phi.compute(3);
    EXPECT_EQ(allocations - before, 0) << states;
  }
}

TEST(Allocation, NoneInDiagonalisedLinearSolution) {
  const LinearSolution solution(std::array{0.0, 1.0, -4.0, -0.1}, std::array{1.0, 0.0});
  std::array<double, 2> z{};
  const long before = allocations;
  for (int i = 0; i < 100; ++i) solution.at(0.1 * i, z);
  EXPECT_EQ(allocations - before, 0);
}

}  // namespace
}  // namespace ergon::numerics

#endif
