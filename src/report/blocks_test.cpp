#include "ergon/report/blocks.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace ergon::report {
namespace {

/// What the page does with a block (web/src/data.ts), written again.
std::vector<double> unpacked(const std::vector<unsigned char>& bytes) {
  const std::size_t size = bytes[0];
  double offset = 0.0;
  std::memcpy(&offset, bytes.data() + 1, 8);
  const std::size_t n = (bytes.size() - 9) / size;
  std::vector<double> numbers(n);
  std::uint64_t last = 0;
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t difference = 0;
    for (std::size_t k = 0; k < size; ++k)
      difference |= static_cast<std::uint64_t>(bytes[9 + k * n + i]) << (8 * k);
    last += difference;
    numbers[i] = size == 8 ? std::bit_cast<double>(last)
                           : offset + std::bit_cast<float>(static_cast<std::uint32_t>(last));
  }
  return numbers;
}

std::vector<double> wave(double mean, double amplitude) {
  std::vector<double> numbers;
  for (int i = 0; i < 1000; ++i) numbers.push_back(mean + amplitude * std::sin(0.01 * i));
  return numbers;
}

TEST(Blocks, AreExactWhereAsked) {
  std::vector<double> numbers = wave(1e4, 1e-7);
  numbers.push_back(std::numeric_limits<double>::quiet_NaN());
  numbers.push_back(-std::numeric_limits<double>::infinity());
  numbers.push_back(-0.0);
  const std::vector<double> back = unpacked(packed(numbers, true));
  ASSERT_EQ(back.size(), numbers.size());
  EXPECT_EQ(std::memcmp(back.data(), numbers.data(), numbers.size() * sizeof(double)), 0);
}

// A float has 24 bits: half a unit of the last is 2⁻²⁵ of the distance from the offset, and as much again is lost where the
// offset is added.
TEST(Blocks, KeepSmallChangesOfLargeNumbers) {
  const std::vector<double> numbers = wave(1e4, 1e-3);
  const std::vector<double> back = unpacked(packed(numbers, false));
  for (std::size_t i = 0; i < numbers.size(); ++i)
    EXPECT_NEAR(back[i], numbers[i], std::ldexp(std::abs(numbers[i] - numbers[0]), -24) + 2e-12);
}

TEST(Blocks, KeepWholeNumbersAndWhatIsNoNumber) {
  const std::vector<double> numbers = {3.0, -7.0, 16777216.0, 0.0};
  EXPECT_EQ(unpacked(packed(numbers, false)), numbers);
  const std::vector<double> gaps = {std::numeric_limits<double>::quiet_NaN(), 0.1,
                                    std::numeric_limits<double>::infinity()};
  const std::vector<double> back = unpacked(packed(gaps, false));
  EXPECT_TRUE(std::isnan(back[0]));
  EXPECT_EQ(back[1], 0.1);
  EXPECT_TRUE(std::isinf(back[2]));
}

TEST(Blocks, WhatNoFloatCanHoldKeepsItsBits) {
  const std::vector<double> numbers = {1.0, 1e200, -1e-200};
  EXPECT_EQ(unpacked(packed(numbers, false)), numbers);
}

TEST(Blocks, MayBeEmpty) {
  EXPECT_TRUE(unpacked(packed({}, false)).empty());
}

// RFC 4648, Sect. 10
TEST(Base64, IsThatOfTheStandard) {
  const auto of = [](std::string_view text) {
    const std::vector<unsigned char> bytes(text.begin(), text.end());
    return base64(bytes);
  };
  EXPECT_EQ(of(""), "");
  EXPECT_EQ(of("f"), "Zg==");
  EXPECT_EQ(of("fo"), "Zm8=");
  EXPECT_EQ(of("foo"), "Zm9v");
  EXPECT_EQ(of("foobar"), "Zm9vYmFy");
}

TEST(Blocks, SmoothResultsTakeAFewBytesPerNumber) {
  Blocks blocks(false);
  static_cast<void>(blocks.add(wave(0.0, 1.0)));
  std::size_t letters = 0;
  blocks.write_html([&](std::string_view piece) { letters += piece.size(); });
  EXPECT_LT(letters, 4U * 1000U);
}

// Pieces of a block are threes of bytes: their letters behind each other are those of the whole.
TEST(Blocks, LettersDoNotDependOnPieces) {
  Blocks blocks(true);
  std::vector<double> numbers(40000);
  std::uint64_t bits = 1;
  for (double& number : numbers) {
    bits = bits * 6364136223846793005U + 1442695040888963407U;
    number = static_cast<double>(bits >> 11U) * 1e-7;
  }
  blocks.add(numbers);
  std::vector<std::string> pieces;
  blocks.write_html([&](std::string_view piece) { pieces.emplace_back(piece); });
  ASSERT_GT(pieces.size(), 4U) << "it is one piece";
  std::string text;
  for (std::size_t i = 1; i + 1 < pieces.size(); ++i) {
    EXPECT_EQ(pieces[i].find('=') == std::string::npos, i + 2 < pieces.size() || pieces[i].back() != '=');
    text += pieces[i];
  }
  // Nothing but the end is filled up.
  EXPECT_LE(std::count(text.begin(), text.end(), '='), 2);
  EXPECT_EQ(text.find('=') == std::string::npos ? text.size() : text.find('='),
            text.size() - static_cast<std::size_t>(std::count(text.begin(), text.end(), '=')));
  EXPECT_EQ(text.size() % 4, 0U);
}

}  // namespace
}  // namespace ergon::report
