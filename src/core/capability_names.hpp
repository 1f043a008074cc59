#pragma once

#include <string>
#include <vector>

#include "ergon/core/subsystem.hpp"

namespace ergon {

/// What a subsystem offers beyond its steps, in words, in the order of capabilities.hpp.
std::vector<std::string> capability_names(Subsystem& subsystem);

}  // namespace ergon
