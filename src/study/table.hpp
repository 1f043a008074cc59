#pragma once

#include <string>
#include <vector>

#include "ergon/study/outcome.hpp"

namespace ergon::study {

/// Rows as CSV: run, one column per setting, status, verdict, figures of the run, measures, message. It is the same for a study that
/// was killed or done in parts; what a clock has measured is in a table of its own. An empty cell: the run has no such figure.
[[nodiscard]] std::string runs_csv(const std::vector<std::string>& settings,
                                   const std::vector<std::vector<std::string>>& values,
                                   const std::vector<std::string>& measures,
                                   const std::vector<Outcome>& outcomes);
/// run, wall_time (s).
[[nodiscard]] std::string costs_csv(const std::vector<Outcome>& outcomes);

/// Quantiles over all whole runs of the samples of courses, per time: `name.q05 … q95`. Empty where there are none.
[[nodiscard]] std::string bands_csv(const std::vector<std::string>& courses,
                                    const std::vector<double>& times_s, const std::vector<Outcome>& outcomes);

}  // namespace ergon::study
