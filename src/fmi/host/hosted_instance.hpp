#pragma once

#include "ergon/fmi/instance/fmu_instance.hpp"

namespace ergon::fmi {

/// An instance in this process, which it can end only by what nobody can catch: `exit` in a call is a failure of the instance
/// (CallGuard); how this thread rounds and what belongs to the whole process is restored after its calls (FloatControl, ProcessState).
std::unique_ptr<FmuInstance> make_hosted_instance(std::shared_ptr<const InstanceSetup> setup,
                                                  const std::string& name);

}  // namespace ergon::fmi
