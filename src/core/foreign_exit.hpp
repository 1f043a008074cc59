#pragma once

#include <atomic>
#include <cstdio>
#include <string>

namespace ergon {

/// A thread that code of others has started wants to end this process (`exit`), and waits instead: the run fails at its next point,
/// and whoever runs it ends the process when its files are whole.
class ForeignExit {
 public:
  /// Of the first one only.
  static void note(const std::string& who, int code) {
    if (is_claimed_.exchange(true)) return;
    code_ = code;
    std::snprintf(who_, sizeof who_, "%s", who.c_str());
    is_noted_.store(true, std::memory_order_release);
  }
  [[nodiscard]] static bool is_noted() { return is_noted_.load(std::memory_order_acquire); }
  /// Somebody has seen it and will end the process.
  static void acknowledge() { is_acknowledged_.store(true); }
  [[nodiscard]] static bool is_acknowledged() { return is_acknowledged_.load(); }
  [[nodiscard]] static std::string who() { return who_; }
  [[nodiscard]] static std::string what() {
    return "a thread of it called exit(" + std::to_string(code_) + "), which would have ended this process";
  }

 private:
  inline static std::atomic<bool> is_claimed_{false};
  inline static std::atomic<bool> is_noted_{false};
  inline static std::atomic<bool> is_acknowledged_{false};
  inline static int code_ = 0;
  inline static char who_[256] = "";
};

}  // namespace ergon
