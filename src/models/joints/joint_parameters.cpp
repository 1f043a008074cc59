#include "models/joints/joint_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ergon {
namespace {

using List = std::vector<double>;

/// A curve from one of three ways to say it.
std::optional<Curve> read_curve(const ParameterSet& given, const std::string& slope, const std::string& stem,
                                ProblemList& problems) {
  const std::string polynomial = stem + "_polynomial", x_name = stem + "_table_x", y_name = stem + "_table_y";
  // By value: a default that is told is still a default.
  const List& coefficients = given.list(polynomial);
  const bool has_table = !given.list(x_name).empty() || !given.list(y_name).empty();
  const int ways =
      (given.number(slope) != 0.0 ? 1 : 0) + (coefficients.empty() ? 0 : 1) + (has_table ? 1 : 0);
  if (ways > 1) {
    problems.error(
        {}, fmt::format("The {} of the joint is given in more than one way.", stem),
        fmt::format("Give one of '{}', '{}', or '{}' and '{}'.", slope, polynomial, x_name, y_name));
    return std::nullopt;
  }
  if (!has_table)
    return coefficients.empty() ? Curve::linear(given.number(slope)) : Curve::polynomial(coefficients);
  const List& x = given.list(x_name);
  const List& y = given.list(y_name);
  const bool increases = std::adjacent_find(x.begin(), x.end(), std::greater_equal<>()) == x.end();
  if (x.size() < 2 || x.size() != y.size() || !increases) {
    problems.error({}, fmt::format("'{}' and '{}' make no table.", x_name, y_name),
                   "Give at least two increasing x, and one y for each.");
    return std::nullopt;
  }
  return Curve::table(x, y);
}

}  // namespace

ParameterInfo planar_parameter() {
  return {"planar", "", false, "between bodies in the plane: vectors have two components, torques one"};
}

std::optional<Eigen::MatrixXd> read_matrix(const ParameterSet& given, const std::string& name,
                                           std::size_t size, bool symmetric, ProblemList& problems) {
  const List& list = given.list(name);
  const auto n = static_cast<Eigen::Index>(size);
  if (list.size() == 1) return Eigen::MatrixXd(list[0] * Eigen::MatrixXd::Identity(n, n));
  if (list.size() == size)
    return Eigen::MatrixXd(Eigen::Map<const Eigen::VectorXd>(list.data(), n).asDiagonal());
  if (list.size() != size * size) {
    problems.error(
        {}, fmt::format("'{}' has {} numbers.", name, list.size()),
        fmt::format("Give one for all axes, {} for one per axis, or the {} of a matrix row by row.", size,
                    size * size));
    return std::nullopt;
  }
  const Eigen::MatrixXd matrix = Eigen::Map<const Eigen::MatrixXd>(list.data(), n, n).transpose();
  constexpr double rounding = 1e-12;
  if (symmetric && !(matrix - matrix.transpose()).isZero(rounding * matrix.cwiseAbs().maxCoeff())) {
    problems.error({}, fmt::format("The matrix '{}' is not symmetric.", name),
                   "A spring without potential would be a source of energy: give a symmetric matrix.");
    return std::nullopt;
  }
  return matrix;
}

std::optional<Eigen::Vector3d> read_direction(const ParameterSet& given, const std::string& name, Space space,
                                              ProblemList& problems) {
  const List& list = given.list(name);
  // A direction of three numbers is the default; in the plane two are enough.
  const bool fits = list.size() == 3 || (space == Space::plane && list.size() == 2);
  Eigen::Vector3d direction = Eigen::Vector3d::Zero();
  for (std::size_t i = 0; fits && i < list.size(); ++i) direction[static_cast<Eigen::Index>(i)] = list[i];
  const bool in_plane = space != Space::plane || direction[2] == 0.0;
  if (!fits || !in_plane || !(direction.norm() > 0.0)) {
    problems.error({},
                   fmt::format("'{}' is no direction{}.", name, space == Space::plane ? " in the plane" : ""),
                   fmt::format("Give {} numbers, not all 0.", vector_size(space)));
    return std::nullopt;
  }
  return direction.normalized();
}

std::vector<ParameterInfo> scalar_law_parameters(const char* stiffness_unit, const char* damping_unit) {
  return {{"stiffness", stiffness_unit, 0.0, "of a linear spring"},
          {"damping", damping_unit, 0.0, "of a linear damper"},
          {"spring_polynomial", "", List{}, "instead of stiffness: a1, a2, ... of a1 x + a2 x2 + ..."},
          {"spring_table_x", "", List{}, "instead of stiffness: displacements, increasing"},
          {"spring_table_y", "", List{}, "and what brings them back; straight lines between and beyond"},
          {"damper_polynomial", "", List{}, "instead of damping: a1, a2, ... of a1 x + a2 x2 + ..."},
          {"damper_table_x", "", List{}, "instead of damping: rates, increasing"},
          {"damper_table_y", "", List{}, "and what slows them down; straight lines between and beyond"}};
}

std::optional<ScalarLaw> read_scalar_law(const ParameterSet& given, ProblemList& problems) {
  const auto spring = read_curve(given, "stiffness", "spring", problems);
  const auto damper = read_curve(given, "damping", "damper", problems);
  if (!spring || !damper) return std::nullopt;
  return ScalarLaw{*spring, *damper};
}

}  // namespace ergon
