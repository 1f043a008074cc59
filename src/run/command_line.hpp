#pragma once

#include "ergon/core/api.hpp"

namespace ergon {

/// The command `ergon` as a function: a program that has registered models and methods of its own calls it with the arguments of its
/// main(), and is the command with these. Returns the exit code of the process. Libraries that are built without the command
/// (ERGON_APP=OFF) lack it.
ERGON_API int command_line(int argc, char** argv);

/// What `exit` of the command does: libraries of FMUs find the function of the program before that of the C library, so that an FMU
/// that calls it fails alone. A program that calls `command_line` defines it likewise:
///   extern "C" [[noreturn]] void exit(int code) noexcept { ergon::leave_command(code, __builtin_return_address(0)); }
[[noreturn]] ERGON_API void leave_command(int code, const void* caller) noexcept;

}  // namespace ergon
