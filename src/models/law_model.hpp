#pragma once

#include "ergon/models/registry.hpp"

namespace ergon {

/// Laws of elements as models without state, for what knows subsystems only, such as an FMU: outputs are those of the law at the
/// inputs of the moment (all of its feed-through stays), and a step changes nothing.
const std::vector<ModelInfo>& element_models();

/// A model, or the law of an element as one; nothing where neither has this name.
const ModelInfo* find_model_or_law(const std::string& name);

}  // namespace ergon
