#pragma once

#include "benchmarks/framework/benchmark.hpp"

namespace ergon::bench {

/// One run of the crane.
struct CraneCase {
  double H_mechanics_s = 0.0;
  std::string extrapolation;  ///< hold, linear, interface-model
  bool asymmetric = false;
  bool refresh = false;    ///< else stale, as in the paper
  bool corrected = false;  ///< residual-power correction on both bonds
};

/// Rows of some cases; the reference of all is hold with a step of 0.4 ms, which is run for each set-up that is asked for. Of the
/// symmetric one errors are measured against hold extrapolated to steps of length 0, too.
std::vector<Row> log_crane_rows(const std::filesystem::path& folder, const std::vector<CraneCase>& cases,
                                Pictures* pictures = nullptr);

/// [peiret2019, Figs. 6 to 9]: a crane lifts a log.
std::vector<Row> log_crane(const std::filesystem::path& folder, Pictures* pictures = nullptr);

}  // namespace ergon::bench
