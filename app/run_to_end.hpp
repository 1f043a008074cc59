#pragma once

#include <filesystem>

#include "commands.hpp"
#include "ergon/run/checkpoint/checkpoint.hpp"
#include "ergon/run/simulation.hpp"
#include "line_mender.hpp"

namespace ergon::app {

/// Runs a simulation that has started, and says how it went; from the checkpoint on where there is one. Returns the exit code.
int run_to_end(Simulation& simulation, const RunArguments& arguments, const LineMender& mender,
               const std::filesystem::path& directory, const std::filesystem::path& shown_directory,
               const Checkpoint* from);

}  // namespace ergon::app
