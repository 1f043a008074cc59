#pragma once

#include "ergon/core/subsystem.hpp"
#include "ergon/models/joints/two_point.hpp"

namespace ergon {

/// What pushes two markers apart with a given force F along their line (see LineBetween), and gives their distance and its rate to
/// whoever makes that force, such as a cylinder:
///   force F e on marker i, −F e on marker j;   length l, rate l̇
/// Lossless: F e·v_i − F e·v_j = F l̇.
///   inputs   position_i, velocity_i, position_j, velocity_j (world), force
///   outputs  force_i, force_j (world), length, rate
class TwoPointActuator final : public Element, public Differentiable {
 public:
  explicit TwoPointActuator(Space space) : space_(space) {}

  [[nodiscard]] Description describe() const override;
  void evaluate(const double* u, double* y) const override;
  [[nodiscard]] const Differentiable* differentiable() const override { return this; }
  void output_jacobian(double t, const double* u, double* jacobian) const override;

 private:
  [[nodiscard]] JointMotion motion_of(const double* u) const;
  [[nodiscard]] std::size_t force_input() const { return 4 * vector_size(space_); }
  [[nodiscard]] std::size_t outputs() const { return 2 * vector_size(space_) + 2; }

  Space space_;
};

ElementInfo two_point_actuator_element();

}  // namespace ergon
