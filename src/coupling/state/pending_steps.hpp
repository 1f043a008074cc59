#pragma once

#include "ergon/core/api.hpp"
#include "ergon/core/coupled_system.hpp"

namespace ergon {

/// Steps that go on while others are taken: who wants something of a subsystem amid one of them has to wait.
class ERGON_API PendingSteps {
 public:
  virtual ~PendingSteps() = default;
  /// Returns when no step of a stage goes on: its subsystems may be asked then, wherever in time they are. Throws SubsystemFailure
  /// where the step failed.
  virtual void await(Index stage) = 0;
};

}  // namespace ergon
