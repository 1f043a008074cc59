#include "ergon/models/integrator_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace ergon {

const std::vector<IntegratorInfo>& integrators() {
  static const std::vector<IntegratorInfo> all = {
      {"semi-implicit-euler", "order 1, symplectic, explicit: v += h a(x, v), then x += h v", false},
      {"explicit-euler", "order 1, explicit: gains energy on oscillators", false},
      {"rk4", "the classical Runge-Kutta method, order 4, explicit", false},
      {"newmark", "average acceleration, order 2, implicit, keeps the energy of linear systems", false},
      {"cvode-bdf", "SUNDIALS CVODE, variable step and order 1-5, for stiff models", true},
      {"cvode-adams", "SUNDIALS CVODE, variable step and order 1-12, for non-stiff models", true},
      {"arkode", "SUNDIALS ARKODE, variable step, implicit Runge-Kutta of order 4", true},
  };
  return all;
}

std::optional<NativeIntegration> check_integrator(const ModelRequest& request, ProblemList& problems) {
  const IntegratorOptions& options = request.integrator;
  NativeIntegration result{NativeMethod::semi_implicit_euler, options.step_s, options.rtol, options.atol};
  bool ok = false;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < integrators().size(); ++i) {
    names.push_back(integrators()[i].name);
    if (names.back() != options.method) continue;
    result.method = static_cast<NativeMethod>(i);
    ok = true;
  }
  if (!ok) {
    problems.error(request.where,
                   fmt::format("'{}': there is no integrator '{}'.", request.name, options.method),
                   did_you_mean(options.method, names));
  }
  const auto require_positive = [&](const char* what, double value, const char* remedy) {
    if (std::isfinite(value) && value > 0.0) return;
    problems.error(
        request.where,
        fmt::format("'{}': the integrator's {} is {}, but must be positive.", request.name, what, value),
        remedy);
    ok = false;
  };
  if (options.step_s) {
    require_positive("step", *options.step_s,
                     "Give seconds, or \"communication\" for one step per communication step.");
  }
  require_positive("rtol", options.rtol, "1e-6 is a usual relative tolerance.");
  require_positive("atol", options.atol, "1e-9 is a usual absolute tolerance.");
  if (!ok) return std::nullopt;
  return result;
}

std::optional<NativeIntegration> check_integrator(const ModelRequest& request,
                                                  const std::vector<std::string>& methods,
                                                  ProblemList& problems) {
  auto result = check_integrator(request, problems);
  if (!result) return std::nullopt;
  if (std::find(methods.begin(), methods.end(), request.integrator.method) != methods.end()) return result;
  problems.error(request.where,
                 fmt::format("'{}': its model does not take the integrator '{}'.", request.name,
                             request.integrator.method),
                 fmt::format("Take {}.", fmt::join(methods, " or ")));
  return std::nullopt;
}

}  // namespace ergon
