#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ergon/core/coupled_system.hpp"

namespace ergon {

/// How outputs of a subsystem answer at once to some of its inputs: ∂y/∂u, row-major.
struct DirectGains {
  std::vector<double> gain;
  /// By how much the first step differs from the gain, where it was read off steps: 0 of all others.
  std::vector<double> spread;
};

/// Whether a subsystem may be stepped for trial, and set back.
enum class TrialSteps { none, allowed };

/// Probes them at t₀, in the first of these ways that the subsystem allows:
///   an input is set and the outputs are read; its Jacobian; its directional derivatives;
///   its state is saved, stepped with the input more and less, and restored. The state answers to the change, too, by at + bt²
///   in the first steps, so that one step, two and three of them tell g = 3g₁ − 3g₂ + g₃.
/// Nothing where it allows none, or fails at it. The subsystem goes on, bit for bit, as if it had not been asked; where it cannot be
/// restored the exception is its failure.
/// `outputs` and `inputs` count from its own first one; `u` are its present inputs, all of them reals.
[[nodiscard]] std::optional<DirectGains> probe_direct_gains(const Node& node, std::span<const Index> outputs,
                                                            std::span<const Index> inputs, double t_s,
                                                            std::span<const double> u,
                                                            TrialSteps steps = TrialSteps::allowed);

}  // namespace ergon
