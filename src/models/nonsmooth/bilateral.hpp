#pragma once

#include <span>
#include <string>
#include <vector>

#include "ergon/models/nonsmooth/kinematics.hpp"
#include "ergon/numerics/sparse_ldlt.hpp"

namespace ergon {

/// What a motion-driven actuator is told: its length now, and its rate at the end of the step.
struct PrescribedMotion {
  double length_m = 0.0;
  double rate_m_s = 0.0;
};

/// The rows without bounds of a machine, in the order joints, dampers, springs about axes, actuators driven by their length,
/// and the matrix
///   H_bb = A M⁻¹ Aᵀ + C
/// with C and γ from stiffness and damping [peiret2019, corrected in docs/theory/nonsmooth.md]:
///   joints               C = min(ε/h², 1e-6 A M⁻¹Aᵀ)/(1 + τ/h), γ = 1/(1 + τ/h)
///   a joint with K, B    C = 1/(h²K + hB),    γ = hK/(hK + B)
///   a damper d           C = 1/(h d),         γ = 0
///   a spring k           C = 1/(θh²k),        γ = 1/θ: λ⁺ = −k(Φ + θhΦ̇⁺)
/// θ is next to 0 where the step resolves the spring, which then keeps its energy as gravity does (a leapfrog), and goes to 1,
/// an implicit spring, where it does not: θ = 1 − 1/(2z) with z = h²k/m for the bodies without other joints.
class Bilateral {
 public:
  using Index = Eigen::Index;
  enum class Kind { joint, damper, spring, motion_driven };
  struct RowInfo {
    Kind kind = Kind::joint;
    std::size_t owner = 0;  ///< joint, or actuator
    std::string name;       ///< "J5: point along x"
    bool ideal = false;     ///< a joint without a spring or drive of its own: it does no work
  };

  explicit Bilateral(const Machine& machine);

  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  [[nodiscard]] const std::vector<RowInfo>& infos() const { return infos_; }
  /// Rows of joints: they come first, and are the ones that count in the rank.
  [[nodiscard]] std::size_t joint_rows() const { return joint_rows_; }

  /// Φ, A, Ȧv of all rows at time t; rates that are prescribed at `t_end`. Unwraps the tracked angles.
  void evaluate(const Kinematics& kinematics, double t, double t_end,
                std::span<const PrescribedMotion> prescribed, std::vector<double>& angles);
  /// C and γ of a step h; h = 0: C = 0 and γ = 1, which is for statics.
  void regularise(double h);
  /// Forms and factorises H_bb; returns how many pivots were left out.
  Index factorize();
  /// Φ of the rows of joints in another pose. `angles`: those tracked so far; they are written over.
  void joint_gaps(const Kinematics& elsewhere, std::vector<double>& angles, Eigen::VectorXd& gap) const;
  /// b = A v + θh Ȧv + γΦ/h − target, θ = ½ or 1 (`TurningRule`), with Ȧv as given
  void right_side(const Eigen::VectorXd& velocity, const Eigen::VectorXd& drift, double h,
                  Eigen::VectorXd& b) const;
  /// r = A v
  void rates(const Eigen::VectorXd& velocity, Eigen::VectorXd& r) const;
  /// velocity += M⁻¹Aᵀ x
  void push(const Eigen::VectorXd& impulses, Eigen::Ref<Eigen::VectorXd> velocity) const;
  /// r = A M⁻¹Dᵀ of another row D
  void coupling(const Row& other, Eigen::VectorXd& r) const;
  /// Z = D^(−1/2) L⁻¹ P A M⁻¹ of one body, six columns; false where no row has this body.
  bool half_columns(std::size_t body, Eigen::Ref<Eigen::Matrix<double, Eigen::Dynamic, 6>> Z) const;
  [[nodiscard]] bool has_rows(std::size_t body) const { return !rows_of_body_[body].empty(); }
  [[nodiscard]] bool has_springs() const { return has_springs_; }

  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }
  [[nodiscard]] const std::vector<double>& compliance() const { return C_; }
  [[nodiscard]] const std::vector<double>& gamma() const { return gamma_; }
  /// θ: how much of a step's Ȧv a row sees. An motion-driven actuator has its rate at the end of the step.
  [[nodiscard]] double drift_share(std::size_t row) const {
    const bool mean = machine_.solver.turning == TurningRule::mean && infos_[row].kind != Kind::motion_driven;
    return mean ? 0.5 : 1.0;
  }
  [[nodiscard]] const SparseLdlt& factor() const { return factor_; }
  [[nodiscard]] std::span<const double> matrix() const { return H_; }
  /// Bodies that joints connect have the same number; a body without joints has one of its own.
  [[nodiscard]] const std::vector<std::size_t>& assembly_of() const { return assembly_of_; }

 private:
  void declare(const Machine::Joint& joint, std::size_t index);
  void add(Kind kind, std::size_t owner, const std::string& name, std::initializer_list<std::size_t> bodies);
  void analyse();

  const Machine& machine_;
  std::vector<RowInfo> infos_;
  std::vector<Row> rows_;
  std::size_t joint_rows_ = 0;
  double time_s_ = 0.0;  ///< at which the rows were evaluated
  std::vector<double> C_, gamma_;
  std::vector<double> C_of_step_;  ///< before it is bounded by the mobility of the row
  std::vector<bool> bounded_;      ///< whether it is
  bool has_springs_ = false;

  /// One product of the sum that makes an entry of H: slots of the body in both rows.
  struct Product {
    std::uint32_t entry, row_i, row_j;
    std::uint8_t slot_i, slot_j;
  };
  std::vector<Product> products_;
  std::vector<std::size_t> diagonal_;
  std::vector<double> H_;
  SparseLdlt factor_;
  std::vector<std::size_t> assembly_of_;
  std::vector<std::vector<std::pair<std::uint32_t, std::uint8_t>>> rows_of_body_;
  mutable Eigen::VectorXd column_;
};

/// Writes the rows of one joint, from `rows` on; returns how many.
std::size_t write_joint_rows(const Machine::Joint& joint, const Kinematics& kinematics, double t,
                             double t_end, std::vector<double>& angles, Row* rows);
/// The coordinate of a revolute or prismatic joint: angle or distance of b against a, 0 in the described pose. `before`: an angle
/// next to it, for turns.
double joint_coordinate(const Machine::Joint& joint, const Kinematics& kinematics, double before);
/// The force on b, the torque on b about the point of the joint, and the axes of the joint in a, world coordinates.
struct ReactionWrench {
  Eigen::Vector3d force = Eigen::Vector3d::Zero(), torque = Eigen::Vector3d::Zero();
};
/// Of bilateral rows that belong to it, and of another that acts on its bodies.
void add_row_to_wrench(const Row& row, double force, std::size_t slot, ReactionWrench& about_centre);
/// From the centre of mass of b to the point of the joint; into the axes of the joint in a, where wanted.
void move_wrench_to_joint(const Machine::Joint& joint, const Kinematics& kinematics, ReactionWrench& wrench);
/// θ of a spring, see Bilateral.
double spring_theta(const Machine::Joint& joint, double h);

/// ½KΦ² of the joints with a stiffness of their own, and of springs about axes.
double joint_springs_J(const Machine& machine, const Kinematics& kinematics, std::vector<double>& angles);
/// The motion about or along the axis of a joint, as a row whose gap is not used.
void joint_motion_row(const Machine::Joint& joint, const Kinematics& kinematics, Row& row);

}  // namespace ergon
