#include "models/joints/bushing.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>

#include "models/joints/joint_parameters.hpp"

namespace ergon {
namespace {

using Eigen::Index;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using List = std::vector<double>;
using Matrix6 = Bushing::Matrix6;
using Vector6 = Eigen::Matrix<double, 6, 1>;

Matrix3d cross_matrix(const Vector3d& a) {
  Matrix3d m;
  m << 0.0, -a[2], a[1], a[2], 0.0, -a[0], -a[1], a[0], 0.0;
  return m;
}

/// θ with R = exp([θ]×), |θ| ≤ π.
Vector3d rotation_vector(const Matrix3d& R) {
  const Vector3d axis_sine = 0.5 * Vector3d(R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1));
  const double sine = axis_sine.norm();
  const double angle = std::atan2(sine, 0.5 * (R.trace() - 1.0));
  constexpr double small = 1e-8;  // where angle/sine is 1 to rounding
  if (sine > small) return (angle / sine) * axis_sine;
  if (angle < 1.0) return axis_sine;
  // Half a turn: R = 2 a aᵀ − I, so the largest column of R + I is along the axis a.
  const Matrix3d twice = R + Matrix3d::Identity();
  Index largest = 0;
  twice.colwise().norm().maxCoeff(&largest);
  return angle * twice.col(largest).normalized();
}

/// T⁻¹ of θ̇ = T⁻¹ ω, ω being the angular velocity in the axes in which θ is given:
///   T⁻¹ = I − ½[θ]× + (1 − (θ/2) cot(θ/2))/θ² [θ]×²
Matrix3d rate_matrix(const Vector3d& theta) {
  const double angle = theta.norm();
  const Matrix3d cross = cross_matrix(theta);
  constexpr double small = 1e-3;  // below, two terms of the series are exact to rounding
  const double half = 0.5 * angle;
  const double factor = angle < small ? 1.0 / 12.0 + angle * angle / 720.0
                                      : (1.0 - half * std::cos(half) / std::sin(half)) / (angle * angle);
  return Matrix3d::Identity() - 0.5 * cross + factor * cross * cross;
}

struct Displacement {
  Vector6 value, rate;
  Matrix3d rate_matrix;
};
Displacement displacement_of(const JointMotion& motion) {
  const Matrix3d to_j = motion.j.axes.transpose();
  Displacement d;
  d.value.head<3>() = to_j * motion.distance_m();
  d.value.tail<3>() = rotation_vector(to_j * motion.i.axes);
  d.rate_matrix = rate_matrix(d.value.tail<3>());
  d.rate.head<3>() = to_j * motion.velocity_in_j_m_s();
  d.rate.tail<3>() = d.rate_matrix * (to_j * motion.turning_rad_s());
  return d;
}

/// Translation and rotation apart, or all at once.
std::optional<Matrix6> read_six(const ParameterSet& given, const std::string& name, Space space,
                                bool symmetric, ProblemList& problems) {
  const std::size_t n = vector_size(space);
  const std::size_t r = rotation_size(space);
  const std::string rotation_name = "rotation_" + name;
  // In the plane x, y and the rotation about z are left of six.
  const auto place = [&](std::size_t i) {
    return static_cast<Index>(space == Space::plane && i == 2 ? 5 : i);
  };
  Matrix6 six = Matrix6::Zero();
  const auto fill = [&](const Eigen::MatrixXd& part, std::size_t first) {
    for (Index a = 0; a < part.rows(); ++a) {
      for (Index b = 0; b < part.cols(); ++b)
        six(place(first + static_cast<std::size_t>(a)), place(first + static_cast<std::size_t>(b))) =
            part(a, b);
    }
  };
  const std::size_t count = given.list(name).size();
  if (count == n + r || count == (n + r) * (n + r)) {
    if (given.list(rotation_name) != List{0.0}) {
      problems.error({}, fmt::format("'{}' has {} numbers, for rotation, too.", name, count),
                     fmt::format("Leave out '{}', or give translation only.", rotation_name));
      return std::nullopt;
    }
    const auto all = read_matrix(given, name, n + r, symmetric, problems);
    if (!all) return std::nullopt;
    fill(*all, 0);
    return six;
  }
  const auto translation = read_matrix(given, name, n, symmetric, problems);
  const auto rotation = read_matrix(given, rotation_name, r, symmetric, problems);
  if (!translation || !rotation) return std::nullopt;
  fill(*translation, 0);
  fill(*rotation, n);
  return six;
}

JointPorts::Dependence dependence_of(const Matrix6& K, const Matrix6& D) {
  const auto coupled = [](const Matrix6& m) {
    return !m.topRightCorner<3, 3>().isZero(0.0) || !m.bottomLeftCorner<3, 3>().isZero(0.0);
  };
  constexpr unsigned all = points | frame_i | frame_j;
  if (coupled(K) || coupled(D)) return {all, all, all};
  return {points | frame_j, frame_i | frame_j, all};
}

}  // namespace

