#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "ergon/models/joints/body_joint.hpp"
#include "ergon/models/native_model.hpp"

namespace ergon {

/// A body and the joints whose laws it evaluates itself: their wrenches add to the efforts at its markers. To an integrator it is a
/// model like the body itself; without joints it is the body, bit for bit.
///   inputs   those of the body, then those of each joint        outputs   likewise
/// `Body` is a model (SecondOrderModel or StateModel) whose inputs are the wrenches at its centre of mass and at its markers, in this
/// order, and which tells its motion.
template <typename Body>
class BodyWithJoints {
 public:
  static constexpr bool takes_efforts = Body::takes_efforts;
  BodyWithJoints(Body body, BodyJoints joints)
      : body_(std::move(body)), joints_(std::move(joints)), efforts_(body_.input_count()) {
    const std::vector<Marker>& markers = body_.markers();
    for (const auto& joint : joints_) {
      const auto marker = std::find_if(markers.begin(), markers.end(),
                                       [&](const Marker& m) { return m.name == joint->marker(); });
      efforts_at_.push_back(marker_input_size(Body::space) *
                            (1 + static_cast<std::size_t>(marker - markers.begin())));
    }
  }

  [[nodiscard]] std::size_t dof() const requires requires(const Body& b) { b.dof(); }
  { return body_.dof(); }
  static constexpr std::size_t position_count() requires requires { Body::position_count(); }
  { return Body::position_count(); }
  static constexpr std::size_t velocity_count() requires requires { Body::velocity_count(); }
  { return Body::velocity_count(); }
  [[nodiscard]] std::vector<std::string> state_names() const requires NamesStates<Body> {
    return body_.state_names();
  }
  [[nodiscard]] std::size_t input_count() const {
    std::size_t count = body_.input_count();
    for (const auto& joint : joints_) count += joint->input_count();
    return count;
  }
  [[nodiscard]] Description describe() const {
    Description description = body_.describe();
    for (const auto& joint : joints_) joint->describe(description);
    return description;
  }

  [[nodiscard]] Scene scene() const { return body_.scene(); }
  void draw(const double* q, SceneFrame frame) const { body_.draw(q, frame); }

  void position_rates(const double* q, const double* v, double* q_dot) const {
    body_.position_rates(q, v, q_dot);
  }
  void normalise(double* q) const { body_.normalise(q); }

  void acceleration(const double* u, const double* q, const double* v, double* a) const {
    body_.acceleration(efforts(u, q, v), q, v, a);
  }

  template <typename Tell>
  void powers(const double* u, const double* u_rate, const double* q, const double* v, const double* v_work,
              Tell tell) const {
    if (joints_.empty()) return body_.powers(u, u_rate, q, v, v_work, tell);
    double dissipated = 0.0;
    body_.powers(u, u_rate, q, v, v_work, [&](std::size_t i, double power) {
      if (i == 0) {
        dissipated = power;
      } else {
        tell(i, power);
      }
    });
    const BodyMotion body = body_.motion_of(q, v);
    const BodyMotion body_at_work = body_.motion_of(q, v_work);
    for_each_joint([&](const BodyJoint& joint, std::size_t, std::size_t first) {
      double received[BodyJoint::max_inputs];
      dissipated += joint.powers_W(body, body_at_work, u + first,
                                   u_rate == nullptr ? nullptr : u_rate + first, received);
      for (std::size_t i = 0; i < joint.input_count(); ++i) tell(1 + first + i, received[i]);
    });
    tell(0, dissipated);
  }

  [[nodiscard]] double stored_J(const double* u, const double* q, const double* v) const {
    double stored = body_.stored_J(u, q, v);
    if (joints_.empty()) return stored;
    const BodyMotion body = body_.motion_of(q, v);
    for_each_joint([&](const BodyJoint& joint, std::size_t, std::size_t first) {
      stored += joint.stored_J(body, u + first);
    });
    return stored;
  }

  [[nodiscard]] double kinetic_J(const double* q, const double* v) const { return body_.kinetic_J(q, v); }
  [[nodiscard]] Momentum momentum(const double* q, const double* v) const { return body_.momentum(q, v); }

  void add_jump_work_J(const double* u_old, const double* u_new, const double* q, const double* /*v*/,
                       double share, double* received) const {
    if (joints_.empty()) return;
    // The potential of a joint does not look at velocities.
    const BodyMotion body = body_.motion_of(q, at_rest);
    for_each_joint([&](const BodyJoint& joint, std::size_t, std::size_t first) {
      joint.add_jump_work_J(body, u_old + first, u_new + first, share, received + first);
    });
  }

  void outputs(const double* u, const double* q, const double* v, double* y) const {
    body_.outputs(u, q, v, y);
    if (joints_.empty()) return;
    const BodyMotion body = body_.motion_of(q, v);
    y += body_.output_count();
    for_each_joint([&](const BodyJoint& joint, std::size_t, std::size_t first) {
      joint.outputs(body, u + first, y);
      y += joint.output_count();
    });
  }

  void output_jacobian(const double* u, const double* q, const double* v, double* jacobian) const {
    const std::size_t inputs = input_count();
    std::size_t rows = body_.output_count();
    for (const auto& joint : joints_) rows += joint->output_count();
    std::fill_n(jacobian, rows * inputs, 0.0);  // no output of a body itself depends on an input
    if (joints_.empty()) return;
    const BodyMotion body = body_.motion_of(q, v);
    double* row = jacobian + body_.output_count() * inputs;
    for_each_joint([&](const BodyJoint& joint, std::size_t, std::size_t first) {
      joint.output_jacobian(body, u + first, row + first, inputs);
      row += joint.output_count() * inputs;
    });
  }

 private:
  static constexpr double at_rest[6] = {};

  /// Calls `visit` with each joint, the place of its marker's efforts, and its first input.
  template <typename Visit>
  void for_each_joint(Visit visit) const {
    std::size_t first = body_.input_count();
    for (std::size_t i = 0; i < joints_.size(); ++i) {
      visit(*joints_[i], efforts_at_[i], first);
      first += joints_[i]->input_count();
    }
  }
  /// The inputs of the body with what its joints do added.
  const double* efforts(const double* u, const double* q, const double* v) const {
    if (joints_.empty()) return u;
    std::copy_n(u, efforts_.size(), efforts_.begin());
    const BodyMotion body = body_.motion_of(q, v);
    for_each_joint([&](const BodyJoint& joint, std::size_t place, std::size_t first) {
      joint.add_wrench(body, u + first, efforts_.data() + place);
    });
    return efforts_.data();
  }

  Body body_;
  BodyJoints joints_;
  std::vector<std::size_t> efforts_at_;  ///< of each joint: where the efforts at its marker begin
  mutable std::vector<double> efforts_;
};

}  // namespace ergon
