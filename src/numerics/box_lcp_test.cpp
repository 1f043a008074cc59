#include "ergon/numerics/box_lcp.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <limits>
#include <random>

namespace ergon {
namespace {

using Index = Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
constexpr double infinite = std::numeric_limits<double>::infinity();

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double normal() { return normal_(engine_); }
  double uniform() { return uniform_(engine_); }
  MatrixXd matrix(Index rows, Index columns) {
    return MatrixXd::NullaryExpr(rows, columns, [&] { return normal(); });
  }

 private:
  std::mt19937 engine_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_{0.0, 1.0};
};

struct Problem {
  MatrixXd W;
  VectorXd q, lo, up;
};

/// With a solution that is known: x and w are chosen, q follows. `rank` below the number of rows makes W singular;
/// `degenerate` rows sit on a bound with w = 0.
Problem random_problem(Index rows, Index rank, double degenerate, Random& random) {
  Problem p;
  const MatrixXd A = random.matrix(rows, rank);
  p.W = A * A.transpose() / static_cast<double>(rank);
  p.lo.resize(rows);
  p.up.resize(rows);
  VectorXd x(rows), w(rows);
  for (Index i = 0; i < rows; ++i) {
    const double kind = random.uniform();
    p.lo[i] = kind < 0.6 ? 0.0 : kind < 0.9 ? -random.uniform() : -infinite;
    p.up[i] = kind < 0.6 ? infinite : kind < 0.9 ? random.uniform() : infinite;
    x[i] = std::clamp(random.normal(), p.lo[i], p.up[i]);
    w[i] = x[i] == p.lo[i] ? random.uniform() : x[i] == p.up[i] ? -random.uniform() : 0.0;
    if (random.uniform() < degenerate && std::isfinite(p.lo[i])) {
      x[i] = p.lo[i];
      w[i] = 0.0;
    }
    if (random.uniform() < 0.02) p.lo[i] = p.up[i] = x[i] = 0.25;  // a row that is told
  }
  p.q = w - p.W * x;
  return p;
}

double residual_of(const Problem& p, const VectorXd& x) {
  return natural_residual(x, p.W * x + p.q, p.lo, p.up);
}

TEST(BoxLcp, SolvesRandomProblemsOfOneToTwoHundredRows) {
  Random random(1);
  BoxLcp solver;
  for (Index rows = 1; rows <= 200; rows += rows < 20 ? 1 : 15) {
    for (int repeat = 0; repeat < 4; ++repeat) {
      const Problem p = random_problem(rows, rows + 5, 0.0, random);
      VectorXd x = VectorXd::Zero(rows);
      std::vector<RowState> states;
      solver.matrix_changed();
      const auto result = solver.solve({p.W, p.q, p.lo, p.up}, x, states);
      EXPECT_TRUE(result.converged) << rows;
      EXPECT_EQ(result.method, BoxLcp::Method::pivoting);
      EXPECT_LE(residual_of(p, x), 1e-8) << rows;
    }
  }
}

// A matrix of half the rank, rows that sit on their bounds with w = 0, and rows that are there twice.
TEST(BoxLcp, SolvesDegenerateProblems) {
  Random random(2);
  BoxLcp solver;
  for (Index rows = 2; rows <= 200; rows += rows < 20 ? 1 : 15) {
    for (int repeat = 0; repeat < 4; ++repeat) {
      const Problem p = random_problem(rows, std::max<Index>(1, rows / 2), 0.3, random);
      VectorXd x = VectorXd::Zero(rows);
      std::vector<RowState> states;
      solver.matrix_changed();
      const auto result = solver.solve({p.W, p.q, p.lo, p.up}, x, states);
      EXPECT_TRUE(result.converged) << rows << " " << static_cast<int>(result.method) << " "
                                    << result.residual;
      EXPECT_LE(residual_of(p, x), 1e-8) << rows;
    }
  }
}

/// Tries every partition into active, lower and upper.
VectorXd enumerate(const Problem& p) {
  const Index n = p.q.size();
  long count = 1;
  for (Index i = 0; i < n; ++i) count *= 3;
  for (long code = 0; code < count; ++code) {
    std::vector<Index> active;
    VectorXd x = VectorXd::Zero(n);
    long rest = code;
    bool possible = true;
    for (Index i = 0; i < n; ++i, rest /= 3) {
      if (rest % 3 == 0) active.push_back(i);
      if (rest % 3 == 1) x[i] = p.lo[i];
      if (rest % 3 == 2) x[i] = p.up[i];
      possible = possible && std::isfinite(x[i]);
    }
    if (!possible) continue;
    const auto m = static_cast<Index>(active.size());
    const VectorXd given = p.W * x + p.q;
    const VectorXd solved = -MatrixXd(p.W(active, active)).ldlt().solve(VectorXd(given(active)));
    for (Index a = 0; a < m; ++a) x[active[static_cast<std::size_t>(a)]] = solved[a];
    if (residual_of(p, x) < 1e-10) return x;
  }
  return VectorXd::Constant(n, std::numeric_limits<double>::quiet_NaN());
}

TEST(BoxLcp, AgreesWithEnumerationOfAllPartitions) {
  Random random(3);
  BoxLcp solver;
  for (int repeat = 0; repeat < 200; ++repeat) {
    const Index rows = 1 + repeat % 7;
    Problem p = random_problem(rows, rows + 2, 0.0, random);
    p.q = random.matrix(rows, 1);  // no solution known beforehand
    VectorXd x = VectorXd::Zero(rows);
    std::vector<RowState> states(static_cast<std::size_t>(rows),
                                 repeat % 2 == 0 ? RowState::active : RowState::lower);
    solver.matrix_changed();
    solver.solve({p.W, p.q, p.lo, p.up}, x, states);
    // W is positive definite, so that there is one solution.
    EXPECT_LE((x - enumerate(p)).lpNorm<Eigen::Infinity>(), 1e-8) << repeat;
  }
}

// Block pivoting alone runs in a circle on some matrices; the least-index rule ends it.
TEST(BoxLcp, EndsFromEveryStart) {
  Problem p;
  p.W.resize(3, 3);
  p.W << 1.0, 0.9, 0.9, 0.9, 1.0, 0.9, 0.9, 0.9, 1.0;
  p.q = VectorXd::Constant(3, -1.0);
  p.lo = VectorXd::Zero(3);
  p.up = VectorXd::Constant(3, infinite);
  BoxLcp solver;
  for (int code = 0; code < 8; ++code) {
    std::vector<RowState> states;
    for (int i = 0; i < 3; ++i) states.push_back((code >> i) % 2 == 0 ? RowState::active : RowState::lower);
    VectorXd x = VectorXd::Zero(3);
    EXPECT_TRUE(solver.solve({p.W, p.q, p.lo, p.up}, x, states).converged);
    EXPECT_NEAR(x[0], 1.0 / 2.8, 1e-12);
  }
}

TEST(BoxLcp, SaysSoWhereThereIsNoSolution) {
  // w = 0·x + 1 must be 0: nothing can do that.
  const MatrixXd W = MatrixXd::Zero(1, 1);
  const VectorXd one = VectorXd::Ones(1), low = VectorXd::Constant(1, -infinite), high = -low;
  VectorXd x = VectorXd::Zero(1);
  std::vector<RowState> states;
  EXPECT_FALSE(BoxLcp().solve({W, one, low, high}, x, states).converged);
}

}  // namespace
}  // namespace ergon
