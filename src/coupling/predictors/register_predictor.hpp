#pragma once

#include "ergon/core/api.hpp"
#include "ergon/coupling/predictors/registry.hpp"

namespace ergon {

/// `extrapolation` of bonds takes its words from now on; it writes after all others. The texts in `info` outlive all runs. To be called
/// before the first scenario is loaded, by one thread. Throws std::invalid_argument where there is a predictor of that name.
ERGON_API void register_predictor(PredictorInfo info);

}  // namespace ergon
