#include "ergon/models/multibody/rigid_body.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <cmath>

#include "ergon/models/joints/body_with_joints.hpp"
#include "ergon/models/joints/example_joints.hpp"
#include "ergon/models/native_subsystem.hpp"
#include "ergon/numerics/symmetric_eigenvalues.hpp"

namespace ergon {
namespace {

using List = std::vector<double>;
using ConstVector3 = Eigen::Map<const Eigen::Vector3d>;

/// Three numbers are the diagonal, six are xx, yy, zz, xy, xz, yz.
std::optional<Eigen::Matrix3d> read_inertia(const ModelRequest& request, ProblemList& problems) {
  const List& J = request.parameters.list("J");
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();
  if (J.size() != 3 && J.size() != 6) {
    problems.error(request.where, fmt::format("'{}': 'J' has {} numbers.", request.name, J.size()),
                   "Give Jxx, Jyy, Jzz, or Jxx, Jyy, Jzz, Jxy, Jxz, Jyz.");
    return std::nullopt;
  }
  inertia.diagonal() << J[0], J[1], J[2];
  if (J.size() == 6) {
    inertia(0, 1) = inertia(1, 0) = J[3];
    inertia(0, 2) = inertia(2, 0) = J[4];
    inertia(1, 2) = inertia(2, 1) = J[5];
  }
  const Eigen::Vector3d principal = numerics::symmetric_eigenvalues(inertia);
  const std::string moments =
      fmt::format("'{}': the principal moments of inertia are {:.6g}, {:.6g}, {:.6g} kg m2", request.name,
                  principal[0], principal[1], principal[2]);
  if (!(principal[0] > 0.0)) {
    problems.error(request.where, moments + ".", "They must be positive.");
    return std::nullopt;
  }
  // More would need a negative mass somewhere. The equations do not mind, and published data sometimes have it.
  constexpr double rounding = 1e-9;  // a thin rod has equality
  if (principal[0] + principal[1] < principal[2] * (1.0 - rounding)) {
    problems.warning(request.where, moments + "; no real body has such.",
                     "The largest is at most the sum of the other two.");
  }
  return inertia;
}

/// A list of the right length, else reported.
bool has_size(const ModelRequest& request, const ParameterSet& set, const char* name, std::size_t size,
              ProblemList& problems) {
  if (set.list(name).size() == size) return true;
  problems.error(request.where,
                 fmt::format("'{}': '{}' has {} numbers.", request.name, name, set.list(name).size()),
                 fmt::format("Give {}.", size));
  return false;
}

/// All that a request says, but for joints.
struct RigidBodySetup {
  NativeIntegration integration;
  RigidBody::Parameters parameters;
  List start;
};

std::optional<RigidBodySetup> read_rigid_body(const ModelRequest& request, ProblemList& problems) {
  const auto integration = check_integrator(request, problems);
  const auto inertia = read_inertia(request, problems);
  RigidBody::Parameters p;
  bool ok = read_markers(request, RigidBody::space, p.markers, problems);
  ok = has_size(request, request.parameters, "gravity", 3, problems) && ok;
  for (const char* name : {"position", "velocity", "angular_velocity"})
    ok = has_size(request, request.initial, name, 3, problems) && ok;
  ok = has_size(request, request.initial, "orientation", 4, problems) && ok;
  if (!ok || !inertia || !integration) return std::nullopt;
  p.mass_kg = request.parameters.number("m");
  p.inertia_kg_m2 = *inertia;
  p.gravity_m_s2 = ConstVector3(request.parameters.list("gravity").data());
  const List& e = request.initial.list("orientation");
  const double length = std::sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
  if (!(length > 0.0)) {
    problems.error(request.where, fmt::format("'{}': 'orientation' is 0.", request.name),
                   "Give a quaternion; [1, 0, 0, 0] turns nothing.");
    return std::nullopt;
  }
  const Eigen::Quaterniond turn(e[0] / length, e[1] / length, e[2] / length, e[3] / length);
  const Eigen::Vector3d omega =
      turn.conjugate() * Eigen::Vector3d(ConstVector3(request.initial.list("angular_velocity").data()));
  List start = request.initial.list("position");
  start.insert(start.end(), e.begin(), e.end());
  const List& velocity = request.initial.list("velocity");
  start.insert(start.end(), velocity.begin(), velocity.end());
  start.insert(start.end(), omega.begin(), omega.end());
  return RigidBodySetup{*integration, std::move(p), std::move(start)};
}

std::unique_ptr<Subsystem> make_rigid_body(const ModelRequest& request, ProblemList& problems) {
  auto setup = read_rigid_body(request, problems);
  if (!setup) return nullptr;
  auto joints = attach_joints(request, setup->parameters.markers, problems);
  if (!joints) return nullptr;
  using Model = BodyWithJoints<RigidBody>;
  return std::make_unique<NativeSubsystem<Model>>(
      Model(RigidBody(std::move(setup->parameters)), std::move(*joints)), setup->integration, setup->start);
}

std::optional<Description> describe_rigid_body(const ModelRequest& request, ProblemList& problems) {
  auto setup = read_rigid_body(request, problems);
  if (!setup) return std::nullopt;
  return RigidBody(std::move(setup->parameters)).describe();
}

}  // namespace

RigidBody::RigidBody(Parameters parameters)
    : p_(std::move(parameters)), inverse_inertia_(p_.inertia_kg_m2.inverse()) {}

std::vector<std::string> RigidBody::state_names() const {
  std::vector<std::string> names;
  for (const auto& [name, size] :
       {std::pair{"position", 3}, {"orientation", 4}, {"velocity", 3}, {"angular_velocity", 3}}) {
    for (int i = 0; i < size; ++i) names.push_back(fmt::format("{}[{}]", name, i));
  }
  return names;
}

Description RigidBody::describe() const {
  Description description;
  Port force{"force", Unit::of("N"), 3, "force at the centre of mass, world coordinates"};
  Port torque{"torque", Unit::of("N.m"), 3, "torque, world coordinates"};
  force.optional = torque.optional = true;
  description.inputs = {force, torque};
  description.outputs = {{"position", Unit::of("m"), 3, "centre of mass, world coordinates"},
                         {"velocity", Unit::of("m/s"), 3, "of the centre of mass, world coordinates"},
                         {"orientation", Unit::of("1"), 4, "unit quaternion, real part first, body to world"},
                         {"angular_velocity", Unit::of("rad/s"), 3, "world coordinates"}};
  description.outputs[2].role = PortRole::orientation;
  for (const Marker& marker : p_.markers) {
    add_marker_inputs(RigidBody::space, marker.name, description.inputs);
    add_marker_outputs(RigidBody::space, marker.name, description.outputs);
  }
  return description;
}

BodyMotion RigidBody::motion_of(const double* q, const double* v) const {
  BodyMotion motion;
  motion.position_m = ConstVector3(q);
  motion.velocity_m_s = ConstVector3(v);
  // R = I + 2/|e|² (e0 [e]× + [e]×²)
  const double e0 = q[3], x = q[4], y = q[5], z = q[6];
  const double s = 2.0 / (e0 * e0 + x * x + y * y + z * z);
  motion.rotation << 1.0 - s * (y * y + z * z), s * (x * y - e0 * z), s * (x * z + e0 * y),  //
      s * (x * y + e0 * z), 1.0 - s * (x * x + z * z), s * (y * z - e0 * x),                 //
      s * (x * z - e0 * y), s * (y * z + e0 * x), 1.0 - s * (x * x + y * y);
  motion.angular_velocity_rad_s = motion.rotation * ConstVector3(v + 3);
  return motion;
}

void RigidBody::position_rates(const double* q, const double* v, double* q_dot) const {
  for (std::size_t i = 0; i < 3; ++i) q_dot[i] = v[i];
  const double e0 = q[3], e1 = q[4], e2 = q[5], e3 = q[6];
  const double w1 = v[3], w2 = v[4], w3 = v[5];
  q_dot[3] = 0.5 * (-e1 * w1 - e2 * w2 - e3 * w3);
  q_dot[4] = 0.5 * (e0 * w1 + e2 * w3 - e3 * w2);
  q_dot[5] = 0.5 * (e0 * w2 + e3 * w1 - e1 * w3);
  q_dot[6] = 0.5 * (e0 * w3 + e1 * w2 - e2 * w1);
}

void RigidBody::acceleration(const double* u, const double* q, const double* v, double* a) const {
  const BodyMotion motion = motion_of(q, v);
  Eigen::Vector3d force = Eigen::Vector3d::Zero();
  Eigen::Vector3d torque = Eigen::Vector3d::Zero();
  for (std::size_t port = 0; port <= p_.markers.size(); ++port) {
    const ConstVector3 own(u + 6 * port);
    force += own;
    torque += ConstVector3(u + 6 * port + 3);
    if (port > 0) torque += (motion.rotation * arm(port)).cross(own);
  }
  const ConstVector3 omega(v + 3);
  Eigen::Map<Eigen::Vector3d>(a, 3) = p_.gravity_m_s2 + force / p_.mass_kg;
  const Eigen::Vector3d momentum = p_.inertia_kg_m2 * omega;
  Eigen::Map<Eigen::Vector3d>(a + 3, 3) =
      inverse_inertia_ * (motion.rotation.transpose() * torque - omega.cross(momentum));
}

double RigidBody::kinetic_J(const double* /*q*/, const double* v) const {
  const ConstVector3 velocity(v);
  const ConstVector3 omega(v + 3);
  return 0.5 * p_.mass_kg * velocity.squaredNorm() + 0.5 * omega.dot(p_.inertia_kg_m2 * omega);
}

double RigidBody::stored_J(const double* /*u*/, const double* q, const double* v) const {
  return kinetic_J(q, v) - p_.mass_kg * p_.gravity_m_s2.dot(ConstVector3(q));
}

void RigidBody::outputs(const double* /*u*/, const double* q, const double* v, double* y) const {
  const BodyMotion motion = motion_of(q, v);
  std::copy_n(q, 3, y);
  std::copy_n(v, 3, y + 3);
  std::copy_n(q + 3, 4, y + 6);
  write_vector(RigidBody::space, motion.angular_velocity_rad_s, y + 10);
  y += 13;
  for (const Marker& marker : p_.markers) {
    write_marker_outputs(RigidBody::space, marker, motion, y);
    y += marker_output_size(RigidBody::space);
  }
}

void RigidBody::output_jacobian(const double* /*u*/, const double* /*q*/, const double* /*v*/,
                                double* jacobian) const {
  std::fill_n(jacobian, output_count() * input_count(), 0.0);
}

void RigidBody::normalise(double* q) const {
  const double length = std::sqrt(q[3] * q[3] + q[4] * q[4] + q[5] * q[5] + q[6] * q[6]);
  for (std::size_t i = 3; i < 7; ++i) q[i] /= length;
}

Scene RigidBody::scene() const {
  Scene scene;
  scene.bodies = {{"body", false, marker_shapes(p_.markers)}};
  scene.up = up_against(p_.gravity_m_s2[0], p_.gravity_m_s2[1], p_.gravity_m_s2[2]);
  return scene;
}

void RigidBody::draw(const double* q, SceneFrame frame) const {
  const double length = std::hypot(std::hypot(q[3], q[4]), std::hypot(q[5], q[6]));
  frame.poses[0] = {{q[0], q[1], q[2]}, {q[3] / length, q[4] / length, q[5] / length, q[6] / length}};
}

ModelInfo rigid_body_model() {
  ModelInfo info;
  info.name = "multibody.rigid_body";
  info.summary = "rigid body in space with markers that take forces and torques";
  info.parameters = {
      {"m", "kg", 1.0, "mass", {}, 0.0, true},
      {"J", "kg.m2", List{1.0, 1.0, 1.0},
       "inertia about the centre of mass, body axes: Jxx, Jyy, Jzz, or these and Jxy, Jxz, Jyz"},
      {"gravity", "m/s2", List{0.0, 0.0, 0.0}, "world coordinates, for example [0, 0, -9.81]"},
  };
  for (ParameterInfo& parameter : marker_parameters(RigidBody::space))
    info.parameters.push_back(std::move(parameter));
  info.initial = {
      {"position", "m", List{0.0, 0.0, 0.0}, "centre of mass at the start"},
      {"velocity", "m/s", List{0.0, 0.0, 0.0}, "of the centre of mass at the start"},
      {"orientation", "", List{1.0, 0.0, 0.0, 0.0}, "quaternion at the start, real part first, any length"},
      {"angular_velocity", "rad/s", List{0.0, 0.0, 0.0}, "at the start, world coordinates"}};
  info.make = make_rigid_body;
  info.takes_joints = true;
  info.describe = describe_rigid_body;
  const GivenParameters spinning = {{"position", {List{0.1, -0.2, 0.3}, {}}},
                                    {"velocity", {List{1.0, 2.0, -1.0}, {}}},
                                    {"orientation", {List{1.0, 0.2, -0.3, 0.4}, {}}},
                                    {"angular_velocity", {List{2.0, -3.0, 1.0}, {}}}};
  info.examples = {{"falling and spinning",
                    {{"m", {2.0, {}}},
                     {"J", {List{0.3, 0.4, 0.5, 0.02, -0.03, 0.01}, {}}},
                     {"gravity", {List{0.0, 0.0, -9.81}, {}}},
                     {"markers", {"top, bottom", {}}},
                     {"marker_positions", {List{0.1, 0.2, 0.5, 0.0, -0.1, -0.4}, {}}},
                     {"marker_axes", {List{1, 0, 0, 0, 1, 0, 0, 1, 1, 1, 0, 0}, {}}}},
                    spinning}};
  for (Example& example : examples_with_joints(info.examples.front(), RigidBody::space, "top", "bottom"))
    info.examples.push_back(std::move(example));
  return info;
}

}  // namespace ergon
