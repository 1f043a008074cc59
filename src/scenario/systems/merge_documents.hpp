#pragma once

#include "ergon/scenario/file/document.hpp"

namespace ergon {

/// Adds what a system cannot say and an annotation holds: entries of [[subsystem]] of the same name are joined, keys of sections
/// replace those of the system, everything else is appended. Connections that an added bond or connection makes are removed.
void merge_documents(Value& document, Value added);

}  // namespace ergon
