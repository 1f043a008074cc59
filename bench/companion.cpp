// What the check of the motion costs: one and the same run alone and with the check runs that `auto` makes, in turns.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include "ergon/run/simulation.hpp"

namespace {

using namespace ergon;

struct Cost {
  double elapsed_s = 0.0;
  double cpu_s = 0.0;
};

double cpu_s() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

Cost cost_of(const std::string& scenario, const std::vector<std::string>& settings, MotionCheck check) {
  Simulation simulation(scenario, settings);
  simulation.check_motion(check);
  const double cpu = cpu_s();
  const auto begin = std::chrono::steady_clock::now();
  simulation.run();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  return {elapsed.count(), cpu_s() - cpu};
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: companion SCENARIO [REPEATS [SETTING…]]\n");
    return EXIT_FAILURE;
  }
  const int repeats = argc > 2 ? std::max(1, std::atoi(argv[2])) : 7;
  const std::vector<std::string> settings(argv + std::min(argc, 3), argv + argc);
  std::vector<double> elapsed;
  std::vector<double> cpu;
  std::vector<double> alone_s;
  for (int i = 0; i < repeats; ++i) {
    const Cost alone = cost_of(argv[1], settings, MotionCheck::off);
    const Cost checked = cost_of(argv[1], settings, MotionCheck::automatic);
    alone_s.push_back(alone.elapsed_s);
    elapsed.push_back(checked.elapsed_s / alone.elapsed_s);
    cpu.push_back(checked.cpu_s / alone.cpu_s);
  }
  fmt::print(
      "alone {:.3f} s; with its check runs {:.2f} times the CPU time, {:.2f} times the "
      "elapsed "
      "time (medians of {})\n",
      median(alone_s), median(cpu), median(elapsed), repeats);
  return EXIT_SUCCESS;
}
