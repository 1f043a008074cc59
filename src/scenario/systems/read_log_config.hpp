#pragma once

#include "ergon/scenario/systems/system_document.hpp"

namespace ergon {

/// LogConfig.xml of `folder`, where there is one: which variables are recorded, and how often. `names`: simulators of the file, and
/// what they are called in the scenario.
void read_log_config(const std::string& folder, const std::map<std::string, std::string>& names,
                     std::optional<double> base_step_s, SystemDocument& system, ProblemList& problems);

}  // namespace ergon
