#pragma once

#include "ergon/models/joints/body_joint.hpp"
#include "ergon/models/joints/joint_ports.hpp"

namespace ergon {

/// A joint whose law is evaluated inside one of its bodies, with that body's own motion at every instant of its steps and the other
/// body's ("partner") as inputs.
///   inputs   NAME_partner_position, _velocity, _axes, _angular_velocity      as far as the law looks at them
///   outputs  NAME_partner_force, NAME_partner_torque                         what acts on the partner; feed-through of the inputs
///
/// Energy. W_o, W_p: wrenches on the own marker and on the partner, made of a spring's and a damper's part; V stored, D dissipated.
///   owner      V and D are in the account of this body; it receives through the inputs what the partner's end is moved by,
///              −W_p(spring)·(rate of the inputs) − W_p(damper)·(velocities told), and V(new) − V(old) where the inputs jump.
///              The rate of a frame's inputs is its angular velocity: such work is booked at angular_velocity, not at axes
///   guest      another body has V and D; this one receives W_o·(own velocities), as from a force from outside.
///              With displacement/displacement coupling both bodies evaluate the law, and one of them owns it
class AttachedJoint final : public BodyJoint {
 public:
  AttachedJoint(const JointAttachment& what, const Marker& marker);

  [[nodiscard]] std::size_t input_count() const override { return partner_.size(); }
  [[nodiscard]] std::size_t output_count() const override;
  void describe(Description& description) const override;
  void add_wrench(const BodyMotion& body, const double* u, double* efforts) const override;
  [[nodiscard]] double stored_J(const BodyMotion& body, const double* u) const override;
  double powers_W(const BodyMotion& body, const BodyMotion& body_at_work, const double* u,
                  const double* u_rate, double* received_W) const override;
  void add_jump_work_J(const BodyMotion& body, const double* u_old, const double* u_new, double share,
                       double* received_J) const override;
  void outputs(const BodyMotion& body, const double* u, double* y) const override;
  void output_jacobian(const BodyMotion& body, const double* u, double* jacobian,
                       std::size_t row_length) const override;

 private:
  [[nodiscard]] bool is_owner() const { return what_.part == JointAttachment::Part::owner; }
  [[nodiscard]] JointMotion motion(const BodyMotion& body, const double* u) const {
    return joined(motion_of_marker(marker_, body), partner_.read(u));
  }
  [[nodiscard]] const MarkerMotion& partner(const JointMotion& motion) const {
    return is_i() ? motion.j : motion.i;
  }
  void write(const Wrench& wrench, double* y) const;

  EndPorts partner_;
};

}  // namespace ergon
