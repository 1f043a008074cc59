#pragma once

#include <Eigen/Core>
#include <vector>

#include "ergon/coupling/schemes/implicit/interface_structure.hpp"
#include "ergon/coupling/state/archive.hpp"

namespace ergon {

/// How large the coupling variables are: what increments, damping and residuals are measured by.
class VariableSizes {
 public:
  VariableSizes(const CoupledSystem& system, const InterfaceStructure& structure);

  void restart() { accepted_.setZero(); }
  /// A step begins with the prediction u, of which g is the residual.
  void begin(const Eigen::VectorXd& u, const Eigen::VectorXd& g);
  /// A step was accepted with these.
  void accept(const Eigen::VectorXd& u, const Eigen::VectorXd& g);

  /// Of the variables in this step: the largest value in the same port that a step was accepted with, or the predicted one, and
  /// not much less than others of the same dimension. Trials do not count: they may be wild.
  [[nodiscard]] const Eigen::VectorXd& weights() const { return weights_; }
  /// … by which differences are measured.
  [[nodiscard]] const Eigen::VectorXd& of_increments() const { return of_increments_; }

  /// max |g|/weight; infinite where g is not a number.
  [[nodiscard]] double weighted_residual(const Eigen::VectorXd& g) const;
  /// max |g|/size, with the present trial counted where it is larger; infinite where g is not a number.
  [[nodiscard]] double relative_residual(const Eigen::VectorXd& u, const Eigen::VectorXd& g) const;

  void archive(Archive& archive);

 private:
  /// Variables of one port are neighbours. Components of a vector are of one size: one of them may well be zero for a while.
  struct Port {
    std::size_t first = 0;
    std::size_t end = 0;
    std::size_t kind = 0;  ///< of quantity
    double size = 0.0;     ///< while a step begins
  };
  template <bool scalar, typename With>
  static void each(const Port& port, const With& with);
  template <bool scalar>
  void begin(const double* u, const double* g);
  template <bool scalar>
  void accept(const double* u, const double* g);

  std::vector<Port> ports_;
  bool ports_are_scalar_ = true;
  std::vector<double> largest_of_kind_;
  Eigen::VectorXd accepted_;
  Eigen::VectorXd weights_;
  Eigen::VectorXd of_increments_;
};

}  // namespace ergon
