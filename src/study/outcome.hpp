#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ergon/core/api.hpp"

namespace ergon::study {

/// What became of one run: a row of the table. It is the same whenever, wherever and beside whatever the run was made, but for its
/// wall time.
struct ERGON_API Outcome {
  std::size_t run = 0;
  /// finished, ended (a subsystem asked for it), failed, stopped (as unreliable), timeout, crashed, or refused (the settings do not
  /// make a run).
  std::string status = "finished";
  std::string message;  ///< why it did not finish
  std::string verdict;
  std::string worst;                  ///< the judged variable with the largest error over what is allowed
  std::optional<double> error_ratio;  ///< its estimated error over half its range
  double reached_time_s = 0.0;
  std::uint64_t points = 0;
  std::uint64_t steps = 0;                    ///< of all subsystems
  std::optional<double> exchanged_energy_J;   ///< of all bonds
  std::optional<double> artificial_energy_J;  ///< sum over the bonds of what each created or destroyed
  std::optional<double> stored_energy_J;      ///< at the end
  std::optional<double> dissipated_energy_J;
  std::optional<double> energy_drift_J;  ///< the largest
  std::vector<double> measures;          ///< NaN where a measure has no value
  std::vector<double>
      courses;  ///< samples of the chosen outputs, one output after the other; empty where it did not get to its end
  double wall_time_s = 0.0;

  /// It got to its end: its measures are those of a whole run.
  [[nodiscard]] bool is_whole() const { return status == "finished" || status == "ended"; }
};

/// One line of a journal. Numbers keep all their bits.
[[nodiscard]] ERGON_API std::string to_line(const Outcome& outcome);
/// Nothing where the text is something else.
[[nodiscard]] ERGON_API std::optional<Outcome> outcome_of_line(const std::string& line);

}  // namespace ergon::study
