#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ergon/core/time_grid.hpp"

namespace ergon {

/// The last few samples of all outputs that become visible together: planes of equal width that rotate, so that a
/// commit copies nothing. One plane beyond the history is pending: it is written during a step.
/// Beside the reals a plane may have integers and texts: they become visible with the same commit.
class SampleRing {
 public:
  SampleRing() = default;
  /// Keeps up to `history` committed samples of `width` values.
  SampleRing(std::size_t history, std::size_t width, std::size_t integers = 0, std::size_t texts = 0)
      : width_(width),
        planes_(history + 1),
        end_(planes_ * width),
        data_(end_),
        ticks_(planes_, 0),
        integers_(integers),
        texts_(texts),
        integer_data_(planes_ * integers),
        text_data_(planes_ * texts) {
    find_places();
  }

  [[nodiscard]] std::size_t width() const { return width_; }
  /// Number of committed samples.
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] double* pending() { return data_.data() + pending_at_; }
  /// The pending plane becomes the newest sample, of time `k`.
  void commit(Tick k) {
    head_ = wrap(head_ + 1);
    newest_at_ = pending_at_;
    pending_at_ += width_;
    if (pending_at_ == end_) pending_at_ = 0;
    ticks_[head_] = k;
    if (count_ + 1 < planes_) ++count_;
  }
  /// age 0 is the newest.
  [[nodiscard]] const double* sample(std::size_t age) const {
    return data_.data() + wrap(head_ + planes_ - age) * width_;
  }
  [[nodiscard]] double* newest() { return data_.data() + newest_at_; }
  [[nodiscard]] const double* newest() const { return data_.data() + newest_at_; }
  [[nodiscard]] Tick tick(std::size_t age) const { return ticks_[wrap(head_ + planes_ - age)]; }
  /// The newest sample that is not in the future of `k`.
  [[nodiscard]] const double* sample_at(Tick k) const { return sample(age_at(k)); }
  /// … how old it is.
  [[nodiscard]] std::size_t age_at(Tick k) const {
    std::size_t age = 0;
    while (age + 1 < count_ && tick(age) > k) ++age;
    return age;
  }
  // ── Integers and texts of the same planes ──
  [[nodiscard]] std::int64_t* pending_integers() {
    return integer_data_.data() + wrap(head_ + 1) * integers_;
  }
  [[nodiscard]] std::string* pending_texts() { return text_data_.data() + wrap(head_ + 1) * texts_; }
  [[nodiscard]] std::int64_t* newest_integers() { return integer_data_.data() + head_ * integers_; }
  [[nodiscard]] std::string* newest_texts() { return text_data_.data() + head_ * texts_; }
  [[nodiscard]] const std::int64_t* integers(std::size_t age) const {
    return integer_data_.data() + wrap(head_ + planes_ - age) * integers_;
  }
  [[nodiscard]] const std::string* texts(std::size_t age) const {
    return text_data_.data() + wrap(head_ + planes_ - age) * texts_;
  }
  [[nodiscard]] const std::int64_t* integers_at(Tick k) const { return integers(age_at(k)); }
  [[nodiscard]] const std::string* texts_at(Tick k) const { return texts(age_at(k)); }
  /// The pending plane begins with the newest integers and texts of `other`, which is as wide.
  void hold_discrete(const SampleRing& other) { copy_discrete(other, wrap(head_ + 1)); }
  /// The newest sample gets the newest integers and texts of `other`.
  void adopt_discrete(const SampleRing& other) { copy_discrete(other, head_); }

  /// Appends an older sample behind the oldest one (a history given from outside; integers and texts were as they are);
  /// false if there is no room.
  bool append_older(Tick k, const double* values) {
    if (count_ + 1 >= planes_) return false;
    const std::size_t plane = wrap(head_ + planes_ - count_);
    for (std::size_t i = 0; i < width_; ++i) data_[plane * width_ + i] = values[i];
    copy_discrete(*this, plane);
    ticks_[plane] = k;
    ++count_;
    return true;
  }
  /// Forgets everything; the returned plane is the one and only sample, of time `k`.
  double* restart(Tick k) {
    head_ = 0;
    ticks_[0] = k;
    count_ = 1;
    find_places();
    return newest();
  }

  /// All that changes, for any visitor that takes numbers and spans of them.
  template <class Visitor>
  void archive(Visitor& visit) {
    visit(std::span<double>(data_));
    visit(std::span<std::int64_t>(integer_data_));
    for (std::string& text : text_data_) visit(text);
    visit(std::span<Tick>(ticks_));
    visit(head_);
    visit(count_);
    find_places();
  }

 private:
  [[nodiscard]] std::size_t wrap(std::size_t plane) const {
    return plane >= planes_ ? plane - planes_ : plane;
  }

  void find_places() {
    newest_at_ = head_ * width_;
    pending_at_ = wrap(head_ + 1) * width_;
  }

  void copy_discrete(const SampleRing& from, std::size_t plane) {
    std::copy_n(from.integers(0), integers_, integer_data_.data() + plane * integers_);
    std::copy_n(from.texts(0), texts_, text_data_.data() + plane * texts_);
  }

  // What every step of every subsystem touches comes first.
  std::size_t width_ = 0;
  std::size_t planes_ = 1;
  std::size_t head_ = 0;
  std::size_t count_ = 0;
  std::size_t newest_at_ =
      0;  ///< in `data_`: follows from `head_`, and saves sweeps of thousands a product each
  std::size_t pending_at_ = 0;  ///< likewise
  std::size_t end_ = 0;
  std::vector<double> data_;
  std::vector<Tick> ticks_;
  std::size_t integers_ = 0;
  std::size_t texts_ = 0;
  std::vector<std::int64_t> integer_data_;
  std::vector<std::string> text_data_;
};

}  // namespace ergon
