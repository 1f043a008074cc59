#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ergon/core/subsystem.hpp"
#include "ergon/numerics/phi_functions.hpp"

namespace ergon {

/// How much of the sensitivity below is used.
enum class SensitivitySeries {
  all,
  leading,  ///< for each state the first term of the series in H that does not vanish
};

/// How the state at the end of a step of length H changes when the inputs change by Σ_d b_d τ^d, without integrating:
/// with ẋ = f(x, u) linearised,
///   ∂x(H) = Σ_d d! H^(d+1) φ_{d+1}(HA) B b_d = Σ_d Σ_j d!/(d + j + 1)! H^(d+j+1) A^j B b_d,   A = ∂f/∂x, B = ∂f/∂u
///                                                                                  [schweizer2014, remark to (90)]
/// The leading terms are (90): with a held force, H/m for a velocity and H²/2m for a position; with one that grows linearly
/// from the start, or along a parabola through the two samples before, (½, 1/6) and (5/12, 1/8) of H/m and H²/m.
/// All terms: A is formed, by one directional derivative per state, and its matrix functions are taken, however stiff it is;
/// n³ operations for n states, once for each subsystem and linearisation.
class StateSensitivity {
 public:
  StateSensitivity() = default;
  StateSensitivity(std::size_t most_states, std::size_t most_inputs, std::size_t most_outputs);

  /// From here on subsystems are linearised anew: their states or inputs, or the step, have changed.
  void begin() { ++linearisation_; }

  /// `change[d·stride + i]` is the change of the coefficient of τ^d of input i. All derivatives are those at the present
  /// state with the inputs u. `state_change` has as many entries as there are states. `member` is the number of the
  /// subsystem: between two `begin`, u, `degree` and H are the same for all changes of its inputs.
  void compute(std::size_t member, const DirectionalDerivatives& derivatives, double t, const double* u,
               std::size_t inputs, const double* change, std::size_t stride, int degree, double H_s,
               SensitivitySeries series, std::span<double> state_change);

 private:
  /// φ_k(HA) of one subsystem, and which linearisation it is of.
  struct Transition {
    numerics::PhiFunctions phi;
    std::uint64_t linearisation = 0;
  };
  const numerics::PhiFunctions& transition(std::size_t member, const DirectionalDerivatives& derivatives,
                                           double t, const double* u, int degree, double H_s);

  std::vector<Transition> transitions_;  ///< per member, from the first time that it is asked for
  std::uint64_t linearisation_ = 1;
  std::vector<double> term_;
  std::vector<double> next_;
  std::vector<double> leading_;
  std::vector<double> unit_change_;
  std::vector<double> no_change_;
  std::vector<double> output_change_;
};

}  // namespace ergon
