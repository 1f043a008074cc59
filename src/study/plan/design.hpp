#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ergon/core/api.hpp"
#include "ergon/study/plan/axis.hpp"

namespace ergon::study {

/// How the runs of a sweep are chosen.
enum class Design {
  cartesian,  ///< every value of an axis with every one of the others
  zip,        ///< first values, second values, …
  random,     ///< independent draws
  lhs,        ///< Latin hypercube: each axis has one draw in each of equally likely strata [mckay1979]
  sobol,      ///< points of a Sobol sequence
  saltelli,   ///< for Sobol indices: two Sobol matrices A and B, and A with each column of B [saltelli2010]
};
[[nodiscard]] ERGON_API std::optional<Design> design_of(std::string_view name);
[[nodiscard]] ERGON_API std::string_view name_of(Design design);

struct ERGON_API DesignOptions {
  std::optional<Design> design;  ///< nothing: cartesian, where an axis is a distribution random
  std::size_t samples = 0;       ///< of designs that draw; of saltelli: rows of A
  std::uint64_t seed = 1;
};

/// The values of all runs: one text per axis and run.
struct ERGON_API Plan {
  Design design = Design::cartesian;
  std::size_t samples = 0;
  std::vector<std::vector<std::string>> runs;
};

/// Depends on its arguments alone: all parts of a study make the same plan. Throws InputError where axes and design do not fit.
[[nodiscard]] ERGON_API Plan make_plan(const std::vector<Axis>& axes, const DesignOptions& options);

/// Points in (0, 1)^d of a design that draws, row by row.
[[nodiscard]] ERGON_API std::vector<double> unit_points(Design design, std::size_t samples,
                                                        std::size_t dimensions, std::uint64_t seed);

}  // namespace ergon::study
