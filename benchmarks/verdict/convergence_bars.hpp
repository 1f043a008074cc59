#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ergon::bench {

/// One variable of one random system at one of the steps of its convergence study.
struct ConvergenceBar {
  std::string variable;
  bool finest = false;  ///< at the smallest steps; else at the largest
  double bar = 0.0;     ///< infinite: none was given
  double true_error = 0.0;
  bool has_order = false;  ///< an order held down to the smallest steps
};

/// A convergence study of two masses with drawn data, scheme, extrapolation, integrators and steps against their exact motion. `scenario`:
/// f-s.toml of this folder; the study is made in `folder`.
[[nodiscard]] std::vector<ConvergenceBar> convergence_bars(const std::filesystem::path& scenario,
                                                           const std::filesystem::path& folder,
                                                           unsigned seed);

/// How often bars hold the true error, and how large they are, of those that are above round-off.
struct BarFigures {
  long bars = 0;       ///< that were given
  long not_given = 0;  ///< unstable, or no order in sight
  long holding = 0;
  double median_ratio = 0.0;  ///< bar over true error
  double ninth_decile_ratio = 0.0;
  [[nodiscard]] double holding_percent() const {
    return bars > 0 ? 100.0 * static_cast<double>(holding) / static_cast<double>(bars) : 0.0;
  }
};
[[nodiscard]] BarFigures figures_of(const std::vector<ConvergenceBar>& bars);

}  // namespace ergon::bench
