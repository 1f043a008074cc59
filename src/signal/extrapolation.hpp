#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ergon/core/api.hpp"

namespace ergon {

/// hold 0, linear 1, quadratic 2, cubic 3
constexpr int max_extrapolation_degree = 3;
constexpr std::size_t max_extrapolation_samples = max_extrapolation_degree + 1;

ERGON_API std::optional<int> extrapolation_degree(std::string_view name);
ERGON_API std::string_view extrapolation_name(int degree);
/// All names, for messages and help.
ERGON_API std::string extrapolation_names();

/// The polynomial through the last n + 1 samples, in powers of τ:
///   u(τ) = Σ_d τ^d Σ_j weight[d][j] y(s_j),   s_j = time of sample j relative to τ = 0
/// (Lagrange's form, expanded). With s_0 = 0 the constant term is the newest sample itself, exactly.
struct PolynomialWeights {
  std::array<std::array<double, max_extrapolation_samples>, max_extrapolation_samples> weight{};
  int degree = 0;
};
ERGON_API PolynomialWeights polynomial_weights(std::span<const double> sample_times_s);

}  // namespace ergon
