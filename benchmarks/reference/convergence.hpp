#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

namespace ergon::numerics {

/// Observed order of convergence: the least-squares slope p of log(error) = p log(h) + c. Every h and error
/// has to be positive; an error of zero or fewer than two distinct h give NaN, so that no comparison with it
/// passes.
inline double fitted_order(std::span<const double> h, std::span<const double> error) {
  const double undefined = std::numeric_limits<double>::quiet_NaN();
  const std::size_t count = h.size();
  if (count < 2 || error.size() != count) return undefined;
  double mean_x = 0.0;
  double mean_y = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!(h[i] > 0.0) || !(error[i] > 0.0)) return undefined;
    mean_x += std::log(h[i]);
    mean_y += std::log(error[i]);
  }
  mean_x /= static_cast<double>(count);
  mean_y /= static_cast<double>(count);
  double covariance = 0.0;
  double variance = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    const double dx = std::log(h[i]) - mean_x;
    covariance += dx * (std::log(error[i]) - mean_y);
    variance += dx * dx;
  }
  return variance > 0.0 ? covariance / variance : undefined;
}

}  // namespace ergon::numerics
