#pragma once

#include "ergon/core/api.hpp"
#include "ergon/models/registry.hpp"

namespace ergon {

/// Scenarios find the model by its name from now on, as they find native ones; so do `models()` and everything that goes over them. To
/// be called before the first scenario is loaded, by one thread. Throws std::invalid_argument where there is a model of that name.
ERGON_API void register_model(ModelInfo info);
/// The same for the `law` of [[element]].
ERGON_API void register_element(ElementInfo info);

}  // namespace ergon
