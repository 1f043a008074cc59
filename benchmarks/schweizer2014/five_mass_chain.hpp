#pragma once

#include "benchmarks/reference/linear_solution.hpp"

namespace ergon::bench {

constexpr std::size_t five_masses = 5;

/// z = [x, v] of wall – 1 – 2 – 3 – 4 – 5, only the first mass held by the wall: m_i = i kg, all springs 1000 N/m, all
/// dampers 10 N s/m, v = +100, −100, … m/s at the start.
numerics::LinearSolution five_mass_chain();

}  // namespace ergon::bench
