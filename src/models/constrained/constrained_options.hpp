#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ergon/models/constrained/constrained_subsystem.hpp"
#include "ergon/models/registry.hpp"

namespace ergon {

/// The integrators of constrained models; each has its formulation.
const std::vector<std::string>& constrained_integrators();

/// `penalty`, `constraint_omega`, `constraint_xi`: parameters that all constrained models have.
std::vector<ParameterInfo> constrained_parameters();

/// Reports integrators that do not fit, and parameters of the formulation that is not used.
std::optional<ConstrainedIntegration> read_constrained_integration(const ModelRequest& request,
                                                                   ProblemList& problems);

}  // namespace ergon
