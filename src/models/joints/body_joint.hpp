#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ergon/core/subsystem.hpp"
#include "ergon/models/joints/joint_law.hpp"
#include "ergon/models/registry.hpp"

namespace ergon {

/// A joint as one of its bodies sees it: inputs and outputs that it adds to those of the body, a wrench at a marker, and its part of
/// the energy account. `u` are the inputs of the joint, `body` is the motion of the body; all functions are pure.
class BodyJoint {
 public:
  BodyJoint(const JointAttachment& what, const Marker& marker)
      : what_(what), marker_(marker), space_(what.law->space()), on_(what.law->dependence()) {}
  BodyJoint(const BodyJoint&) = delete;
  BodyJoint& operator=(const BodyJoint&) = delete;
  virtual ~BodyJoint() = default;

  [[nodiscard]] const std::string& marker() const { return marker_.name; }
  [[nodiscard]] virtual std::size_t input_count() const = 0;
  [[nodiscard]] virtual std::size_t output_count() const = 0;
  static constexpr std::size_t max_inputs = 20;
  /// Appends its ports and their feed-through.
  virtual void describe(Description& description) const = 0;

  /// Adds what it does to the own marker to the force and torque there.
  virtual void add_wrench(const BodyMotion& body, const double* u, double* efforts) const = 0;
  /// What it stores in the account of the body.
  [[nodiscard]] virtual double stored_J(const BodyMotion& body, const double* u) const = 0;
  /// Power received through each input; returns what is dissipated. A null `u_rate` says that the inputs are held;
  /// `body_at_work` moves with the velocities at which forces do their work.
  virtual double powers_W(const BodyMotion& body, const BodyMotion& body_at_work, const double* u,
                          const double* u_rate, double* received_W) const = 0;
  /// Adds a share of what a jump of the inputs costs.
  virtual void add_jump_work_J(const BodyMotion& body, const double* u_old, const double* u_new, double share,
                               double* received_J) const = 0;
  virtual void outputs(const BodyMotion& body, const double* u, double* y) const = 0;
  /// Row-major, `row_length` numbers from one output to the next.
  virtual void output_jacobian(const BodyMotion& body, const double* u, double* jacobian,
                               std::size_t row_length) const = 0;

 protected:
  [[nodiscard]] const JointLaw& law() const { return *what_.law; }
  [[nodiscard]] bool is_i() const { return what_.end == JointAttachment::End::i; }
  [[nodiscard]] JointMotion joined(const MarkerMotion& own, const MarkerMotion& partner) const {
    return is_i() ? JointMotion{own, partner} : JointMotion{partner, own};
  }
  [[nodiscard]] const Wrench& own(const JointWrench& wrench) const { return is_i() ? wrench.i : wrench.j; }
  [[nodiscard]] const Wrench& on_partner(const JointWrench& wrench) const {
    return is_i() ? wrench.j : wrench.i;
  }
  void add_efforts(const Wrench& wrench, double* efforts) const {
    double added[6];
    write_vector(space_, wrench.force, added);
    write_rotation(space_, wrench.torque, added + vector_size(space_));
    for (std::size_t i = 0; i < marker_input_size(space_); ++i) efforts[i] += added[i];
  }

  JointAttachment what_;
  Marker marker_;
  Space space_;
  JointDependence on_;
};

using BodyJoints = std::vector<std::shared_ptr<const BodyJoint>>;
/// The joints of a request; nothing after reporting that one is at a marker that `markers` do not have.
std::optional<BodyJoints> attach_joints(const ModelRequest& request, const std::vector<Marker>& markers,
                                        ProblemList& problems);

}  // namespace ergon
