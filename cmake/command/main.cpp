#include "ergon/run/command_line.hpp"

// Libraries of FMUs find this function before that of the C library.
extern "C" __attribute__((visibility("default"))) [[noreturn]] void exit(int code) noexcept {
  ergon::leave_command(code, __builtin_return_address(0));
}

int main(int argc, char** argv) {
  return ergon::command_line(argc, argv);
}
