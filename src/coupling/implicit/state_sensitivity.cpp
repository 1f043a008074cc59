#include "ergon/coupling/implicit/state_sensitivity.hpp"

#include <algorithm>
#include <cmath>

namespace ergon {
namespace {

/// Terms of the series, and what they may still add, relative to the sum.
constexpr int most_terms = 60;
constexpr double negligible = 1e-14;

}  // namespace

StateSensitivity::StateSensitivity(std::size_t most_states, std::size_t most_inputs, std::size_t most_outputs)
    : term_(most_states),
      next_(most_states),
      leading_(most_states),
      no_change_(std::max(most_states, most_inputs), 0.0),
      output_change_(most_outputs) {}

void StateSensitivity::compute(const DirectionalDerivatives& derivatives, double t, const double* u,
                               std::size_t inputs, const double* change, std::size_t stride, int degree,
                               double H_s, SensitivitySeries series, std::span<double> state_change) {
  std::fill(state_change.begin(), state_change.end(), 0.0);
  std::fill(leading_.begin(), leading_.end(), 0.0);
  const bool leading_only = series == SensitivitySeries::leading;
  for (int d = 0; d <= degree; ++d) {
    const double* of_power = change + static_cast<std::size_t>(d) * stride;
    if (std::all_of(of_power, of_power + inputs, [](double c) { return c == 0.0; })) continue;
    derivatives.directional_derivative(t, u, no_change_.data(), of_power, term_.data(),
                                       output_change_.data());
    double weight = std::pow(H_s, d + 1) / (d + 1);  // d!/(d + 1)! H^(d+1)
    const int terms = leading_only ? 2 : most_terms;
    for (int j = 0; j < terms; ++j) {
      double largest = 0.0;
      double added = 0.0;
      for (std::size_t i = 0; i < state_change.size(); ++i) {
        const double term = weight * term_[i];
        double& sum = leading_only && j == 0 ? leading_[i] : state_change[i];
        sum += term;
        largest = std::max(largest, std::abs(sum));
        added = std::max(added, std::abs(term));
      }
      if (j > 0 && added <= negligible * largest) break;
      derivatives.directional_derivative(t, u, term_.data(), no_change_.data(), next_.data(),
                                         output_change_.data());
      term_.swap(next_);
      weight *= H_s / (d + j + 2);
    }
  }
  if (!leading_only) return;
  for (std::size_t i = 0; i < state_change.size(); ++i) {
    if (leading_[i] != 0.0) state_change[i] = leading_[i];
  }
}

}  // namespace ergon
