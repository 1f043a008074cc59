// A correction of our own for power bonds (docs/library.md): it is registered under a name, which scenarios then use.
//   own_corrector SCENARIO BOND [instance.parameter=value …]
// runs the scenario without and with it, and tells how much energy the coupling has created.
#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "ergon/coupling/correctors/register_corrector.hpp"
#include "ergon/run/simulation.hpp"

namespace {

/// A held effort lags: over the step from T₀ to T₁ the receiver was pushed by e₀, while the mean was about ½(e₀ + e₁). The impulse that is
/// missing, ½H(e₁ − e₀), is given over the next step [benedikt2013]:   Δe = ½g(e₁ − e₀)
class HeldEffort final : public ergon::Corrector {
 public:
  explicit HeldEffort(double gain) : gain_(gain) {}
  bool correct(const ergon::ReceiverStep& step, std::span<double> next) override {
    for (std::size_t i = 0; i < next.size(); ++i) next[i] = 0.5 * gain_ * (step.effort1[i] - step.effort0[i]);
    return false;  // no limit has cut it short
  }

 private:
  double gain_;
};

ergon::CorrectorInfo held_effort_corrector() {
  ergon::CorrectorInfo info;
  info.name = "held-effort";
  info.help = "gives the impulse that a held effort missed over the next step";
  info.keys = {
      {.name = "gain", .help = "1: all of it", .takes_number = true, .minimum = 0.0, .maximum = 2.0}};
  info.make = [](ergon::CorrectorPlace& /*place*/, const ergon::CorrectionSettings& settings,
                 ergon::ProblemList& /*problems*/) -> std::unique_ptr<ergon::Corrector> {
    return std::make_unique<HeldEffort>(settings.number("gain", 1.0));
  };
  return info;
}

/// What the stored energy has become more than it can have, in J.
double created_J(const std::string& scenario, const std::vector<std::string>& settings) {
  ergon::Simulation simulation(scenario, settings);
  if (const auto& failure = simulation.run().failure) throw std::runtime_error(failure->what);
  const ergon::TotalEnergySummary& energy = simulation.summary().energy.value();
  return energy.final_stored_J + energy.dissipated_J - energy.supplied_J - energy.initial_stored_J;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: own_corrector SCENARIO BOND [instance.parameter=value ...]\n", stderr);
    return 2;
  }
  try {
    ergon::register_corrector(held_effort_corrector());
    std::vector<std::string> settings(argv + 3, argv + argc);
    const double without_J = created_J(argv[1], settings);
    settings.push_back("bond." + std::string(argv[2]) + ".correction={method=\"held-effort\"}");
    const double with_J = created_J(argv[1], settings);
    std::printf("created by the coupling: %.1f J without, %.1f J with the correction\n", without_J, with_J);
    return std::abs(with_J) < std::abs(without_J) ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
