#include "ergon/models/nonsmooth/pose.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ergon {
namespace {

std::size_t joint_called(const Machine& machine, const std::string& name) {
  const auto found = std::find_if(machine.joints.begin(), machine.joints.end(),
                                  [&](const Machine::Joint& joint) { return joint.name == name; });
  return static_cast<std::size_t>(found - machine.joints.begin());
}

/// The machine with rows for coordinates of some joints: revolute ones driven, prismatic ones locked.
class HeldMachine {
 public:
  HeldMachine(const Machine& machine, const std::vector<InitialCoordinate>& coordinates)
      : machine_(machine), held_(machine) {
    for (Machine::Actuator& actuator : held_.actuators) actuator.input = ActuatorInput::force;
    for (const InitialCoordinate& coordinate : coordinates) {
      joints_.push_back(joint_called(machine, coordinate.joint));
      Machine::Joint& joint = held_.joints[joints_.back()];
      if (joint.type == JointType::prismatic) {
        joint.locked = true;
      } else {
        if (!joint.tracked) joint.angle_b = held_.angle_count++;
        joint.tracked = true;
        joint.drive.emplace();
      }
    }
  }
  [[nodiscard]] const Machine& machine() const { return held_; }
  [[nodiscard]] Machine::Joint& joint(std::size_t i) { return held_.joints[joints_[i]]; }

  /// Φ of coordinate i is q − value.
  void hold(std::size_t i, double value) {
    Machine::Joint& of = joint(i);
    if (of.type == JointType::prismatic) {
      of.point_a = machine_.joints[joints_[i]].point_a + value * of.frame_a.col(2);
    } else {
      of.drive = Drive{value, -2.0, -1.0};  // at its end long before the start
    }
  }
  [[nodiscard]] double coordinate(std::size_t i, const MachineState& state) const {
    Kinematics kinematics;
    kinematics.evaluate(machine_, state);
    return joint_coordinate(machine_.joints[joints_[i]], kinematics, 0.0);
  }

 private:
  const Machine& machine_;
  Machine held_;
  std::vector<std::size_t> joints_;
};

}  // namespace

Assembly pose_joints(const Machine& machine, const std::vector<InitialCoordinate>& coordinates,
                     MachineState& state) {
  HeldMachine held(machine, coordinates);
  const MachineState before = state;
  std::vector<double> from;
  double longest = 0.0;
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    from.push_back(held.coordinate(i, state));
    longest = std::max(longest, std::abs(coordinates[i].value - from.back()));
  }
  // Beyond that many parts nothing is won.
  constexpr double max_parts = 1000.0;
  const double parts = std::clamp(std::ceil(longest / coordinate_part), 1.0, max_parts);
  state.angles.resize(held.machine().angle_count, 0.0);
  Assembly assembly;
  for (double part = 1.0; part <= parts; part += 1.0) {
    for (std::size_t i = 0; i < coordinates.size(); ++i)
      held.hold(i, from[i] + part / parts * (coordinates[i].value - from[i]));
    assembly = assemble(held.machine(), 0.0, state);
    if (!assembly.assembled) break;
  }
  state.angles.resize(machine.angle_count);
  assembly.moved_m = assembly.turned_rad = 0.0;
  for (std::size_t i = 0; i < machine.count(); ++i) {
    assembly.moved_m = std::max(assembly.moved_m, (state.position[i] - before.position[i]).norm());
    assembly.turned_rad =
        std::max(assembly.turned_rad, state.orientation[i].angularDistance(before.orientation[i]));
  }
  return assembly;
}

double set_joint_rates(const Machine& machine, const std::vector<InitialCoordinate>& rates,
                       MachineState& state) {
  HeldMachine held(machine, rates);
  // Half a cosine from −1 s to 1 s has its largest rate, ¼π of its angle, at 0.
  for (std::size_t i = 0; i < rates.size(); ++i)
    held.joint(i).drive = Drive{rates[i].value * 4.0 / std::numbers::pi, -1.0, 1.0};
  state.angles.resize(held.machine().angle_count, 0.0);
  const double off = make_velocities_consistent(held.machine(), 0.0, state);
  state.angles.resize(machine.angle_count);
  return off;
}

}  // namespace ergon
