#include "ergon/coupling/schemes/implicit/state_sensitivity.hpp"

#include <algorithm>
#include <cmath>

namespace ergon {

StateSensitivity::StateSensitivity(std::size_t most_states, std::size_t most_inputs, std::size_t most_outputs)
    : term_(most_states),
      next_(most_states),
      leading_(most_states),
      unit_change_(most_states, 0.0),
      no_change_(std::max(most_states, most_inputs), 0.0),
      output_change_(most_outputs) {}

const numerics::PhiFunctions& StateSensitivity::transition(std::size_t member,
                                                           const DirectionalDerivatives& derivatives,
                                                           double t, const double* u, int degree,
                                                           double H_s) {
  if (member >= transitions_.size()) transitions_.resize(member + 1);
  auto& [phi, linearisation] = transitions_[member];
  if (linearisation == linearisation_) return phi;
  linearisation = linearisation_;
  const std::size_t states = derivatives.state_count();
  Eigen::MatrixXd& A = phi.argument(static_cast<Eigen::Index>(states));
  for (std::size_t j = 0; j < states; ++j) {
    unit_change_[j] = 1.0;
    derivatives.directional_derivative(t, u, unit_change_.data(), no_change_.data(),
                                       A.col(static_cast<Eigen::Index>(j)).data(), output_change_.data());
    unit_change_[j] = 0.0;
  }
  A *= H_s;
  phi.compute(degree + 1);
  return phi;
}

void StateSensitivity::compute(std::size_t member, const DirectionalDerivatives& derivatives, double t,
                               const double* u, std::size_t inputs, const double* change, std::size_t stride,
                               int degree, double H_s, SensitivitySeries series,
                               std::span<double> state_change) {
  std::fill(state_change.begin(), state_change.end(), 0.0);
  std::fill(leading_.begin(), leading_.end(), 0.0);
  const auto states = static_cast<Eigen::Index>(state_change.size());
  for (int d = 0; d <= degree; ++d) {
    const double* of_power = change + static_cast<std::size_t>(d) * stride;
    if (std::all_of(of_power, of_power + inputs, [](double c) { return c == 0.0; })) continue;
    derivatives.directional_derivative(t, u, no_change_.data(), of_power, term_.data(),
                                       output_change_.data());
    if (series == SensitivitySeries::all) {
      const Eigen::MatrixXd& phi = transition(member, derivatives, t, u, degree, H_s)[d + 1];
      const double weight = std::tgamma(d + 1.0) * std::pow(H_s, d + 1);  // d! H^(d+1)
      for (Eigen::Index i = 0; i < states; ++i) term_[static_cast<std::size_t>(i)] *= weight;
      Eigen::Map<Eigen::VectorXd>(state_change.data(), states).noalias() +=
          phi * Eigen::Map<const Eigen::VectorXd>(term_.data(), states);
      continue;
    }
    // d!/(d + 1)! H^(d+1) B b_d, and d!/(d + 2)! H^(d+2) AB b_d for those that it leaves alone.
    double weight = std::pow(H_s, d + 1) / (d + 1);
    for (std::size_t i = 0; i < state_change.size(); ++i) leading_[i] += weight * term_[i];
    derivatives.directional_derivative(t, u, term_.data(), no_change_.data(), next_.data(),
                                       output_change_.data());
    weight *= H_s / (d + 2);
    for (std::size_t i = 0; i < state_change.size(); ++i) state_change[i] += weight * next_[i];
  }
  if (series == SensitivitySeries::all) return;
  for (std::size_t i = 0; i < state_change.size(); ++i) {
    if (leading_[i] != 0.0) state_change[i] = leading_[i];
  }
}

}  // namespace ergon
