#pragma once

#include "ergon/scenario/systems/system_document.hpp"

namespace ergon {

/// Reads an .ssp ("a.ssp#Variant.ssd" picks one of its descriptions) or .ssd of SSP 1.0 or 2.0. Systems in systems are resolved: every
/// FMU becomes a subsystem "system/component", every path from an output to an input one connection. Nothing after reporting why it
/// cannot be read; of mistakes inside of it as much as possible is reported at once.
std::optional<SystemDocument> read_ssp(const std::string& path, ProblemList& problems);

}  // namespace ergon
