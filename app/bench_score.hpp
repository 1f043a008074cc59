#pragma once

#include "commands.hpp"

namespace ergon::app {

/// `ergon bench --score`: the table of problems and methods.
int score_command(const BenchArguments& arguments);

}  // namespace ergon::app
