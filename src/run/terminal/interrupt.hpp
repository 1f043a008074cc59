#pragma once

#include <csignal>

namespace ergon {

/// While it lives, the first SIGINT or SIGTERM only asks the run to end at the next communication point; a
/// second one has its usual effect. A signal that was ignored before (nohup) stays ignored.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  struct sigaction previous_interrupt_ {};
  struct sigaction previous_terminate_ {};
};

/// Whether a signal has come since the last InterruptGuard was made.
[[nodiscard]] bool interrupted();

}  // namespace ergon
