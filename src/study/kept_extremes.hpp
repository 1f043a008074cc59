#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

namespace ergon::study {

/// The course of a number in bounded memory: the lowest and highest value per stretch of time, in at most 2¹⁶ stretches. Where there
/// are more points, two neighbouring stretches become one.
class KeptExtremes {
 public:
  void add(double t, double x) {
    if (in_last_ == points_per_stretch_ || stretches_.empty()) {
      if (stretches_.size() == most_stretches) halve();
      stretches_.push_back({t, x, x});
      in_last_ = 0;
    }
    Stretch& last = stretches_.back();
    last.end = t;
    last.low = std::min(last.low, x);
    last.high = std::max(last.high, x);
    ++in_last_;
  }

  /// The end of the last stretch with a value further than `band` from `centre`; nothing where there is none.
  [[nodiscard]] std::optional<double> last_outside(double centre, double band) const {
    for (auto s = stretches_.rbegin(); s != stretches_.rend(); ++s) {
      if (!(std::abs(s->low - centre) <= band) || !(std::abs(s->high - centre) <= band)) return s->end;
    }
    return std::nullopt;
  }

 private:
  static constexpr std::size_t most_stretches = 1U << 16U;
  struct Stretch {
    double end, low, high;
  };

  void halve() {
    for (std::size_t i = 0; 2 * i + 1 < stretches_.size(); ++i) {
      const Stretch& a = stretches_[2 * i];
      const Stretch& b = stretches_[2 * i + 1];
      stretches_[i] = {b.end, std::min(a.low, b.low), std::max(a.high, b.high)};
    }
    stretches_.resize(stretches_.size() / 2);
    points_per_stretch_ *= 2;
    // The newest stretch is whole: it was about to be followed by another one.
  }

  std::vector<Stretch> stretches_;
  std::size_t points_per_stretch_ = 1;
  std::size_t in_last_ = 0;
};

}  // namespace ergon::study
