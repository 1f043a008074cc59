#include "ergon/run/terminal/interrupt.hpp"

#include <atomic>

namespace ergon {
namespace {

std::atomic<bool> signal_came{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may touch nothing else");

extern "C" void note_signal(int /*signal*/) {
  signal_came.store(true, std::memory_order_relaxed);
}

void install(int signal, struct sigaction& previous) {
  struct sigaction action {};
  action.sa_handler = note_signal;
  sigemptyset(&action.sa_mask);
  // Reset by the first signal: who presses Ctrl-C twice does not want to wait for a step that takes an hour.
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigaction(signal, nullptr, &previous);
  if (previous.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  signal_came.store(false, std::memory_order_relaxed);
  for (std::size_t i = 0; i < signals.size(); ++i) install(signals[i], previous_[i]);
}

InterruptGuard::~InterruptGuard() {
  for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &previous_[i], nullptr);
}

bool interrupted() {
  return signal_came.load(std::memory_order_relaxed);
}

}  // namespace ergon
