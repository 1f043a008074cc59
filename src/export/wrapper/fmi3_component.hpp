#pragma once

#include <exception>
#include <memory>
#include <span>
#include <vector>

#include "ergon/export/wrapper/instance.hpp"

#define ERGON_FMI3_PROTOTYPES
#include "ergon/fmi/declarations/fmi3.hpp"

namespace ergon {

/// What a fmi3Instance points to.
struct Component3 {
  fmi3InstanceEnvironment environment = nullptr;
  fmi3LogMessageCallback callback = nullptr;
  std::unique_ptr<ExportedInstance> instance{};
  std::vector<double> numbers{};   ///< of integers and booleans on their way
  std::vector<std::byte> bytes{};  ///< of a state on its way

  void log(CallStatus status, const char* message) const {
    if (callback == nullptr) return;
    const char* category = status == CallStatus::discard ? "logStatusDiscard" : "logStatusError";
    callback(environment, static_cast<fmi3Status>(status), category, message);
  }
};

/// Calls `act` with the component; what is thrown becomes an error with its message.
template <typename Act>
fmi3Status guarded3(fmi3Instance i, const Act& act) {
  auto* component = static_cast<Component3*>(i);
  if (component == nullptr) return fmi3Error;
  try {
    return static_cast<fmi3Status>(act(*component));
  } catch (const std::exception& error) {
    component->log(CallStatus::error, error.what());
  } catch (...) {
    component->log(CallStatus::error, "unknown exception");
  }
  return fmi3Error;
}

}  // namespace ergon
