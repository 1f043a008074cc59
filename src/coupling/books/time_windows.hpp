#pragma once

#include <cstddef>
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
    return k == 0 ? 0 : static_cast<std::size_t>((k - 1) / width_);
  }
  [[nodiscard]] bool must_widen(Tick k) const { return index(k) >= capacity; }
  void widen() { width_ *= 2; }
  [[nodiscard]] Tick begin(std::size_t window) const { return static_cast<Tick>(window) * width_; }
  [[nodiscard]] Tick end(std::size_t window) const { return begin(window + 1); }

  /// What a series of windows must do at each `widen`. `Cell` has `merge(const Cell&)` and starts empty.
  template <class Cell>
  static void merge_pairs(std::span<Cell> cells) {
    for (std::size_t i = 0; i < cells.size() / 2; ++i) {
      Cell merged = cells[2 * i];
      merged.merge(cells[2 * i + 1]);
      cells[i] = merged;
    }
    for (std::size_t i = cells.size() / 2; i < cells.size(); ++i) cells[i] = {};
  }

 private:
  Tick width_ = 1;
};

}  // namespace ergon
