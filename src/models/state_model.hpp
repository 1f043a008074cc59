#pragma once

#include <concepts>
#include <cstddef>

#include "core/subsystem.hpp"
#include "models/second_order_model.hpp"

namespace ergon {

/// Inputs are efforts or flows whose jumps do no work (no spring is stretched by an input).
template <typename Model>
concept EnergyInStates = requires(const Model& model, const double* in) {
  // Tells the powers (W) at u, q, v: 0 is dissipated, 1 + i received through input i; what is not told is 0. The second
  // velocity is the one at which forces do their work.
  model.powers(in, in, in, in, [](std::size_t, double) {});
  { model.stored_J(in, in) } -> std::convertible_to<double>;  // at q, v
};

/// The stored energy depends on inputs, too (a piston's position sets the volumes of its chambers).
template <typename Model>
concept EnergyInInputs = requires(const Model& model, const double* in, double* out) {
  // As above, at u, u̇, q, v; a null u̇ says that the inputs are held.
  model.powers(in, in, in, in, in, [](std::size_t, double) {});
  { model.stored_J(in, in, in) } -> std::convertible_to<double>;  // at u, q, v
  // Adds to out[i] what a jump of input i from u to u' costs at q, v.
  model.add_jump_work_J(in, in, in, in, out);
};

/// A model whose positions are not the integrals of its velocities: q̇ = N(q) v, v̇ = a(u, q, v). A rigid body has seven
/// positions and six velocities, a capacitor alone one "velocity" and no position. All functions are pure.
template <typename Model>
concept StateModel = (EnergyInStates<Model> ||
                      EnergyInInputs<Model>)&&requires(const Model& model, const double* in, double* out) {
  { model.position_count() } -> std::convertible_to<std::size_t>;
  { model.velocity_count() } -> std::convertible_to<std::size_t>;
  { model.input_count() } -> std::convertible_to<std::size_t>;
  { model.describe() } -> std::same_as<Description>;
  model.position_rates(in, in, out);    // q̇ from q, v
  model.acceleration(in, in, in, out);  // v̇ from u, q, v
  model.outputs(in, in, in, out);       // y from u, q, v
  model.normalise(out);                 // brings q back to what it must fulfil
};

/// ∂y/∂u, row-major, of a model whose outputs are linear in its inputs. All others tell it at u, q, v.
template <typename Model>
concept ConstantJacobian = requires(const Model& model, double* out) {
  model.output_jacobian(out);
};

/// A StateModel that holds within limits only: what is wrong at u, q, v, or null. A run ends where it leaves them.
template <typename Model>
concept HasLimits = requires(const Model& model, const double* in) {
  { model.violation(in, in, in) } -> std::same_as<const char*>;
};

/// A StateModel that also tells what an effort at an input meets: (u, q, v, input, mass, free acceleration).
template <typename Model>
concept KnowsInertia = requires(const Model& model, const double* in, std::size_t i, double& number) {
  model.effective_inertia(in, in, in, i, number, number);
};

}  // namespace ergon
