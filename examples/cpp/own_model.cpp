// A model of our own, coupled to one of Ergon's through a power bond (docs/library.md):
//
//   wall ~~k~~ [ hammer ] ~~kc~~ [ sledge ] → slides with friction
//
// The hammer and the springs are the native model oscillator.force_output; the sledge is the class below.
#include <cstdio>
#include <memory>

#include "ergon/run/simulation.hpp"

namespace {

using ergon::Port;
using ergon::Rational;
using ergon::Unit;

/// A mass on a plane with viscous friction, m·v̇ = F − d·v. Implicit midpoint rule, one step per communication step:
///   v̄ = ½(v₀ + v₁),   m(v₁ − v₀) = h(F − d·v̄),   x₁ = x₀ + h·v̄
/// It closes the energy books exactly: ½m(v₁² − v₀²) = h·F·v̄ − h·d·v̄².
class Sledge final : public ergon::Subsystem, public ergon::EnergyAccount {
 public:
  Sledge(double mass_kg, double friction_Ns_m) : m_(mass_kg), d_(friction_Ns_m) {}

  [[nodiscard]] ergon::Description describe() const override {
    ergon::Description description;
    description.inputs = {Port{"force", Unit::of("N"), 1, "pushes it forwards"}};
    description.outputs = {Port{"position", Unit::of("m"), 1, ""}, Port{"velocity", Unit::of("m/s"), 1, ""}};
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

 private:
  double m_;
  double d_;
  double x_ = 0.0;
  double v_ = 0.0;
  double received_J_ = 0.0;
  double dissipated_J_ = 0.0;
};

/// Called once per run: every run has subsystems of its own.
ergon::SystemGraph hammer_and_sledge() {
  const Rational step(1, 1000);  // s
  ergon::SystemGraph graph;
  graph.add(
      "hammer",
      ergon::make_native("oscillator.force_output", {{"m", 1.0}, {"k", 10.0}, {"kc", 100.0}}, {{"v", 10.0}}),
      step);
  graph.add("sledge", std::make_unique<Sledge>(2.0, 0.5), step);
  ergon::BondSpec spring;
  spring.name = "spring";
  spring.a = {{"hammer.force"}, {"hammer.velocity_in"}, {"hammer.position_in"}};
  spring.b = {{"sledge.force"}, {"sledge.velocity"}, {"sledge.position"}};
  graph.bond(spring);
  return graph;
}

}  // namespace

int main() {
  try {
    ergon::SimulationOptions options;
    options.stop_time_s = Rational(2, 1);
    options.coupling.degree = 1;  // linear extrapolation of inputs
    ergon::Simulation simulation(hammer_and_sledge, options);
    const ergon::RunOutcome& outcome = simulation.run();

    std::printf("t = %g s: the sledge is at %.3f m\n", outcome.reached_time_s,
                simulation.value("sledge.position"));
    const ergon::TotalEnergySummary& energy = *simulation.summary().energy;
    std::printf("energy: %.3f J at the start, %.3f J at the end, %.3f J dissipated\n",
                energy.initial_stored_J, energy.final_stored_J, energy.dissipated_J);
    const ergon::Verdict& verdict = simulation.verdict();
    std::printf("verdict: %s\n", std::string(ergon::name_of(verdict.value)).c_str());
    for (const ergon::VerdictReason& reason : verdict.reasons) std::printf("  %s\n", reason.what.c_str());
    return verdict.value == ergon::VerdictValue::reliable ? 0 : 1;
  } catch (const ergon::InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
