#pragma once

#include <memory>

#include "ergon/core/subsystem.hpp"
#include "ergon/models/joints/joint_ports.hpp"

namespace ergon {

/// A flexible joint between two bodies, in force/force form: motions in, wrenches out.
class JointElement final : public Element, public Differentiable {
 public:
  explicit JointElement(std::shared_ptr<const JointLaw> law)
      : law_(std::move(law)), ports_(law_->space(), law_->dependence()) {}
  [[nodiscard]] Description describe() const override { return ports_.describe(); }
  void evaluate(const double* u, double* y) const override {
    ports_.write(law_->respond(ports_.read(u)).wrench(), y);
  }
  [[nodiscard]] double stored_J(const double* u) const override {
    return law_->respond(ports_.read(u)).stored_J;
  }
  [[nodiscard]] double dissipation_W(const double* u) const override {
    return law_->respond(ports_.read(u)).dissipation_W;
  }
  [[nodiscard]] const Differentiable* differentiable() const override { return this; }
  void output_jacobian(double /*t*/, const double* u, double* jacobian) const override {
    const JointMotion motion = ports_.read(u);
    const std::size_t inputs = ports_.input_count();
    double column[JointPorts::max_outputs];
    for (std::size_t k = 0; k < inputs; ++k) {
      ports_.write(law_->wrench_change(motion, ports_.change(u, k)), column);
      for (std::size_t row = 0; row < ports_.output_count(); ++row) jacobian[row * inputs + k] = column[row];
    }
  }

 private:
  std::shared_ptr<const JointLaw> law_;
  JointPorts ports_;
};

/// The multipliers of a joint, for two bodies that find the directions themselves (GuidedJoint): motions in, lambda out.
class MultiplierElement final : public Element {
 public:
  explicit MultiplierElement(std::shared_ptr<const JointLaw> law)
      : law_(std::move(law)), ports_(law_->space(), law_->dependence()) {}
  [[nodiscard]] Description describe() const override {
    Description description = ports_.describe();
    description.outputs = {{"lambda", law_->multiplier_unit(), law_->multiplier_count(),
                            "multipliers, positive along its measure"}};
    description.feedthrough.clear();
    for (std::size_t i = 0; i < description.inputs.size(); ++i) description.feedthrough.push_back({0, i});
    return description;
  }
  void evaluate(const double* u, double* y) const override { law_->write_multipliers(ports_.read(u), y); }
  [[nodiscard]] double stored_J(const double* u) const override {
    return law_->respond(ports_.read(u)).stored_J;
  }
  [[nodiscard]] double dissipation_W(const double* u) const override {
    return law_->respond(ports_.read(u)).dissipation_W;
  }

 private:
  std::shared_ptr<const JointLaw> law_;
  JointPorts ports_;
};

}  // namespace ergon
