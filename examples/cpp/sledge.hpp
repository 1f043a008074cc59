// A model of our own, for own_model.cpp, own_source.cpp and the plug-in own_models.cpp.
#pragma once

#include "ergon/core/flat_state.hpp"
#include "ergon/core/subsystem.hpp"

/// A mass on a plane with viscous friction, m·v̇ = F − d·v. Implicit midpoint rule, one step per communication step:
///   v̄ = ½(v₀ + v₁),   m(v₁ − v₀) = h(F − d·v̄),   x₁ = x₀ + h·v̄
/// Its energy balance closes exactly: ½m(v₁² − v₀²) = h·F·v̄ − h·d·v̄².
class Sledge final : public ergon::Subsystem, public ergon::FlatState, public ergon::EnergyAccount {
 public:
  Sledge(double mass_kg, double friction_Ns_m) : m_(mass_kg), d_(friction_Ns_m) {}

  [[nodiscard]] ergon::Description describe() const override {
    ergon::Description description;
    description.inputs = {ergon::Port{"force", ergon::Unit::of("N"), 1, "pushes it forwards"}};
    description.outputs = {ergon::Port{"position", ergon::Unit::of("m"), 1, "where it is, 0 at the start"},
                           ergon::Port{"velocity", ergon::Unit::of("m/s"), 1, "its velocity"}};
    return description;
  }
  ergon::StepStatus initialize(const ergon::Experiment& /*experiment*/) override {
    x_ = v_ = received_J_ = dissipated_J_ = 0.0;
    return {};
  }
  ergon::StepStatus step(double /*t*/, double h, const ergon::InputView& u) override {
    const double force = u(0, 0.5 * h);  // in the middle of the step, by the polynomial that the engine gives
    const double next = ((m_ - 0.5 * h * d_) * v_ + h * force) / (m_ + 0.5 * h * d_);
    const double mean = 0.5 * (v_ + next);
    x_ += h * mean;
    v_ = next;
    received_J_ += h * force * mean;
    dissipated_J_ += h * d_ * mean * mean;
    return {};
  }
  void outputs(double /*t*/, const double* /*u*/, double* y) override {
    y[0] = x_;
    y[1] = v_;
  }

  [[nodiscard]] const ergon::EnergyAccount* energy_account() const override { return this; }
  void sample(const ergon::AccountInputs& /*inputs*/, ergon::AccountSample& sample) const override {
    sample.stored_J = sample.synchronised_J = sample.kinetic_J = 0.5 * m_ * v_ * v_;
    sample.dissipated_J = dissipated_J_;
    sample.received_J[0] = received_J_;
    sample.has_momentum = true;
    sample.momentum = {m_, {m_ * v_, 0.0, 0.0}};
  }

  // Its state is a row of numbers: it can be saved, so that steps may be repeated (implicit schemes, step control).
  ergon::Rewindable* rewindable() override { return this; }
  [[nodiscard]] const ergon::Serializable* serializable() const override { return this; }

 protected:
  [[nodiscard]] std::size_t row_size() const override { return 4; }
  void write_row(std::span<double> row) const override {
    row[0] = x_, row[1] = v_, row[2] = received_J_, row[3] = dissipated_J_;
  }
  void read_row(std::span<const double> row) override {
    x_ = row[0], v_ = row[1], received_J_ = row[2], dissipated_J_ = row[3];
  }

 private:
  double m_;
  double d_;
  double x_ = 0.0;
  double v_ = 0.0;
  double received_J_ = 0.0;
  double dissipated_J_ = 0.0;
};
