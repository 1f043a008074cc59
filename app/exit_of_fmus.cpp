// What `exit` of the command does (run/command_line.hpp).
#include "exit_of_fmus.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "commands.hpp"
#include "ergon/core/foreign_exit.hpp"
#include "ergon/fmi/host/process_state.hpp"
#include "ergon/fmi/instance/call_guard.hpp"
#include "ergon/run/command_line.hpp"

namespace ergon::app {
namespace {

using ExitFunction = void (*)(int);
std::atomic<ExitFunction> exit_of_the_library{nullptr};

/// Main alone may end the process; the threads of Ergon do not.
void wait_for_the_end(int code, const void* caller) {
  if (::gettid() == ::getpid()) return;
  ForeignExit::note(fmi::ProcessState::residents_at(caller), code);
  // Main may be in a call that waits for this very thread: then nobody else can end the process.
  for (int i = 0; i < 500 && !ForeignExit::is_acknowledged(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  if (!ForeignExit::is_acknowledged()) {
    const std::string text =
        fmt::format("error: '{}' failed: {}.\n", ForeignExit::who(), ForeignExit::what());
    (void)!::write(STDERR_FILENO, text.data(), text.size());
    ::_exit(exit_run_failed);
  }
  while (true) ::pause();
}

}  // namespace

void catch_exits_of_fmus() {
  exit_of_the_library = reinterpret_cast<ExitFunction>(::dlsym(RTLD_NEXT, "exit"));
  // Calls within the C library do not come through the function below.
  (void)std::atexit([] { wait_for_the_end(EXIT_SUCCESS, nullptr); });
}

int end_after_exits(int exit_code) {
  const bool of_thread = ForeignExit::is_noted();
  if (!of_thread && !fmi::CallGuard::has_caught()) return exit_code;
  ForeignExit::acknowledge();
  if (exit_code != exit_run_failed) {
    const std::string text = of_thread
                                 ? fmt::format("'{}' failed: {}", ForeignExit::who(), ForeignExit::what())
                                 : fmi::CallGuard::report();
    (void)!std::fprintf(stderr, "error: %s.\n", text.c_str());
  }
  std::fflush(nullptr);
  ::_exit(exit_run_failed);
}

}  // namespace ergon::app

void ergon::leave_command(int code, const void* caller) noexcept {
  fmi::CallGuard::leave(code);
  app::wait_for_the_end(code, caller);
  if (const auto library_exit = app::exit_of_the_library.load()) library_exit(code);
  ::_exit(code);
}
