#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/framework/benchmark.hpp"
#include "benchmarks/gonzalez2019/oscillator_errors.hpp"
#include "benchmarks/lim2021/oscillator_reference.hpp"

namespace ergon::bench {

/// How the energy of the interface is looked after; the keys of the column `method`.
enum class LeakMethod {
  none,         ///< stale feed-through, no correction
  energy_leak,  ///< stale feed-through, corrected as published
  improved,  ///< predicted feed-through, corrected with half-step energies and the small limit that goes with it
  refresh,  ///< feed-through evaluated anew, no correction
};
std::string name_of(LeakMethod method);

/// One run of the two-mass oscillator of [gonzalez2019, Sect. 4.1], force-displacement coupling, Jacobi.
struct LeakRun {
  TwoMassOscillator problem{};
  double H1_s = 1e-3;
  double H2_s = 1e-4;
  std::string extrapolation = "linear";
  LeakMethod method = LeakMethod::none;
  std::optional<double>
      limit{};  ///< |f_c| ≤ limit · |f|; without it 1/4 as published, for `improved` the engine's own
  bool paper_clock = false;  ///< by the transcribed program with its floating-point clock, else by the engine

  static constexpr double duration_s = 10.0;
  static constexpr double published_limit = 0.25;
};

/// What a run tells at the macro point t_j = j·H₁.
struct LeakRunPoint {
  std::size_t j = 0;
  std::array<double, 4> z{};  ///< x1, x2, v1, v2
  double stored_J = 0.0;      ///< as the subsystems report it
  double dissipated_J = 0.0;  ///< by dampers, since t = 0
  double balance_J = 0.0;     ///< stored + dissipated − initial, with the energies on which the method acts
  double force_N = 0.0;       ///< what mass 2 received in its last step, correction included
  std::size_t force_micro = 0;  ///< that step began at t = force_micro · H₂
};

/// `scenario`: two subsystems `left` and `right` and a bond `coupling` between them. Throws std::runtime_error if the run
/// does not reach its end.
void follow_leak_run(const std::filesystem::path& scenario, const LeakRun& run,
                     const std::function<void(const LeakRunPoint&)>& at_point);

/// Its errors against the analytic solution at the macro points, `exact`, which must outlive them. `also_at_point` sees the
/// same points.
OscillatorErrors errors_of(const std::filesystem::path& scenario, const LeakRun& run,
                           const std::vector<std::array<double, 4>>& exact,
                           const std::function<void(const LeakRunPoint&)>& also_at_point = {});

/// What `ergon run scenario --set …` needs to repeat a run of the engine.
std::vector<std::string> overrides_of(const LeakRun& run);

/// A figure known to its printed digits: half a unit of the last one.
Expectation printed_figure(double value, double last_digit);

}  // namespace ergon::bench
