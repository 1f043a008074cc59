#pragma once

#include <string>
#include <vector>

#include "ergon/scenario/file/document.hpp"
#include "ergon/scenario/scenario.hpp"

namespace ergon {

/// Loads the plug-ins that the user names, and those of [simulation] plugins that lie in a folder that the user trusts; a scenario
/// runs no code by itself. Their models and methods are known from then on. What is wrong goes to `problems`.
void load_plugins(const Value& document, const ScenarioOverrides& overrides,
                  const std::string& base_directory, ProblemList& problems);

/// What [simulation] plugins lists.
[[nodiscard]] std::vector<std::string> plugin_names(const Value& document);

/// The absolute path of a plug-in that a scenario in this folder names.
[[nodiscard]] std::string plugin_path(const std::string& name, const std::string& base_directory);

}  // namespace ergon
