#pragma once

#include "ergon/scenario/expand/expand.hpp"
#include "ergon/scenario/file/document.hpp"
#include "ergon/scenario/scenario.hpp"

namespace ergon {

/// Writes what the command line says into the document, before it is read: so every setting can be overridden and
/// is checked in the same way. Values carry the option that said them as their location.
void apply_overrides(Value& document, const ScenarioOverrides& overrides, const ModelSources& sources,
                     const std::string& base_directory, ProblemList& problems);

/// Those of [constants]: they are needed before the document is in its long form, everything else after that.
std::vector<ConstantSetting> constant_settings(const ScenarioOverrides& overrides);

}  // namespace ergon
