#include "ergon/models/vector_parameter.hpp"

#include <fmt/format.h>

namespace ergon {

std::optional<Eigen::Vector3d> read_vector(const ModelRequest& request, const ParameterSet& set,
                                           const char* name, std::size_t size, ProblemList& problems) {
  const std::vector<double>& list = set.list(name);
  if (list.size() != size) {
    problems.error(request.where, fmt::format("'{}': '{}' has {} numbers.", request.name, name, list.size()),
                   size == 2 ? "Give x and y." : "Give x, y and z.");
    return std::nullopt;
  }
  Eigen::Vector3d vector = Eigen::Vector3d::Zero();
  for (std::size_t i = 0; i < size; ++i) vector[static_cast<Eigen::Index>(i)] = list[i];
  return vector;
}

}  // namespace ergon
