#pragma once

#include <filesystem>
#include <string>

#include "ergon/scenario/file/document.hpp"

namespace ergon {

/// Puts `prefix` before all names of subsystems, elements, bonds and connections in a document, and before all references to them.
void prefix_names(Value& document, const std::string& prefix);

/// Names of files in a document that lies in `folder`, as seen from `base`: FMUs, machines and files that parameters name.
void relocate_files(Value& document, const std::filesystem::path& base, const std::filesystem::path& folder);

}  // namespace ergon
