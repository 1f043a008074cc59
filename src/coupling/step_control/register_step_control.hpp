#pragma once

#include "ergon/core/api.hpp"
#include "ergon/coupling/step_control/step_control.hpp"

namespace ergon {

/// `method` of [step_control] takes its name from now on. The texts in `method` outlive all runs. To be called before the first
/// scenario is loaded, by one thread. Throws std::invalid_argument where there is a method of that name.
ERGON_API void register_step_control(StepControlMethod method);

}  // namespace ergon
