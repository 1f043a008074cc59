#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "benchmarks/framework/benchmark.hpp"
#include "benchmarks/rodriguez2022/residual_problem.hpp"
#include "ergon/coupling/state/step_record.hpp"

namespace ergon::bench {

/// Steps of the masses that give the forces and of the one that receives them. The larger is the macro step of 1 ms.
struct ResidualSchedule {
  std::string name;
  double sender_step_s = 1e-3;
  double receiver_step_s = 1e-3;
  std::string extrapolation = "hold";

  /// R = h_df/h_ndf                                                                       [rodriguez2022, (19)]
  [[nodiscard]] double ratio() const { return sender_step_s / receiver_step_s; }
};

/// single, R10-hold, R10-linear, R0.1-hold, R0.1-linear
[[nodiscard]] const std::vector<ResidualSchedule>& residual_schedules();

/// μ with stale feed-through, as published                                             [rodriguez2022, (20), (21)]
[[nodiscard]] double published_mu(const ResidualSchedule& schedule);

enum class ResidualMethod {
  none,
  published,     ///< with μ, ν and a relative limit
  bounded,       ///< the same, but of stale efforts it hands back no more than it has taken
  banked,        ///< without parameters: the engine's default
  by_parts,      ///< without parameters: the late part of the force itself is handed in
  direct_gains,  ///< without parameters: what the force misses by its direct gains, probed at each point
  direct_gains_start,  ///< … and at the start alone
  energy_leak,         ///< another correction, by the accounts of the masses
};

/// As the key `variant` of a correction says it.
[[nodiscard]] std::string name_of(ResidualMethod method);

struct ResidualCorrection {
  ResidualMethod method = ResidualMethod::none;
  std::optional<double> mu{};  ///< without it, the engine chooses
  double nu = 0.0;             ///< published and bounded only, as is the limit
  double limit = 1.0;          ///< |f_c| ≤ limit · |f|
  bool accept_harm = false;    ///< pays for a delay that is not there

  [[nodiscard]] bool takes_numbers() const {
    return method == ResidualMethod::published || method == ResidualMethod::bounded;
  }
  [[nodiscard]] std::string text() const;  ///< value of the key `correction` of a bond
};

struct ResidualRun {
  ResidualProblem problem;
  ResidualSchedule schedule;
  ResidualCorrection correction{};
  std::string feedthrough = "stale";

  /// What `ergon run scenario --set …` needs to repeat it.
  [[nodiscard]] std::vector<std::string> overrides() const;
};

/// One macro point of a run.
struct ResidualPoint {
  std::size_t j = 0;
  std::span<const double> x_m;
  std::span<const double> v_m_s;
  double energy_J = 0.0;  ///< of simultaneous positions and plain velocities
  const StepRecord* record = nullptr;
};

/// `scenario`: subsystems m1 … mn, bond i from mass i to mass n named "bond<i>". Returns whether the run reached its end.
bool follow_residual_run(const std::filesystem::path& scenario, const ResidualRun& run,
                         const std::function<void(const ResidualPoint&)>& at_macro_point);

struct ResidualErrors {
  double max_energy = 0.0;          ///< max |E − E_ref| / E₀ over the macro points
  double final_energy_ratio = 0.0;  ///< E/E_ref at the end: < 1 where too much was taken out
  double rms_x = 0.0;  ///< RMS over macro points and masses of x − x_ref, divided by that of x_ref
  double mean_residual_power_W = 0.0;  ///< of all bonds together
};

/// What a run went through, at its macro points: for the pictures.
struct ResidualHistory {
  std::vector<double> t_s;
  std::vector<double> energy_J;
  std::vector<double> x_m;  ///< of the mass that is pushed
  std::vector<double> residual_power_W;
  std::vector<double> residual_energy_J;  ///< ∫ δP dt of all bonds                     [rodriguez2022, (12)]
};

/// All infinite if the run broke off. `history` is filled where it is given.
[[nodiscard]] ResidualErrors residual_errors(const std::filesystem::path& scenario, const ResidualRun& run,
                                             const ReferenceMotion& reference,
                                             ResidualHistory* history = nullptr);

}  // namespace ergon::bench
