#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "ergon/core/time_grid.hpp"

namespace ergon {

/// The last few samples of all outputs that become visible together: planes of equal width that rotate, so that a
/// commit copies nothing. One plane beyond the history is pending: it is written during a step.
class SampleRing {
 public:
  SampleRing() = default;
  /// Keeps up to `history` committed samples of `width` values.
  SampleRing(std::size_t history, std::size_t width)
      : width_(width), planes_(history + 1), data_(planes_ * width), ticks_(planes_, 0) {}

  [[nodiscard]] std::size_t width() const { return width_; }
  /// Number of committed samples.
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] double* pending() { return data_.data() + wrap(head_ + 1) * width_; }
  /// The pending plane becomes the newest sample, of time `k`.
  void commit(Tick k) {
    head_ = wrap(head_ + 1);
    ticks_[head_] = k;
    if (count_ + 1 < planes_) ++count_;
  }
  /// age 0 is the newest.
  [[nodiscard]] const double* sample(std::size_t age) const {
    return data_.data() + wrap(head_ + planes_ - age) * width_;
  }
  [[nodiscard]] double* newest() { return data_.data() + head_ * width_; }
  [[nodiscard]] Tick tick(std::size_t age) const { return ticks_[wrap(head_ + planes_ - age)]; }
  /// The newest sample that is not in the future of `k`.
  [[nodiscard]] const double* sample_at(Tick k) const {
    std::size_t age = 0;
    while (age + 1 < count_ && tick(age) > k) ++age;
    return sample(age);
  }
  /// Appends an older sample behind the oldest one (a history given from outside); false if there is no room.
  bool append_older(Tick k, const double* values) {
    if (count_ + 1 >= planes_) return false;
    const std::size_t plane = wrap(head_ + planes_ - count_);
    for (std::size_t i = 0; i < width_; ++i) data_[plane * width_ + i] = values[i];
    ticks_[plane] = k;
    ++count_;
    return true;
  }
  /// Forgets everything; the returned plane is the one and only sample, of time `k`.
  double* restart(Tick k) {
    head_ = 0;
    ticks_[0] = k;
    count_ = 1;
    return newest();
  }

  /// All that changes, for any visitor that takes numbers and spans of them.
  template <class Visitor>
  void archive(Visitor& visit) {
    visit(std::span<double>(data_));
    visit(std::span<Tick>(ticks_));
    visit(head_);
    visit(count_);
  }

 private:
  [[nodiscard]] std::size_t wrap(std::size_t plane) const {
    return plane >= planes_ ? plane - planes_ : plane;
  }

  std::size_t width_ = 0;
  std::size_t planes_ = 1;
  std::vector<double> data_;
  std::vector<Tick> ticks_;
  std::size_t head_ = 0;
  std::size_t count_ = 0;
};

}  // namespace ergon
