#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ergon/core/api.hpp"

namespace ergon::study {

/// Why errors do not follow an order down to the smallest step.
enum class OrderLoss {
  none,
  still,         ///< the variable does not move: there is nothing to converge
  round_off,     ///< differences are those of the last digits
  solver_noise,  ///< differences are those that the tolerance of a solver inside allows
  event,         ///< from some time on: a jump, a contact, a switch whose time depends on the steps
  too_coarse,    ///< the order is still changing: the steps are not small enough
  diverges,      ///< values that are not finite, or differences that grow
};
[[nodiscard]] ERGON_API std::string_view name_of(OrderLoss loss);

/// What runs of one system at steps H, H/2, H/4 … show about one variable. Errors and differences are the largest over the sampled times.
struct ERGON_API VariableConvergence {
  std::string name;
  std::string unit;
  double half_range = 0.0;          ///< of the run at the smallest steps
  std::vector<double> differences;  ///< between neighbouring levels: max |x_k − x_{k+1}|
  std::vector<double> orders;       ///< log2 of neighbouring differences
  std::optional<double> order;      ///< the observed one, where it holds; what extrapolation uses
  OrderLoss loss = OrderLoss::none;
  std::optional<std::size_t>
      lost_at_level;  ///< first level whose difference to the one before does not follow the order
  std::optional<double> lost_at_s;  ///< of an event
  std::vector<double> errors;       ///< per level: estimated from the extrapolated solution
  std::vector<double> bars;         ///< per level: what the true error is at most, as far as the levels show
  double last_value = 0.0;          ///< at the last sampled time, extrapolated
  double last_value_bar = 0.0;
};

/// `levels`: per level, coarsest first, the samples of the variable at the same times. `solver_noise`: what solvers inside allow, relative
/// to the size of the variable; 0: there are none.
///   x = x_n + (x_n − x_{n−1}) / (2^p − 1) + O(H^{p+1})       [richardson1911]
/// The bar of a level is its distance from that, and how far extrapolation from one level less is from it.
[[nodiscard]] ERGON_API VariableConvergence analyse_convergence(std::span<const std::vector<double>> levels,
                                                                std::span<const double> times_s,
                                                                double solver_noise = 0.0);

/// The step at which the bar of the variable is `wanted`, relative to half its range, given the smallest step of the levels; nothing
/// where no step can be given: it has no order, or its errors have a floor above that.
[[nodiscard]] ERGON_API std::optional<double> step_for(const VariableConvergence& variable,
                                                       double smallest_step_s, double wanted);

}  // namespace ergon::study
