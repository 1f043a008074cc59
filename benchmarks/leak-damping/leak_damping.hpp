#pragma once

#include "benchmarks/framework/benchmark.hpp"

namespace ergon::bench {

/// [gonzalez2019, Figs. 8–14]: energy, displacement and coupling force of the two-mass oscillator without and with
/// damping, single- and multi-rate, without and with correction.
std::vector<Row> leak_damping(const std::filesystem::path& folder, Pictures* pictures = nullptr);

}  // namespace ergon::bench
