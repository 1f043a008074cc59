#include "ergon/models/nonsmooth/machine.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

namespace ergon {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

std::size_t index_of(const Machine& machine, const std::string& name) {
  const auto found = std::find_if(machine.bodies.begin(), machine.bodies.end(),
                                  [&](const Machine::Body& body) { return body.name == name; });
  return static_cast<std::size_t>(found - machine.bodies.begin());
}

/// z along `axis`, x as near to `reference` as it can be.
Matrix3d frame_of(const Vector3d& axis, const std::optional<Vector3d>& reference) {
  const Vector3d z = axis.normalized();
  Vector3d x = reference ? *reference : Vector3d::Zero();
  x -= z * z.dot(x);
  constexpr double smallest = 1e-9;
  if (x.norm() < smallest) {
    // The coordinate axis that is most across.
    Eigen::Index most = 0;
    z.cwiseAbs().minCoeff(&most);
    x = Vector3d::Unit(most);
    x -= z * z.dot(x);
  }
  Matrix3d frame;
  frame.col(0) = x.normalized();
  frame.col(2) = z;
  frame.col(1) = z.cross(frame.col(0));
  return frame;
}

/// The pose in which the user describes points and axes.
struct Pose {
  Vector3d position = Vector3d::Zero();
  Matrix3d rotation = Matrix3d::Identity();
  [[nodiscard]] Vector3d point(const Vector3d& world) const {
    return rotation.transpose() * (world - position);
  }
  [[nodiscard]] Matrix3d frame(const Matrix3d& world) const { return rotation.transpose() * world; }
};

class Compiler {
 public:
  Compiler(const MachineDescription& description, ProblemList& problems)
      : description_(description), problems_(problems) {}

  std::shared_ptr<const Machine> compile() {
    auto machine = std::make_shared<Machine>();
    machine_ = machine.get();
    machine_->gravity = description_.gravity_m_s2;
    machine_->solver = description_.solver;
    machine_->materials = description_.materials;
    add_bodies();
    for (const JointDescription& joint : description_.joints) add_joint(joint);
    for (const ActuatorDescription& actuator : description_.actuators) add_actuator(actuator);
    for (const MarkerDescription& marker : description_.markers)
      machine_->markers.push_back(
          {marker.name, index_of(*machine_, marker.body), marker.position_m, marker.axes});
    for (const ShapeDescription& shape : description_.shapes) add_shape(shape);
    for (const ContactDescription& contact : description_.contacts) add_pairs(contact);
    return ok_ ? machine : nullptr;
  }

 private:
  void add_bodies() {
    for (const BodyDescription& body : description_.bodies) {
      machine_->bodies.push_back(
          {body.name, body.mass_kg, 1.0 / body.mass_kg, body.inertia_kg_m2, body.inertia_kg_m2.inverse()});
      poses_.push_back({body.position_m, body.orientation.normalized().toRotationMatrix()});
    }
    machine_->bodies.push_back({ground_name});
    poses_.emplace_back();
  }

