#pragma once

#include <vector>

#include "ergon/core/disjoint_sets.hpp"
#include "ergon/models/nonsmooth/bilateral.hpp"
#include "ergon/models/nonsmooth/collide.hpp"
#include "ergon/models/nonsmooth/contact_operators.hpp"
#include "ergon/models/nonsmooth/joint_forces.hpp"
#include "ergon/numerics/box_lcp.hpp"

namespace ergon {

/// One contact in the solve of a step: a normal row and two tangential ones. Rows of joints with bounds of their own are
/// contacts without friction, too.
struct ContactRows {
  BoundedKind kind = BoundedKind::contact;
  std::size_t joint = 0;  ///< of a row of a joint
  double lower = 0.0;     ///< of the impulse of the first row
  double upper = std::numeric_limits<double>::infinity();
  double stiffness_N_m = 0.0;  ///< along the normal
  ContactPoint at;
  Row row[3];
  double compliance[3] = {};
  double extra[3] = {};  ///< what b has beside the rate: γΦ/h, or the restitution
  double friction = 0.0;
  bool bounces = false;
  bool known = false;                                 ///< was there in the last solve
  Eigen::Vector3d tangent = Eigen::Vector3d::Zero();  ///< the first one
  double impulse[3] = {};                             ///< h λ
  RowState state[3] = {};
};

/// The rows with bounds of a machine: contact and friction at impulse level, in islands of bodies that touch or are joined,
///   W x + q = w,   W = A_c (M⁻¹ − M⁻¹A_bᵀ H_bb⁻¹ A_b M⁻¹) A_cᵀ + C,   w ⟂ x in cones, or in boxes ±μx_n
/// Cones, and boxes of large islands, are solved by Newton's method (ConeSolver): by W where there are joints, formed in the space of the
/// touched bodies, six columns each, since many rows touch few bodies; in the velocities of the bodies where there are none, or many rows.
/// Boxes of other islands are solved by pivoting, their bounds from a fixed point over box problems, or from the last step.
class ContactSolver {
 public:
  struct Report {
    double residual = 0.0;  ///< the largest natural residual, relative (ConeSolver, BoxLcp)
    int fixed_point = 0;    ///< how often the bounds of an island were set, at most
    int pivots = 0;         ///< factorisations of pivoting, of all islands
    int newton = 0;         ///< iterations of Newton's method, of all islands
    int iterations = 0;     ///< factorisations of one island, at most
    bool bounds_settled = true;
    bool solved = true;  ///< every island to the tolerance
  };
  ContactSolver(const Machine& machine, const Bilateral& bilateral);

  /// Finds the contacts and sets up their rows; `velocity` is that at the start of the step.
  void prepare(const Kinematics& kinematics, const Eigen::VectorXd& velocity, double h,
               const std::vector<ContactMemory>& memory, std::span<const BoundedRow> of_joints = {});
  /// What motors are told, for those that take speeds; nothing: 0
  void set_speeds(std::span<const double> told);
  void clear();
  /// Impulses of all contacts, where `free` is the velocity that the step would end with without them.
  Report solve(const Eigen::VectorXd& free);
  /// velocity += M⁻¹A_cᵀ x
  void push(Eigen::VectorXd& velocity) const;

  [[nodiscard]] const std::vector<ContactRows>& contacts() const { return contacts_; }

  /// Contacts of bodies that touch or are joined: contacts of two islands know nothing of each other.
  struct Island {
    std::size_t first = 0, last = 0;  ///< in the order of islands
    bool joined = false;              ///< has bodies with bilateral rows
    bool formed = false;              ///< W is that of these contacts
  };
  [[nodiscard]] std::size_t islands() const { return islands_.size(); }
  [[nodiscard]] const Island& island(std::size_t i) const { return islands_[i]; }
  [[nodiscard]] const ContactRows& in_order(std::size_t place) const {
    return contacts_[order_[place].second];
  }
  /// W of an island, three rows for each contact; its corner that long is what counts.
  const Eigen::MatrixXd& matrix(std::size_t island);

 private:
  using Index = Eigen::Index;
  void set_up(const Kinematics& kinematics, const Eigen::VectorXd& velocity, double h, ContactRows& contact);
  static void set_up_joint(const BoundedRow& of_joint, ContactRows& contact);
  void find_islands();
  void solve_directly(std::size_t which, const Eigen::VectorXd& free, Report& report);
  void solve_by_newton(std::size_t which, const Eigen::VectorXd& free, Report& report);
  ContactOperator& body_space(const Island& island);
  void add_joint_response(const Island& island, Index rows);
  void form_matrix(const Island& island, Index rows, Eigen::MatrixXd& W);
  void reserve(Index rows);

  const Machine& machine_;
  const Bilateral& bilateral_;
  std::vector<ContactPoint> points_;
  std::vector<ContactRows> contacts_;
  DisjointSets joined_;                                     ///< bodies, for islands
  std::vector<std::pair<std::size_t, std::size_t>> order_;  ///< island, contact
  std::vector<Island> islands_;

  BoxLcp box_;
  std::vector<Eigen::MatrixXd> W_;  ///< of each island; larger than it where another one was
  Eigen::VectorXd q_, lo_, up_, x_, used_;
  std::vector<RowState> states_;
  std::vector<Index> place_of_body_;  ///< among the touched bodies with bilateral rows; −1: none
  std::vector<std::size_t> touched_;
  Eigen::MatrixXd Z_;        ///< D^(−1/2) L⁻¹ P A_b M⁻¹ of the touched bodies
  Eigen::MatrixXd coupled_;  ///< ZᵀZ
  Eigen::MatrixXd through_;  ///< ZᵀZ A_cᵀ

  const Kinematics* kinematics_ = nullptr;  ///< of the contacts that are prepared
  ConeSolver cone_;
  std::vector<ConeSolver::Contact> laws_;
  DenseContacts dense_;
  std::vector<BodySpaceContacts> body_space_;  ///< by the first body of an island
  std::vector<const ContactRows*> members_;
  std::vector<std::size_t> bodies_;
  std::vector<std::uint64_t> collected_;  ///< of each body: the number of the collection that has it
  std::uint64_t collection_ = 0;
};

}  // namespace ergon
