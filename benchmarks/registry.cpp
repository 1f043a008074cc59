#include "benchmarks/framework/benchmark.hpp"
#include "benchmarks/lim-oscillator/lim_oscillator.hpp"

namespace ergon::bench {

const std::vector<Benchmark>& benchmarks() {
  static const std::vector<Benchmark> all = {
      {"lim-oscillator", "two-mass linear oscillator in three arrangements, explicit coupling [lim2021]",
       lim_oscillator},
  };
  return all;
}

}  // namespace ergon::bench
