// A scenario, FMUs included, in a program of our own (docs/library.md):  run_scenario machine.toml [left.m=3 …]
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "ergon/run/simulation.hpp"

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: run_scenario SCENARIO [instance.parameter=value ...]\n", stderr);
    return 2;
  }
  try {
    ergon::Simulation simulation(argv[1], std::vector<std::string>(argv + 2, argv + argc));
    const ergon::RunOutcome& outcome = simulation.run();
    std::printf("ran until t = %g s\n", outcome.reached_time_s);
    if (outcome.failure) return 1;
    std::printf("verdict: %s\n", std::string(ergon::name_of(simulation.verdict().value)).c_str());
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
