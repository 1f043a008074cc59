#include "ergon/run/terminal/interrupt.hpp"

#include "ergon/core/interruption.hpp"

namespace ergon {
namespace {

extern "C" void note_signal(int /*signal*/) {
  Interruption::request();
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
  Interruption::clear();
  for (std::size_t i = 0; i < signals.size(); ++i) install(signals[i], previous_[i]);
}

InterruptGuard::~InterruptGuard() {
  for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &previous_[i], nullptr);
}

bool interrupted() {
  return Interruption::is_requested();
}

}  // namespace ergon
