#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ergon/coupling/state/archive.hpp"
#include "ergon/coupling/state/number_array.hpp"

namespace ergon {

/// How finely the efforts of all components of all bonds are sampled: for a sine Σ(Δe)² = (2 sin ωH/2)² Σ(e − mean)².
///   Σ(e − mean)² = Σd² − (Σd)²/n,   d = e − the first sample
/// The first sample is one of those that are summed, so that no more than a factor n of digits cancels; in return a point is a few
/// additions, and those of all components are one loop over arrays.
class EffortSamples {
 public:
  explicit EffortSamples(std::size_t components);

  /// A point of all bonds.
  void observe(std::span<const double> efforts);
  /// A point of one bond: of these components.
  void observe(std::span<const double> efforts, std::size_t begin, std::size_t end);

  [[nodiscard]] std::uint64_t known(std::size_t component) const { return known_[component] + of_all_; }
  [[nodiscard]] double change2(std::size_t component) const { return change2_[component]; }
  [[nodiscard]] double square_about_mean(std::size_t component) const;

  void archive(Archive& archive);

 private:
  struct Adding;
  [[nodiscard]] Adding adding(std::span<const double> efforts);

  bool all_known_ = false;
  std::uint64_t of_all_ = 0;          ///< points that all bonds shared …
  std::vector<std::uint64_t> known_;  ///< … and others, per component
  NumberArray first_;
  NumberArray last_;
  NumberArray sum_;      ///< Σd
  NumberArray square_;   ///< Σd²
  NumberArray change2_;  ///< Σ(Δe)²
};

}  // namespace ergon
