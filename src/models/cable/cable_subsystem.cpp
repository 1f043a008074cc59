#include "ergon/models/cable/cable_subsystem.hpp"

#include <fmt/format.h>

namespace ergon {

std::string CableSubsystem::misfit_at_start(const double* u) const {
  const CableSetting& setting = kernel().setting();
  const double tolerance_m = 1e-6 * setting.cable.length_m;
  std::string misfit;
  const auto compare = [&](char end, const char* input, const Eigen::Vector3d& is_m,
                           const Eigen::Vector3d& told_m) {
    if ((told_m - is_m).norm() <= tolerance_m) return;  // false for NaN
    misfit += fmt::format("{}end {} of the cable is at ({}, {}, {}) m, but '{}' at ({}, {}, {}) m",
                          misfit.empty() ? "" : "; ", end, is_m[0], is_m[1], is_m[2], input, told_m[0],
                          told_m[1], told_m[2]);
  };
  compare('A', "a_position", setting.a_m, Eigen::Map<const Eigen::Vector3d>(u));
  if (setting.drives_b) compare('B', "b_position", setting.b_m, Eigen::Map<const Eigen::Vector3d>(u + 3));
  return misfit;
}

}  // namespace ergon
