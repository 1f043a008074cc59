#include "ergon/models/joints/bushing.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>

#include "ergon/models/joints/joint_parameters.hpp"

namespace ergon {
namespace {

using Eigen::Index;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using List = std::vector<double>;
using Matrix6 = Bushing::Matrix6;
using Vector6 = Bushing::Vector6;

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

/// c(θ) = (1 − (θ/2) cot(θ/2))/θ² and c′(θ)/θ. Below `small` the series are exact to rounding, while the closed forms lose
/// digits: c = 1/12 + θ²/720 + θ⁴/30240 + …, c′/θ = 1/360 + θ²/7560 + θ⁴/201600 + …
struct RateFactor {
  double value, slope_over_angle;
};
RateFactor rate_factor(double angle) {
  constexpr double small = 0.03;
  const double square = angle * angle;
  if (angle < small)
    return {1.0 / 12.0 + square / 720.0 + square * square / 30240.0,
            1.0 / 360.0 + square / 7560.0 + square * square / 201600.0};
  const double half = 0.5 * angle;
  const double cotangent = std::cos(half) / std::sin(half);
  const double inverse_sine = 1.0 / std::sin(half);
  const double slope =
      -2.0 / (square * angle) + cotangent / (2.0 * square) + inverse_sine * inverse_sine / (4.0 * angle);
  return {(1.0 - half * cotangent) / square, slope / angle};
}

/// T⁻¹ of θ̇ = T⁻¹ ω, ω being the angular velocity in the axes in which θ is given:
///   T⁻¹ = I − ½[θ]× + c(θ) [θ]×²
Matrix3d rate_matrix(const Vector3d& theta) {
  const Matrix3d cross = cross_matrix(theta);
  return Matrix3d::Identity() - 0.5 * cross + rate_factor(theta.norm()).value * cross * cross;
}

/// What T⁻¹ changes by where θ changes by d_theta.
Matrix3d rate_matrix_change(const Vector3d& theta, const Vector3d& d_theta) {
  const Matrix3d cross = cross_matrix(theta), d_cross = cross_matrix(d_theta);
  const RateFactor c = rate_factor(theta.norm());
  return -0.5 * d_cross + c.slope_over_angle * theta.dot(d_theta) * cross * cross +
         c.value * (d_cross * cross + cross * d_cross);
}

/// φ of dA = [φ]× A.
Vector3d turning_of(const Matrix3d& axes, const Matrix3d& change) {
  Vector3d turning = Vector3d::Zero();
  for (Index axis = 0; axis < 3; ++axis) turning += 0.5 * axes.col(axis).cross(change.col(axis));
  return turning;
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

/// In the plane x, y and the rotation about z are left of six.
Index place_in_six(Space space, std::size_t i) {
  return static_cast<Index>(space == Space::plane && i == 2 ? 5 : i);
}

std::optional<Vector6> read_preload(const ParameterSet& given, Space space, ProblemList& problems) {
  const List& list = given.list("preload");
  const std::size_t count = vector_size(space) + rotation_size(space);
  if (!list.empty() && list.size() != count) {
    problems.error({}, fmt::format("'preload' has {} numbers.", list.size()),
                   fmt::format("Give {}: forces, then torques.", count));
    return std::nullopt;
  }
  Vector6 preload = Vector6::Zero();
  for (std::size_t i = 0; i < list.size(); ++i) preload[place_in_six(space, i)] = list[i];
  return preload;
}

/// Translation and rotation apart, or all at once.
std::optional<Matrix6> read_six(const ParameterSet& given, const std::string& name, Space space,
                                MatrixKind kind, ProblemList& problems) {
  const std::size_t n = vector_size(space);
  const std::size_t r = rotation_size(space);
  const std::string rotation_name = "rotation_" + name;
  const auto place = [&](std::size_t i) { return place_in_six(space, i); };
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
    const auto all = read_matrix(given, name, n + r, kind, problems);
    if (!all) return std::nullopt;
    fill(*all, 0);
    return six;
  }
  const auto translation = read_matrix(given, name, n, kind, problems);
  const auto rotation = read_matrix(given, rotation_name, r, kind, problems);
  if (!translation || !rotation) return std::nullopt;
  fill(*translation, 0);
  fill(*rotation, n);
  return six;
}

}  // namespace

JointDependence Bushing::dependence() const {
  const auto coupled = [](const Matrix6& m) {
    return !m.topRightCorner<3, 3>().isZero(0.0) || !m.bottomLeftCorner<3, 3>().isZero(0.0);
  };
  constexpr unsigned all = points | frame_i | frame_j;
  if (coupled(stiffness_) || coupled(damping_)) return {all, all, all};
  return {points | frame_j, frame_i | frame_j, all};
}

JointResponse Bushing::respond(const JointMotion& motion) const {
  const Displacement d = displacement_of(motion);
  JointResponse response;
  const auto act = [&](const Vector6& f, JointWrench& wrench) {
    wrench.push_at_i(motion.j.axes * f.head<3>(), motion.distance_m());
    wrench.turn(motion.j.axes * (d.rate_matrix.transpose() * f.tail<3>()));
  };
  const Vector6 spring = stiffness_ * d.value;
  const Vector6 damper = damping_ * d.rate;
  act(preload_ - spring, response.elastic);
  act(-damper, response.damping);
  response.stored_J = 0.5 * d.value.dot(spring) - preload_.dot(d.value);
  response.dissipation_W = d.rate.dot(damper);
  return response;
}

JointWrench Bushing::wrench_change(const JointMotion& motion, const JointMotion& change) const {
  const Matrix3d to_j = motion.j.axes.transpose(), d_to_j = change.j.axes.transpose();
  const Vector3d rho = motion.distance_m(), d_rho = change.distance_m();
  const Vector3d w = motion.velocity_in_j_m_s();
  const Vector3d d_w = change.velocity_m_s() - change.j.angular_velocity_rad_s.cross(rho) -
                       motion.j.angular_velocity_rad_s.cross(d_rho);
  const Vector3d turning = motion.turning_rad_s();
  const Displacement d = displacement_of(motion);
  // θ changes as it does with an angular velocity φ_i − φ_j.
  const Vector3d d_theta =
      d.rate_matrix *
      (to_j * (turning_of(motion.i.axes, change.i.axes) - turning_of(motion.j.axes, change.j.axes)));
  const Matrix3d d_rate_matrix = rate_matrix_change(d.value.tail<3>(), d_theta);
  Vector6 d_value, d_rate;
  d_value << d_to_j * rho + to_j * d_rho, d_theta;
  d_rate << d_to_j * w + to_j * d_w,
      d_rate_matrix * (to_j * turning) + d.rate_matrix * (d_to_j * turning + to_j * change.turning_rad_s());
  const Vector6 f = preload_ - stiffness_ * d.value - damping_ * d.rate;
  const Vector6 d_f = -(stiffness_ * d_value) - damping_ * d_rate;
  JointWrench result;
  const Vector3d force = motion.j.axes * f.head<3>();
  result.push_at_i(change.j.axes * f.head<3>() + motion.j.axes * d_f.head<3>(), rho);
  result.j.torque -= d_rho.cross(force);
  result.turn(change.j.axes * (d.rate_matrix.transpose() * f.tail<3>()) +
              motion.j.axes *
                  (d_rate_matrix.transpose() * f.tail<3>() + d.rate_matrix.transpose() * d_f.tail<3>()));
  return result;
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
                     {"rotation_damping", "N.m.s/rad", List{0.0}, "one number, 3, or a 3x3 matrix"},
                     {"preload", "", List{},
                      "force (N) and torque (N m) on marker i, in axes of j, where nothing is displaced: 6 "
                      "numbers, in the plane 3"}};
  set_joint(info, [](const ParameterSet& given, ProblemList& problems) -> std::shared_ptr<const JointLaw> {
    const Space space = space_of(given);
    const auto K = read_six(given, "stiffness", space, MatrixKind::stiffness, problems);
    const auto D = read_six(given, "damping", space, MatrixKind::damping, problems);
    const auto preload = read_preload(given, space, problems);
    if (!K || !D || !preload) return nullptr;
    return std::make_shared<Bushing>(space, *K, *D, *preload);
  });
  const auto one = [](ParameterValue value) { return GivenParameter{std::move(value), {}}; };
  List full(36, 0.5);
  for (std::size_t i = 0; i < 6; ++i) full[7 * i] = 20.0 + static_cast<double>(i);
  info.examples = {
      {"diagonal",
       {{"stiffness", one(List{100, 200, 300})},
        {"damping", one(3.0)},
        {"rotation_stiffness", one(40.0)},
        {"rotation_damping", one(2.0)}}},
      {"coupled", {{"stiffness", one(full)}, {"damping", one(full)}}},
      {"preloaded", {{"stiffness", one(100.0)}, {"preload", one(List{1.0, -2.0, 3.0, 0.4, 0.5, -0.6})}}},
      {"in the plane",
       {{"planar", one(true)},
        {"stiffness", one(List{100, 5, 3, 5, 200, 2, 3, 2, 40})},
        {"damping", one(List{3, 1, 0, 1, 4, 1, 0, 1, 2})}}}};
  return info;
}

}  // namespace ergon
