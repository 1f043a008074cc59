#pragma once

#include <string>
#include <vector>

#include "models/joints/joint_ports.hpp"
#include "models/registry.hpp"

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
class AttachedJoint {
 public:
  AttachedJoint(const JointAttachment& what, const Marker& marker);

  [[nodiscard]] const std::string& marker() const { return marker_.name; }
  [[nodiscard]] std::size_t input_count() const { return partner_.size(); }
  [[nodiscard]] std::size_t output_count() const;
  static constexpr std::size_t most_outputs = 6;
  void describe(Description& description) const;

  // `u`: the inputs of this joint; `body`: the motion of the body it is attached to.

  /// Adds what it does to the own marker to the force and torque there.
  void add_wrench(const BodyMotion& body, const double* u, double* efforts) const;
  /// What it stores, if it is the owner.
  [[nodiscard]] double stored_J(const BodyMotion& body, const double* u) const;
  /// Power received through each input; returns what is dissipated. A null `u_rate` says that the inputs are held;
  /// `body_at_work` moves with the velocities at which forces do their work.
  double powers_W(const BodyMotion& body, const BodyMotion& body_at_work, const double* u,
                  const double* u_rate, double* received_W) const;
  /// Adds a share of what a jump of the inputs costs.
  void add_jump_work_J(const BodyMotion& body, const double* u_old, const double* u_new, double share,
                       double* received_J) const;
  void outputs(const BodyMotion& body, const double* u, double* y) const;
  /// Row-major, `row_length` numbers from one output to the next.
  void output_jacobian(const BodyMotion& body, const double* u, double* jacobian,
                       std::size_t row_length) const;

 private:
  [[nodiscard]] bool is_owner() const { return what_.part == JointAttachment::Part::owner; }
  [[nodiscard]] bool is_i() const { return what_.end == JointAttachment::End::i; }
  [[nodiscard]] JointMotion motion(const BodyMotion& body, const double* u) const;
  [[nodiscard]] const Wrench& own(const JointWrench& wrench) const { return is_i() ? wrench.i : wrench.j; }
  [[nodiscard]] const Wrench& on_partner(const JointWrench& wrench) const {
    return is_i() ? wrench.j : wrench.i;
  }
  [[nodiscard]] const MarkerMotion& partner(const JointMotion& motion) const {
    return is_i() ? motion.j : motion.i;
  }
  void write(const Wrench& wrench, double* y) const;

  JointAttachment what_;
  Marker marker_;
  Space space_;
  JointDependence on_;
  EndPorts partner_;
};

/// The joints of a request; nothing after reporting that one is at a marker that `markers` do not have.
std::optional<std::vector<AttachedJoint>> attach_joints(const ModelRequest& request,
                                                        const std::vector<Marker>& markers,
                                                        ProblemList& problems);

}  // namespace ergon
