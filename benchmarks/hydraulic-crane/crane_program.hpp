#pragma once

#include <vector>

namespace ergon::bench {

/// The crane of [rodriguez2022, Sect. 4.4] with its coupling and its correction in one program that shares nothing with models and
/// engine: the mechanics get the force as it was where the macro step begins, the hydraulics a linearly extrapolated motion, and
/// evaluate the force with the motion that their last micro step began with. Here the mechanics can be integrated finely under the same
/// held force, which tells the integrator's error from the interface's.
struct CraneProgram {
  double H_s = 10e-3;
  double h_s = 0.25e-3;
  double mu = 0.0;  ///< below 0: the sign of the corrective force turned round
  bool fine_mechanics =
      false;  ///< Runge-Kutta, 40 steps in each macro step; else semi-implicit Euler with one
};

struct CraneProgramRun {
  std::vector<double> length_m;      ///< of the actuator, at macro points
  double interface_energy_J = 0.0;   ///< work that the mechanics received less work that the hydraulics gave
  double integrator_energy_J = 0.0;  ///< what the mechanics have beyond the work that they received
  double correction_work_J = 0.0;
};

[[nodiscard]] CraneProgramRun run_crane_program(const CraneProgram& program, double duration_s);

}  // namespace ergon::bench
