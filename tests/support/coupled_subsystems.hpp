#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ergon/core/system_graph.hpp"
#include "ergon/coupling/engine.hpp"

/// Small subsystems whose coupled results can be worked out by hand.
namespace ergon::testing {

inline Port scalar(std::string name, std::string_view unit = "") {
  return {std::move(name), Unit::of(unit), 1, "", 0.0, true};
}

/// Saves and restores a flat list of doubles.
class Rewinding : public Subsystem, public Rewindable, public Serializable {
 public:
  Rewindable* rewindable() override { return this; }
  [[nodiscard]] const Serializable* serializable() const override { return this; }
  [[nodiscard]] std::unique_ptr<StateSlot> make_slot() const override { return std::make_unique<Slot>(); }
  void save(StateSlot& slot) const override { static_cast<Slot&>(slot).state = state_; }
  void restore(const StateSlot& slot) override { state_ = static_cast<const Slot&>(slot).state; }
  void serialize(const StateSlot& slot, std::vector<std::byte>& bytes) const override {
    const auto of_slot = std::as_bytes(std::span(static_cast<const Slot&>(slot).state));
    bytes.assign(of_slot.begin(), of_slot.end());
  }
  bool deserialize(std::span<const std::byte> bytes, StateSlot& slot) const override {
    if (bytes.size() != state_.size() * sizeof(double)) return false;
    std::vector<double>& state = static_cast<Slot&>(slot).state;
    state.resize(state_.size());
    std::copy(bytes.begin(), bytes.end(), std::as_writable_bytes(std::span(state)).begin());
    return true;
  }

 protected:
  std::vector<double> state_;

 private:
  struct Slot final : StateSlot {
    std::vector<double> state;
  };
};

/// y = f(t)
class Source final : public Rewinding {
 public:
  explicit Source(std::function<double(double)> f) : f_(std::move(f)) {}
  [[nodiscard]] Description describe() const override {
    Description d;
    d.outputs = {scalar("y")};
    return d;
  }
  StepStatus initialize(const Experiment& /*experiment*/) override { return {}; }
  StepStatus step(double /*t*/, double /*h*/, const InputView& /*u*/) override { return {}; }
  void outputs(double t, const double* /*u*/, double* y) override { y[0] = f_(t); }

 private:
  std::function<double(double)> f_;
};

/// A motion that no force changes: position(t), velocity(t).
class Motion final : public Rewinding {
 public:
  Motion(std::function<double(double)> position, std::function<double(double)> velocity,
         InputSampling sampling = InputSampling::continuous)
      : position_(std::move(position)), velocity_(std::move(velocity)), sampling_(sampling) {}
  [[nodiscard]] Description describe() const override {
    Description d;
    d.inputs = {scalar("force", "N")};
    d.outputs = {scalar("position", "m"), scalar("velocity", "m/s")};
    d.samples_input = sampling_;
    return d;
  }
  StepStatus initialize(const Experiment& /*experiment*/) override { return {}; }
  StepStatus step(double /*t*/, double /*h*/, const InputView& /*u*/) override { return {}; }
  void outputs(double t, const double* /*u*/, double* y) override {
    y[0] = position_(t);
    y[1] = velocity_(t);
  }

 private:
  std::function<double(double)> position_;
  std::function<double(double)> velocity_;
  InputSampling sampling_;
};

/// What a subsystem was given for one step.
struct Seen {
  double t = 0.0;
  double h = 0.0;
  double start = 0.0;
  double end = 0.0;
  int degree = 0;
};

/// Writes down its input; its output is the number of steps taken.
class Probe final : public Rewinding {
 public:
  explicit Probe(std::vector<Seen>& seen, InputSampling sampling = InputSampling::continuous)
      : seen_(seen), sampling_(sampling) {}
  [[nodiscard]] Description describe() const override {
    Description d;
    d.inputs = {scalar("u")};
    d.outputs = {scalar("steps")};
    d.samples_input = sampling_;
    return d;
  }
  StepStatus initialize(const Experiment& /*experiment*/) override {
    state_ = {0.0};
    return {};
  }
  StepStatus step(double t, double h, const InputView& u) override {
    seen_.push_back({t, h, u(0, 0.0), u(0, h), u.degree});
    state_[0] += 1.0;
    return {};
  }
  void outputs(double /*t*/, const double* /*u*/, double* y) override { y[0] = state_[0]; }

