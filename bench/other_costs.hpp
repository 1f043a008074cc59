#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace ergon::bench {

/// A figure that is not a ratio to the bare loop.
struct OtherCost {
  std::string name;
  std::string of;
  double value = 0.0;
  std::string unit;
};

/// Eight bodies hung on eight cables: wall time with two threads over that with one. The names put the bodies into one half of
/// the list of subsystems, where nearly nothing is to be done. And what the machine gives at best: two runs that have nothing to do with
/// each other, at the same time.
std::vector<OtherCost> cost_of_threads(int repeats);
/// A slow subsystem and a fast one, each with half of the work: their steps go on side by side.
std::vector<OtherCost> cost_of_slow_steps(int repeats);
/// A chain of so many masses, read from a file to the point where it could start.
std::vector<OtherCost> cost_of_loading(std::size_t masses, int repeats);
/// Memory of the same chain, built and started, per mass.
std::vector<OtherCost> cost_of_memory(std::size_t masses);

}  // namespace ergon::bench
