#pragma once

#include <cstddef>

namespace ergon {

/// The inputs of one subsystem over one communication step, as polynomials in τ, the seconds since its start:
///   u_i(τ) = Σ_d c[d·stride + i] τ^d,   d = 0 … degree
/// Hold, linear, quadratic extrapolation and FMI input derivatives are this one type.
struct InputView {
  const double* coefficients = nullptr;
  std::size_t stride = 0;
  int degree = 0;

  /// u_i(τ)
  [[nodiscard]] double operator()(std::size_t i, double tau) const {
    double value = coefficients[static_cast<std::size_t>(degree) * stride + i];
    for (int d = degree - 1; d >= 0; --d)
      value = value * tau + coefficients[static_cast<std::size_t>(d) * stride + i];
    return value;
  }
  /// u_i(0): what an integrator sees that samples its inputs at the start of the step.
  [[nodiscard]] double start(std::size_t i) const { return coefficients[i]; }
  /// du_i/dτ
  [[nodiscard]] double rate(std::size_t i, double tau) const {
    double value = 0.0;
    for (int d = degree; d >= 1; --d) {
      value = value * tau + static_cast<double>(d) * coefficients[static_cast<std::size_t>(d) * stride + i];
    }
    return value;
  }
};

}  // namespace ergon
