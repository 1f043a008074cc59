#pragma once

#include "ergon/models/nonsmooth/machine_analysis.hpp"

namespace ergon {

/// Puts a machine into the pose in which some joints have given coordinates, and assembles the rest: loops are closed by Newton's
/// method over the rows of all joints, with the coordinates as rows of their own, in parts of `coordinate_part` from the described
/// pose. Motion-driven actuators give way. Where it cannot be assembled, the state is where the last part ended.
constexpr double coordinate_part = 0.1;  ///< rad or m
Assembly pose_joints(const Machine& machine, const std::vector<InitialCoordinate>& coordinates,
                     MachineState& state);

/// Velocities with which revolute joints have given rates: the smallest change, as an impulse would make it, that does so.
/// Returns the largest rate, of joints or of those given, that the velocities were off by.
double set_joint_rates(const Machine& machine, const std::vector<InitialCoordinate>& rates,
                       MachineState& state);

}  // namespace ergon
