#pragma once

#include <algorithm>
#include <cmath>

namespace ergon {

/// The instants t₀ + k·T, k = 0, 1, …, of who samples.
class SampleClock {
 public:
  explicit SampleClock(double period_s) : period_s_(period_s) {}
  void start(double t0_s) { start_s_ = t0_s; }
  [[nodiscard]] double period_s() const { return period_s_; }

  static constexpr const char* too_many = "more than 1e9 samples in one communication step";
  [[nodiscard]] bool can_step(double h) const { return h / period_s_ <= 1e9; }

  /// Calls `sample` with the seconds since t, for every instant in [t, t + h), one after the other.
  template <typename Sample>
  void for_instants(double t, double h, Sample sample) const {
    const double first = std::ceil((t - start_s_) / period_s_ - slack);
    for (double k = first;; k += 1.0) {
      const double tau = start_s_ + k * period_s_ - t;
      if (!(tau < h - slack * period_s_)) return;
      sample(std::max(tau, 0.0));
    }
  }
  [[nodiscard]] bool is_instant(double t) const {
    const double k = (t - start_s_) / period_s_;
    return std::abs(k - std::round(k)) <= slack;
  }

 private:
  static constexpr double slack = 1e-6;  // of a period: times are rounded
  double period_s_;
  double start_s_ = 0.0;
};

}  // namespace ergon
