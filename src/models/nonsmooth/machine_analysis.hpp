#pragma once

#include <string>
#include <vector>

#include "ergon/models/nonsmooth/machine_stepper.hpp"

namespace ergon {

/// Constraints of the joints of a machine in one pose.
struct ConstraintCount {
  std::size_t rows = 0;
  std::size_t rank = 0;
  std::size_t degrees_of_freedom = 0;
  std::vector<std::string> redundant;  ///< rows that depend on those before them: "J5: point x"
};
ConstraintCount count_constraints(const Machine& machine, const MachineState& state, double t);

/// Puts the bodies where the joints want them: δ = −M⁻¹Aᵀ(A M⁻¹Aᵀ)⁻¹Φ, heavy bodies move least.
struct Assembly {
  bool assembled = false;
  double largest_gap = 0.0;  ///< |Φ| that is left, m or rad
  std::string worst;         ///< the row that has it
  double moved_m = 0.0;      ///< how far the centre of mass that moved most did
  double turned_rad = 0.0;
};
Assembly assemble(const Machine& machine, double t, MachineState& state);
/// Takes out of the velocities what the joints do not allow, by the impulse that does so; returns the largest rate that was.
double make_velocities_consistent(const Machine& machine, double t, MachineState& state);

/// Rest under gravity with every actuator held at its length: dynamic relaxation, stopped whenever the kinetic energy falls.
struct StaticEquilibrium {
  bool found = false;
  std::vector<double> holding_N;      ///< of each actuator, > 0 where it pushes
  double largest_acceleration = 0.0;  ///< that is left, m/s² or rad/s²
};
/// Its step: contacts and joints are as soft as in a step of this length.
constexpr double relaxation_step_s = 5e-3;
StaticEquilibrium find_static_equilibrium(const Machine& machine, double t, MachineState& state);

/// Lengths of the motion-driven actuators, as they are.
std::vector<PrescribedMotion> present_lengths(const Machine& machine, const MachineState& state);

}  // namespace ergon
