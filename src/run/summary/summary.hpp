#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ergon/core/api.hpp"
#include "ergon/core/iterative_solver.hpp"
#include "ergon/coupling/options/parameter_change.hpp"
#include "ergon/run/motion/motion.hpp"
#include "ergon/run/run.hpp"
#include "ergon/verdict/verdict.hpp"

namespace ergon {

struct EnergySummary {
  double initial_stored_J = 0.0;
  double final_stored_J = 0.0;
  double dissipated_J = 0.0;  ///< since t₀
  double supplied_J = 0.0;    ///< since t₀, by sources inside
};

/// A subsystem, or an element (never stepped).
struct NodeSummary {
  std::string name;
  bool element = false;
  std::uint64_t steps = 0;  ///< all that were taken
  double mean_step_s = 0.0;
  std::optional<EnergySummary> energy;    ///< where it keeps an account
  std::optional<SolverFigures> solver{};  ///< where it solves its steps to a tolerance, and had to
  std::uint64_t discarded = 0;            ///< steps that were set back
};

struct BondSummary {
  std::string name;
  double exchanged_energy_J = 0.0;
  double residual_energy_J = 0.0;
  double interface_energy_J = 0.0;
  std::optional<double> imbalance_energy_J;
  double max_interface_power_W = 0.0;  ///< largest absolute value over all points
  bool corrected = false;
  double correction_energy_J = 0.0;
  std::uint64_t capped_points = 0;  ///< where the correction was limited
};

/// Totals over all accounts.
struct TotalEnergySummary : EnergySummary {
  double max_drift_J = 0.0;  ///< largest |stored + dissipated − supplied − initial| over the sampled points
  std::uint64_t samples = 0;  ///< how many points that was looked at
  double final_time_s = 0.0;  ///< of the last sample; before the end where the run failed
};

/// What summary.json tells.
struct Summary {
  std::string ergon_version;
  RunStatus status = RunStatus::finished;
  std::optional<Verdict> verdict;
  Motion motion;
  std::optional<Failure> failure;
  double start_time_s = 0.0;
  double stop_time_s = 0.0;
  double reached_time_s = 0.0;
  std::uint64_t points = 0;
  bool last_step_clamped = false;
  double wall_time_s = 0.0;
  std::vector<NodeSummary> nodes;
  std::vector<BondSummary> bonds;
  std::optional<TotalEnergySummary> energy;  ///< where any node keeps an account
  std::optional<StepControlRecord> step_control;
  std::optional<ImplicitRecord> implicit;           ///< semi-implicit and implicit schemes
  std::vector<ParameterChanged> parameter_changes;  ///< in order of time
  bool files_complete = true;  ///< results.csv and bonds.csv; where they are not, `warnings` tell why
  std::vector<std::string> warnings;
  std::vector<std::string> notes;
};

[[nodiscard]] ERGON_API std::string to_json(const Summary& summary);

}  // namespace ergon
