#pragma once

#include "ergon/core/api.hpp"
#include "ergon/verdict/evidence.hpp"

namespace ergon {

/// Every run looks for it from now on, after the kinds that there are. To be called before the first run, by one thread.
ERGON_API void register_evidence(EvidenceMaker maker);

}  // namespace ergon