Bushing::Bushing(Space space, const Matrix6& stiffness, const Matrix6& damping)
    : stiffness_(stiffness), damping_(damping), ports_(space, dependence_of(stiffness, damping)) {}

void Bushing::evaluate(const double* u, double* y) const {
  const JointMotion motion = ports_.read(u);
  const Displacement d = displacement_of(motion);
  const Vector6 f = -(stiffness_ * d.value) - damping_ * d.rate;
  JointWrench wrench;
  wrench.push_at_i(motion.j.axes * f.head<3>(), motion.distance_m());
  wrench.turn(motion.j.axes * (d.rate_matrix.transpose() * f.tail<3>()));
  ports_.write(wrench, y);
}

double Bushing::stored_J(const double* u) const {
  const Vector6 d = displacement_of(ports_.read(u)).value;
  return 0.5 * d.dot(stiffness_ * d);
}

double Bushing::dissipation_W(const double* u) const {
  const Vector6 rate = displacement_of(ports_.read(u)).rate;
  return rate.dot(damping_ * rate);
}

ElementInfo bushing_element() {
  ElementInfo info;
  info.name = "joint.bushing";
  info.summary = "six springs and dampers between two markers, coupled by a matrix, in axes of marker j";
  info.parameters = {planar_parameter(),
                     {"stiffness", "", List{0.0},
                      "translation (N/m): one number, 3, or a symmetric 3x3 matrix; or 6 or 6x6 for x, y, z "
                      "and the rotations"},
                     {"damping", "", List{0.0}, "the same for the damper"},
                     {"rotation_stiffness", "N.m/rad", List{0.0}, "one number, 3, or a symmetric 3x3 matrix"},
                     {"rotation_damping", "N.m.s/rad", List{0.0}, "one number, 3, or a 3x3 matrix"}};
  info.make = [](const ParameterSet& given, ProblemList& problems) -> std::unique_ptr<Element> {
    const Space space = space_of(given);
    const auto K = read_six(given, "stiffness", space, true, problems);
    const auto D = read_six(given, "damping", space, false, problems);
    if (!K || !D) return nullptr;
    return std::make_unique<Bushing>(space, *K, *D);
  };
  const auto one = [](ParameterValue value) { return GivenParameter{std::move(value), {}}; };
  List full(36, 0.5);
  for (std::size_t i = 0; i < 6; ++i) full[7 * i] = 20.0 + static_cast<double>(i);
  info.examples = {{"diagonal",
                    {{"stiffness", one(List{100, 200, 300})},
                     {"damping", one(3.0)},
                     {"rotation_stiffness", one(40.0)},
                     {"rotation_damping", one(2.0)}}},
                   {"coupled", {{"stiffness", one(full)}, {"damping", one(full)}}},
                   {"in the plane",
                    {{"planar", one(true)},
                     {"stiffness", one(List{100, 5, 3, 5, 200, 2, 3, 2, 40})},
                     {"damping", one(List{3, 1, 0, 1, 4, 1, 0, 1, 2})}}}};
  return info;
}

}  // namespace ergon
