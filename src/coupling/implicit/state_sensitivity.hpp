#pragma once

#include <span>
#include <vector>

#include "ergon/core/subsystem.hpp"

namespace ergon {

/// How much of the series below is used.
enum class SensitivitySeries {
  all,
  leading,  ///< for each state the first term that does not vanish
};

/// How the state at the end of a step of length H changes when the inputs change by Σ_d b_d τ^d, without integrating:
/// with ẋ = f(x, u) linearised,
///   ∂x(H) = Σ_d Σ_j d!/(d + j + 1)! H^(d+j+1) A^j B b_d,   A = ∂f/∂x, B = ∂f/∂u     [schweizer2014, remark to (90)]
/// The leading terms are (90): with a held force, H/m for a velocity and H²/2m for a position; with one that grows linearly
/// from the start, or along a parabola through the two samples before, (½, 1/6) and (5/12, 1/8) of H/m and H²/m.
class StateSensitivity {
 public:
  StateSensitivity() = default;
  StateSensitivity(std::size_t most_states, std::size_t most_inputs, std::size_t most_outputs);

  /// `change[d·stride + i]` is the change of the coefficient of τ^d of input i. All derivatives are those at the present
  /// state with the inputs u. `state_change` has as many entries as there are states.
  void compute(const DirectionalDerivatives& derivatives, double t, const double* u, std::size_t inputs,
               const double* change, std::size_t stride, int degree, double H_s, SensitivitySeries series,
               std::span<double> state_change);

 private:
  std::vector<double> term_;
  std::vector<double> next_;
  std::vector<double> leading_;
  std::vector<double> no_change_;
  std::vector<double> output_change_;
};

}  // namespace ergon
