#include "ergon/models/cable/cable_subsystem.hpp"

#include <fmt/format.h>

namespace ergon {
namespace {

constexpr Eigen::Index points_per_element = 4;

}  // namespace

std::string CableSubsystem::inconsistency_at_start(const double* u) const {
  const CableSetting& setting = kernel().setting();
  const double tolerance_m = 1e-6 * setting.cable.length_m;
  std::string inconsistency;
  const auto compare = [&](char end, const char* input, const Eigen::Vector3d& is_m,
                           const Eigen::Vector3d& told_m) {
    if ((told_m - is_m).norm() <= tolerance_m) return;  // false for NaN
    inconsistency += fmt::format("{}end {} of the cable is at ({}, {}, {}) m, but '{}' at ({}, {}, {}) m",
                                 inconsistency.empty() ? "" : "; ", end, is_m[0], is_m[1], is_m[2], input,
                                 told_m[0], told_m[1], told_m[2]);
  };
  compare('A', "a_position", setting.a_m, Eigen::Map<const Eigen::Vector3d>(u));
  if (setting.drives_b) compare('B', "b_position", setting.b_m, Eigen::Map<const Eigen::Vector3d>(u + 3));
  return inconsistency;
}

Scene CableSubsystem::scene() const {
  const CableSetting& setting = kernel().setting();
  const Eigen::Vector3d& g = setting.cable.gravity_m_s2;
  Scene scene;
  scene.lines = {{"cable", static_cast<std::size_t>(points_per_element * setting.cable.elements + 1),
                  setting.cable.radius_m}};
  scene.up = up_against(g[0], g[1], g[2]);
  return scene;
}

/// Cubic in between: r(ξ) of the element's nodes and slopes.
void CableSubsystem::draw(SceneFrame frame) const {
  const CableSetting& setting = kernel().setting();
  const Eigen::Map<const Cable::Nodes> q(row().q(), cable().rows(), 3);
  const double length_m = setting.cable.length_m / static_cast<double>(setting.cable.elements);
  std::size_t next = 0;
  const auto tell = [&](const Eigen::RowVector3d& r) { frame.points[next++] = {r[0], r[1], r[2]}; };
  for (Eigen::Index e = 0; e < setting.cable.elements; ++e) {
    for (Eigen::Index k = 0; k < points_per_element; ++k) {
      const double xi = static_cast<double>(k) / static_cast<double>(points_per_element);
      const double xi2 = xi * xi;
      const double xi3 = xi2 * xi;
      tell((1.0 - 3.0 * xi2 + 2.0 * xi3) * q.row(2 * e) +
           length_m * (xi - 2.0 * xi2 + xi3) * q.row(2 * e + 1) + (3.0 * xi2 - 2.0 * xi3) * q.row(2 * e + 2) +
           length_m * (xi3 - xi2) * q.row(2 * e + 3));
    }
  }
  tell(q.row(2 * setting.cable.elements));
}

}  // namespace ergon
