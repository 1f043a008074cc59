#include "ergon/numerics/sparse_lu.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace ergon::numerics {
namespace {

struct Sparse {
  std::vector<std::uint32_t> starts{0};
  std::vector<std::uint32_t> rows;
  std::vector<double> values;
  Eigen::MatrixXd dense;
};

/// A chain with some far connections; `dominance` on the diagonal, 0 leaves the diagonal out.
Sparse random_chain(int n, double dominance, std::mt19937& random) {
  std::uniform_real_distribution<double> value(-1.0, 1.0);
  std::uniform_int_distribution<int> place(0, n - 1);
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(n, n);
  for (int i = 0; i < n; ++i) {
    a(i, i) = dominance;
    a((i + 1) % n, i) = 1.0 + 0.3 * value(random);
    if (i > 0) a(i - 1, i) = value(random);
    if (i % 5 == 0) a(place(random), i) += value(random);
  }
  Sparse sparse;
  sparse.dense = a;
  for (int j = 0; j < n; ++j) {
    for (int i = n - 1; i >= 0; --i) {  // any order
      if (a(i, j) == 0.0) continue;
      sparse.rows.push_back(static_cast<std::uint32_t>(i));
      sparse.values.push_back(a(i, j));
    }
    sparse.starts.push_back(static_cast<std::uint32_t>(sparse.rows.size()));
  }
  return sparse;
}

TEST(SparseLu, SolvesWhatADenseFactorisationSolves) {
  std::mt19937 random(4);
  for (const double dominance : {4.0, 0.05, 0.0}) {
    for (const int n : {1, 2, 7, 120}) {
      if (dominance == 0.0 && n < 7) continue;  // nothing is left of those
      const Sparse a = random_chain(n, dominance, random);
      const Eigen::PartialPivLU<Eigen::MatrixXd> dense(a.dense);
      const Eigen::VectorXd b = Eigen::VectorXd::Random(n);
      const Eigen::VectorXd expected = dense.solve(b);
      SparseLu lu;
      lu.analyze(a.starts, a.rows);
      lu.factorize(a.values);
      Eigen::VectorXd x = b;
      lu.solve(x.data());
      const double rounding = 1e-15 * static_cast<double>(n) / dense.rcond();
      EXPECT_LE((x - expected).norm(), rounding * expected.norm())
          << "n = " << n << ", diagonal " << dominance;
    }
  }
}

TEST(SparseLu, PivotsWhereTheDiagonalIsTooSmall) {
  // Without an exchange of rows the factors of [1e-20 1; 1 1] lose the solution (1, 1).
  SparseLu lu;
  lu.analyze({0, 2, 4}, {0, 1, 0, 1});
  lu.factorize(std::vector<double>{1e-20, 1.0, 1.0, 1.0});
  double x[] = {1.0, 2.0};
  lu.solve(x);
  EXPECT_DOUBLE_EQ(x[0], 1.0);
  EXPECT_DOUBLE_EQ(x[1], 1.0);
}

TEST(SparseLu, DoesNotRememberWhatItFactorisedBefore) {
  std::mt19937 random(9);
  const Sparse a = random_chain(60, 3.0, random);
  SparseLu fresh;
  fresh.analyze(a.starts, a.rows);
  fresh.factorize(a.values);
  SparseLu used;
  used.analyze(a.starts, a.rows);
  std::vector<double> others = a.values;
  for (std::size_t i = 0; i < others.size(); ++i) others[i] *= i % 3 == 0 ? 1e-3 : 5.0;
  used.factorize(others);
  used.factorize(a.values);
  std::vector<double> x(60, 1.0);
  std::vector<double> y(60, 1.0);
  fresh.solve(x.data());
  used.solve(y.data());
  EXPECT_EQ(x, y);
}

TEST(SparseLu, EntriesThatAppearAndVanishChangeNoBit) {
  // The used one has met other entries that are not zero, and more and more of them; the fresh one knows only these.
  std::mt19937 random(21);
  const Sparse a = random_chain(80, 3.0, random);
  std::uniform_real_distribution<double> value(-1.0, 1.0);
  std::bernoulli_distribution vanishes(0.4);
  SparseLu used;
  used.analyze(a.starts, a.rows);
  for (int round = 0; round < 40; ++round) {
    std::vector<double> values = a.values;
    for (std::size_t i = 0; i < values.size(); ++i) {
      // The large ones stay, so that no two of them change places.
      if (std::abs(values[i]) < 2.0) values[i] = round > 0 && vanishes(random) ? 0.0 : value(random);
    }
    SparseLu fresh;
    fresh.analyze(a.starts, a.rows);
    fresh.factorize(values);
    used.factorize(values);
    std::vector<double> x(80);
    for (double& b : x) b = value(random);
    std::vector<double> y = x;
    fresh.solve(x.data());
    used.solve(y.data());
    EXPECT_EQ(x, y) << "round " << round;
    EXPECT_LE(fresh.fill(), used.fill());
  }
}

TEST(SparseLu, OfManyConnectionsLikewise) {
  // Here a value is often what several others have left, and the order of their sum shows.
  constexpr std::uint32_t n = 40;
  std::mt19937 random(3);
  std::uniform_real_distribution<double> value(-1.0, 1.0);
  std::bernoulli_distribution connected(0.12), vanishes(0.4);
  for (int matrix = 0; matrix < 10; ++matrix) {
    Sparse a;
    std::vector<bool> is_diagonal;
    for (std::uint32_t j = 0; j < n; ++j) {
      for (std::uint32_t i = 0; i < n; ++i) {
        if (i != j && !connected(random)) continue;
        a.rows.push_back(i);
        is_diagonal.push_back(i == j);
      }
      a.starts.push_back(static_cast<std::uint32_t>(a.rows.size()));
    }
    SparseLu used;
    used.analyze(a.starts, a.rows);
    for (int round = 0; round < 20; ++round) {
      a.values.clear();
      for (const bool diagonal : is_diagonal) {
        const double drawn = value(random);
        a.values.push_back(diagonal ? 5.0 + drawn : round > 0 && vanishes(random) ? 0.0 : drawn);
      }
      SparseLu fresh;
      fresh.analyze(a.starts, a.rows);
      fresh.factorize(a.values);
      used.factorize(a.values);
      std::vector<double> x(n, 1.0);
      std::vector<double> y = x;
      fresh.solve(x.data());
      used.solve(y.data());
      EXPECT_EQ(x, y) << "matrix " << matrix << ", round " << round;
    }
  }
}

TEST(SparseLu, OfADiagonalMatrixTheDiagonalIsAllThatIsKept) {
  std::mt19937 random(2);
  Sparse a = random_chain(50, 3.0, random);
  for (std::uint32_t j = 0; j < 50; ++j) {
    for (std::uint32_t p = a.starts[j]; p < a.starts[j + 1]; ++p) a.values[p] = a.rows[p] == j ? 2.0 : 0.0;
  }
  SparseLu lu;
  lu.analyze(a.starts, a.rows);
  lu.factorize(a.values);
  EXPECT_EQ(lu.fill(), 50U);
  std::vector<double> x(50, 3.0);
  lu.solve(x.data());
  EXPECT_EQ(x, std::vector<double>(50, 1.5));
}

TEST(SparseLu, WhatIsNoNumberIsInTheSolution) {
  std::mt19937 random(5);
  const Sparse a = random_chain(20, 3.0, random);
  for (const double wrong :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    SparseLu lu;
    lu.analyze(a.starts, a.rows);
    lu.factorize(a.values);
    std::vector<double> values = a.values;
    values[values.size() / 2] = wrong;
    lu.factorize(values);
    std::vector<double> x(20, 1.0);
    lu.solve(x.data());
    EXPECT_FALSE(std::all_of(x.begin(), x.end(), [](double v) { return std::isfinite(v); }));
  }
}

TEST(SparseLu, ATridiagonalMatrixFillsInNowhere) {
  for (const std::uint32_t n : {50U, 200U}) {
    std::vector<std::uint32_t> starts{0};
    std::vector<std::uint32_t> rows;
    std::vector<double> values;
    for (std::uint32_t j = 0; j < n; ++j) {
      for (std::uint32_t i = j > 0 ? j - 1 : 0; i < std::min(n, j + 2); ++i) {
        rows.push_back(i);
        values.push_back(i == j ? 4.0 : 1.0);
      }
      starts.push_back(static_cast<std::uint32_t>(rows.size()));
    }
    SparseLu lu;
    lu.analyze(starts, rows);
    lu.factorize(values);
    EXPECT_EQ(lu.fill(), 3 * n - 2);
  }
}

TEST(SparseLu, SolutionsOfASingularMatrixAreNotFinite) {
  SparseLu lu;
  lu.analyze({0, 1, 2}, {0, 0});
  lu.factorize(std::vector<double>{1.0, 1.0});
  double x[] = {1.0, 1.0};
  lu.solve(x);
  EXPECT_FALSE(std::isfinite(x[0]) && std::isfinite(x[1]));
}

}  // namespace
}  // namespace ergon::numerics
