#pragma once

#include <Eigen/Core>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ergon/models/constrained/constrained_kernel.hpp"
#include "ergon/models/native_shell.hpp"

namespace ergon {

/// Makes a Subsystem of a ConstrainedModel (see ConstrainedKernel).
class ConstrainedSubsystem final : public NativeShell<ConstrainedKernel>,
                                   public StateDerivative,
                                   public Geometry {
 public:
  /// `q0`, `v0`: at t₀; they must meet the constraints.
  ConstrainedSubsystem(std::unique_ptr<ConstrainedModel> model, const ConstrainedIntegration& options,
                       std::span<const double> q0, std::span<const double> v0)
      : NativeShell(std::in_place, std::move(model), options, q0, v0) {}

  StateDerivative* state_derivative() override { return model().state_names().empty() ? nullptr : this; }
  [[nodiscard]] std::vector<std::string> state_names() const override { return model().state_names(); }
  void states(double* z) const override { read_states(z); }
  void set_states(const double* z) override { write_states(z); }
  bool derivative(double /*t*/, const double* u, double* z_dot) const override {
    std::copy_n(row().v(), row().sizes().velocities(), z_dot);
    return kernel().acceleration(u, row(), z_dot + row().sizes().velocities());
  }

  [[nodiscard]] const Geometry* geometry() const override {
    return model().scene().bodies.empty() ? nullptr : this;
  }
  [[nodiscard]] Scene scene() const override { return model().scene(); }
  void draw(SceneFrame frame) const override { model().draw(row().q(), frame); }

  // For tests.
  [[nodiscard]] const ConstrainedModel& model() const { return kernel().model(); }
  [[nodiscard]] Eigen::VectorXd q() const { return vector_at(row().q()); }
  [[nodiscard]] Eigen::VectorXd v() const { return vector_at(row().v()); }

 private:
  [[nodiscard]] Eigen::VectorXd vector_at(const double* numbers) const {
    return Eigen::Map<const Eigen::VectorXd>(numbers, model().coordinates());
  }
};

}  // namespace ergon
