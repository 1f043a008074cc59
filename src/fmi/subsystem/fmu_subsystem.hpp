#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ergon/core/foreign_options.hpp"
#include "ergon/core/problem.hpp"
#include "ergon/core/subsystem.hpp"
#include "ergon/fmi/subsystem/fmu_model.hpp"

namespace ergon::fmi {

/// What is asked of a new instance.
struct FmuRequest {
  std::string name;
  ForeignOptions options;
  std::vector<StartValue> values;  ///< parameters and start values that were given
  SourceLocation where;
};

/// An FMU as a subsystem, instantiated. Nothing after reporting why it cannot be had.
std::unique_ptr<Subsystem> make_fmu_subsystem(const std::shared_ptr<const FmuModel>& model,
                                              const FmuRequest& request, ProblemList& problems);

/// Whether outputs follow inputs that are set between steps: neither standard lets an FMU say it. Tried on an instance that is
/// thrown away, in step mode (in initialisation mode it always holds), and once per FMU. False where nothing changes or the FMU
/// refuses.
bool finds_refresh(const FmuKind& kind, const std::vector<StartValue>& values);

}  // namespace ergon::fmi
