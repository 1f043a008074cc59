// What is seen of a machine: the shapes that collide, bars between the points where a body is held, actuators as lines, and the
// forces of contacts and actuators as arrows.
#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "ergon/models/multibody/nonsmooth_machine.hpp"

namespace ergon {
namespace {

using Eigen::Vector3d;

/// A machine with hundreds of contacts shows its first ones: more arrows than this hide what they show.
constexpr std::size_t max_contact_arrows = 64;
constexpr std::size_t numbers_per_arrow = 6;

Point3 point_of(const Vector3d& v) {
  return {v[0], v[1], v[2]};
}

std::array<double, 4> quaternion_of(const Eigen::Quaterniond& q) {
  return {q.w(), q.x(), q.y(), q.z()};
}

VisibleShape visible(const Machine::Shape& shape) {
  VisibleShape result;
  result.in_body = {point_of(shape.position), quaternion_of(Eigen::Quaterniond(shape.axes))};
  switch (shape.type) {
    case ShapeType::sphere:
      result.kind = VisibleShapeKind::sphere;
      result.size_m = {shape.radius, 0.0, 0.0};
      break;
    case ShapeType::capsule:
      result.kind = VisibleShapeKind::capsule;
      result.size_m = {shape.radius, 2.0 * shape.half_length, 0.0};
      break;
    case ShapeType::cylinder:
      result.kind = VisibleShapeKind::cylinder;
      result.size_m = {shape.radius, 2.0 * shape.half_length, 0.0};
      break;
    case ShapeType::box:
      result.kind = VisibleShapeKind::box;
      result.size_m = {shape.half[0], shape.half[1], shape.half[2]};
      break;
    case ShapeType::plane:
      result.kind = VisibleShapeKind::plane;
      break;
  }
  return result;
}

/// Where joints and actuators hold a body, body coordinates.
std::vector<Vector3d> held_at(const Machine& machine, std::size_t body) {
  std::vector<Vector3d> points;
  const auto add = [&](std::size_t end, const Vector3d& point) {
    const auto same = [&](const Vector3d& other) { return (other - point).norm() < 1e-9; };
    if (end == body && std::none_of(points.begin(), points.end(), same)) points.push_back(point);
  };
  for (const Machine::Joint& joint : machine.joints) {
    if (joint.type == JointType::gear) continue;
    add(joint.a, joint.point_a);
    add(joint.b, joint.point_b);
  }
  for (const Machine::Actuator& actuator : machine.actuators) {
    add(actuator.a, actuator.point_a);
    add(actuator.b, actuator.point_b);
  }
  return points;
}

/// A bar between the two points that are furthest apart, and thinner ones from it to the others.
void add_bars(const std::vector<Vector3d>& points, std::vector<VisibleShape>& shapes) {
  double longest = 0.0;
  Vector3d from = Vector3d::Zero();
  Vector3d to = Vector3d::Zero();
  for (const Vector3d& a : points) {
    for (const Vector3d& b : points) {
      if ((b - a).norm() <= longest) continue;
      longest = (b - a).norm();
      from = a;
      to = b;
    }
  }
  if (longest == 0.0) return;
  const double radius_m = 0.025 * longest;
  shapes.push_back(bar(point_of(from), point_of(to), radius_m));
  for (const Vector3d& p : points) {
    const double along = std::clamp((p - from).dot(to - from) / (longest * longest), 0.0, 1.0);
    const Vector3d foot = from + along * (to - from);
    if ((p - foot).norm() > radius_m) shapes.push_back(bar(point_of(foot), point_of(p), 0.7 * radius_m));
  }
}

/// The first three numbers of a row's first Jacobian are its direction, along which body a is pushed.
Vector3d impulse_on_a(const ContactRows& contact) {
  Vector3d impulse = Vector3d::Zero();
  const std::size_t rows = contact.friction > 0.0 ? 3 : 1;
  for (std::size_t k = 0; k < rows; ++k) impulse += contact.impulse[k] * contact.row[k].jacobian[0].head<3>();
  return impulse;
}

/// As wide as the machine is, roughly: what thicknesses are measured by.
double reach_of(const Machine& machine) {
  double reach = 0.0;
  for (std::size_t body = 0; body < machine.count(); ++body) {
    for (const Vector3d& point : held_at(machine, body)) reach = std::max(reach, point.norm());
  }
  return reach;
}

}  // namespace

Scene NonsmoothMachine::scene() const {
  const Machine& machine = *setting_.machine;
  const double reach_m = reach_of(machine);
  Scene scene;
  for (std::size_t i = 0; i < machine.bodies.size(); ++i) {
    VisibleBody body{machine.bodies[i].name, i == machine.ground(), {}};
    for (const Machine::Shape& shape : machine.shapes)
      if (shape.body == i) body.shapes.push_back(visible(shape));
    std::vector<Vector3d> points = held_at(machine, i);
    if (body.fixed) {
      for (const Vector3d& point : points) body.shapes.push_back(ball(point_of(point), 0.04 * reach_m));
    } else {
      // What collides hangs on what holds it: the teeth of a bucket.
      for (const Machine::Shape& shape : machine.shapes)
        if (shape.body == i && !points.empty()) points.push_back(shape.position);
      add_bars(points, body.shapes);
    }
    scene.bodies.push_back(std::move(body));
  }
  for (const Machine::Actuator& actuator : machine.actuators) {
    scene.lines.push_back({actuator.name, 2, 0.02 * reach_m});
    scene.arrows.push_back(actuator.name);
  }
  const std::size_t contacts = numbers_of_contact_arrows() / numbers_per_arrow;
  for (std::size_t i = 0; i < contacts; ++i) scene.arrows.push_back("contact " + std::to_string(i + 1));
  scene.up = up_against(machine.gravity[0], machine.gravity[1], machine.gravity[2]);
  return scene;
}

/// Forces are those of the last solve. An actuator's acts on its second end, a contact's on the body that is pushed along the
/// normal.
void NonsmoothMachine::draw(SceneFrame frame) const {
  const Machine& machine = *setting_.machine;
  for (std::size_t i = 0; i < machine.count(); ++i)
    frame.poses[i] = {point_of(state_.position[i]), quaternion_of(state_.orientation[i])};
  now_.evaluate(machine, state_);
  const auto place = [&](std::size_t body, const Vector3d& point) {
    return Vector3d(now_.bodies[body].position + now_.bodies[body].rotation * point);
  };
  std::size_t arrow = 0;
  Eigen::Index driven = state_.joint_forces.size() - static_cast<Eigen::Index>(prescribed_.size());
  for (std::size_t i = 0; i < machine.actuators.size(); ++i) {
    const Machine::Actuator& actuator = machine.actuators[i];
    const Vector3d a = place(actuator.a, actuator.point_a);
    const Vector3d b = place(actuator.b, actuator.point_b);
    frame.points[2 * i] = point_of(a);
    frame.points[2 * i + 1] = point_of(b);
    const double force_N =
        actuator.is_motion_driven() ? state_.joint_forces[driven++] : state_.actuator_forces[i];
    frame.arrows[arrow++] = {point_of(b), point_of(force_N * (b - a).normalized())};
  }
  for (const double* numbers = state_.contact_arrows.data(); arrow < frame.arrows.size();
       numbers += numbers_per_arrow)
    frame.arrows[arrow++] = {{numbers[0], numbers[1], numbers[2]}, {numbers[3], numbers[4], numbers[5]}};
}

std::size_t NonsmoothMachine::numbers_of_contact_arrows() const {
  return setting_.machine->pairs.empty() ? 0 : max_contact_arrows * numbers_per_arrow;
}

void NonsmoothMachine::keep_contact_arrows() {
  const double h = state_.last_step_s;
  const auto& contacts = stepper_.contacts();
  std::vector<double>& numbers = state_.contact_arrows;
  std::fill(numbers.begin(), numbers.end(), std::numeric_limits<double>::quiet_NaN());
  const std::size_t count = std::min(contacts.size(), numbers.size() / numbers_per_arrow);
  for (std::size_t i = 0; i < count; ++i) {
    if (contacts[i].kind != BoundedKind::contact) continue;
    const Point3 point = point_of(contacts[i].at.point);
    const Point3 force = point_of(impulse_on_a(contacts[i]) / h);
    double* arrow = numbers.data() + i * numbers_per_arrow;
    std::copy(force.begin(), force.end(), std::copy(point.begin(), point.end(), arrow));
  }
}

}  // namespace ergon
