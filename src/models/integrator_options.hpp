#pragma once

#include <optional>

#include "ergon/models/registry.hpp"

namespace ergon {

/// The methods of native models, in the order of integrators().
enum class NativeMethod { semi_implicit_euler, explicit_euler, rk4, newmark, cvode_bdf, cvode_adams, arkode };

/// IntegratorOptions, checked and with the method's name looked up.
struct NativeIntegration {
  NativeMethod method = NativeMethod::semi_implicit_euler;
  std::optional<double> step_s{};
  double rtol = 1e-6;
  double atol = 1e-9;

  /// Looks at its inputs only at the start of a communication step.
  [[nodiscard]] bool samples_start() const {
    return !step_s && (method == NativeMethod::semi_implicit_euler || method == NativeMethod::explicit_euler);
  }
};

/// Reports an unknown method (with the nearest right one), steps and tolerances that are not positive.
std::optional<NativeIntegration> check_integrator(const ModelRequest& request, ProblemList& problems);

/// The same for a model that takes some methods only (ModelInfo::integrators).
std::optional<NativeIntegration> check_integrator(const ModelRequest& request,
                                                  const std::vector<std::string>& methods,
                                                  ProblemList& problems);

}  // namespace ergon
