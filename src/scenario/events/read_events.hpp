#pragma once

#include "ergon/scenario/systems/system_document.hpp"

namespace ergon {

/// Adds the events of a libcosim scenario (JSON or YAML) to a system: `override`, `bias` and `reset` of a variable at a time, `end`
/// for all of them. A parameter, or an input that nothing feeds, gets entries of [[change]]; a signal between subsystems goes through
/// an element  out = keep·in + add  whose factors change.
void add_events(SystemDocument& system, const std::string& path, const std::string& base_directory,
                ProblemList& problems);

}  // namespace ergon
