#pragma once

#include <array>
#include <csignal>

namespace ergon {

/// While it lives, the first SIGINT, SIGTERM or SIGHUP only asks the run to end at the next communication point; a
/// second one has its usual effect. Workers that do not answer are waited for half a second longer, and then ended (Interruption). A signal that was ignored before (nohup) stays ignored.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  static constexpr std::array signals = {SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, signals.size()> previous_{};
};

/// Whether a signal has come since the last InterruptGuard was made.
[[nodiscard]] bool interrupted();

}  // namespace ergon