  void add_joint(const JointDescription& said) {
    Machine::Joint joint;
    joint.name = said.name;
    joint.type = said.type;
    joint.a = index_of(*machine_, said.a);
    joint.b = index_of(*machine_, said.b);
    joint.c = said.c.empty() ? machine_->ground() : index_of(*machine_, said.c);
    joint.locked = said.locked;
    joint.drive = said.drive;
    joint.ratio = said.ratio;
    joint.damping = said.damping;
    joint.stiffness = said.stiffness;
    joint.stiffness_damping = said.stiffness_damping;
    joint.where = said.where;
    const Pose& a = poses_[joint.a];
    const Pose& b = poses_[joint.b];
    joint.point_a = said.end_a.point_m ? *said.end_a.point_m : a.point(said.point_m);
    joint.point_b = said.end_b.point_m ? *said.end_b.point_m : b.point(said.point_m);
    const Matrix3d world = frame_of(said.axis, said.reference);
    joint.frame_a = said.end_a.axis ? frame_of(*said.end_a.axis, said.end_a.reference) : a.frame(world);
    joint.frame_b = said.end_b.axis ? frame_of(*said.end_b.axis, said.end_b.reference) : b.frame(world);
    joint.frame_c = poses_[joint.c].frame(world);
    joint.spring = said.spring;
    joint.limits = said.limits;
    joint.motor = said.motor;
    joint.friction = said.friction;
    joint.outputs = said.outputs;
    if (said.motor) {
      machine_->motors.push_back(machine_->joints.size());
      joint.outputs.coordinate = joint.outputs.rate = true;
      if (said.motor->input == MotorInput::speed) machine_->sensed_count += 1;
    }
    machine_->sensed_count += (said.outputs.force ? 3U : 0U) + (said.outputs.torque ? 3U : 0U);
    if (said.spring) joint.spring_mobility = mobility_of(joint);
    joint.tracked = said.type == JointType::revolute &&
                    (said.drive || said.spring || said.limits || joint.outputs.coordinate);
    const bool has_angle = said.type == JointType::gear || joint.tracked;
    if (has_angle) joint.angle_b = machine_->angle_count++;
    if (said.type == JointType::gear) joint.angle_c = machine_->angle_count++;
    machine_->joints.push_back(std::move(joint));
  }

  [[nodiscard]] double mobility_of(const Machine::Joint& joint) const {
    double sum = 0.0;
    for (const bool first : {true, false}) {
      const Machine::Body& body = machine_->bodies[first ? joint.a : joint.b];
      const Vector3d axis = (first ? joint.frame_a : joint.frame_b).col(2);
      sum += joint.type == JointType::prismatic ? body.inverse_mass : axis.dot(body.inverse_inertia * axis);
    }
    return sum;
  }

  void add_actuator(const ActuatorDescription& said) {
    const std::size_t a = index_of(*machine_, said.a);
    const std::size_t b = index_of(*machine_, said.b);
    machine_->actuators.push_back({said.name, a, b, poses_[a].point(said.point_a_m),
                                   poses_[b].point(said.point_b_m), said.input, said.load_output});
    if (said.load_output) ++machine_->sensed_count;
  }

  void add_shape(const ShapeDescription& said) {
    Machine::Shape shape;
    shape.type = said.type;
    shape.body = index_of(*machine_, said.body);
    shape.position = said.position_m;
    shape.axes = said.type == ShapeType::box ? Matrix3d(said.orientation.normalized().toRotationMatrix())
                                             : frame_of(said.axis, std::nullopt);
    shape.radius = said.radius_m;
    shape.half_length = 0.5 * said.length_m;
    shape.half = said.half_m;
    machine_->shapes.push_back(shape);
  }

