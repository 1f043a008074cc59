#pragma once

#include <optional>
#include <string>

#include "ergon/core/problem.hpp"

namespace ergon {

/// The text of a scenario file, or of one that it includes: UTF-8, of bounded length. Nothing after reporting why there is none.
std::optional<std::string> read_scenario_file(const std::string& path, ProblemList& problems);

}  // namespace ergon
