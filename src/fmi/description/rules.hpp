#pragma once

#include "ergon/core/problem.hpp"
#include "ergon/fmi/description/model_description.hpp"

namespace ergon::fmi {

/// The rules of the standards that an XML schema cannot express: names and references are unique, causality, variability,
/// initial and start fit together, units and types exist, the model structure lists what it must.
void check_rules(const ModelDescription& model, ProblemList& problems);

}  // namespace ergon::fmi
