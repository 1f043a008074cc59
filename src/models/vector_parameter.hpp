#pragma once

#include <Eigen/Core>
#include <optional>

#include "ergon/models/registry.hpp"

namespace ergon {

/// A parameter or initial value that is a vector of `size` components; the rest is 0. Reports another number of them.
std::optional<Eigen::Vector3d> read_vector(const ModelRequest& request, const ParameterSet& set,
                                           const char* name, std::size_t size, ProblemList& problems);

}  // namespace ergon