 private:
  std::vector<Seen>& seen_;
  InputSampling sampling_;
};

/// y = gain·u + bias, through and through.
class Relay final : public Rewinding {
 public:
  Relay(double gain, double bias, bool reevaluates = true)
      : gain_(gain), bias_(bias), reevaluates_(reevaluates) {}
  [[nodiscard]] Description describe() const override {
    Description d;
    d.inputs = {scalar("u")};
    d.outputs = {scalar("y")};
    d.feedthrough = {{0, 0}};
    d.reevaluates_outputs = reevaluates_;
    d.samples_input = InputSampling::start;
    return d;
  }
  StepStatus initialize(const Experiment& /*experiment*/) override { return {}; }
  StepStatus step(double /*t*/, double /*h*/, const InputView& /*u*/) override { return {}; }
  void outputs(double /*t*/, const double* u, double* y) override { y[0] = gain_ * u[0] + bias_; }

 private:
  double gain_;
  double bias_;
  bool reevaluates_;
};

/// y = law(u), once as a channel from u to x and once from v to y: reads and is read without a loop.
class TwoChannels final : public Element {
 public:
  TwoChannels(double first_gain, double second_gain) : first_(first_gain), second_(second_gain) {}
  [[nodiscard]] Description describe() const override {
    Description d;
    d.inputs = {scalar("u"), scalar("v")};
    d.outputs = {scalar("x"), scalar("y")};
    d.feedthrough = {{0, 0}, {1, 1}};
    return d;
  }
  void evaluate(const double* u, double* y) const override {
    y[0] = first_ * u[0];
    y[1] = second_ * u[1];
  }

 private:
  double first_;
  double second_;
};

/// y = f(u₁, u₂)
class Law final : public Element {
 public:
  explicit Law(std::function<double(double, double)> f) : f_(std::move(f)) {}
  [[nodiscard]] Description describe() const override {
    Description d;
    d.inputs = {scalar("u1"), scalar("u2")};
    d.outputs = {scalar("y")};
    d.feedthrough = {{0, 0}, {0, 1}};
    return d;
  }
  void evaluate(const double* u, double* y) const override { y[0] = f_(u[0], u[1]); }

 private:
  std::function<double(double, double)> f_;
};

/// A spring between two motions: the force on 2, and its opposite on 1.
class SpringLaw final : public Element {
 public:
  explicit SpringLaw(double stiffness_N_m) : k_(stiffness_N_m) {}
  [[nodiscard]] Description describe() const override {
    Description d;
    d.inputs = {scalar("x1", "m"), scalar("v1", "m/s"), scalar("x2", "m"), scalar("v2", "m/s")};
    d.outputs = {scalar("f2", "N"), scalar("f1", "N")};
    d.feedthrough = {{0, 0}, {0, 2}, {1, 0}, {1, 2}};
    return d;
  }
  void evaluate(const double* u, double* y) const override {
    y[0] = k_ * (u[0] - u[2]);
    y[1] = -y[0];
  }
  [[nodiscard]] double stored_J(const double* u) const override {
    return 0.5 * k_ * (u[0] - u[2]) * (u[0] - u[2]);
  }

