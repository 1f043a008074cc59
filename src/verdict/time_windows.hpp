#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "ergon/core/time_grid.hpp"

namespace ergon {

/// Divides the time since t₀ into at most `capacity` equal windows, however long the run will be: when a point lies
/// beyond the last one, neighbours are merged. Memory is bounded, and between `capacity`/2 and `capacity` windows are in
/// use.
class TimeWindows {
 public:
  static constexpr std::size_t capacity = 128;

  /// The step that ends at `k` belongs to this window.
  [[nodiscard]] std::size_t index(Tick k) const {
    // A width is a power of 2.
    return k == 0 ? 0
                  : static_cast<std::size_t>((k - 1) >> std::countr_zero(static_cast<std::uint64_t>(width_)));
  }
  [[nodiscard]] bool must_widen(Tick k) const { return index(k) >= capacity; }
  void widen() { width_ *= 2; }
  [[nodiscard]] Tick begin(std::size_t window) const { return static_cast<Tick>(window) * width_; }
  [[nodiscard]] Tick end(std::size_t window) const { return begin(window + 1); }

  /// What a series of windows must do at each `widen`. `Cell` has `merge(const Cell&)` and starts empty.
  template <class Cell>
  static void merge_pairs(std::span<Cell> cells) {
    merge_pairs(cells, 1, [](Cell merged, const Cell& next) {
      merged.merge(next);
      return merged;
    });
  }
  /// So many series stand side by side, window by window.
  template <class Cell, class Merged>
  static void merge_pairs(std::span<Cell> cells, std::size_t series, const Merged& merged) {
    const std::size_t half = cells.size() / (2 * series);
    for (std::size_t i = 0; i < half; ++i) {
      for (std::size_t j = 0; j < series; ++j)
        cells[i * series + j] = merged(cells[2 * i * series + j], cells[(2 * i + 1) * series + j]);
    }
    for (std::size_t i = half * series; i < cells.size(); ++i) cells[i] = {};
  }

 private:
  Tick width_ = 1;
};

}  // namespace ergon
