#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <optional>
#include <string>
#include <vector>

#include "ergon/core/problem.hpp"

namespace ergon {

// A machine as its user describes it: names, numbers, and where in the file they were said. Positions and axes are in world
// coordinates, in the pose that the bodies are described in, unless they are said to be in coordinates of a body. Nothing here
// has been checked; `check_machine` does.

/// The body that every machine has and that does not move.
inline const std::string ground_name = "ground";

struct BodyDescription {
  std::string name;
  double mass_kg = 1.0;
  Eigen::Matrix3d inertia_kg_m2 = Eigen::Matrix3d::Identity();      ///< about the centre of mass, body axes
  Eigen::Vector3d position_m = Eigen::Vector3d::Zero();             ///< of the centre of mass
  Eigen::Quaterniond orientation = Eigen::Quaterniond::Identity();  ///< body to world
  Eigen::Vector3d velocity_m_s = Eigen::Vector3d::Zero();
  Eigen::Vector3d angular_velocity_rad_s = Eigen::Vector3d::Zero();  ///< world coordinates
  SourceLocation where{};
};

/// A point and directions that a joint holds on to, in coordinates of one of its bodies; without: as in the described pose.
struct JointEnd {
  std::optional<Eigen::Vector3d> point_m{};
  std::optional<Eigen::Vector3d> axis{};
  std::optional<Eigen::Vector3d> reference{};
};

/// The angle that a driven revolute joint follows: from 0 to `angle` between two times, as a cosine, and it stays there.
struct Drive {
  double angle_rad = 0.0;
  double start_s = 0.0;
  double end_s = 1.0;
  [[nodiscard]] double angle(double t) const;
  [[nodiscard]] double rate(double t) const;
};

/// −stiffness (q − rest) about or along the axis of a joint, where q is its coordinate: 0 in the described pose, > 0 where b has
/// turned or moved along the axis against a.
struct JointSpring {
  double stiffness = 0.0;  ///< N m/rad or N/m
  double rest = 0.0;       ///< rad or m
};

/// Stops at coordinates of a joint, springs and dampers on one side as contacts are.
struct JointLimits {
  std::optional<double> lower{}, upper{};  ///< rad or m
  double stiffness = 1e6;                  ///< N m/rad or N/m
  double damping = 1e4;                    ///< N m s or N s/m
};

enum class MotorInput { torque, speed };

/// Acts about or along the axis of a joint: with the torque (force) that it is told, or with what the speed that it is told takes.
struct JointMotor {
  MotorInput input = MotorInput::torque;
  std::optional<double> limit{};  ///< of the torque or force in both directions
};

/// What is made an output of a joint.
struct JointOutputs {
  bool coordinate = false, rate = false;
  bool force = false, torque = false;  ///< on b, at the point of the joint
  bool in_joint_axes = false;          ///< of a; otherwise in world coordinates
};

/// What is made an output of the shapes of one contact.
struct ContactOutputs {
  bool force = false;  ///< on a, world coordinates
  bool normal_force = false, friction_force = false;
  bool gap = false;
  [[nodiscard]] bool any() const { return force || normal_force || friction_force || gap; }
};

enum class JointType { weld, revolute, prismatic, spherical, universal, gear };

struct JointDescription {
  std::string name;
  JointType type = JointType::weld;
  std::string a, b;
  std::string c{};  ///< of a gear: the second wheel; a carries both
  Eigen::Vector3d point_m = Eigen::Vector3d::Zero();
  Eigen::Vector3d axis = Eigen::Vector3d::UnitZ();
  /// Of a universal joint: the axis in b, normal to `axis`, which is in a. Elsewhere: a direction across the axis, where angles begin.
  std::optional<Eigen::Vector3d> reference{};
  JointEnd end_a{}, end_b{};
  bool locked = false;                        ///< of a prismatic joint: it does not slide
  std::optional<Drive> drive{};               ///< of a revolute joint
  double ratio = 1.0;                         ///< of a gear: θ_b + ratio θ_c = 0
  double damping = 0.0;                       ///< about or along the axis, N m s or N s/m
  std::optional<double> stiffness{};          ///< of its rows, N/m and N m; without: those of the solver
  std::optional<double> stiffness_damping{};  ///< of its rows, N s/m and N m s
  std::optional<JointSpring> spring{};        ///< this and the following: of revolute and prismatic joints
  std::optional<JointLimits> limits{};
  std::optional<JointMotor> motor{};
  double friction = 0.0;  ///< Coulomb's, N m or N
  JointOutputs outputs{};
  SourceLocation where{};
};

enum class ActuatorInput { force, motion };

struct ActuatorDescription {
  std::string name;
  std::string a, b;
  Eigen::Vector3d point_a_m = Eigen::Vector3d::Zero();
  Eigen::Vector3d point_b_m = Eigen::Vector3d::Zero();
  ActuatorInput input = ActuatorInput::force;
  SourceLocation where{};
  bool load_output = false;  ///< the force that it carries is an output
};

struct MarkerDescription {
  std::string name;
  std::string body;
  Eigen::Vector3d position_m = Eigen::Vector3d::Zero();  ///< body coordinates, from the centre of mass
  Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();    ///< body coordinates
  SourceLocation where{};
};

enum class ShapeType { sphere, capsule, box, plane, cylinder };

/// In coordinates of its body, from the centre of mass; on the ground in world coordinates.
struct ShapeDescription {
  std::string name;
  std::string body;
  ShapeType type = ShapeType::sphere;
  Eigen::Vector3d position_m = Eigen::Vector3d::Zero();
  Eigen::Vector3d axis = Eigen::Vector3d::UnitZ();  ///< of capsule and cylinder; outward normal of a plane
  double radius_m = 0.0;
  double length_m = 0.0;  ///< of a cylinder; of a capsule between the centres of its ends
  Eigen::Vector3d half_m = Eigen::Vector3d::Zero();                 ///< of a box
  Eigen::Quaterniond orientation = Eigen::Quaterniond::Identity();  ///< of a box
  SourceLocation where{};
};

struct MaterialDescription {
  std::string name;
  double friction = 0.5;
  double restitution = 0.0;
  double stiffness_N_m = 1e6;
  double damping_Ns_m = 1e5;
  double tangential_damping_Ns_m = 1e7;
  double rest_velocity_m_s = 0.05;  ///< slower impacts do not bounce
  SourceLocation where{};
};

/// Shapes that touch each other: names of shapes or bodies (all their shapes), '*' stands for any letters.
struct ContactDescription {
  std::string a, b;
  std::string material;
  SourceLocation where{};
  std::string name{};
  ContactOutputs outputs{};
};

/// The coordinate or the rate of a joint at the start.
struct InitialCoordinate {
  std::string joint;
  double value = 0.0;  ///< rad or m, rad/s
  SourceLocation where{};
};

/// What bounds the two tangential forces of a contact: |λ_t| ≤ μλ_n against the sliding at the end of the step, or |λ_k| ≤ μλ_n for
/// each by itself, the first along the sliding before the step, as in [peiret2019].
enum class FrictionLaw { cone, box };

/// Where in a step the acceleration of joint rows and the gyroscopic torques of jointed bodies are taken.
///   mean: A v⁺ + ½hȦv, the rate in the middle of the step, and c of ½(ω + ω⁺) with the impulses of the step in ω⁺
///   end:  A v⁺ + hȦv and c of the turning without joints, as in [peiret2019]
enum class TurningRule { mean, end };

struct SolverDescription {
  double joint_compliance_m_N = 1e-12;  ///< ε
  /// C of a row is at most 1e-6 of its mobility A M⁻¹Aᵀ: short steps would make springs of joints. False: ε is meant as it is.
  bool bounds_joint_compliance = true;
  double joint_relaxation = 2.0;  ///< τ/h
  TurningRule turning = TurningRule::mean;
  bool friction_from_previous_step = false;
  double friction_tolerance = 1e-6;
  int friction_iterations = 60;
  FrictionLaw friction_law = FrictionLaw::cone;
  double tolerance = 1e-6;  ///< of the contact forces of a step: natural residual, relative
};

struct MachineDescription {
  std::string file;  ///< for messages
  Eigen::Vector3d gravity_m_s2{0.0, 0.0, -9.81};
  std::vector<BodyDescription> bodies;
  std::vector<JointDescription> joints;
  std::vector<ActuatorDescription> actuators;
  std::vector<MarkerDescription> markers;
  std::vector<ShapeDescription> shapes;
  std::vector<MaterialDescription> materials;
  std::vector<ContactDescription> contacts;
  SolverDescription solver;
  std::vector<InitialCoordinate> initial{};       ///< coordinates: the rest is assembled
  std::vector<InitialCoordinate> initial_rate{};  ///< of revolute joints
};

/// Reports everything that is wrong with it by itself: numbers, names, joints that end nowhere. False if something is.
bool check_machine(const MachineDescription& machine, ProblemList& problems);

/// '*' in `pattern` stands for any letters.
bool matches(const std::string& pattern, const std::string& name);

}  // namespace ergon
