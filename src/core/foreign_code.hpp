#pragma once

#include <atomic>

namespace ergon {

/// What has to be looked after while code of others runs in this process (FMUs): who runs it sets these, whoever runs a system calls
/// them. Without such code nothing is called.
struct ForeignCode {
  using Check = void (*)();
  inline static std::atomic<Check> at_start{nullptr};  ///< before the first file of a run is made
  inline static std::atomic<Check> at_point{nullptr};
  inline static std::atomic<Check> at_end{nullptr};  ///< before the last files are written

  static void call(const std::atomic<Check>& which) {
    if (const Check check = which.load(std::memory_order_relaxed)) check();
  }
};

}  // namespace ergon
