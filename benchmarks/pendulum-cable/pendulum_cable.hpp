#pragma once

#include <span>
#include <string>
#include <vector>

#include "benchmarks/framework/benchmark.hpp"

namespace ergon::bench {

/// Communication step and step of the cable.
struct CableSchedule {
  double H_s = 1e-3;
  double h_cable_s = 1e-3;
};

/// One way of running the bond.
struct CableMethod {
  std::string name;                           ///< key `method` of the rows
  double limit = 0.0;                         ///< of the energy-leak correction; 0: it only watches
  std::string extrapolation = "hold";         ///< of the rod's position and of the cable's force
  std::string start_acceleration = "stored";  ///< of the rod's steps
};

/// What became of one run.
struct CableRun {
  double max_energy_error_J =
      0.0;  ///< max |E − E₀| as the subsystems report it, up to the end or the failure
  double max_energy_error_15s_J = 0.0;  ///< the same in the first 15 s
  double failure_time_s = 0.0;          ///< stop time for who has reached it
  bool survived = false;
  double max_constraint_error = 0.0;  ///< of the rod: |Φ| in SI units, and its rate
  double max_constraint_rate_error = 0.0;
};

[[nodiscard]] std::vector<std::string> cable_overrides(const CableSchedule& schedule,
                                                       const CableMethod& method,
                                                       double angle_perturbation_rad);
/// E − E₀ and the height y of point A over time.
struct CableHistory {
  PictureCurve energy_J;
  PictureCurve height_m;
};
[[nodiscard]] CableRun run_pendulum_cable(const std::filesystem::path& scenario,
                                          const std::vector<std::string>& overrides,
                                          CableHistory* history = nullptr);

/// none, energy-leak: as published; linear, improved: both sides extrapolated, fresh accelerations of the rod.
[[nodiscard]] std::span<const CableMethod> cable_methods();

/// Each schedule with each method, medians over nine runs whose start angle differs by 1e-9 … 1e-6 rad: the motion is chaotic.
std::vector<Row> pendulum_cable_rows(const std::filesystem::path& folder,
                                     std::span<const CableSchedule> schedules,
                                     std::span<const CableMethod> methods, Pictures* pictures = nullptr);

/// [gonzalez2019, Sect. 4.2, Figs. 18, 19]
std::vector<Row> pendulum_cable(const std::filesystem::path& folder, Pictures* pictures = nullptr);

}  // namespace ergon::bench