 private:
  double k_;
};

struct MassParameters {
  double m_kg = 1.0;
  double k_N_m = 0.0;
  double v0_m_s = 0.0;
  double kc_N_m = 0.0;  ///< spring to the other mass, for the side that has it
  bool reevaluates = true;
  InputSampling sampling = InputSampling::start;
};

/// A mass on a spring to ground, driven by a force; semi-implicit Euler, one step per communication step:
///   v ← v + h(−k x + f)/m,  x ← x + h v
class ForcedMass final : public Rewinding {
 public:
  explicit ForcedMass(const MassParameters& p) : p_(p) {}
  [[nodiscard]] Description describe() const override {
    Description d;
    d.inputs = {scalar("force", "N")};
    d.outputs = {scalar("position", "m"), scalar("velocity", "m/s")};
    d.samples_input = p_.sampling;
    return d;
  }
  StepStatus initialize(const Experiment& /*experiment*/) override {
    state_ = {0.0, p_.v0_m_s};
    return {};
  }
  StepStatus step(double /*t*/, double h, const InputView& u) override {
    state_[1] += h * (-p_.k_N_m * state_[0] + u.start(0)) / p_.m_kg;
    state_[0] += h * state_[1];
    return {};
  }
  void outputs(double /*t*/, const double* /*u*/, double* y) override {
    y[0] = state_[0];
    y[1] = state_[1];
  }

 private:
  MassParameters p_;
};

/// The same with the coupling spring on its side: takes the other's motion and gives the force on the other.
///   v ← v + h(−k x − kc(x − ξ))/m,  x ← x + h v,  force = kc(x − ξ)
class SpringMass final : public Rewinding {
 public:
  explicit SpringMass(const MassParameters& p) : p_(p) {}
  [[nodiscard]] Description describe() const override {
    Description d;
    d.inputs = {scalar("position_in", "m"), scalar("velocity_in", "m/s")};
    d.outputs = {scalar("force", "N"), scalar("position", "m"), scalar("velocity", "m/s")};
    d.feedthrough = {{0, 0}, {0, 1}};
    d.samples_input = p_.sampling;
    d.reevaluates_outputs = p_.reevaluates;
    return d;
  }
  StepStatus initialize(const Experiment& /*experiment*/) override {
    state_ = {0.0, p_.v0_m_s};
    return {};
  }
  StepStatus step(double /*t*/, double h, const InputView& u) override {
    const double f = p_.kc_N_m * (state_[0] - u.start(0));
    state_[1] += h * (-p_.k_N_m * state_[0] - f) / p_.m_kg;
    state_[0] += h * state_[1];
    return {};
  }
  void outputs(double /*t*/, const double* u, double* y) override {
    y[0] = p_.kc_N_m * (state_[0] - u[0]);
    y[1] = state_[0];
    y[2] = state_[1];
  }

 private:
  MassParameters p_;
};

/// One run, from the graph to the end. Complains where something is wrong that the test did not expect.
struct Simulation {
  SystemGraph graph;
  CouplingOptions options;
  ProblemList problems;
  std::unique_ptr<CoupledSystem> system;
  std::unique_ptr<Engine> engine;

  void connect(const std::string& from, const std::string& to) {
    ConnectionSpec spec;
    spec.from = {from};
    spec.to = to;
    graph.connect(std::move(spec));
  }

  /// Freezes and builds; whether there were no errors.
  bool build(const char* stop_time) {
    system = graph.freeze(problems);
    if (!system) return false;
    std::vector<Rational> steps;
    for (const Node& node : system->nodes) {
      if (!node.description->algebraic) steps.push_back(node.step_s);
    }
    engine = Engine::make(*system, TimeGrid(Rational{}, Rational::parse(stop_time).value(), steps), options,
                          problems);
    return engine != nullptr;
  }

  /// Everything up to t₀.
  void start(const char* stop_time) {
    if (!build(stop_time)) throw InputError(problems);
    const auto failure = engine->initialize(problems);
    if (problems.has_errors()) throw InputError(problems);
    if (failure) ADD_FAILURE() << failure->subsystem << ": " << failure->what;
  }

  /// Goes on to the next point; false at the end of the run.
  bool advance() {
    if (engine->done()) return false;
    const auto failure = engine->advance();
    if (failure) ADD_FAILURE() << failure->subsystem << ": " << failure->what;
    return !failure;
  }

  void run(const char* stop_time) {
    start(stop_time);
    while (advance()) {
    }
  }

  [[nodiscard]] double output(const std::string& name) const {
    return engine->record().output(system->find_output(name).value());
  }
};

inline Rational milliseconds(std::int64_t n) {
  return {n, 1000};
}

}  // namespace ergon::testing
