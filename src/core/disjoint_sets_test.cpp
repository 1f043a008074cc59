#include "ergon/core/disjoint_sets.hpp"

#include <gtest/gtest.h>

namespace ergon {
namespace {

TEST(DisjointSets, TheLowestNumberStandsForAllThatAreJoined) {
  DisjointSets sets(6);
  sets.join(5, 4);
  sets.join(3, 5);
  sets.join(1, 0);
  EXPECT_EQ(sets.find(5), 3U);
  EXPECT_EQ(sets.find(4), 3U);
  EXPECT_EQ(sets.find(1), 0U);
  EXPECT_EQ(sets.find(2), 2U) << "nothing joins it";
  sets.join(4, 1);
  for (const std::size_t i : {0U, 1U, 3U, 4U, 5U}) EXPECT_EQ(sets.find(i), 0U);
  sets.reset();
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(sets.find(i), i);
}

}  // namespace
}  // namespace ergon
