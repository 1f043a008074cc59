#pragma once

#include "ergon/core/api.hpp"

namespace ergon {

/// The command `ergon` as a function: a program that has registered models and methods of its own calls it with the arguments of its
/// main(), and is the command with these. Returns the exit code of the process. Libraries that are built without the command
/// (ERGON_APP=OFF) lack it.
ERGON_API int command_line(int argc, char** argv);

}  // namespace ergon
