#pragma once

#include <Eigen/Core>
#include <span>
#include <utility>
#include <vector>

#include "ergon/models/nonsmooth/bilateral.hpp"
#include "ergon/models/nonsmooth/contact_cone.hpp"
#include "ergon/numerics/block_cholesky.hpp"

namespace ergon {

struct ContactRows;

/// W₀ as a dense matrix, for islands with joints, which are eliminated, and not too many contacts. With G = S Sᵀ,
///   dy = −ρ + S(I + SᵀW₀S)⁻¹SᵀW₀ρ
class DenseContacts final : public ContactOperator {
 public:
  /// `W` = W₀ + C, of which the corner of this many contacts counts. It is kept by reference.
  void prepare(const Eigen::MatrixXd& W, std::span<const ConeSolver::Contact> contacts);
  void apply(Input y, Output u) override;
  bool direction(std::span<const SlopeColumn> slope, Input rho, Output dy, Output du) override;

 private:
  using Index = Eigen::Index;
  const Eigen::MatrixXd* W_ = nullptr;
  std::span<const ConeSolver::Contact> contacts_;
  Eigen::MatrixXd factor_;
  Eigen::VectorXd image_;  ///< W₀ of a column
  Eigen::VectorXd reduced_;
};

/// W₀ by way of the velocities of the bodies, however many contacts there are: with M̂ = M + A_bᵀ C_b⁻¹ A_b of bodies and joints,
///   (M̂ + Aᵀ G A) dv = −Aᵀρ,   du = A dv,   dy = −ρ − G du
/// which has blocks for pairs of bodies that touch or are joined alone. The pattern is kept as long as no new pair comes.
class BodySpaceContacts final : public ContactOperator {
 public:
  struct Island {
    std::span<const std::size_t> bodies;  ///< that move, joined ones included
    std::span<const ContactRows* const> contacts;
    bool joined = false;
  };
  /// Everything is kept by reference until the next call; `place` has −1 for each body of the machine, and is left so.
  void prepare(const Machine& machine, const Kinematics& kinematics, const Bilateral& bilateral,
               const Island& island, std::vector<Eigen::Index>& place);
  void apply(Input y, Output u) override;
  bool direction(std::span<const SlopeColumn> slope, Input rho, Output dy, Output du) override;

 private:
  using Index = Eigen::Index;
  void add_outer(const Vector6d* parts, const Index* places, std::size_t count);

  const Bilateral* bilateral_ = nullptr;
  std::span<const ContactRows* const> contacts_;
  bool joined_ = false;
  std::vector<std::size_t> bodies_;
  std::vector<Matrix6d> mass_;
  std::vector<std::pair<Index, Index>> ends_;  ///< of each contact, places of both bodies; −1: ground
  std::vector<BlockCholesky::Pair> pairs_;
  struct JointRow {
    std::size_t row = 0;
    Index place[3] = {-1, -1, -1};
  };
  std::vector<JointRow> joints_;
  BlockCholesky factor_;
  Eigen::VectorXd moved_;    ///< velocities of all bodies of the machine
  Eigen::VectorXd reduced_;  ///< velocities of those of the island
  Eigen::VectorXd joint_impulses_;
};

}  // namespace ergon
