#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ergon/models/nonsmooth/machine_description.hpp"

namespace ergon {

/// A machine with every name resolved to an index and every point and axis to coordinates of its body: what never changes.
/// The ground is the last body; it has no inverse mass, so that no equation asks whether a body is the ground.
struct Machine {
  struct Body {
    std::string name;
    double mass_kg = 0.0;
    double inverse_mass = 0.0;
    Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();          ///< body axes
    Eigen::Matrix3d inverse_inertia = Eigen::Matrix3d::Zero();  ///< body axes
  };
  /// x = reference, z = axis; the frames of a and b coincide in the assembled machine as far as the joint says.
  struct Joint {
    std::string name;
    JointType type = JointType::weld;
    std::size_t a = 0, b = 0, c = 0;
    Eigen::Vector3d point_a = Eigen::Vector3d::Zero(), point_b = Eigen::Vector3d::Zero();
    Eigen::Matrix3d frame_a = Eigen::Matrix3d::Identity(), frame_b = Eigen::Matrix3d::Identity(),
                    frame_c = Eigen::Matrix3d::Identity();
    bool locked = false;
    std::optional<Drive> drive{};
    double ratio = 1.0;
    double damping = 0.0;
    std::optional<double> stiffness{}, stiffness_damping{};
    std::size_t angle_b = 0, angle_c = 0;  ///< which tracked angles are its own, where it has such
    bool tracked = false;                  ///< its angle is, over turns
    std::optional<JointSpring> spring{};
    double spring_mobility = 0.0;  ///< of its coordinate without other joints, 1/(kg m²) or 1/kg
    std::optional<JointLimits> limits{};
    std::optional<JointMotor> motor{};
    double friction = 0.0;
    JointOutputs outputs{};
    /// Has rows with bounds, or a motor.
    [[nodiscard]] bool has_forces() const { return limits || motor || friction > 0.0; }
    SourceLocation where{};
  };
  struct Actuator {
    std::string name;
    std::size_t a = 0, b = 0;
    Eigen::Vector3d point_a = Eigen::Vector3d::Zero(), point_b = Eigen::Vector3d::Zero();
    ActuatorInput input = ActuatorInput::force;
    bool load_output = false;
    [[nodiscard]] bool is_motion_driven() const { return input == ActuatorInput::motion; }
  };
  struct Marker {
    std::string name;
    std::size_t body = 0;
    Eigen::Vector3d position = Eigen::Vector3d::Zero();
    Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();
  };
  struct Shape {
    ShapeType type = ShapeType::sphere;
    std::size_t body = 0;
    Eigen::Vector3d position = Eigen::Vector3d::Zero();
    Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();  ///< z is the axis or the normal
    double radius = 0.0;
    double half_length = 0.0;
    Eigen::Vector3d half = Eigen::Vector3d::Zero();
  };
  struct Pair {
    std::size_t first = 0, second = 0;  ///< shapes; of two kinds the one with points is first
    std::size_t material = 0;
    std::size_t contact = 0;  ///< of the description
    bool swapped = false;     ///< the first is that of side b
  };
  /// A contact whose forces or gap are outputs.
  struct ContactSensor {
    std::string name;
    std::size_t contact = 0;
    ContactOutputs outputs{};
  };

  std::vector<Body> bodies;
  std::vector<Joint> joints;
  std::vector<Actuator> actuators;
  std::vector<Marker> markers;
  std::vector<Shape> shapes;
  std::vector<Pair> pairs;
  std::vector<MaterialDescription> materials;
  SolverDescription solver;
  Eigen::Vector3d gravity = Eigen::Vector3d::Zero();
  std::size_t angle_count = 0;
  std::vector<std::size_t> motors;  ///< joints that have one, in their order
  std::vector<ContactSensor> contact_sensors;
  std::size_t sensed_count = 0;  ///< numbers of a solve that are kept for outputs, see `sense`

  [[nodiscard]] std::size_t ground() const { return bodies.size() - 1; }
  /// Bodies that move.
  [[nodiscard]] std::size_t count() const { return bodies.size() - 1; }
};

/// Numbers that `sense` keeps of a contact: force on a, normal force, friction force.
constexpr std::size_t contact_numbers = 5;

/// What a contact was in the last solve, by its identity: the start of the next one, and what an interface model keeps.
struct ContactMemory {
  std::uint64_t identity = 0;
  double force[3] = {};            ///< normal, two tangents, N
  std::uint8_t row_state[3] = {};  ///< RowState of each
  double tangent[3] = {};          ///< the first one, world coordinates
  double spring_J = 0.0;           ///< what it stores of the work that was done against it
};

/// How contacts were solved since t₀. Counts are whole; doubles, as everything in a state is.
struct ContactSolves {
  double count = 0.0, missed = 0.0, first_missed_s = 0.0;
  double largest_residual = 0.0;
  double iterations = 0.0, max_iterations = 0.0;
};

/// Everything that changes: save, restore and compare is one operation on it.
struct MachineState {
  std::vector<Eigen::Vector3d> position;        ///< centre of mass
  std::vector<Eigen::Quaterniond> orientation;  ///< body to world
  Eigen::VectorXd velocity;      ///< [v, ω] of each body in world coordinates, the ground's zeros last
  Eigen::VectorXd acceleration;  ///< of the last step, 0 where it held an impact
  std::vector<double> angles;    ///< tracked over turns
  std::vector<ContactMemory> contacts;  ///< of the last solve, by identity
  Eigen::VectorXd joint_forces;         ///< of the bilateral rows in the last solve, N and N m
  ContactSolves solves;
  std::vector<double> sensed;  ///< of the last solve, what outputs ask for; 0 before the first
  double last_step_s = 0.0;
  std::vector<double> rates_before;        ///< of the actuators, where the last communication step began
  double last_communication_step_s = 0.0;  ///< 0 before the first
  std::vector<double> actuator_forces;     ///< as told for the last step, N
  std::vector<double> contact_arrows;      ///< of the last solve, to be drawn: point and force of each
  // Books, cumulative, J.
  double by_friction_J = 0.0, by_contact_J = 0.0, by_dampers_J = 0.0, by_joints_J = 0.0;
  std::vector<double> received_J;  ///< per input scalar
};

/// The machine of a checked description, and the pose that was described; nothing after reporting what is wrong.
std::shared_ptr<const Machine> make_machine(const MachineDescription& description, ProblemList& problems);
MachineState described_state(const Machine& machine, const MachineDescription& description);

/// q ← q ⊕ v·h: points move straight, bodies turn about their angular velocity, exactly.
void move(const Machine& machine, const Eigen::VectorXd& velocity, double h, MachineState& state);

}  // namespace ergon
