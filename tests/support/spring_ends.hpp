#pragma once

#include <functional>
#include <vector>

#include "support/coupled_subsystems.hpp"

/// Two ends of a spring in n dimensions that keep no books, as most simulators of others do.
namespace ergon::testing {

/// What a giver of efforts allows.
struct Allows {
  bool setting = false;      ///< outputs may be asked again
  bool derivatives = false;  ///< directional derivatives
  bool saving = false;
  bool any_step = true;  ///< else all of one length
};

/// A mass behind the one that others see, on a spring of its own; none: 0.
struct HiddenMass {
  double mass = 0.0;
  double stiffness = 0.0;
};

/// One or two masses per direction on springs to the ground, RK4 inside.
class SpringEnd : public Rewinding {
 public:
  SpringEnd(double mass, double stiffness, std::vector<double> velocity, HiddenMass hidden = {})
      : n_(velocity.size()), mass_(mass), stiffness_(stiffness), hidden_(hidden) {
    state_.assign(4 * n_, 0.0);
    for (std::size_t i = 0; i < n_; ++i) state_[n_ + i] = velocity[i];
  }
  StepStatus initialize(const Experiment& /*experiment*/) override { return {}; }
  StepStatus step(double /*t*/, double h, const InputView& u) override {
    constexpr int substeps = 8;
    const double dt = h / substeps;
    for (int s = 0; s < substeps; ++s) {
      const auto k1 = rates(state_, u, s * dt);
      const auto k2 = rates(moved(k1, 0.5 * dt), u, (s + 0.5) * dt);
      const auto k3 = rates(moved(k2, 0.5 * dt), u, (s + 0.5) * dt);
      const auto k4 = rates(moved(k3, dt), u, (s + 1) * dt);
      for (std::size_t i = 0; i < state_.size(); ++i)
        state_[i] += dt / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
    }
    ++steps;
    return {};
  }
  /// Without that of the coupling.
  [[nodiscard]] double energy_J() const {
    double sum = 0.0;
    for (std::size_t i = 0; i < n_; ++i) {
      const double x = state_[i];
      const double z = state_[2 * n_ + i];
      sum += 0.5 * mass_ * state_[n_ + i] * state_[n_ + i] + 0.5 * stiffness_ * x * x +
             0.5 * hidden_.mass * state_[3 * n_ + i] * state_[3 * n_ + i] +
             0.5 * hidden_.stiffness * (z - x) * (z - x);
    }
    return sum;
  }
  [[nodiscard]] const std::vector<double>& state() const { return state_; }
  int steps = 0;  ///< that were taken, also those that were set back

 protected:
  [[nodiscard]] Port vector(const char* name, const char* unit) const {
    return {name, Unit::of(unit), n_, "", 0.0, true};
  }
  /// Force of the coupling on this end.
  [[nodiscard]] virtual double pull(const std::vector<double>& state, std::size_t i, const InputView& u,
                                    double tau) const = 0;
  std::size_t n_;

 private:
  [[nodiscard]] std::vector<double> moved(const std::vector<double>& rates, double dt) const {
    std::vector<double> z = state_;
    for (std::size_t i = 0; i < z.size(); ++i) z[i] += dt * rates[i];
    return z;
  }
  [[nodiscard]] std::vector<double> rates(const std::vector<double>& s, const InputView& u,
                                          double tau) const {
    std::vector<double> r(s.size());
    for (std::size_t i = 0; i < n_; ++i) {
      const double behind = hidden_.stiffness * (s[2 * n_ + i] - s[i]);
      r[i] = s[n_ + i];
      r[n_ + i] = (pull(s, i, u, tau) - stiffness_ * s[i] + behind) / mass_;
      r[2 * n_ + i] = s[3 * n_ + i];
      r[3 * n_ + i] = hidden_.mass > 0.0 ? -behind / hidden_.mass : 0.0;
    }
    return r;
  }
  double mass_;
  double stiffness_;
  HiddenMass hidden_;
};

/// D: force = K (x − ξ) + c (v − f).
class SpringGiver final : public SpringEnd, public DirectionalDerivatives {
 public:
  SpringGiver(double mass, double stiffness, std::vector<double> velocity, std::vector<double> coupling,
              double damping, Allows allows, HiddenMass hidden = {})
      : SpringEnd(mass, stiffness, std::move(velocity), hidden),
        coupling_(std::move(coupling)),
        damping_(damping),
        allows_(allows) {}
  [[nodiscard]] Description describe() const override {
    Description d;
    d.inputs = {vector("position_in", "m"), vector("velocity_in", "m/s")};
    d.outputs = {vector("force", "N"), vector("position", "m")};
    d.feedthrough = {{0, 0}, {0, 1}};
    d.reevaluates_outputs = allows_.setting;
    d.fixed_step = !allows_.any_step;
    return d;
  }
  void outputs(double /*t*/, const double* u, double* y) override {
    for (std::size_t i = 0; i < n_; ++i) {
      y[i] = -pull(state_, i, {u, 2 * n_, 0}, 0.0);
      y[n_ + i] = state_[i];
    }
  }
  Rewindable* rewindable() override { return allows_.saving ? this : nullptr; }
  [[nodiscard]] const Serializable* serializable() const override { return nullptr; }
  [[nodiscard]] const DirectionalDerivatives* directional_derivatives() const override {
    return allows_.derivatives ? this : nullptr;
  }
  [[nodiscard]] std::size_t state_count() const override { return state_.size(); }
  void directional_derivative(double /*t*/, const double* /*u*/, const double* /*state_change*/,
                              const double* input_change, double* /*rate_change*/,
                              double* output_change) const override {
    for (std::size_t i = 0; i < n_; ++i) {
      output_change[i] = -damping_ * input_change[n_ + i];
      for (std::size_t j = 0; j < n_; ++j) output_change[i] -= coupling_[i * n_ + j] * input_change[j];
      output_change[n_ + i] = 0.0;
    }
  }
  /// With the other end at ξ.
  [[nodiscard]] double coupling_J(const std::vector<double>& xi) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = 0; j < n_; ++j)
        sum += 0.5 * (state_[i] - xi[i]) * coupling_[i * n_ + j] * (state_[j] - xi[j]);
    }
    return sum;
  }

 private:
  [[nodiscard]] double pull(const std::vector<double>& s, std::size_t i, const InputView& u,
                            double tau) const override {
    double force = damping_ * (s[n_ + i] - u(n_ + i, tau));
    for (std::size_t j = 0; j < n_; ++j) force += coupling_[i * n_ + j] * (s[j] - u(j, tau));
    return -force;
  }
  std::vector<double> coupling_;
  double damping_;
  Allows allows_;
};

/// N: moves under a force.
class SpringMover final : public SpringEnd {
 public:
  using SpringEnd::SpringEnd;
  [[nodiscard]] Description describe() const override {
    Description d;
    d.inputs = {vector("force", "N")};
    d.outputs = {vector("position", "m"), vector("velocity", "m/s")};
    return d;
  }
  void outputs(double /*t*/, const double* /*u*/, double* y) override {
    for (std::size_t i = 0; i < 2 * n_; ++i) y[i] = state_[i];
  }

 private:
  [[nodiscard]] double pull(const std::vector<double>& /*state*/, std::size_t i, const InputView& u,
                            double tau) const override {
    return u(i, tau);
  }
};

}  // namespace ergon::testing
