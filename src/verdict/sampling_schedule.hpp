#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ergon/coupling/state/archive.hpp"
#include "ergon/verdict/verdict_limits.hpp"

namespace ergon {

/// At which points figures that are dear to read are sampled: those of a subject (a bond, a group) at its every so many-th point.
/// The points at which no subject is due are counted once for all of them, so that a point between two samples costs one decrement,
/// however many subjects there are.
class SamplingSchedule {
 public:
  /// `each_window`: sampled in every window of time, too, however few points it has.
  explicit SamplingSchedule(std::size_t subjects, bool each_window = false)
      : subjects_(subjects), each_window_(each_window) {}

  /// A point of all subjects at which none is due: nothing is left to do.
  [[nodiscard]] bool skip(std::size_t window) {
    if (skipped_.left <= 0 || (each_window_ && window != skipped_.window)) return false;
    --skipped_.left;
    ++skipped_.passed;
    return true;
  }
  /// Before single subjects are asked: takes the points that were skipped off all of them.
  void resume() {
    if (skipped_.passed > 0) {
      for (Subject& subject : subjects_) subject.points_until -= skipped_.passed;
    }
    skipped_ = {};
  }
  /// Counts a point of one subject. True: it is due, and stays so until it is sampled.
  [[nodiscard]] bool due(std::size_t subject, std::size_t window) {
    Subject& s = subjects_[subject];
    if (s.points_until > 0) --s.points_until;
    return s.points_until == 0 || (each_window_ && s.window != window);
  }
  /// Whether a point of all subjects, which is not counted, is one at which all are due.
  [[nodiscard]] bool all_due(std::size_t window) const {
    return std::all_of(subjects_.begin(), subjects_.end(), [&](const Subject& s) {
      return s.points_until <= 1 || (each_window_ && s.window != window);
    });
  }
  /// A sample was taken: the next one so many points later.
  void sampled(std::size_t subject, std::size_t window,
               std::int32_t next = verdict_limits::points_between_samples) {
    subjects_[subject] = {next, static_cast<std::uint32_t>(window)};
  }
  void sampled_all(std::size_t window) {
    for (std::size_t s = 0; s < subjects_.size(); ++s) sampled(s, window);
  }
  /// After all subjects had this point: how many follow at which none is due.
  void plan_skips(std::size_t window) {
    std::int32_t fewest = verdict_limits::points_between_samples;
    for (const Subject& s : subjects_) {
      if (each_window_ && s.window != window) return;
      fewest = std::min(fewest, s.points_until);
    }
    skipped_ = {fewest - 1, 0, window};
  }

  /// Windows were merged in pairs.
  void widen() {
    resume();
    for (Subject& s : subjects_) s.window /= 2;
  }
  void archive(Archive& archive) {
    resume();
    archive(std::span(subjects_));
  }

 private:
  struct Subject {
    std::int32_t points_until = 0;  ///< its next sample
    std::uint32_t window = 0;       ///< of its last one
  };
  /// Points of all subjects.
  struct SkippedSamples {
    std::int32_t left = 0;
    std::int32_t passed = 0;  ///< not yet taken off the subjects
    std::size_t window = 0;   ///< in which they are
  };

  std::vector<Subject> subjects_;
  bool each_window_;
  SkippedSamples skipped_;
};

}  // namespace ergon
