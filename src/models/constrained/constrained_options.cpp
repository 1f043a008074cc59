#include "ergon/models/constrained/constrained_options.hpp"

#include <fmt/format.h>

namespace ergon {

const std::vector<std::string>& constrained_integrators() {
  static const std::vector<std::string> methods = {"semi-implicit-euler", "newmark"};
  return methods;
}

std::vector<ParameterInfo> constrained_parameters() {
  const AccelerationLagrangianOptions standard;
  return {
      {"penalty",
       "",
       0.0,
       "penalty factor of the augmented Lagrangian; 0: 1e4 with semi-implicit-euler, 1e9 with newmark",
       {},
       0.0},
      {"constraint_omega",
       "rad/s",
       standard.omega_rad_s,
       "how fast violations of the constraints die out; with semi-implicit-euler only",
       {},
       0.0,
       false,
       true},
      {"constraint_xi",
       "",
       standard.xi,
       "damping ratio of that; with semi-implicit-euler only",
       {},
       0.0,
       false,
       true},
  };
}

std::optional<ConstrainedIntegration> read_constrained_integration(const ModelRequest& request,
                                                                   ProblemList& problems) {
  const auto integration = check_integrator(request, constrained_integrators(), problems);
  if (!integration) return std::nullopt;
  const ParameterSet& given = request.parameters;
  ConstrainedIntegration result;
  result.integration = *integration;
  result.acceleration.omega_rad_s = given.number("constraint_omega");
  result.acceleration.xi = given.number("constraint_xi");
  if (const double penalty = given.number("penalty"); penalty > 0.0) {
    result.acceleration.penalty = result.index3.penalty = penalty;
  }
  if (integration->method != NativeMethod::newmark) {
    const double largest_s = result.acceleration.largest_stable_step_s();
    const auto step_s = request.longest_internal_step_s();
    if (!step_s || *step_s < largest_s) return result;
    problems.error(
        request.where,
        fmt::format("'{}': with 'constraint_omega' = {} rad/s and 'constraint_xi' = {} the internal step "
                    "must stay below {:.3g} s, or the constraints are driven apart; it is {} s.",
                    request.name, result.acceleration.omega_rad_s, result.acceleration.xi, largest_s,
                    *step_s),
        "Take a smaller step or a smaller constraint_omega.");
    return std::nullopt;
  }
  bool ok = true;
  for (const char* name : {"constraint_omega", "constraint_xi"}) {
    if (!given.is_given(name)) continue;
    problems.error(request.where,
                   fmt::format("'{}': '{}' has no effect with newmark, which meets the constraints.",
                               request.name, name),
                   "Remove it, or take semi-implicit-euler.");
    ok = false;
  }
  if (!ok) return std::nullopt;
  return result;
}

}  // namespace ergon
