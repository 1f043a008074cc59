#pragma once

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "ergon/models/directional_difference.hpp"
#include "ergon/models/native_shell.hpp"
#include "ergon/models/ode_kernel.hpp"

namespace ergon {

/// Makes a Subsystem of a model without constraints (a SecondOrderModel or a StateModel) and an integrator.
template <NativeModel Model>
class NativeSubsystem final : public NativeShell<OdeKernel<Model>>,
                              public DirectionalDerivatives,
                              public EffectiveInertia,
                              public StateDerivative,
<<<<<<< HEAD
                              public Geometry {
=======
                              public StartCondition {
>>>>>>> main
  using Shell = NativeShell<OdeKernel<Model>>;
  using Shell::kernel;
  using Shell::row;

 public:
  /// `start`: [q, v] at t₀.
  NativeSubsystem(Model model, const NativeIntegration& integration, std::vector<double> start)
      : Shell(std::in_place, std::move(model), integration, std::move(start)) {
    for (const Port& port : kernel().describe().outputs) output_count_ += port.size;
  }

  [[nodiscard]] const DirectionalDerivatives* directional_derivatives() const override { return this; }
  [[nodiscard]] const EffectiveInertia* effective_inertia() const override {
    return KnowsInertia<Model> ? this : nullptr;
  }
  StateDerivative* state_derivative() override { return NamesStates<Model> ? this : nullptr; }
<<<<<<< HEAD
  [[nodiscard]] const Geometry* geometry() const override { return HasGeometry<Model> ? this : nullptr; }
=======
  [[nodiscard]] const StartCondition* start_condition() const override {
    return TellsMisfit<Model> ? this : nullptr;
  }
>>>>>>> main

  [[nodiscard]] std::size_t state_count() const override { return kernel().states(); }
  void directional_derivative(double /*t*/, const double* u, const double* state_change,
                              const double* input_change, double* rate_change,
                              double* output_change) const override {
    const std::size_t n = state_count();
    const auto rates = [&](const double* inputs, const double* z, double* z_dot) {
      kernel().state_rates(inputs, z, z_dot);
    };
    const auto results = [&](const double* inputs, const double* z, double* y) {
      kernel().model().outputs(inputs, z, z + kernel().sizes().positions(), y);
    };
    directional_difference(rates, Shell::inputs(), n, n, u, row().q(), input_change, state_change,
                           rate_change, difference_);
    directional_difference(results, Shell::inputs(), n, output_count_, u, row().q(), input_change,
                           state_change, output_change, difference_);
  }

  /// With the inputs last used.
  void effective_inertia(double /*t*/, std::size_t input, double& mass_kg,
                         double& free_acceleration_m_s2) const override {
    if constexpr (KnowsInertia<Model>) {
      kernel().model().effective_inertia(row().u_last(), row().q(), row().v(), input, mass_kg,
                                         free_acceleration_m_s2);
    } else {
      mass_kg = free_acceleration_m_s2 = std::numeric_limits<double>::quiet_NaN();
    }
  }

  [[nodiscard]] std::string misfit_at_start(const double* u) const override {
    if constexpr (TellsMisfit<Model>) return kernel().model().misfit(u, row().q(), row().v());
    return {};
  }

  [[nodiscard]] std::vector<std::string> state_names() const override {
    if constexpr (NamesStates<Model>) return kernel().model().state_names();
    return {};
  }
  void states(double* z) const override { Shell::read_states(z); }
  void set_states(const double* z) override { Shell::write_states(z); }
  bool derivative(double /*t*/, const double* u, double* z_dot) const override {
    if (kernel().violation(u, row().q()) != nullptr) return false;
    kernel().state_rates(u, row().q(), z_dot);
    return true;
  }

  [[nodiscard]] Scene scene() const override {
    if constexpr (HasGeometry<Model>) return kernel().model().scene();
    return {};
  }
  void draw([[maybe_unused]] SceneFrame frame) const override {
    if constexpr (HasGeometry<Model>) kernel().model().draw(row().q(), frame);
  }

 private:
  std::size_t output_count_ = 0;
  mutable std::vector<double> difference_;  ///< scratch of directional derivatives
};

}  // namespace ergon
