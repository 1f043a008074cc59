#pragma once

#include "ergon/core/api.hpp"
#include "ergon/coupling/correctors/corrector.hpp"

namespace ergon {

/// `correction` of bonds takes its name from now on. The texts in `info` outlive all runs. To be called before the first scenario is
/// loaded, by one thread. Throws std::invalid_argument where there is a method of that name.
ERGON_API void register_corrector(CorrectorInfo info);

}  // namespace ergon
