#pragma once

#include <span>

#include "ergon/models/nonsmooth/machine_rows.hpp"

namespace ergon {

/// What a step found, beyond the impulses of contacts.
struct SolvedStep {
  const Eigen::VectorXd& bilateral_impulses;
  std::span<const Row> actuators;
  std::span<const double> actuator_N;  ///< of those that take forces
  std::span<const double> motor;       ///< what motors were told
};

/// Writes the mean forces over a step h that outputs ask for, `Machine::sensed_count` numbers:
///   of each joint    reaction force and torque on b (3 each), torque or force of a motor that takes speeds
///   of each actuator the load that it carries, > 0 where it pushes
///   of each contact sensor force on a (3), normal force, friction force
void sense(const MachineRows& rows, const SolvedStep& step, double h, std::span<double> sensed);

/// Impulse of a row of a joint with bounds; 0 where it has none at present. A limit's is of both sides, along the coordinate.
double bounded_impulse(const MachineRows& rows, std::size_t joint, BoundedKind kind);

/// The smallest gap of each contact sensor at these places, m; `max_gap_m` where its shapes are farther, or beyond an edge.
constexpr double max_gap_m = 1000.0;
void smallest_gaps(const Machine& machine, const Kinematics& kinematics, std::vector<ContactPoint>& scratch,
                   std::vector<double>& gaps);

}  // namespace ergon
