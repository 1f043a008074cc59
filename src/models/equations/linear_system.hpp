#pragma once

#include "ergon/models/equations/equation_system.hpp"
#include "ergon/models/equations/matrix_text.hpp"

namespace ergon {

/// A, B, C, D of one size each, with the ports of u and y.
struct LinearSystem {
  MatrixValues A, B, C, D;
  std::vector<double> start;
  std::vector<Port> inputs;
  std::vector<Port> outputs;
};

/// ẋ = A x + B u, y = C x + D u as terms; states x1, x2, …
EquationSystem equations_of(const LinearSystem& linear);

/// x₊ = A x + B u at the instants t₀ + k·T, y = C x + D u there and held in between.
std::unique_ptr<Subsystem> make_sampled_linear(LinearSystem linear, double sample_time_s);

}  // namespace ergon
