#pragma once

#include <string>
#include <vector>

#include "benchmarks/framework/picture.hpp"
#include "benchmarks/rodriguez2022/residual_run.hpp"

namespace ergon::bench {

/// A run that a picture shows, and what it is called there.
struct ShownHistory {
  std::string label;
  ResidualHistory history;
};

/// Mechanical energy over time, with that of the reference.
[[nodiscard]] Picture energy_picture(const std::string& figure, const std::string& title,
                                     const std::vector<ShownHistory>& runs, const ReferenceMotion& reference);
/// Displacement of the mass that is pushed over time, with that of the reference; `name`: η₂ or η₃.
[[nodiscard]] Picture displacement_picture(const std::string& figure, const std::string& title,
                                           const std::string& name, const std::vector<ShownHistory>& runs,
                                           const ReferenceMotion& reference);
/// Residual power δP over time.
[[nodiscard]] Picture residual_power_picture(const std::string& figure, const std::string& title,
                                             const ShownHistory& run);

}  // namespace ergon::bench
