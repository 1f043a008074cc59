#include "ergon/models/nonsmooth/machine_analysis.hpp"

#include <algorithm>
#include <cmath>

namespace ergon {
namespace {

using Eigen::Vector3d;
using Index = Eigen::Index;

/// Rows of a machine in one pose.
struct Posed {
  Posed(const Machine& machine, const MachineState& state, double t) : bilateral(machine) {
    kinematics.bodies.resize(machine.bodies.size());
    evaluate(machine, state, t, present_lengths(machine, state));
  }
  void evaluate(const Machine& machine, const MachineState& state, double t,
                const std::vector<PrescribedMotion>& prescribed) {
    kinematics.evaluate(machine, state);
    angles = state.angles;
    bilateral.evaluate(kinematics, t, t, prescribed, angles);
  }
  Kinematics kinematics;
  Bilateral bilateral;
  std::vector<double> angles;
};

}  // namespace

std::vector<PrescribedMotion> present_lengths(const Machine& machine, const MachineState& state) {
  std::vector<PrescribedMotion> lengths;
  for (const Machine::Actuator& actuator : machine.actuators) {
    if (!actuator.is_motion_driven()) continue;
    const Vector3d a = state.position[actuator.a] + state.orientation[actuator.a] * actuator.point_a;
    const Vector3d b = state.position[actuator.b] + state.orientation[actuator.b] * actuator.point_b;
    lengths.push_back({(b - a).norm(), 0.0});
  }
  return lengths;
}

ConstraintCount count_constraints(const Machine& machine, const MachineState& state, double t) {
  const Posed posed(machine, state, t);
  ConstraintCount count;
  count.rows = posed.bilateral.joint_rows();
  const auto columns = static_cast<Index>(6 * machine.count());
  Eigen::MatrixXd basis(columns, std::min<Index>(columns, static_cast<Index>(count.rows)));
  Index rank = 0;
  for (std::size_t i = 0; i < count.rows; ++i) {
    const Row& row = posed.bilateral.rows()[i];
    Eigen::VectorXd direction = Eigen::VectorXd::Zero(columns);
    for (std::size_t k = 0; k < row.count; ++k)
      if (row.body[k] != machine.ground())
        direction.segment<6>(static_cast<Index>(6 * row.body[k])) += row.jacobian[k];
    direction.normalize();
    // Twice is enough.
    for (int repeat = 0; repeat < 2; ++repeat)
      direction -= basis.leftCols(rank) * (basis.leftCols(rank).transpose() * direction);
    constexpr double dependent = 1e-8;
    if (rank == basis.cols() || direction.norm() < dependent) {
      count.redundant.push_back(posed.bilateral.infos()[i].name);
    } else {
      basis.col(rank++) = direction.normalized();
    }
  }
  count.rank = static_cast<std::size_t>(rank);
  count.degrees_of_freedom = 6 * machine.count() - count.rank;
  return count;
}

Assembly assemble(const Machine& machine, double t, MachineState& state) {
  Assembly result;
  const MachineState before = state;
  const std::vector<PrescribedMotion> prescribed = present_lengths(machine, state);
  Posed posed(machine, state, t);
  posed.bilateral.regularise(0.0);
  const auto rows = static_cast<Index>(posed.bilateral.size());
  Eigen::VectorXd x(rows);
  Eigen::VectorXd step(state.velocity.size());
  constexpr int most = 100;
  constexpr double good = 1e-10;
  for (int iteration = 0; iteration <= most; ++iteration) {
    posed.evaluate(machine, state, t, prescribed);
    result.largest_gap = 0.0;
    for (std::size_t i = 0; i < posed.bilateral.joint_rows(); ++i) {
      const double gap = std::abs(posed.bilateral.rows()[i].gap);
      if (gap <= result.largest_gap) continue;
      result.largest_gap = gap;
      result.worst = posed.bilateral.infos()[i].name;
    }
    result.assembled = result.largest_gap <= good;
    if (result.assembled || iteration == most || !std::isfinite(result.largest_gap)) break;
    posed.bilateral.factorize();
    for (std::size_t i = 0; i < posed.bilateral.size(); ++i) {
      const Bilateral::Kind kind = posed.bilateral.infos()[i].kind;
      const bool gives_way = kind == Bilateral::Kind::damper || kind == Bilateral::Kind::spring;
      x[static_cast<Index>(i)] = gives_way ? 0.0 : -posed.bilateral.rows()[i].gap;
    }
    posed.bilateral.factor().solve(x.data());
    step.setZero();
    posed.bilateral.push(x, step);
    // A turn of more than a fraction of a radian would leave the linear range of the rows.
    constexpr double longest = 0.5;
    const double size = step.cwiseAbs().maxCoeff();
    if (!std::isfinite(size)) break;
    move(machine, step, size > longest ? longest / size : 1.0, state);
    state.angles = posed.angles;
  }
  for (std::size_t i = 0; i < machine.count(); ++i) {
    result.moved_m = std::max(result.moved_m, (state.position[i] - before.position[i]).norm());
    result.turned_rad =
        std::max(result.turned_rad, state.orientation[i].angularDistance(before.orientation[i]));
  }
  return result;
}

double make_velocities_consistent(const Machine& machine, double t, MachineState& state) {
  Posed posed(machine, state, t);
  posed.bilateral.regularise(0.0);
  const auto rows = static_cast<Index>(posed.bilateral.size());
  Eigen::VectorXd x(rows);
  double largest = 0.0;
  for (std::size_t i = 0; i < posed.bilateral.size(); ++i) {
    const Row& row = posed.bilateral.rows()[i];
    const bool joint = posed.bilateral.infos()[i].kind == Bilateral::Kind::joint;
    const double rate = joint ? row.rate(state.velocity) - row.target : 0.0;
    x[static_cast<Index>(i)] = -rate;
    largest = std::max(largest, std::abs(rate));
  }
  constexpr double rounding = 1e-14;
  if (largest <= rounding) return 0.0;
  posed.bilateral.factorize();
  posed.bilateral.factor().solve(x.data());
  posed.bilateral.push(x, state.velocity);
  return largest;
}

StaticEquilibrium find_static_equilibrium(const Machine& machine, double t, MachineState& state) {
  auto held = std::make_shared<Machine>(machine);
  for (Machine::Actuator& actuator : held->actuators) actuator.input = ActuatorInput::motion;
  MachineStepper stepper(held);
  const std::vector<PrescribedMotion> prescribed = present_lengths(*held, state);
  const std::vector<double> forces(machine.actuators.size(), 0.0);
  const std::vector<Vector6d> wrenches(machine.markers.size(), Vector6d::Zero());
  const MachineLoads loads{forces, prescribed, wrenches};

  StaticEquilibrium result;
  state.velocity.setZero();
  constexpr double h = relaxation_step_s;
  constexpr int max_steps = 40000;
  const double still = 1e-7 * std::max(machine.gravity.norm(), 1.0);
  double kinetic = 0.0;
  for (int i = 0; i < max_steps; ++i) {
    const bool from_rest = state.velocity.isZero(0.0);
    if (stepper.step(t, h, loads, state) != nullptr) break;
    if (from_rest) {
      result.largest_acceleration = state.velocity.cwiseAbs().maxCoeff() / h;
      result.found = result.largest_acceleration <= still;
      if (result.found) break;
    }
    const double now = energy_of(*held, state, state.velocity).kinetic_J;
    if (now < kinetic) state.velocity.setZero();
    kinetic = state.velocity.isZero(0.0) ? 0.0 : now;
  }
  const std::size_t first = stepper.bilateral().size() - machine.actuators.size();
  for (std::size_t i = 0; i < machine.actuators.size(); ++i)
    result.holding_N.push_back(state.joint_forces[static_cast<Index>(first + i)]);
  state.velocity.setZero();
  state.acceleration.setZero();
  state.last_step_s = 0.0;
  state.by_contact_J = state.by_dampers_J = state.by_friction_J = state.by_joints_J = 0.0;
  // What the held machine remembers of its joints has rows that the machine itself does not have.
  state.joint_forces.resize(0);
  return result;
}

}  // namespace ergon
