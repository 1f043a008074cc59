// A correction of our own for power bonds (docs/library.md): it is registered under a name, which scenarios then use.
//   own_corrector SCENARIO BOND [instance.parameter=value …]
// runs the scenario without and with it, and tells how much energy the coupling has created.
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "ergon/coupling/correctors/register_corrector.hpp"
#include "ergon/run/simulation.hpp"
#include "held_effort.hpp"

namespace {

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
