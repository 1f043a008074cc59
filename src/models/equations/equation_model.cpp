#include "ergon/models/equations/equation_model.hpp"

#include <fmt/format.h>

#include "ergon/models/integrator_options.hpp"
#include "ergon/models/native_subsystem.hpp"

namespace ergon {

std::unique_ptr<Subsystem> make_equations(EquationSystem system, const ModelRequest& request,
                                          ProblemList& problems) {
  const auto integration = check_integrator(request, problems);
  if (const std::string wrong = system.energy_imbalance(); !wrong.empty()) {
    problems.error(request.where, fmt::format("'{}': {}.", request.name, wrong),
                   "Correct these formulas, or leave them out: an account that does not close is useless.");
    return nullptr;
  }
  if (!integration) return nullptr;
  auto compiled = std::make_shared<const CompiledEquations>(std::move(system));
  const std::vector<double> start = compiled->start;
  if (compiled->second_order) {
    return std::make_unique<NativeSubsystem<EquationModel<true>>>(EquationModel<true>(std::move(compiled)),
                                                                  *integration, start);
  }
  return std::make_unique<NativeSubsystem<EquationModel<false>>>(EquationModel<false>(std::move(compiled)),
                                                                 *integration, start);
}

}  // namespace ergon
