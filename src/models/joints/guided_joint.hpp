#pragma once

#include "ergon/models/joints/body_joint.hpp"

namespace ergon {

/// One body of a joint whose multipliers λ an element computes and sends to both: the body multiplies them by directions that it
/// finds from its own motion at every instant and from where the other body ("partner") is told to be.
///   wrench = Σ_k λ_k G_k(own motion, partner's place and axes)
///   inputs   NAME_lambda; NAME_partner_position, NAME_partner_axes           as far as the directions need them: geometry, no power
///   outputs  NAME_rate: G_kᵀ · own velocities, what this body adds to the rate of measure k. λ·rate is the power it receives
class GuidedJoint final : public BodyJoint {
 public:
  GuidedJoint(const JointAttachment& what, const Marker& marker);

  [[nodiscard]] std::size_t input_count() const override;
  [[nodiscard]] std::size_t output_count() const override { return law().multiplier_count(); }
  void describe(Description& description) const override;
  void add_wrench(const BodyMotion& body, const double* u, double* efforts) const override;
  /// The element has what the joint stores and dissipates.
  [[nodiscard]] double stored_J(const BodyMotion& /*body*/, const double* /*u*/) const override {
    return 0.0;
  }
  double powers_W(const BodyMotion& body, const BodyMotion& body_at_work, const double* u,
                  const double* u_rate, double* received_W) const override;
  void add_jump_work_J(const BodyMotion& /*body*/, const double* /*u_old*/, const double* /*u_new*/,
                       double /*share*/, double* /*received_J*/) const override {}
  void outputs(const BodyMotion& body, const double* u, double* y) const override;
  void output_jacobian(const BodyMotion& body, const double* u, double* jacobian,
                       std::size_t row_length) const override;

 private:
  [[nodiscard]] std::size_t axes_offset() const {
    return law().multiplier_count() + (needs_position_ ? vector_size(space_) : 0);
  }
  [[nodiscard]] JointMotion motion(const BodyMotion& body, const double* u) const;
  /// G_kᵀ · velocities of the own marker, for all k.
  void write_rates(const JointMotion& motion, const MarkerMotion& moving, double* rates) const;

  bool needs_position_;
  bool needs_axes_;
};

}  // namespace ergon
