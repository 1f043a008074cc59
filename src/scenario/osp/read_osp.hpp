#pragma once

#include "ergon/scenario/systems/system_document.hpp"

namespace ergon {

/// Reads an OspSystemStructure.xml (namespace of version 0.1), the *_OspModelDescription.xml of its FMUs and a LogConfig.xml beside it.
/// Nothing after reporting why it cannot be read; of mistakes inside of it as much as possible is reported at once.
std::optional<SystemDocument> read_osp(const std::string& path, ProblemList& problems);

}  // namespace ergon
