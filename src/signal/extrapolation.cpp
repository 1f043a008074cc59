#include "ergon/signal/extrapolation.hpp"

namespace ergon {
namespace {
constexpr std::string_view names[] = {"hold", "linear", "quadratic", "cubic"};
}

std::optional<int> extrapolation_degree(std::string_view name) {
  for (int d = 0; d <= max_extrapolation_degree; ++d) {
    if (names[d] == name) return d;
  }
  return std::nullopt;
}

std::string_view extrapolation_name(int degree) {
  return names[degree];
}

std::string extrapolation_names() {
  return "hold, linear, quadratic, cubic";
}

PolynomialWeights polynomial_weights(std::span<const double> s) {
  PolynomialWeights result;
  const std::size_t n = s.size();
  result.degree = static_cast<int>(n) - 1;
  for (std::size_t j = 0; j < n; ++j) {
    // Π_{m≠j} (τ − s_m)/(s_j − s_m), one factor at a time.
    std::array<double, max_extrapolation_samples> basis{1.0};
    std::size_t degree = 0;
    for (std::size_t m = 0; m < n; ++m) {
      if (m == j) continue;
      const double scale = 1.0 / (s[j] - s[m]);
      for (std::size_t d = ++degree; d > 0; --d) basis[d] = (basis[d - 1] - s[m] * basis[d]) * scale;
      basis[0] = -s[m] * basis[0] * scale;
    }
    for (std::size_t d = 0; d < n; ++d) result.weight[d][j] = basis[d];
  }
  // A sample at τ = 0 *is* the value there; the product above may miss it by a rounding.
  for (std::size_t j = 0; j < n; ++j) {
    if (s[j] != 0.0) continue;
    result.weight[0] = {};
    result.weight[0][j] = 1.0;
  }
  return result;
}

}  // namespace ergon
