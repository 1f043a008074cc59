#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace ergon {

/// Connected components: which of n things are joined, at once or through others. The lowest number of a set stands for it.
class DisjointSets {
 public:
  explicit DisjointSets(std::size_t size) : parent_(size) { reset(); }

  /// Each is alone again.
  void reset() { std::iota(parent_.begin(), parent_.end(), std::size_t{0}); }
  void join(std::size_t a, std::size_t b) {
    a = find(a);
    b = find(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }
  /// The lowest number of its set.
  [[nodiscard]] std::size_t find(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }

 private:
  std::vector<std::size_t> parent_;
};

}  // namespace ergon
