#pragma once

#include <cstdint>
#include <vector>

#include "ergon/models/nonsmooth/kinematics.hpp"

namespace ergon {

/// A point where two bodies touch: a is pushed along n, b against it.
struct ContactPoint {
  std::uint64_t identity = 0;  ///< pair of shapes and feature: the same from step to step
  std::size_t a = 0, b = 0;
  std::size_t material = 0;
  Eigen::Vector3d point = Eigen::Vector3d::Zero();
  Eigen::Vector3d normal = Eigen::Vector3d::UnitZ();
  /// Of the first tangent; 0: along the sliding.
  Eigen::Vector3d along = Eigen::Vector3d::Zero();
  double gap = 0.0;  ///< Φ ≤ 0
};

/// Which pair of shapes of the machine it is of.
inline std::size_t pair_of(const ContactPoint& contact) {
  return static_cast<std::size_t>(contact.identity >> 8U);
}

/// Every contact with Φ ≤ `reach_m`, in order of identity.
///   spheres, the ends of capsules and corners of boxes (spheres without radius) against planes, boxes, cylinders;
///   spheres and capsules against each other; the lowest points of both ends of a cylinder against planes
/// Boxes touch with the corners of each inside a face of the other. There is no contact of edges with edges.
void find_contacts(const Machine& machine, const Kinematics& kinematics, std::vector<ContactPoint>& contacts,
                   double reach_m = 0.0);

}  // namespace ergon
