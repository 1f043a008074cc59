#pragma once

#include "ergon/scenario/scenario.hpp"

namespace ergon {

/// By what tolerances are multiplied where steps are by `factor`.
[[nodiscard]] double tolerance_factor(const Rational& factor);

/// The same system with all its steps times `factor`: of communication, of one-step integrators and of subsystems that take
/// their own, of sources, and the limits of step control. Where the step follows from a tolerance, also that of a solver inside
/// of an FMU, the tolerance is changed by ten: a method of order p takes steps of tol^(1/(p+1)).
/// What is sampled keeps its step: that is part of its law.
/// Histories before t₀ belong to one step size; with another they are those that the engine starts with itself.
[[nodiscard]] Scenario with_other_steps(const Scenario& scenario, const Rational& factor);

}  // namespace ergon
