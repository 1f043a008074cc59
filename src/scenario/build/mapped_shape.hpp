#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ergon/core/coupled_system.hpp"
#include "ergon/core/problem.hpp"
#include "ergon/scenario/scenario.hpp"

namespace ergon {

/// One coordinate: an output times its factor to SI, or a number that stays.
struct MappedCoordinate {
  std::optional<Index> output;
  double value = 0.0;
};

/// A [[shape]] whose names are resolved.
struct MappedShape {
  std::string name;
  std::string kind;
  std::vector<double> size_m;
  std::vector<MappedCoordinate> position;     ///< two or three
  std::vector<MappedCoordinate> orientation;  ///< none, an angle about z, or a quaternion (w, x, y, z)
  std::vector<MappedCoordinate> end;          ///< of a line: two or three
};

/// Reports outputs that do not exist, and counts that do not fit.
std::vector<MappedShape> map_shapes(const CoupledSystem& system, const std::vector<ShapeEntry>& entries,
                                    ProblemList& problems);

}  // namespace ergon
