#include "ergon/numerics/block_cholesky.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <random>

namespace ergon {
namespace {

using Pair = BlockCholesky::Pair;

/// Positive definite: a diagonal, and one random rank-3 coupling for each pair.
struct RandomBlocks {
  RandomBlocks(std::size_t size, const std::vector<Pair>& pairs, unsigned seed) {
    std::mt19937 generator(seed);
    std::uniform_real_distribution<double> between(-1.0, 1.0);
    factor.analyze(size, pairs);
    fill(size, pairs, [&] { return between(generator); });
  }
  template <typename Draw>
  void fill(std::size_t size, const std::vector<Pair>& pairs, Draw draw) {
    const auto n = static_cast<Eigen::Index>(6 * size);
    dense = Eigen::MatrixXd::Zero(n, n);
    factor.set_zero();
    for (std::size_t i = 0; i < size; ++i) {
      const BlockCholesky::Block mass = (2.0 + draw()) * BlockCholesky::Block::Identity();
      factor.add_diagonal(i, mass);
      dense.block<6, 6>(static_cast<Eigen::Index>(6 * i), static_cast<Eigen::Index>(6 * i)) += mass;
    }
    for (const auto& [i, j] : pairs) {
      Eigen::Matrix<double, 6, 3> a, b;
      for (Eigen::Index k = 0; k < 18; ++k) a(k) = draw();
      for (Eigen::Index k = 0; k < 18; ++k) b(k) = draw();
      factor.add_diagonal(i, a * a.transpose());
      factor.add_diagonal(j, b * b.transpose());
      factor.add(i, j, a * b.transpose());
      const Eigen::Index at_i = 6 * static_cast<Eigen::Index>(i), at_j = 6 * static_cast<Eigen::Index>(j);
      dense.block<6, 6>(at_i, at_i) += a * a.transpose();
      dense.block<6, 6>(at_j, at_j) += b * b.transpose();
      dense.block<6, 6>(at_i, at_j) += a * b.transpose();
      dense.block<6, 6>(at_j, at_i) += b * a.transpose();
    }
  }
  BlockCholesky factor;
  Eigen::MatrixXd dense;
};

TEST(BlockCholesky, SolvesAsADenseFactorisationDoes) {
  std::mt19937 generator(3);
  for (const std::size_t size : {1U, 2U, 3U, 12U, 40U}) {
    std::vector<Pair> pairs;
    std::uniform_int_distribution<std::uint32_t> any(0, static_cast<std::uint32_t>(size) - 1);
    for (std::size_t k = 0; k < 2 * size; ++k) {
      const Pair pair{any(generator), any(generator)};
      if (pair.first != pair.second) pairs.push_back(pair);  // some twice, some both ways
    }
    RandomBlocks problem(size, pairs, 7);
    const Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(static_cast<Eigen::Index>(6 * size), -1.0, 2.0);
    ASSERT_TRUE(problem.factor.factorize());
    Eigen::VectorXd x = b;
    problem.factor.solve(x);
    EXPECT_LT((x - problem.dense.llt().solve(b)).cwiseAbs().maxCoeff(), 1e-11) << size;
  }
}

TEST(BlockCholesky, AChainHasNoFillAndABlockThatIsNotThereIsReported) {
  std::vector<Pair> pairs;
  for (std::uint32_t i = 0; i + 1 < 50; ++i) pairs.emplace_back(i, i + 1);
  RandomBlocks problem(50, pairs, 1);
  EXPECT_EQ(problem.factor.fill(), 49U);
  EXPECT_TRUE(problem.factor.has(3, 4));
  EXPECT_TRUE(problem.factor.has(4, 3));
  EXPECT_FALSE(problem.factor.has(3, 40));
}

TEST(BlockCholesky, AMatrixThatIsNotPositiveDefiniteIsRefused) {
  BlockCholesky factor;
  factor.analyze(2, {});
  factor.set_zero();
  factor.add_diagonal(0, BlockCholesky::Block::Identity());
  EXPECT_FALSE(factor.factorize());
}

}  // namespace
}  // namespace ergon
