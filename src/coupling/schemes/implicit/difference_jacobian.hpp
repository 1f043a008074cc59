#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "ergon/coupling/schemes/implicit/jacobian_source.hpp"

namespace ergon {

/// ∂g/∂u by finite differences: columns that share no reader are changed together [curtis1974], and only readers of a variable are
/// integrated again. `problem` must outlive it.
class DifferenceJacobian final : public JacobianSource {
 public:
  explicit DifferenceJacobian(InterfaceProblem& problem);

  std::optional<MemberFailure> compute(InterfaceJacobian& jacobian) override;

 private:
  /// Groups whose readers are integrated at the same time.
  struct Batch {
    std::vector<std::uint32_t> columns;
    MemberTrials::List readers;
    ExchangeProgram inputs;  ///< those that the columns change, where the exchange is plain copies
    ExchangeWeights weights;
  };
  /// The inputs that depend on the coupling variables of a batch.
  void build_inputs_of(Batch& batch);
  void set_reference();
  /// The columns of a group, whose readers have stepped.
  void difference_group(std::uint32_t group, InterfaceJacobian& jacobian);
  /// `change(k)`: of Y in an entry of `column_rows_`.
  template <class Change>
  void fill_columns(std::span<const std::uint32_t> columns, const Change& change,
                    InterfaceJacobian& jacobian) const;

  InterfaceProblem& problem_;
  const CouplingPlan& plan_;
  CouplingState& state_;
  ChangedOutputs* changed_outputs_;  ///< nothing: Y is evaluated as a whole
  bool builds_in_part_;              ///< Batch::inputs can be used
  std::vector<Batch> batches_;
  // The rows of all columns, one behind the other, and where they stand in the planes of their stages.
  std::vector<std::uint32_t> column_starts_{0};
  std::vector<std::uint32_t> column_rows_;
  std::vector<std::uint32_t> column_offsets_;
  Eigen::VectorXd y_reference_;
  Eigen::VectorXd increments_;
};

}  // namespace ergon
