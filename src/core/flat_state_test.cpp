#include "ergon/core/flat_state.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace ergon {
namespace {

class Numbers final : public FlatState {
 public:
  explicit Numbers(std::vector<double> numbers) : row(std::move(numbers)) {}
  std::vector<double> row;

 private:
  [[nodiscard]] std::size_t row_size() const override { return row.size(); }
  void write_row(std::span<double> to) const override { std::copy(row.begin(), row.end(), to.begin()); }
  void read_row(std::span<const double> from) override { std::copy(from.begin(), from.end(), row.begin()); }
};

TEST(FlatState, SlotsAreIndependentOfEachOtherAndOfTheState) {
  Numbers state({1.0, -2.0});
  const auto first = state.make_slot(), second = state.make_slot();
  state.save(*first);
  state.row = {3.0, 4.0};
  state.save(*second);
  state.row = {5.0, 6.0};
  state.restore(*first);
  EXPECT_EQ(state.row, (std::vector{1.0, -2.0}));
  state.restore(*second);
  EXPECT_EQ(state.row, (std::vector{3.0, 4.0}));
}

TEST(FlatState, BytesGoOnInAnotherInstance) {
  Numbers state({1.0, -0.0}), other({0.0, 0.0});
  const auto slot = state.make_slot(), others = other.make_slot();
  state.save(*slot);
  std::vector<std::byte> bytes(100);
  state.serialize(*slot, bytes);
  EXPECT_EQ(bytes.size(), 2 * sizeof(double));
  ASSERT_TRUE(other.deserialize(bytes, *others));
  other.restore(*others);
  EXPECT_EQ(other.row, state.row);
  EXPECT_TRUE(std::signbit(other.row[1]));
}

TEST(FlatState, BytesOfAnotherLengthAreRefusedAndLeaveTheSlot) {
  Numbers state({1.0, 2.0});
  const auto slot = state.make_slot();
  state.save(*slot);
  std::vector<std::byte> bytes;
  state.serialize(*slot, bytes);
  bytes.push_back(std::byte{1});
  EXPECT_FALSE(state.deserialize(bytes, *slot));
  bytes.resize(8);
  EXPECT_FALSE(state.deserialize(bytes, *slot));
  state.row = {0.0, 0.0};
  state.restore(*slot);
  EXPECT_EQ(state.row, (std::vector{1.0, 2.0}));
}

TEST(FlatState, WithoutStatesThereIsNothingToSave) {
  class Nothing final : public NoState {};
  Nothing nothing;
  const auto slot = nothing.make_slot();
  std::vector<std::byte> bytes(3);
  nothing.save(*slot);
  nothing.serialize(*slot, bytes);
  EXPECT_TRUE(bytes.empty());
  EXPECT_TRUE(nothing.deserialize(bytes, *slot));
  EXPECT_TRUE(nothing.state_names().empty());
}

}  // namespace
}  // namespace ergon
