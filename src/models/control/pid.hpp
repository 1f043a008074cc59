#pragma once

#include "ergon/models/registry.hpp"

namespace ergon {

/// control.pid: a controller with filtered derivative, limits and back-calculation, continuous or sampled.
///   e = wanted − measured
///   u* = k_p e + I + k_d (e − e_f)/T_f,   u = u* within [lower, upper]
///   ė_f = (e − e_f)/T_f,   İ = k_i e + (u − u*)/T_t         (T_t: with it the integral part leaves a limit)
/// Sampled at t₀ + k·T: backward differences for the derivative, e_f₊ = e_f + T/(T_f + T) (e − e_f), forward ones for the integral.
ModelInfo pid_model();

/// control.integrator: ẋ = gain·in, kept within limits
ModelInfo integrator_model();

}  // namespace ergon
