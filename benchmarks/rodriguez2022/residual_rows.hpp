#pragma once

#include <optional>
#include <vector>

#include "benchmarks/framework/benchmark.hpp"
#include "benchmarks/rodriguez2022/residual_run.hpp"

namespace ergon::bench {

/// What is known about the figures of a run.
struct ResidualKnown {
  std::optional<Expectation> max_energy{};
  std::optional<Expectation> final_energy_ratio{};
  std::optional<Expectation> rms_x{};
};

/// Keys `method`; for residual-power `variant`, `mu`, `nu`, `limit` (what is found without being given is "auto");
/// `feedthrough`.
void add_correction_settings(const ResidualRun& run, Case& settings);

/// Rows `max_energy_error_relative`, `final_energy_ratio`, `rms_x_error_relative`.
void add_error_rows(const Case& settings, const ResidualErrors& errors, const ResidualKnown& known,
                    std::vector<Row>& rows);

/// Mean over time and over the masses that push of v_i·v_n, as the two figures that decide what the correction does.
struct VelocityProducts {
  double correlation = 0.0;  ///< ⟨v_i v_n⟩ / √(⟨v_i²⟩⟨v_n²⟩)
  /// Energy that the law pays back by that which stale feed-through makes, both to first order in H:
  ///   H k_c ⟨v_n² − v_i v_n⟩ / (H k_c ⟨v_n²⟩)
  double paid_by_made = 0.0;
};
[[nodiscard]] VelocityProducts velocity_products(const ReferenceMotion& motion);

}  // namespace ergon::bench
