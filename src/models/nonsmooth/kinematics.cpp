#include "ergon/models/nonsmooth/kinematics.hpp"

namespace ergon {

using Eigen::Matrix3d;
using Eigen::Vector3d;

void Kinematics::evaluate(const Machine& machine, const MachineState& state) {
  bodies.resize(machine.bodies.size());
  for (std::size_t i = 0; i < machine.count(); ++i) {
    const Machine::Body& body = machine.bodies[i];
    Body& now = bodies[i];
    now.rotation = state.orientation[i].toRotationMatrix();
    now.inverse_inertia.noalias() = now.rotation * body.inverse_inertia * now.rotation.transpose();
    now.position = state.position[i];
    const auto row = static_cast<Eigen::Index>(6 * i);
    now.velocity = state.velocity.segment<3>(row);
    now.omega = state.velocity.segment<3>(row + 3);
    now.inverse_mass = body.inverse_mass;
  }
}

namespace {

Vector3d free_gyroscopic_torque(const Kinematics::Body& body, const Matrix3d& inertia, double h) {
  const Matrix3d J = body.rotation * inertia * body.rotation.transpose();
  const Vector3d& omega = body.omega;
  Vector3d torque = -omega.cross(J * omega);
  if (h * omega.norm() < slow_turn) return torque;
  constexpr int min_rounds = 4, max_rounds = 40;
  for (int i = 0; i < max_rounds; ++i) {
    const Vector3d middle = omega + 0.5 * h * (body.inverse_inertia * torque);
    const Vector3d next = -middle.cross(J * middle);
    const double change = h * (body.inverse_inertia * (next - torque)).norm();
    torque = next;
    if (i + 1 >= min_rounds && change < settled_turning * omega.norm()) break;
  }
  return torque;
}

}  // namespace

void free_gyroscopic_torques(const Machine& machine, const Kinematics& kinematics, double h,
                             std::vector<Vector3d>& torques) {
  torques.resize(machine.count());
  for (std::size_t i = 0; i < machine.count(); ++i)
    torques[i] = free_gyroscopic_torque(kinematics.bodies[i], machine.bodies[i].inertia, h);
}

void expected_gyroscopic_torques(const Machine& machine, const Kinematics& kinematics,
                                 const MachineState& state, double h, std::vector<Vector3d>& torques) {
  if (machine.solver.turning == TurningRule::end) {
    free_gyroscopic_torques(machine, kinematics, h, torques);
    return;
  }
  torques.resize(machine.count());
  for (std::size_t i = 0; i < machine.count(); ++i) {
    const Kinematics::Body& body = kinematics.bodies[i];
    const Matrix3d J = body.rotation * machine.bodies[i].inertia * body.rotation.transpose();
    const auto row = static_cast<Eigen::Index>(6 * i + 3);
    const Vector3d middle = body.omega + 0.5 * h * state.acceleration.segment<3>(row);
    torques[i] = -middle.cross(J * middle);
  }
}

void add_free_motion(const Machine& machine, const Kinematics& kinematics,
                     std::span<const Vector6d> on_markers, std::span<const Vector3d> gyroscopic, double scale,
                     Eigen::VectorXd& velocity) {
  for (std::size_t i = 0; i < machine.count(); ++i) {
    const auto row = static_cast<Eigen::Index>(6 * i);
    const Kinematics::Body& body = kinematics.bodies[i];
    velocity.segment<3>(row) += scale * machine.gravity;
    velocity.segment<3>(row + 3) += scale * (body.inverse_inertia * gyroscopic[i]);
  }
  for (std::size_t i = 0; i < machine.markers.size(); ++i) {
    const Machine::Marker& marker = machine.markers[i];
    const Kinematics::Body& body = kinematics.bodies[marker.body];
    Vector6d wrench = on_markers[i];
    const Vector3d arm = body.rotation * marker.position;
    const Vector3d force = wrench.head<3>();
    wrench.tail<3>() += arm.cross(force);
    velocity.segment<6>(static_cast<Eigen::Index>(6 * marker.body)) += scale * body.respond(wrench);
  }
}

void line_row(const Kinematics& kinematics, std::size_t a, const Vector3d& point_a, std::size_t b,
              const Vector3d& point_b, Row& row) {
  const Kinematics::Body& body_a = kinematics.bodies[a];
  const Kinematics::Body& body_b = kinematics.bodies[b];
  const Vector3d arm_a = body_a.rotation * point_a;
  const Vector3d arm_b = body_b.rotation * point_b;
  const Vector3d line = body_b.position + arm_b - body_a.position - arm_a;
  const double length = line.norm();
  const Vector3d n = line / length;
  row.count = 2;
  row.body[0] = a;
  row.body[1] = b;
  row.jacobian[0] << -n, -arm_a.cross(n);
  row.jacobian[1] << n, arm_b.cross(n);
  row.gap = length;
  const Vector3d relative =
      body_b.velocity + body_b.omega.cross(arm_b) - body_a.velocity - body_a.omega.cross(arm_a);
  const double rate = n.dot(relative);
  // s̈ = n·(r̈) + (|ṙ|² − ṡ²)/s
  row.drift =
      n.dot(body_b.omega.cross(body_b.omega.cross(arm_b)) - body_a.omega.cross(body_a.omega.cross(arm_a))) +
      (relative.squaredNorm() - rate * rate) / length;
  row.target = 0.0;
  row.respond(kinematics);
}

}  // namespace ergon
