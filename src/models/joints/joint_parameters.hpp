#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>

#include "models/joints/curve.hpp"
#include "models/multibody/markers.hpp"
#include "models/registry.hpp"

// Reading of what joints are told. Each returns nothing after reporting what is wrong.

namespace ergon {

ParameterInfo planar_parameter();
inline Space space_of(const ParameterSet& given) {
  return given.flag("planar") ? Space::plane : Space::three_dimensional;
}

/// One number (the same along all axes), one per axis, or a whole matrix row by row. `symmetric`: it must be.
std::optional<Eigen::MatrixXd> read_matrix(const ParameterSet& given, const std::string& name,
                                           std::size_t size, bool symmetric, ProblemList& problems);

/// A direction in axes of a marker, brought to length 1.
std::optional<Eigen::Vector3d> read_direction(const ParameterSet& given, const std::string& name, Space space,
                                              ProblemList& problems);

/// `stiffness` and `damping` as numbers, or instead of them spring_polynomial, spring_table_x and _y, and the same for damper.
std::vector<ParameterInfo> scalar_law_parameters(const char* stiffness_unit, const char* damping_unit);
std::optional<ScalarLaw> read_scalar_law(const ParameterSet& given, ProblemList& problems);

}  // namespace ergon
