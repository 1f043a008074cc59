#pragma once

#include <cstddef>

namespace ergon::bench {

/// The yardstick: the chain of overhead.cpp as a person would write it by hand, in one translation unit with the same
/// flags: an array of masses, one loop that steps them, one that copies what they exchange. Same arithmetic (energy
/// books included), same exchange, no names, no ports, no virtual calls, nothing recorded.
/// Returns the position of the last mass, so that nothing is optimised away; `seconds` is the time of the loop.
double run_bare_chain(std::size_t masses, long steps, double h, double& seconds);

}  // namespace ergon::bench
