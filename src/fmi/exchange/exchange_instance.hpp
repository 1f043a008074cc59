#pragma once

#include <memory>
#include <string>

#include "ergon/fmi/instance/fmu_instance.hpp"

namespace ergon::fmi {

/// An instance in this process that is run by model exchange, with CVODE.
std::unique_ptr<FmuInstance> make_exchange_instance(std::shared_ptr<const InstanceSetup> setup,
                                                    const std::string& name);

}  // namespace ergon::fmi
