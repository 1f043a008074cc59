#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "contract/models_support.hpp"

// What a description declares of inputs and outputs, against what the outputs do.
namespace ergon::contract {

/// Which (output port, input port) pairs move when inputs are perturbed at the present state.
template <typename Evaluate>
std::set<std::pair<std::size_t, std::size_t>> perturbed_pairs(const Description& description,
                                                              RandomInputs& random, Evaluate evaluate) {
  std::set<std::pair<std::size_t, std::size_t>> pairs;
  const auto input_port = port_of_scalar(description.inputs);
  const auto output_port = port_of_scalar(description.outputs);
  // What is not a real changes in jumps only: beyond the nominal sizes, in both directions.
  const bool jumps = count_values(description.outputs).reals == 0;
  const std::vector<double> moves = jumps ? std::vector<double>{2.5, -2.5} : std::vector<double>{0.37};
  // Which of its inputs matter may depend on a boolean.
  const int draws = count_values(description.inputs).has_discrete() ? 8 : 1;
  for (int draw = 0; draw < draws; ++draw) {
    const std::vector<double> u = random.values();
    const std::vector<double> base = evaluate(u);
    for (std::size_t i = 0; i < u.size(); ++i) {
      for (const double move : moves) {
        std::vector<double> moved = u;
        moved[i] = description.inputs[input_port[i]].type == PortType::boolean ? 1.0 - u[i] : u[i] + move;
        const std::vector<double> y = evaluate(moved);
        for (std::size_t o = 0; o < y.size(); ++o) {
          if (y[o] != base[o]) pairs.insert({output_port[o], input_port[i]});
        }
      }
    }
  }
  return pairs;
}

inline std::set<std::pair<std::size_t, std::size_t>> declared_pairs(const Description& description) {
  std::set<std::pair<std::size_t, std::size_t>> pairs;
  for (const FeedthroughPair& pair : description.feedthrough) pairs.insert({pair.output, pair.input});
  return pairs;
}

/// ∂y/∂u against central differences.
template <typename Evaluate>
void expect_jacobian(const Differentiable& differentiable, const std::vector<double>& u, Evaluate evaluate) {
  const std::vector<double> base = evaluate(u);
  std::vector<double> jacobian(base.size() * u.size(), std::nan(""));
  differentiable.output_jacobian(0.0, u.data(), jacobian.data());
  for (std::size_t i = 0; i < u.size(); ++i) {
    constexpr double step = 1e-6;
    std::vector<double> above = u, below = u;
    above[i] += step;
    below[i] -= step;
    const auto y_above = evaluate(above);
    const auto y_below = evaluate(below);
    for (std::size_t o = 0; o < base.size(); ++o) {
      const double difference = (y_above[o] - y_below[o]) / (above[i] - below[i]);
      EXPECT_NEAR(jacobian[o * u.size() + i], difference, 1e-6 * (1.0 + std::abs(difference)))
          << o << ", " << i;
    }
  }
}

}  // namespace ergon::contract
