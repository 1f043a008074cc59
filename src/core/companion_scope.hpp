#pragma once

namespace ergon {

/// While one of these lives, what its thread does belongs to a companion of the run, a system at other steps that is run for
/// comparison: messages of its simulators are not the run's.
class CompanionScope {
 public:
  CompanionScope() { ++depth(); }
  ~CompanionScope() { --depth(); }
  CompanionScope(const CompanionScope&) = delete;
  CompanionScope& operator=(const CompanionScope&) = delete;
  [[nodiscard]] static bool is_open() { return depth() > 0; }

 private:
  static int& depth() {
    thread_local int depth = 0;
    return depth;
  }
};

}  // namespace ergon
