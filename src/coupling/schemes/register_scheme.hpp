#pragma once

#include "ergon/core/api.hpp"
#include "ergon/coupling/schemes/scheme.hpp"

namespace ergon {

/// `scheme` of [coupling] takes its name from now on. It outlives all runs. To be called before the first scenario is loaded, by one
/// thread. Throws std::invalid_argument where there is a scheme of that name.
ERGON_API void register_scheme(const Scheme& scheme);

}  // namespace ergon
