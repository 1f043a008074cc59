#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ergon/core/api.hpp"

namespace ergon {

/// Cuts a list of steps into ranges of about the same measured cost, the dearest first, which threads take one after the other:
/// whoever is free takes the next. Where the list as a whole is so cheap that handing it over costs more than it saves, one
/// thread is all that it says.
class ERGON_API WorkShares {
 public:
  struct Range {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    double cost_s = 0.0;
  };
  /// A thread that helps must have at least so much to do: some times what waking it costs.
  static constexpr double min_per_thread_s = 10e-6;
  /// Ranges per thread: the fewer, the less even; the more, the more often they are fetched.
  static constexpr std::size_t ranges_per_thread = 4;

  /// No list will be longer. Later calls allocate nothing.
  explicit WorkShares(std::size_t longest) { ranges_.reserve(longest); }

  /// `cost_s(i)` of each step of the list, 0 where it is not known.
  template <class Cost>
  void plan(std::size_t count, unsigned threads, Cost&& cost_s) {
    double total = 0.0;
    for (std::size_t i = 0; i < count; ++i) total += cost_s(i);
    begin(total, threads);
    if (threads_ < 2) return;
    for (std::size_t i = 0; i < count; ++i) add(static_cast<std::uint32_t>(i), cost_s(i));
    order();
  }
  /// How many threads are worth it.
  [[nodiscard]] unsigned threads() const { return threads_; }
  [[nodiscard]] std::span<const Range> ranges() const { return ranges_; }

 private:
  void begin(double total_s, unsigned threads);
  void add(std::uint32_t step, double cost_s);
  void order();

  unsigned threads_ = 1;
  double wanted_s_ = 0.0;  ///< of a range
  std::vector<Range> ranges_;
};

}  // namespace ergon
