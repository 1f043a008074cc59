#include "ergon/coupling/schemes/work_shares.hpp"

#include <algorithm>

namespace ergon {

void WorkShares::begin(double total_s, unsigned threads) {
  ranges_.clear();
  const double worth = std::min(total_s / min_per_thread_s, static_cast<double>(threads));
  threads_ = worth >= 2.0 ? static_cast<unsigned>(worth) : 1;
  wanted_s_ = total_s / static_cast<double>(threads_ * ranges_per_thread);
}

void WorkShares::add(std::uint32_t step, double cost_s) {
  // A range is closed when one more would take it further from what is wanted than it is.
  if (ranges_.empty() || ranges_.back().cost_s + 0.5 * cost_s > wanted_s_)
    ranges_.push_back({step, step, 0.0});
  ranges_.back().last = step + 1;
  ranges_.back().cost_s += cost_s;
}

void WorkShares::order() {
  std::sort(ranges_.begin(), ranges_.end(), [](const Range& a, const Range& b) {
    return a.cost_s != b.cost_s ? a.cost_s > b.cost_s : a.first < b.first;
  });
}

}  // namespace ergon
