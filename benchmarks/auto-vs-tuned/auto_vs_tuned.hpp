#pragma once

#include <span>

#include "benchmarks/framework/benchmark.hpp"
#include "benchmarks/rodriguez2022/residual_run.hpp"

namespace ergon::bench {

/// The parameter-free correction against the settings of [rodriguez2022] and against the best of a grid of settings, on all
/// its linear, multiple and nonlinear oscillators.
std::vector<Row> auto_vs_tuned(const std::filesystem::path& folder);

/// The same with the double oscillators in some schedules only; the others are single-rate.
std::vector<Row> auto_vs_tuned_rows(const std::filesystem::path& folder,
                                    std::span<const ResidualSchedule> schedules);

}  // namespace ergon::bench
