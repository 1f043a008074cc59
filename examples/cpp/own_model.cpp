// A model of our own, coupled to one of Ergon's through a power bond (docs/library.md):
//
//   wall ~~k~~ [ hammer ] ~~kc~~ [ sledge ] → slides with friction
//
// The hammer and the springs are the native model oscillator.force_output; the sledge is the class in sledge.hpp.
#include <cstdio>
#include <memory>

#include "ergon/run/simulation.hpp"
#include "sledge.hpp"

namespace {

using ergon::Rational;

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
    // The run is repeated at another step size, for error bars and a verdict on the motion.
    simulation.check_motion(ergon::MotionCheck::automatic);
    const ergon::RunOutcome& outcome = simulation.run();
    if (outcome.failure) {
      std::fprintf(stderr, "%s at %g s: %s\n", outcome.failure->subsystem.c_str(), outcome.failure->time_s,
                   outcome.failure->what.c_str());
      return 1;
    }

    std::printf("t = %g s: the sledge is at %.3f m\n", outcome.reached_time_s,
                simulation.value("sledge.position"));
    const ergon::TotalEnergySummary& energy = *simulation.summary().energy;
    std::printf("energy: %.3f J at the start, %.3f J at the end, %.3f J dissipated\n",
                energy.initial_stored_J, energy.final_stored_J, energy.dissipated_J);
    const ergon::Verdict& verdict = simulation.verdict();
    std::printf("verdict: %s\n", std::string(ergon::name_of(verdict.value)).c_str());
    for (const ergon::VerdictReason& reason : verdict.reasons) std::printf("  %s\n", reason.what.c_str());
    return verdict.value == ergon::VerdictValue::unreliable ? 3 : 0;  // as `ergon run --strict`
  } catch (const ergon::InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
