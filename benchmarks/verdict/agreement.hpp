#pragma once

#include "benchmarks/framework/benchmark.hpp"
#include "ergon/verdict/verdict.hpp"

namespace ergon::bench {

/// A verdict is right about a run with this error: reliable and consistent below 5 %, doubtful from 2 to 20 %, unreliable above 10 %;
/// between there is a grey zone on either side.
[[nodiscard]] bool agrees(VerdictValue value, double error);

[[nodiscard]] Expectation at_most(double max);
[[nodiscard]] Expectation at_least(double min);

}  // namespace ergon::bench
