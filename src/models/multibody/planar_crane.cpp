#include "ergon/models/multibody/planar_crane.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "ergon/models/native_subsystem.hpp"

namespace ergon {
namespace {

constexpr std::size_t output_count = 8;

std::unique_ptr<Subsystem> make_planar_crane(const ModelRequest& request, ProblemList& problems) {
  const auto integration = check_integrator(request, problems);
  const auto parameters = read_crane(request, problems);
  if (!integration || !parameters) return nullptr;
  const ParameterSet& initial = request.initial;
  std::vector<double> start;
  for (const char* name : {"theta1", "theta2", "omega1", "omega2"}) start.push_back(initial.number(name));
  return std::make_unique<NativeSubsystem<PlanarCrane>>(PlanarCrane(*parameters), *integration,
                                                        std::move(start));
}

}  // namespace

Description PlanarCrane::describe() const {
  Description description;
  description.inputs = {{"force", Unit::of("N"), 1, "of the actuator; positive: it extends"}};
  description.outputs = {{"position", Unit::of("m"), 1, "length of the actuator"},
                         {"velocity", Unit::of("m/s"), 1, "its rate"},
                         {"theta1", Unit::of("rad"), 1, "angle of link 1 against world x"},
                         {"theta2", Unit::of("rad"), 1, "angle of link 2 against world x"},
                         {"omega1", Unit::of("rad/s"), 1, "rate of theta1"},
                         {"omega2", Unit::of("rad/s"), 1, "rate of theta2"},
                         {"tip", Unit::of("m"), 2, "end of link 2, world coordinates"}};
  return description;
}

void PlanarCrane::acceleration_under(double force_N, const double* q, const double* v, double* a) const {
  const double far_mass = p_.m2_kg + p_.m3_kg;
  const double product = p_.m3_kg * p_.l1_m * p_.l2_m;
  const double M11 = p_.m1_kg * p_.l1_m * p_.l1_m / 3.0 + far_mass * p_.l1_m * p_.l1_m;
  const double M12 = product * std::cos(q[0] - q[1]);
  const double M22 = p_.m3_kg * p_.l2_m * p_.l2_m;
  const double gyroscopic = product * std::sin(q[0] - q[1]);
  const double Q1 = -(0.5 * p_.m1_kg + far_mass) * p_.gravity_m_s2 * p_.l1_m * std::cos(q[0]) -
                    gyroscopic * v[1] * v[1] + force_N * actuator(q[0]).arm_m;
  const double Q2 = -p_.m3_kg * p_.gravity_m_s2 * p_.l2_m * std::cos(q[1]) + gyroscopic * v[0] * v[0];
  const double determinant = M11 * M22 - M12 * M12;
  a[0] = (M22 * Q1 - M12 * Q2) / determinant;
  a[1] = (M11 * Q2 - M12 * Q1) / determinant;
}

double PlanarCrane::kinetic_J(const double* q, const double* v) const {
  const double far_mass = p_.m2_kg + p_.m3_kg;
  const double product = p_.m3_kg * p_.l1_m * p_.l2_m;
  return 0.5 * (p_.m1_kg / 3.0 + far_mass) * p_.l1_m * p_.l1_m * v[0] * v[0] +
         product * std::cos(q[0] - q[1]) * v[0] * v[1] + 0.5 * p_.m3_kg * p_.l2_m * p_.l2_m * v[1] * v[1];
}

/// The middle of link 1 has half the velocity of Q.
Momentum PlanarCrane::momentum(const double* q, const double* v) const {
  const double at_joint_kg = 0.5 * p_.m1_kg + p_.m2_kg + p_.m3_kg;
  const double joint_m_s = p_.l1_m * v[0];
  const double tip_m_s = p_.l2_m * v[1];  // of P against Q
  return {p_.m1_kg + p_.m2_kg + p_.m3_kg,
          {-at_joint_kg * joint_m_s * std::sin(q[0]) - p_.m3_kg * tip_m_s * std::sin(q[1]),
           at_joint_kg * joint_m_s * std::cos(q[0]) + p_.m3_kg * tip_m_s * std::cos(q[1]), 0.0}};
}

double PlanarCrane::stored_J(const double* /*u*/, const double* q, const double* v) const {
  const double far_mass = p_.m2_kg + p_.m3_kg;
  const double kinetic = kinetic_J(q, v);
  const double weight1 = (0.5 * p_.m1_kg + far_mass) * p_.gravity_m_s2 * p_.l1_m;
  const double weight2 = p_.m3_kg * p_.gravity_m_s2 * p_.l2_m;
  return kinetic + weight1 * (1.0 + std::sin(q[0])) + weight2 * (1.0 + std::sin(q[1]));
}

void PlanarCrane::outputs(const double* /*u*/, const double* q, const double* v, double* y) const {
  const Actuator piston = actuator(q[0]);
  y[0] = piston.length_m;
  y[1] = piston.arm_m * v[0];
  y[2] = q[0];
  y[3] = q[1];
  y[4] = v[0];
  y[5] = v[1];
  y[6] = p_.l1_m * std::cos(q[0]) + p_.l2_m * std::cos(q[1]);
  y[7] = p_.l1_m * std::sin(q[0]) + p_.l2_m * std::sin(q[1]);
}

void PlanarCrane::output_jacobian(const double* /*u*/, const double* /*q*/, const double* /*v*/,
                                  double* jacobian) const {
  std::fill_n(jacobian, output_count * input_count(), 0.0);
}

std::vector<ParameterInfo> crane_parameters() {
  using List = std::vector<double>;
  const PlanarCrane::Parameters p;
  return {
      {"l1", "m", p.l1_m, "length of link 1", {}, 0.0, true},
      {"l2", "m", p.l2_m, "length of link 2", {}, 0.0, true},
      {"m1", "kg", p.m1_kg, "mass of link 1, uniform", {}, 0.0, true},
      {"m2", "kg", p.m2_kg, "point mass between the links", {}, 0.0},
      {"m3", "kg", p.m3_kg, "point mass at the end of link 2", {}, 0.0, true},
      {"base", "m", List{p.base_m[0], p.base_m[1]}, "fixed end of the actuator, from the foot of link 1"},
      {"attachment", "", p.attachment, "other end of the actuator, as a share of link 1", {}, 0.0, true},
      {"gravity", "m/s2", p.gravity_m_s2, "downwards, along -y", {}, 0.0},
  };
}

std::vector<ParameterInfo> crane_initial() {
  constexpr double pi = std::numbers::pi;
  return {{"theta1", "rad", pi / 6.0, "angle of link 1 against world x at the start"},
          {"theta2", "rad", 1.5 * pi, "angle of link 2 against world x at the start"},
          {"omega1", "rad/s", 0.0, "rate of theta1 at the start"},
          {"omega2", "rad/s", 0.0, "rate of theta2 at the start"}};
}

std::optional<PlanarCrane::Parameters> read_crane(const ModelRequest& request, ProblemList& problems) {
  const ParameterSet& given = request.parameters;
  const std::vector<double>& base = given.list("base");
  if (base.size() != 2) {
    problems.error(request.where, fmt::format("'{}': 'base' has {} numbers.", request.name, base.size()),
                   "Give x and y.");
    return std::nullopt;
  }
  PlanarCrane::Parameters p;
  p.l1_m = given.number("l1");
  p.l2_m = given.number("l2");
  p.m1_kg = given.number("m1");
  p.m2_kg = given.number("m2");
  p.m3_kg = given.number("m3");
  p.base_m[0] = base[0];
  p.base_m[1] = base[1];
  p.attachment = given.number("attachment");
  p.gravity_m_s2 = given.number("gravity");
  if (!(PlanarCrane(p).actuator(request.initial.number("theta1")).length_m > 0.0)) {
    problems.error(request.where, fmt::format("'{}': the actuator has no length at the start.", request.name),
                   "Move 'base', or give another angle theta1.");
    return std::nullopt;
  }
  return p;
}

Scene crane_scene(const PlanarCrane::Parameters& crane) {
  const double radius_m = 0.03 * crane.l1_m;
  Scene scene;
  scene.bodies = {{"base",
                   true,
                   {ball({}, 1.5 * radius_m), ball({crane.base_m[0], crane.base_m[1], 0.0}, 1.5 * radius_m)}},
                  {"joint mass", false, {ball({}, 2.0 * radius_m)}},
                  {"load", false, {ball({}, 2.5 * radius_m)}}};
  scene.lines = {{"link 1", 2, radius_m}, {"link 2", 2, radius_m}, {"actuator", 2, 0.5 * radius_m}};
  scene.up = {0.0, 1.0, 0.0};
  return scene;
}

void draw_crane(const PlanarCrane::Parameters& crane, const double* joint_m, const double* tip_m,
                SceneFrame frame) {
  const Point3 joint{joint_m[0], joint_m[1], 0.0};
  const Point3 tip{tip_m[0], tip_m[1], 0.0};
  frame.poses[0] = Pose{joint};
  frame.poses[1] = Pose{tip};
  frame.points[0] = {};
  frame.points[1] = frame.points[2] = joint;
  frame.points[3] = tip;
  frame.points[4] = {crane.base_m[0], crane.base_m[1], 0.0};
  frame.points[5] = {crane.attachment * joint[0], crane.attachment * joint[1], 0.0};
}

Scene PlanarCrane::scene() const {
  return crane_scene(p_);
}

void PlanarCrane::draw(const double* q, SceneFrame frame) const {
  const double joint[2] = {p_.l1_m * std::cos(q[0]), p_.l1_m * std::sin(q[0])};
  const double tip[2] = {joint[0] + p_.l2_m * std::cos(q[1]), joint[1] + p_.l2_m * std::sin(q[1])};
  draw_crane(p_, joint, tip, frame);
}

ModelInfo planar_crane_model() {
  ModelInfo info;
  info.name = "multibody.planar_crane";
  info.summary =
      "two links in a vertical plane, lifted by a linear actuator: takes its force, gives its motion";
  info.parameters = crane_parameters();
  info.initial = crane_initial();
  info.make = make_planar_crane;
  info.examples = {
      {"swinging",
       {{"l2", {0.7, {}}},
        {"m3", {50.0, {}}},
        {"base", {std::vector<double>{0.9, 0.2}, {}}},
        {"attachment", {0.6, {}}}},
       {{"theta1", {0.8, {}}}, {"theta2", {-1.0, {}}}, {"omega1", {1.5, {}}}, {"omega2", {-2.0, {}}}}}};
  return info;
}

}  // namespace ergon
