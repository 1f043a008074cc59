#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ergon::study {

/// Points of the Sobol sequence in [0, 1)^d with the direction numbers of [joe2008], in Gray-code order; with a seed other than 0 all
/// bits are shifted by random ones, a number per dimension (digital shift), which keeps the net.
class SobolSequence {
 public:
  static constexpr std::size_t most_dimensions = 21;
  /// Throws std::invalid_argument for more dimensions.
  explicit SobolSequence(std::size_t dimensions, std::uint64_t seed = 0);
  /// Writes the next point.
  void next(std::span<double> point);

 private:
  static constexpr int bits = 52;
  std::vector<std::array<std::uint64_t, bits>> directions_;
  std::vector<std::uint64_t> state_;
  std::vector<std::uint64_t> shift_;
  std::uint64_t index_ = 0;
};

}  // namespace ergon::study
