#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <vector>

#include "ergon/core/geometry.hpp"
#include "ergon/core/subsystem.hpp"

namespace ergon {

/// What models tell of themselves and of where their energy goes. All functions are pure.
template <typename Model>
concept KnowsItsEnergy = requires(const Model& model, const double* in, double* out) {
  { model.input_count() } -> std::convertible_to<std::size_t>;
  { model.describe() } -> std::same_as<Description>;
  model.acceleration(in, in, in, out);  // v̇ from u, q, v
  // Tells the powers (W) at u, u̇, q, v one by one: 0 is dissipated, 1 + i received through input i, 1 + input_count()
  // supplied by sources inside (HasSupply); what is not told is 0. A null u̇ says that the inputs are held. The second velocity is the one at which forces do their work.
  model.powers(in, in, in, in, in, [](std::size_t, double) {});
  { model.stored_J(in, in, in) } -> std::convertible_to<double>;  // at u, q, v
  { model.kinetic_J(in, in) } -> std::convertible_to<double>;  // the kinetic (magnetic) part of it, at q, v
  // Adds to out[i] a share of what a jump of input i from u to u' costs at q, v.
  model.add_jump_work_J(in, in, in, in, 0.5, out);
  model.outputs(in, in, in, out);          // y from u, q, v
  model.output_jacobian(in, in, in, out);  // ∂y/∂u at u, q, v, row-major
};

/// A model with sources of energy inside, such as a pump, where `supplies` says so: it tells their power apart from what is
/// dissipated, and neither is ever negative. A model without them has one number for the work of its dampers.
template <typename Model>
concept HasSupply = requires(const Model& model) {
  { model.supplies() } -> std::convertible_to<bool>;
};
template <typename Model>
constexpr std::size_t supply_accounts(const Model& model) {
  if constexpr (HasSupply<Model>) {
    return model.supplies() ? 1 : 0;
  } else {
    return 0;
  }
}

/// A model of second order, q̈ = a(u, q, q̇), with as many velocities as positions.
template <typename Model>
concept SecondOrderModel = KnowsItsEnergy<Model> && requires(const Model& model) {
  { model.dof() } -> std::convertible_to<std::size_t>;
};

/// A model whose positions are not the integrals of its velocities: q̇ = N(q) v, v̇ = a(u, q, v). A rigid body has seven
/// positions and six velocities, a capacitor alone one "velocity" and no position.
template <typename Model>
concept StateModel = KnowsItsEnergy<Model> && requires(const Model& model, const double* in, double* out) {
  { model.position_count() } -> std::convertible_to<std::size_t>;
  { model.velocity_count() } -> std::convertible_to<std::size_t>;
  model.position_rates(in, in, out);  // q̇ from q, v
  model.normalise(out);               // brings q back to what it must fulfil
};

template <typename Model>
concept NativeModel = SecondOrderModel<Model> || StateModel<Model>;

/// A model that names its states, one name per number of [q, v], offers their derivative.
template <typename Model>
concept NamesStates = requires(const Model& model) {
  { model.state_names() } -> std::same_as<std::vector<std::string>>;
};

/// A model that moves masses along: their translational momentum at q, v.
template <typename Model>
concept HasMomentum = requires(const Model& model, const double* in) {
  { model.momentum(in, in) } -> std::same_as<Momentum>;
};

/// A model that holds within limits only: what is wrong at u, q, v, or null. A run ends where it leaves them.
template <typename Model>
concept HasLimits = requires(const Model& model, const double* in) {
  { model.violation(in, in, in) } -> std::same_as<const char*>;
};

/// A model whose velocities stop at limits: brings v back after a step, at u, and tells the energy that this took out.
template <typename Model>
concept KeepsWithin = requires(const Model& model, const double* in, double* out) {
  { model.keep_within(in, out) } -> std::convertible_to<double>;
};

/// A model with limits that tells in a sentence, with its numbers, what is wrong at u, q, v before the first step; empty where
/// nothing is.
template <typename Model>
concept ReportsInconsistency = requires(const Model& model, const double* in) {
  { model.inconsistency(in, in, in) } -> std::same_as<std::string>;
};

/// A model whose velocities answer in proportion to efforts at its inputs, and whose flows are in proportion to its
/// velocities: a mass, a body, an inductor. What several efforts meet together then follows (see NativeInterface).
template <typename Model>
concept TakesEfforts = requires {
  requires Model::takes_efforts;
};

/// A model with the time in its equations, where `uses_time` says so: the time of a call, and within a step the seconds since its start.
template <typename Model>
concept KnowsTime = requires(const Model& model, double seconds) {
  { model.uses_time() } -> std::same_as<bool>;
  model.set_time(seconds);
  model.set_time_in_step(seconds);
};

/// A model that keeps an energy account where this says so; others always do.
template <typename Model>
concept MayKeepAccount = requires(const Model& model) {
  { model.keeps_account() } -> std::same_as<bool>;
};

/// A model that takes efforts (see TakesEfforts) where this says so.
template <typename Model>
concept MayTakeEfforts = requires(const Model& model) {
  { model.responds_to_efforts() } -> std::same_as<bool>;
};

/// A model that knows its Jacobians: changes of [q̇, v̇] and y along those of [q, v] and u, at u, q, v. Others are differenced.
template <typename Model>
concept HasDerivatives = requires(const Model& model, const double* in, double* out) {
  model.directional_derivative(in, in, in, in, in, out, out);
};

/// A model that can be looked at: what there is, and where it is at q.
template <typename Model>
concept HasGeometry = requires(const Model& model, const double* in, SceneFrame frame) {
  { model.scene() } -> std::same_as<Scene>;
  model.draw(in, frame);
};

}  // namespace ergon
