#include "ergon/fmi/instance/call_guard.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

namespace ergon::fmi {
namespace {

/// One guarded call. A call may be within another: an FMU that is freed while another one fails.
struct GuardedCall {
  GuardedCall* outer = nullptr;
  std::jmp_buf return_point{};
};

thread_local GuardedCall* innermost_call = nullptr;
thread_local const char* loading_library = nullptr;
thread_local int last_exit_code = 0;
std::atomic<bool> some_exit_was_caught{false};

std::mutex report_mutex;
std::string& first_report() {
  static std::string* const text = new std::string;  // asked for while the process ends
  return *text;
}

struct CallScope {
  GuardedCall& call;
  ~CallScope() { innermost_call = call.outer; }
};

/// `exit` within the C library (of err, error, argp …) is not the one that the command puts in its place; it comes here.
void leave_from_handler(int code, void* /*context*/) {
  CallGuard::leave(code);
}

}  // namespace

[[gnu::noinline]] bool CallGuard::run(void (*work)(const void*), const void* context) {
  GuardedCall call;
  call.outer = innermost_call;
  const CallScope scope{call};
  if (_setjmp(call.return_point) != 0) return false;  // `call` and `scope` have not changed since
  innermost_call = &call;
  work(context);
  return true;
}

int CallGuard::exit_code() {
  return last_exit_code;
}

bool CallGuard::has_caught() {
  return some_exit_was_caught.load(std::memory_order_relaxed);
}

void CallGuard::note(const std::string& name, const std::string& fmu) {
  const std::lock_guard guard(report_mutex);
  if (first_report().empty())
    first_report() = "'" + name + "' (" + fmu + ") called exit(" + std::to_string(last_exit_code) + ")";
}

std::string CallGuard::report() {
  const std::lock_guard guard(report_mutex);
  return first_report().empty() ? "an FMU called exit" : first_report();
}

void CallGuard::leave(int code) {
  if (loading_library != nullptr) {
    char text[1024];
    const int length = std::snprintf(
        text, sizeof text, "error: '%s' called exit(%d) while it was loaded. Have the FMU exported again.\n",
        loading_library, code);
    (void)!::write(STDERR_FILENO, text, std::min(static_cast<std::size_t>(length), sizeof text - 1));
    ::_exit(EXIT_FAILURE);
  }
  if (innermost_call == nullptr) return;
  last_exit_code = code;
  some_exit_was_caught.store(true, std::memory_order_relaxed);
  std::longjmp(innermost_call->return_point, 1);
}

CallGuard::Loading::Loading(const char* what) {
  loading_library = what;
}
CallGuard::Loading::~Loading() {
  loading_library = nullptr;
  come_first_at_exit();
}

void CallGuard::come_first_at_exit() {
  (void)::on_exit(leave_from_handler, nullptr);
}

#if !defined(__x86_64__)
FloatControl FloatControl::now() {
  return {std::fegetround()};
}
void FloatControl::restore() const {
  std::fesetround(rounding);
}
#endif

}  // namespace ergon::fmi
