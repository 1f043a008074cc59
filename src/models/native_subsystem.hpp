#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ergon/models/directional_difference.hpp"
#include "ergon/models/native_interface.hpp"
#include "ergon/models/native_shell.hpp"
#include "ergon/models/ode_kernel.hpp"

namespace ergon {

/// Makes a Subsystem of a model without constraints (a SecondOrderModel or a StateModel) and an integrator.
template <NativeModel Model>
class NativeSubsystem final : public NativeShell<OdeKernel<Model>>,
                              public DirectionalDerivatives,
                              public InterfaceInertia,
                              public StateDerivative,
                              public StartCondition,
                              public Geometry {
  using Shell = NativeShell<OdeKernel<Model>>;
  using Shell::kernel;
  using Shell::row;

 public:
  /// `start`: [q, v] at t₀.
  NativeSubsystem(Model model, const NativeIntegration& integration, std::vector<double> start)
      : Shell(std::in_place, std::move(model), integration, std::move(start)) {
    for (const Port& port : Shell::description().outputs) output_count_ += port.size;
  }

  [[nodiscard]] const DirectionalDerivatives* directional_derivatives() const override { return this; }
  InterfaceInertia* interface_inertia() override {
    if constexpr (MayTakeEfforts<Model>) return kernel().model().responds_to_efforts() ? this : nullptr;
    return TakesEfforts<Model> ? this : nullptr;
  }
  StateDerivative* state_derivative() override { return NamesStates<Model> ? this : nullptr; }
  [[nodiscard]] const StartCondition* start_condition() const override {
    return ReportsInconsistency<Model> ? this : nullptr;
  }
  [[nodiscard]] const Geometry* geometry() const override { return HasGeometry<Model> ? this : nullptr; }

  [[nodiscard]] std::size_t state_count() const override { return kernel().states(); }
  void directional_derivative(double t, const double* u, const double* state_change,
                              const double* input_change, double* rate_change,
                              double* output_change) const override {
    Shell::set_time(t);
    if constexpr (HasDerivatives<Model>) {
      return kernel().model().directional_derivative(u, row().q(), row().v(), state_change, input_change,
                                                     rate_change, output_change);
    }
    const std::size_t n = state_count();
    directional_difference(rates(), Shell::inputs(), n, n, u, row().q(), input_change, state_change,
                           rate_change, difference_);
    directional_difference(results(), Shell::inputs(), n, output_count_, u, row().q(), input_change,
                           state_change, output_change, difference_);
  }

  bool prepare_interface(std::span<const InterfacePort> ports) override {
    const auto& sizes = kernel().sizes();
    interface_ = std::make_unique<NativeInterface>(
        NativeInterface::Sizes{sizes.inputs(), sizes.positions(), sizes.velocities(), output_count_}, ports);
    return interface_->fits({rates(), results(), row().u_last(), row().q()});
  }
  void interface_inertia(double t, double /*h_s*/, const double* u, double* mass, double* force) override {
    Shell::set_time(t);
    interface_->evaluate({rates(), results(), u, row().q()}, mass, force);
  }

  [[nodiscard]] std::string inconsistency_at_start(const double* u) const override {
    if constexpr (ReportsInconsistency<Model>) return kernel().model().inconsistency(u, row().q(), row().v());
    return {};
  }

  [[nodiscard]] std::vector<std::string> state_names() const override {
    if constexpr (NamesStates<Model>) return kernel().model().state_names();
    return {};
  }
  void states(double* z) const override { Shell::read_states(z); }
  void set_states(const double* z) override { Shell::write_states(z); }
  bool derivative(double t, const double* u, double* z_dot) const override {
    Shell::set_time(t);
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
  /// ż(u, z)
  [[nodiscard]] auto rates() const {
    return [this](const double* u, const double* z, double* z_dot) { kernel().state_rates(u, z, z_dot); };
  }
  /// y(u, z)
  [[nodiscard]] auto results() const {
    return [this](const double* u, const double* z, double* y) {
      kernel().model().outputs(u, z, z + kernel().sizes().positions(), y);
    };
  }

  std::unique_ptr<NativeInterface> interface_;  ///< where one was asked for
  std::size_t output_count_ = 0;
  mutable std::vector<double> difference_;  ///< scratch of directional derivatives
};

}  // namespace ergon
