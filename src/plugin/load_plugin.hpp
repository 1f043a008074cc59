#pragma once

#include <string>

#include "ergon/core/api.hpp"
#include "ergon/core/problem.hpp"

namespace ergon {

/// Loads a plug-in (plugin.hpp), whose models and methods are in the registries from then on; one that is loaded already is not loaded
/// again. It stays until the process ends. Its code runs with all rights of the process: who calls this trusts the file. To be called
/// by one thread, before the first scenario. Throws InputError, with `where`, for a file that is no plug-in of this version.
ERGON_API void load_plugin(const std::string& file, const SourceLocation& where = {});

}  // namespace ergon
