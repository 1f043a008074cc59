#include "ergon/models/multibody/planar_link.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ergon/models/joints/body_with_joints.hpp"
#include "ergon/models/joints/example_joints.hpp"
#include "ergon/models/native_subsystem.hpp"

namespace ergon {
namespace {

using List = std::vector<double>;

/// Two numbers, else reported.
bool read_pair(const ModelRequest& request, const ParameterSet& set, const char* name, double pair[2],
               ProblemList& problems) {
  const List& list = set.list(name);
  if (list.size() != 2) {
    problems.error(request.where, fmt::format("'{}': '{}' has {} numbers.", request.name, name, list.size()),
                   "Give x and y.");
    return false;
  }
  pair[0] = list[0];
  pair[1] = list[1];
  return true;
}

/// What is told of a link in vain: values that its pin decides, or a pin that it does not have. Zeros are defaults, told or not.
bool refuse_contradictions(const ModelRequest& request, bool pinned, ProblemList& problems) {
  bool ok = true;
  const auto refuse = [&](const ParameterSet& set, const char* name, const char* why, const char* remedy) {
    const List& list = set.list(name);
    if (std::all_of(list.begin(), list.end(), [](double value) { return value == 0.0; })) return;
    problems.error(request.where,
                   fmt::format("'{}': '{}' is given, but the link is {}.", request.name, name, why), remedy);
    ok = false;
  };
  if (pinned) {
    for (const char* name : {"position", "velocity"})
      refuse(request.initial, name, "pinned",
             "Its angle gives its position; 'pin' is the position of its start.");
  } else {
    refuse(request.parameters, "pin", "free", "Add pinned = true, or give 'position' in 'initial'.");
  }
  return ok;
}

/// All that a request says, but for joints.
struct PlanarLinkSetup {
  NativeIntegration integration;
  PlanarLink::Parameters parameters;
  List start;  ///< positions, then velocities
};

std::optional<PlanarLinkSetup> read_planar_link(const ModelRequest& request, ProblemList& problems) {
  const auto integration = check_integrator(request, problems);
  const ParameterSet& given = request.parameters;
  PlanarLink::Parameters p;
  p.mass_kg = given.number("m");
  p.inertia_kg_m2 = given.number("J");
  p.pinned = given.flag("pinned");
  const double length = given.number("length");
  p.pin_to_centre_m = given.number("centre") * length;
  p.stiffness_Nm_rad = given.number("c");
  p.damping_Nms_rad = given.number("d");
  p.relaxed_angle_rad = given.number("phi0");
  p.markers = {{"start", {-p.pin_to_centre_m, 0.0, 0.0}}, {"end", {length - p.pin_to_centre_m, 0.0, 0.0}}};
  double position[2], velocity[2];
  bool ok = read_markers(request, PlanarLink::space, p.markers, problems);
  ok = read_pair(request, given, "pin", p.pin_m, problems) && ok;
  ok = read_pair(request, given, "gravity", p.gravity_m_s2, problems) && ok;
  ok = read_pair(request, request.initial, "position", position, problems) && ok;
  ok = read_pair(request, request.initial, "velocity", velocity, problems) && ok;
  ok = refuse_contradictions(request, p.pinned, problems) && ok;
  if (!ok || !integration) return std::nullopt;
  List start = {request.initial.number("phi"), request.initial.number("omega")};
  if (!p.pinned) start = {position[0], position[1], start[0], velocity[0], velocity[1], start[1]};
  return PlanarLinkSetup{*integration, std::move(p), std::move(start)};
}

std::unique_ptr<Subsystem> make_planar_link(const ModelRequest& request, ProblemList& problems) {
  auto setup = read_planar_link(request, problems);
  if (!setup) return nullptr;
  auto joints = attach_joints(request, setup->parameters.markers, problems);
  if (!joints) return nullptr;
  using Model = BodyWithJoints<PlanarLink>;
  return std::make_unique<NativeSubsystem<Model>>(
      Model(PlanarLink(std::move(setup->parameters)), std::move(*joints)), setup->integration,
      std::move(setup->start));
}

std::optional<Description> describe_planar_link(const ModelRequest& request, ProblemList& problems) {
  auto setup = read_planar_link(request, problems);
  if (!setup) return std::nullopt;
  return PlanarLink(std::move(setup->parameters)).describe();
}

}  // namespace

Description PlanarLink::describe() const {
  Description description;
  Port force{"force", Unit::of("N"), 2, "force at the centre of mass, world coordinates"};
  Port torque{"torque", Unit::of("N.m"), 1, "torque, counter-clockwise"};
  force.optional = torque.optional = true;
  description.inputs = {force, torque};
  description.outputs = {{"angle", Unit::of("rad"), 1, "of the link against world x"},
                         {"angular_velocity", Unit::of("rad/s"), 1, "its rate"},
                         {"position", Unit::of("m"), 2, "centre of mass, world coordinates"},
                         {"velocity", Unit::of("m/s"), 2, "of the centre of mass, world coordinates"}};
  for (const Marker& marker : p_.markers) {
    add_marker_inputs(PlanarLink::space, marker.name, description.inputs);
    add_marker_outputs(PlanarLink::space, marker.name, description.outputs);
  }
  return description;
}

double PlanarLink::inertia_at(std::size_t coordinate) const {
  if (p_.pinned) return p_.inertia_kg_m2 + p_.mass_kg * p_.pin_to_centre_m * p_.pin_to_centre_m;
  return coordinate < 2 ? p_.mass_kg : p_.inertia_kg_m2;
}

void PlanarLink::acceleration(const double* u, const double* q, const double* v, double* a) const {
  const Pose pose = pose_of(q);
  const std::size_t n = dof();
  const double weight[2] = {p_.mass_kg * p_.gravity_m_s2[0], p_.mass_kg * p_.gravity_m_s2[1]};
  double force[2] = {weight[0], weight[1]};
  double arm[2];
  write_arm(pose, 0, arm);  // 0 where the link is free
  double torque = arm[0] * weight[1] - arm[1] * weight[0];
  torque -= p_.stiffness_Nm_rad * (q[n - 1] - p_.relaxed_angle_rad) + p_.damping_Nms_rad * v[n - 1];
  for (std::size_t port = 0; port <= p_.markers.size(); ++port) {
    const double* own = u + 3 * port;
    write_arm(pose, port, arm);
    force[0] += own[0];
    force[1] += own[1];
    torque += arm[0] * own[1] - arm[1] * own[0] + own[2];
  }
  a[n - 1] = torque / inertia_at(n - 1);
  if (p_.pinned) return;
  a[0] = force[0] / p_.mass_kg;
  a[1] = force[1] / p_.mass_kg;
}

BodyMotion PlanarLink::motion_of(const double* q, const double* v) const {
  const Pose pose = pose_of(q);
  const double omega = v[dof() - 1];
  BodyMotion motion;
  motion.rotation << pose.cosine, -pose.sine, 0.0, pose.sine, pose.cosine, 0.0, 0.0, 0.0, 1.0;
  motion.angular_velocity_rad_s << 0.0, 0.0, omega;
  if (p_.pinned) {
    double arm[2];
    write_arm(pose, 0, arm);
    motion.position_m << p_.pin_m[0] + arm[0], p_.pin_m[1] + arm[1], 0.0;
    motion.velocity_m_s << -omega * arm[1], omega * arm[0], 0.0;
  } else {
    motion.position_m << q[0], q[1], 0.0;
    motion.velocity_m_s << v[0], v[1], 0.0;
  }
  return motion;
}

double PlanarLink::stored_J(const double* /*u*/, const double* q, const double* v) const {
  const std::size_t n = dof();
  const double turned = q[n - 1] - p_.relaxed_angle_rad;
  double stored = 0.5 * p_.stiffness_Nm_rad * turned * turned;
  for (std::size_t k = 0; k < n; ++k) stored += 0.5 * inertia_at(k) * v[k] * v[k];
  const BodyMotion motion = motion_of(q, v);
  return stored -
         p_.mass_kg * (p_.gravity_m_s2[0] * motion.position_m[0] + p_.gravity_m_s2[1] * motion.position_m[1]);
}

double PlanarLink::kinetic_J(const double* /*q*/, const double* v) const {
  double kinetic = 0.0;
  for (std::size_t k = 0; k < dof(); ++k) kinetic += 0.5 * inertia_at(k) * v[k] * v[k];
  return kinetic;
}

Momentum PlanarLink::momentum(const double* q, const double* v) const {
  return momentum_of(p_.mass_kg, motion_of(q, v));
}

void PlanarLink::outputs(const double* /*u*/, const double* q, const double* v, double* y) const {
  const BodyMotion motion = motion_of(q, v);
  y[0] = q[dof() - 1];
  y[1] = v[dof() - 1];
  write_vector(PlanarLink::space, motion.position_m, y + 2);
  write_vector(PlanarLink::space, motion.velocity_m_s, y + 4);
  y += 6;
  for (const Marker& marker : p_.markers) {
    write_marker_outputs(PlanarLink::space, marker, motion, y);
    y += marker_output_size(PlanarLink::space);
  }
}

void PlanarLink::output_jacobian(const double* /*u*/, const double* /*q*/, const double* /*v*/,
                                 double* jacobian) const {
  std::fill_n(jacobian, output_count() * input_count(), 0.0);
}

Scene PlanarLink::scene() const {
  Scene scene;
  scene.bodies = {{"link", false, marker_shapes(p_.markers)}};
  if (p_.pinned) {
    const double radius_m = 1.5 * scene.bodies[0].shapes[0].size_m[0];
    scene.bodies.push_back({"pin", true, {ball({p_.pin_m[0], p_.pin_m[1], 0.0}, radius_m)}});
  }
  scene.up = up_against(p_.gravity_m_s2[0], p_.gravity_m_s2[1], 0.0);
  return scene;
}

void PlanarLink::draw(const double* q, SceneFrame frame) const {
  const double still[3] = {};
  const BodyMotion motion = motion_of(q, still);
  frame.poses[0] = planar_pose(motion.position_m[0], motion.position_m[1], q[dof() - 1]);
}

ModelInfo planar_link_model() {
  ModelInfo info;
  info.name = "multibody.planar_link";
  info.summary = "rigid link in the plane, free or pinned to the ground at its start, with markers";
  info.parameters = {
      {"m", "kg", 1.0, "mass", {}, 0.0, true},
      {"J", "kg.m2", 1.0 / 12.0, "moment of inertia about the centre of mass", {}, 0.0, true},
      {"length", "m", 1.0, "from marker start to marker end", {}, 0.0},
      {"centre", "", 0.5, "where the centre of mass is, as a share of the length from the start"},
      {"pinned", "", false, "the start is joined to the ground by a revolute joint"},
      {"pin", "m", List{0.0, 0.0}, "where it is, world coordinates"},
      {"c", "N.m/rad", 0.0, "stiffness of a torsional spring to the ground"},
      {"d", "N.m.s/rad", 0.0, "coefficient of a torsional damper to the ground"},
      {"phi0", "rad", 0.0, "angle at which the spring is relaxed"},
      {"gravity", "m/s2", List{0.0, 0.0}, "world coordinates, for example [0, -9.81]"},
  };
  for (ParameterInfo& parameter : marker_parameters(PlanarLink::space))
    info.parameters.push_back(std::move(parameter));
  info.initial = {{"phi", "rad", 0.0, "angle at the start"},
                  {"omega", "rad/s", 0.0, "its rate at the start"},
                  {"position", "m", List{0.0, 0.0}, "of the centre of mass at the start, if free"},
                  {"velocity", "m/s", List{0.0, 0.0}, "of the centre of mass at the start, if free"}};
  info.make = make_planar_link;
  info.takes_joints = true;
  info.describe = describe_planar_link;
  const GivenParameters link = {{"m", {2.0, {}}},
                                {"J", {0.3, {}}},
                                {"length", {1.5, {}}},
                                {"centre", {0.4, {}}},
                                {"gravity", {List{0.5, -9.81}, {}}},
                                {"c", {20.0, {}}},
                                {"d", {0.5, {}}},
                                {"phi0", {0.3, {}}},
                                {"markers", {"hook", {}}},
                                {"marker_positions", {List{0.2, 0.3}, {}}},
                                {"marker_axes", {List{1.0, 1.0}, {}}}};
  const GivenParameters turning = {{"phi", {0.8, {}}}, {"omega", {-3.0, {}}}};
  info.examples = {{"free", link, turning}, {"pinned", link, turning}};
  info.examples[0].initial["position"] = {List{0.1, -0.2}, {}};
  info.examples[0].initial["velocity"] = {List{2.0, 1.0}, {}};
  info.examples[1].parameters["pinned"] = {true, {}};
  info.examples[1].parameters["pin"] = {List{1.0, 2.0}, {}};
  for (Example& example : examples_with_joints(info.examples.back(), PlanarLink::space, "end", "hook"))
    info.examples.push_back(std::move(example));
  return info;
}

}  // namespace ergon
