#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>

#include "ergon/models/joints/curve.hpp"
#include "ergon/models/multibody/markers.hpp"
#include "ergon/models/registry.hpp"

// Reading of what joints are told. Each returns nothing after reporting what is wrong.

namespace ergon {

ParameterInfo planar_parameter();
inline Space space_of(const ParameterSet& given) {
  return given.flag("planar") ? Space::plane : Space::three_dimensional;
}

/// What a matrix must keep to: a stiffness is symmetric, or there would be no potential, and no spring pushes away from where it is
/// relaxed; no damper feeds energy.
enum class MatrixKind { stiffness, damping };
/// One number (the same along all axes), one per axis, or a whole matrix row by row.
std::optional<Eigen::MatrixXd> read_matrix(const ParameterSet& given, const std::string& name,
                                           std::size_t size, MatrixKind kind, ProblemList& problems);

/// A direction in axes of a marker, brought to length 1.
std::optional<Eigen::Vector3d> read_direction(const ParameterSet& given, const std::string& name, Space space,
                                              ProblemList& problems);

/// `stiffness` and `damping` as numbers, or instead of them spring_polynomial, spring_table_x and _y, and the same for damper.
std::vector<ParameterInfo> curve_parameters();
std::vector<ParameterInfo> scalar_law_parameters(const char* stiffness_unit, const char* damping_unit);
std::optional<ScalarLaw> read_scalar_law(const ParameterSet& given, ProblemList& problems);
/// spring_polynomial or spring_table_x and _y (`stem` "spring"), where they are given; false after reporting what is wrong.
bool read_curve_instead(const ParameterSet& given, const std::string& slope, const std::string& stem,
                        std::optional<Curve>& curve, ProblemList& problems);

/// Makes an entry of the registry of what makes a law.
void set_joint(ElementInfo& info,
               std::function<std::shared_ptr<const JointLaw>(const ParameterSet&, ProblemList&)> make_joint);

}  // namespace ergon
