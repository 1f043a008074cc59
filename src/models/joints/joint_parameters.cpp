#include "ergon/models/joints/joint_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ergon/models/joints/joint_element.hpp"
#include "ergon/numerics/symmetric_eigenvalues.hpp"

namespace ergon {
namespace {

using List = std::vector<double>;

/// Whether a curve is told in `ways` besides its slope; false after reporting what is wrong.
bool check_ways(const ParameterSet& given, bool has_slope, const std::string& slope, const std::string& stem,
                ProblemList& problems) {
  const bool has_polynomial = !given.list(stem + "_polynomial").empty();
  const bool has_table = !given.list(stem + "_table_x").empty() || !given.list(stem + "_table_y").empty();
  if ((has_slope ? 1 : 0) + (has_polynomial ? 1 : 0) + (has_table ? 1 : 0) <= 1) return true;
  problems.error({}, fmt::format("The {} of the joint is given in more than one way.", stem),
                 fmt::format("Give one of '{}', '{}_polynomial', or '{}_table_x' and '{}_table_y'.", slope,
                             stem, stem, stem));
  return false;
}

/// A curve that is told as polynomial or table, if it is; false after reporting what is wrong.
bool read_told_curve(const ParameterSet& given, const std::string& stem, std::optional<Curve>& curve,
                     ProblemList& problems) {
  const std::string x_name = stem + "_table_x", y_name = stem + "_table_y";
  const List& coefficients = given.list(stem + "_polynomial");
  if (!coefficients.empty()) curve = Curve::polynomial(coefficients);
  const List& x = given.list(x_name);
  const List& y = given.list(y_name);
  if (x.empty() && y.empty()) return true;
  const bool increases = std::adjacent_find(x.begin(), x.end(), std::greater_equal<>()) == x.end();
  if (x.size() < 2 || x.size() != y.size() || !increases) {
    problems.error({}, fmt::format("'{}' and '{}' make no table.", x_name, y_name),
                   "Give at least two increasing x, and one y for each.");
    return false;
  }
  curve = Curve::table(x, y);
  return true;
}

/// A curve from one of three ways to say it.
std::optional<Curve> read_curve(const ParameterSet& given, const std::string& slope, const std::string& stem,
                                ProblemList& problems) {
  // By value: a default that is told is still a default.
  std::optional<Curve> curve;
  if (!check_ways(given, given.number(slope) != 0.0, slope, stem, problems) ||
      !read_told_curve(given, stem, curve, problems))
    return std::nullopt;
  return curve ? curve : Curve::linear(given.number(slope));
}

/// The smallest eigenvalue of the symmetric part, and the size of the largest.
std::pair<double, double> eigenvalues_of(const Eigen::MatrixXd& matrix) {
  const Eigen::MatrixXd symmetric = 0.5 * (matrix + matrix.transpose());
  const Eigen::VectorXd values = numerics::symmetric_eigenvalues(symmetric);
  return {values.minCoeff(), values.cwiseAbs().maxCoeff()};
}

bool check_matrix(const Eigen::MatrixXd& matrix, const std::string& name, MatrixKind kind,
                  ProblemList& problems) {
  constexpr double rounding = 1e-12;
  if (kind == MatrixKind::stiffness &&
      !(matrix - matrix.transpose()).isZero(rounding * matrix.cwiseAbs().maxCoeff())) {
    problems.error({}, fmt::format("The matrix '{}' is not symmetric.", name),
                   "A spring without potential would be a source of energy: give a symmetric matrix.");
    return false;
  }
  const auto [smallest, largest] = eigenvalues_of(matrix);
  constexpr double rounding_of_digits = 1e-9;  // a singular matrix is told with decimals
  if (smallest >= -rounding_of_digits * largest) return true;
  problems.error({},
                 fmt::format("'{}' is not positive semi-definite: {}its smallest eigenvalue is {:.6g}.", name,
                             kind == MatrixKind::damping ? "of its symmetric part, " : "", smallest),
                 kind == MatrixKind::stiffness
                     ? "Such a spring pushes away from where it is relaxed: give a matrix without negative "
                       "eigenvalues."
                     : "Such a damper feeds energy: give a matrix without negative eigenvalues.");
  return false;
}

}  // namespace

ParameterInfo planar_parameter() {
  return {"planar", "", false, "between bodies in the plane: vectors have two components, torques one"};
}

std::optional<Eigen::MatrixXd> read_matrix(const ParameterSet& given, const std::string& name,
                                           std::size_t size, MatrixKind kind, ProblemList& problems) {
  const List& list = given.list(name);
  const auto n = static_cast<Eigen::Index>(size);
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(n, n);
  if (list.size() == 1) {
    matrix.diagonal().setConstant(list[0]);
  } else if (list.size() == size) {
    matrix.diagonal() = Eigen::Map<const Eigen::VectorXd>(list.data(), n);
  } else if (list.size() == size * size) {
    matrix = Eigen::Map<const Eigen::MatrixXd>(list.data(), n, n).transpose();
  } else {
    problems.error(
        {}, fmt::format("'{}' has {} numbers.", name, list.size()),
        fmt::format("Give one for all axes, {} for one per axis, or the {} of a matrix row by row.", size,
                    size * size));
    return std::nullopt;
  }
  if (!check_matrix(matrix, name, kind, problems)) return std::nullopt;
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
    problems.error(
        {}, fmt::format("'{}' is not a direction{}.", name, space == Space::plane ? " in the plane" : ""),
        fmt::format("Give {} numbers, not all 0.", vector_size(space)));
    return std::nullopt;
  }
  return direction.normalized();
}