  [[nodiscard]] std::vector<std::size_t> shapes_of(const std::string& pattern) const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < description_.shapes.size(); ++i) {
      const ShapeDescription& shape = description_.shapes[i];
      if (matches(pattern, shape.name) || matches(pattern, shape.body)) found.push_back(i);
    }
    return found;
  }

  /// Points of the first against the surface of the second.
  static bool collides(ShapeType first, ShapeType second) {
    using enum ShapeType;
    switch (first) {
      case sphere:
        return true;
      case capsule:
        return second != sphere;  // a sphere comes first
      case box:
        return second == plane || second == box || second == cylinder;
      case cylinder:
        return second == plane;
      case plane:
        return false;
    }
    return false;
  }

  void add_pairs(const ContactDescription& contact) {
    const auto number = static_cast<std::size_t>(&contact - description_.contacts.data());
    if (contact.outputs.any()) {
      machine_->contact_sensors.push_back({contact.name, number, contact.outputs});
      machine_->sensed_count += contact_numbers;
    }
    const auto material = static_cast<std::size_t>(
        std::find_if(description_.materials.begin(), description_.materials.end(),
                     [&](const MaterialDescription& m) { return m.name == contact.material; }) -
        description_.materials.begin());
    for (const std::size_t i : shapes_of(contact.a)) {
      for (const std::size_t j : shapes_of(contact.b)) {
        const Machine::Shape& a = machine_->shapes[i];
        const Machine::Shape& b = machine_->shapes[j];
        if (a.body == b.body) continue;
        const bool as_said = collides(a.type, b.type);
        if (!as_said && !collides(b.type, a.type)) {
          problems_.error(
              contact.where,
              fmt::format("There is no contact between '{}' and '{}': two such shapes do not collide.",
                          description_.shapes[i].name, description_.shapes[j].name),
              "Use a sphere, a capsule or the corners of a box on one side.");
          ok_ = false;
          continue;
        }
        const Machine::Pair pair = as_said ? Machine::Pair{i, j, material, number, false}
                                           : Machine::Pair{j, i, material, number, true};
        if (known_.insert(std::minmax(i, j)).second) machine_->pairs.push_back(pair);
      }
    }
  }

  const MachineDescription& description_;
  ProblemList& problems_;
  Machine* machine_ = nullptr;
  std::vector<Pose> poses_;
  std::set<std::pair<std::size_t, std::size_t>> known_;  ///< pairs of shapes
  bool ok_ = true;
};

}  // namespace

double Drive::angle(double t) const {
  if (t <= start_s) return 0.0;
  if (t >= end_s) return angle_rad;
  return 0.5 * angle_rad * (1.0 - std::cos(std::numbers::pi * (t - start_s) / (end_s - start_s)));
}

double Drive::rate(double t) const {
  if (t <= start_s || t >= end_s) return 0.0;
  const double frequency = std::numbers::pi / (end_s - start_s);
  return 0.5 * angle_rad * frequency * std::sin(frequency * (t - start_s));
}

bool matches(const std::string& pattern, const std::string& name) {
  std::size_t p = 0, n = 0, star = std::string::npos, after = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      after = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star != std::string::npos) {
      p = star + 1;
      n = ++after;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::shared_ptr<const Machine> make_machine(const MachineDescription& description, ProblemList& problems) {
  if (!check_machine(description, problems)) return nullptr;
  return Compiler(description, problems).compile();
}

MachineState described_state(const Machine& machine, const MachineDescription& description) {
  MachineState state;
  state.velocity = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(6 * machine.bodies.size()));
  state.acceleration = state.velocity;
  Eigen::Index row = 0;
  for (const BodyDescription& body : description.bodies) {
    state.position.push_back(body.position_m);
    state.orientation.push_back(body.orientation.normalized());
    state.velocity.segment<3>(row) = body.velocity_m_s;
    state.velocity.segment<3>(row + 3) = body.angular_velocity_rad_s;
    row += 6;
  }
  state.position.push_back(Vector3d::Zero());
  state.orientation.push_back(Eigen::Quaterniond::Identity());
  state.angles.assign(machine.angle_count, 0.0);
  state.sensed.assign(machine.sensed_count, 0.0);
  return state;
}

void move(const Machine& machine, const Eigen::VectorXd& velocity, double h, MachineState& state) {
  for (std::size_t i = 0; i < machine.count(); ++i) {
    const auto row = static_cast<Eigen::Index>(6 * i);
    state.position[i] += h * velocity.segment<3>(row);
    const Vector3d turn = h * velocity.segment<3>(row + 3);
    const double angle = turn.norm();
    // sin(φ/2)/φ, whose series is exact to rounding where the quotient would be 0/0
    constexpr double small = 1e-4;
    const double factor = angle > small ? std::sin(0.5 * angle) / angle : 0.5 - angle * angle / 48.0;
    const Vector3d imaginary = factor * turn;
    Eigen::Quaterniond change(std::cos(0.5 * angle), imaginary[0], imaginary[1], imaginary[2]);
    state.orientation[i] = (change * state.orientation[i]).normalized();
  }
}

}  // namespace ergon
