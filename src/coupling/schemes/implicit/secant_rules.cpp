#include <algorithm>

#include "ergon/coupling/schemes/implicit/update_rule.hpp"

// Fixed-point iteration u ← Y = u − g, accelerated by what the last trials have shown.
//   c = argmin |ΔG c + g|,   du = ΔU c − (g + ΔG c)
// with the differences of successive trials in the columns of ΔU and ΔG: along these the residual is known, the rest is
// taken as a fixed-point step. Within one step this is Anderson's acceleration [anderson1965, walker2011]; with the
// columns of earlier steps it is the interface quasi-Newton method IQN-ILS [degroote2009]. No Jacobian is formed, no
// subsystem is integrated for it.

namespace ergon {
namespace {

constexpr std::size_t most_columns = 12;
/// A column that others explain to this part has nothing to tell, but to amplify rounding.
constexpr double dependent = 1e-7;

class SecantRule final : public UpdateRule {
 public:
  explicit SecantRule(bool keeps) : keeps_(keeps) {}

  void restart() override {
    count_ = 0;
    length_ = 0;
  }
  std::optional<MemberFailure> begin_step(InterfaceProblem& problem, Tick length) override {
    const auto n = static_cast<Eigen::Index>(problem.size());
    reserve(n);
    if (!keeps_ || length != length_) count_ = 0;
    length_ = length;
    return std::nullopt;
  }

  /// Gram–Schmidt, the newest column first: one that is nearly a combination of newer ones is left out [haelterman2016].
  void propose(const InterfaceProblem& problem, const Eigen::VectorXd& g, Eigen::VectorXd& du) override {
    const auto scale = problem.weights().array();
    du = -g;
    Eigen::Index used = 0;
    for (std::size_t age = 0; age < count_; ++age) {
      const auto c = static_cast<Eigen::Index>((newest_ + most_columns - age) % most_columns);
      column_ = (change_of_g_.col(c).array() / scale).matrix();
      move_ = change_of_u_.col(c);
      const double before = column_.norm();
      for (Eigen::Index q = 0; q < used; ++q) {
        const double part = basis_.col(q).dot(column_);
        column_ -= part * basis_.col(q);
        move_ -= part * moves_.col(q);
      }
      const double length = column_.norm();
      if (!(length > dependent * before)) continue;
      basis_.col(used) = column_ / length;
      moves_.col(used) = move_ / length;
      ++used;
    }
    // moves_.col(q) changes g by basis_.col(q): take out of g what can be taken out.
    for (Eigen::Index q = 0; q < used; ++q) {
      const double part = basis_.col(q).dot((g.array() / scale).matrix());
      du -= part * moves_.col(q);
      du += part * (basis_.col(q).array() * scale).matrix();
    }
  }

  void learn(const InterfaceProblem& /*problem*/, const Eigen::VectorXd& du,
             const Eigen::VectorXd& dg) override {
    newest_ = (newest_ + 1) % most_columns;
    count_ = std::min(count_ + 1, most_columns);
    change_of_u_.col(static_cast<Eigen::Index>(newest_)) = du;
    change_of_g_.col(static_cast<Eigen::Index>(newest_)) = dg;
  }

  void archive(Archive& archive) override {
    if (!keeps_) return;
    archive(length_);
    archive(newest_);
    archive(count_);
    if (count_ == 0) return;
    Eigen::Index n = change_of_u_.rows();
    archive(n);
    if (archive.reads()) reserve(n);
    for (Eigen::MatrixXd* columns : {&change_of_u_, &change_of_g_})
      archive(std::span<double>(columns->data(), static_cast<std::size_t>(columns->size())));
  }

 private:
  void reserve(Eigen::Index n) {
    if (change_of_u_.rows() == n && change_of_u_.cols() > 0) return;
    change_of_u_.setZero(n, most_columns);
    change_of_g_.setZero(n, most_columns);
    basis_.setZero(n, most_columns);
    moves_.setZero(n, most_columns);
    column_.setZero(n);
    move_.setZero(n);
  }

  bool keeps_;  ///< columns outlive the step
  Tick length_ = 0;
  std::size_t newest_ = 0;
  std::size_t count_ = 0;
  Eigen::MatrixXd change_of_u_;
  Eigen::MatrixXd change_of_g_;
  Eigen::MatrixXd basis_;
  Eigen::MatrixXd moves_;
  Eigen::VectorXd column_;
  Eigen::VectorXd move_;
};

/// u ← Y: nothing but what the trial has come to.
class FixedPointRule final : public UpdateRule {
 public:
  void restart() override {}
  std::optional<MemberFailure> begin_step(InterfaceProblem& /*problem*/, Tick /*length*/) override {
    return std::nullopt;
  }
  void propose(const InterfaceProblem& /*problem*/, const Eigen::VectorXd& g, Eigen::VectorXd& du) override {
    du = -g;
  }
};

}  // namespace

std::unique_ptr<UpdateRule> make_fixed_point_rule() {
  return std::make_unique<FixedPointRule>();
}
std::unique_ptr<UpdateRule> make_anderson_rule() {
  return std::make_unique<SecantRule>(false);
}
std::unique_ptr<UpdateRule> make_iqn_ils_rule() {
  return std::make_unique<SecantRule>(true);
}

}  // namespace ergon
