#pragma once

#include <cmath>
#include <optional>
#include <string>

#include "ergon/core/api.hpp"
#include "ergon/coupling/plan/coupling_plan.hpp"
#include "ergon/coupling/state/failure.hpp"

namespace ergon {

[[nodiscard]] ERGON_API Failure failure_of(const CouplingPlan& plan, const Member& member, double time_s,
                                           std::string what);

/// A sum is finite only if its terms are (where it overflows for another reason, `find_non_finite` finds nothing); four sums,
/// because one would wait for itself.
[[nodiscard, gnu::always_inline]] inline bool are_finite(const double* numbers, std::size_t count) {
  if (count < 4) {
    double few = 0.0;
    for (std::size_t i = 0; i < count; ++i) few += numbers[i];
    return std::isfinite(few);
  }
  double sum[4] = {};
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    for (std::size_t j = 0; j < 4; ++j) sum[j] += numbers[i + j];
  }
  for (; i < count; ++i) sum[0] += numbers[i];
  return std::isfinite(sum[0] + sum[1] + sum[2] + sum[3]);
}

/// The first output in `plane`, a row of all outputs of a stage, that is not a finite number.
[[nodiscard]] ERGON_API std::optional<Failure> find_non_finite(const CouplingPlan& plan,
                                                               const StagePlan& stage, const double* plane,
                                                               double time_s);

/// The first boolean among `integers`, a row of the integer kind of a stage, that is neither 0 nor 1, or enumeration that is none
/// of its items.
[[nodiscard]] ERGON_API std::optional<Failure> find_impossible(const CouplingPlan& plan,
                                                               const StagePlan& stage,
                                                               const std::int64_t* integers, double time_s);

/// An integer input whose sum does not fit into 64 bits.
[[nodiscard]] ERGON_API Failure overflow_of(const CouplingPlan& plan, Index stage, std::uint32_t integer_slot,
                                            double time_s);

/// What the exception being handled says; for use in a catch block.
[[nodiscard]] ERGON_API std::string current_exception_text();

}  // namespace ergon