std::vector<ParameterInfo> curve_parameters() {
  return {{"spring_polynomial", "", List{}, "instead of stiffness: a1, a2, ... of a1 x + a2 x2 + ..."},
          {"spring_table_x", "", List{}, "instead of stiffness: displacements, increasing"},
          {"spring_table_y", "", List{}, "and what brings them back; straight lines between and beyond"},
          {"damper_polynomial", "", List{}, "instead of damping: a1, a2, ... of a1 x + a2 x2 + ..."},
          {"damper_table_x", "", List{}, "instead of damping: rates, increasing"},
          {"damper_table_y", "", List{}, "and what slows them down; straight lines between and beyond"}};
}

std::vector<ParameterInfo> scalar_law_parameters(const char* stiffness_unit, const char* damping_unit) {
  std::vector<ParameterInfo> infos = {{"stiffness", stiffness_unit, 0.0, "of a linear spring"},
                                      {"damping", damping_unit, 0.0, "of a linear damper"}};
  for (ParameterInfo& info : curve_parameters()) infos.push_back(std::move(info));
  return infos;
}

std::optional<ScalarLaw> read_scalar_law(const ParameterSet& given, ProblemList& problems) {
  const auto spring = read_curve(given, "stiffness", "spring", problems);
  const auto damper = read_curve(given, "damping", "damper", problems);
  if (!spring || !damper) return std::nullopt;
  return ScalarLaw{*spring, *damper};
}

bool read_curve_instead(const ParameterSet& given, const std::string& slope, const std::string& stem,
                        std::optional<Curve>& curve, ProblemList& problems) {
  const List& slopes = given.list(slope);
  const bool has_slope = std::any_of(slopes.begin(), slopes.end(), [](double c) { return c != 0.0; });
  return check_ways(given, has_slope, slope, stem, problems) && read_told_curve(given, stem, curve, problems);
}

void set_joint(ElementInfo& info,
               std::function<std::shared_ptr<const JointLaw>(const ParameterSet&, ProblemList&)> make_joint) {
  info.make = [make_joint](const ParameterSet& given, ProblemList& problems) -> std::unique_ptr<Element> {
    auto law = make_joint(given, problems);
    if (!law) return nullptr;
    return std::make_unique<JointElement>(std::move(law));
  };
  info.make_joint = std::move(make_joint);
}

}  // namespace ergon
