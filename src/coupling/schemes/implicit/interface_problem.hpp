#pragma once

#include <Eigen/Core>
#include <optional>
#include <utility>
#include <vector>

#include "ergon/coupling/schemes/implicit/changed_outputs.hpp"
#include "ergon/coupling/schemes/implicit/interface_jacobian.hpp"
#include "ergon/coupling/schemes/implicit/interface_structure.hpp"
#include "ergon/coupling/schemes/implicit/member_trials.hpp"
#include "ergon/coupling/schemes/implicit/state_sensitivity.hpp"
#include "ergon/coupling/schemes/implicit/variable_sizes.hpp"
#include "ergon/coupling/schemes/stepper.hpp"

namespace ergon {

/// The interface residual g(u) = u − Y(z(u)) of one macro step.                                  [schweizer2014, Sect. 3]
/// u: the coupling variables at the end of the step, that is all outputs which some subsystem reads (what only a law
/// reads is no unknown: the law belongs to Y). z(u): the states that the subsystems reach when their inputs follow the
/// polynomials through u and the samples before. Y: what the outputs then are, laws and feed-through included.
class InterfaceProblem {
 public:
  /// `watches_states`: `states_unmoved` will be asked.
  InterfaceProblem(const SteppingContext& context, bool watches_states);

  [[nodiscard]] std::size_t size() const { return structure_.unknowns.size(); }
  [[nodiscard]] const InterfaceStructure& structure() const { return structure_; }
  [[nodiscard]] std::uint64_t integrations() const { return integrations_; }
  void restart();

  /// Begins a step: keeps the states, places the extrapolated coupling variables as samples of its end. Returns them.
  const Eigen::VectorXd& predict(const TimeGrid& grid, Tick start, Tick end);
  /// Integrates all subsystems with these coupling variables; g is then known.
  std::optional<MemberFailure> integrate(const TimeGrid& grid, const Eigen::VectorXd& u);
  /// … with those that were predicted.
  std::optional<MemberFailure> integrate_prediction(const TimeGrid& grid);
  [[nodiscard]] const Eigen::VectorXd& residual() const { return g_; }
  /// Sizes of the coupling variables in this step, for increments, damping and updates.
  [[nodiscard]] const Eigen::VectorXd& weights() const { return sizes_.weights(); }
  [[nodiscard]] double relative_residual() const { return sizes_.relative_residual(u_, g_); }
  [[nodiscard]] double weighted_residual() const { return sizes_.weighted_residual(g_); }
  /// Whether the last `integrate` has led the states where the one before did, but for rounding: what is left of g then is
  /// rounding, too, such as that of the force of a stiff spring that nothing stretches.
  [[nodiscard]] bool states_unmoved() const { return unmoved_; }

  /// ∂g/∂u about the last `integrate` by finite differences; only readers of a variable are integrated again.
  std::optional<MemberFailure> difference(const TimeGrid& grid, InterfaceJacobian& jacobian);

  /// ∂g/∂u without any integration, from the directional derivatives of the subsystems, see StateSensitivity.
  void differentiate(const TimeGrid& grid, SensitivitySeries series, InterfaceJacobian& jacobian);

  /// Ends the step: u stays the sample of the coupling variables (`evaluated`: Y does), all else is Y.
  void accept(bool evaluated);
  /// Y of the last `integrate`, before it is accepted.
  [[nodiscard]] const double* trial_outputs(Index stage) const { return y_[stage].sample(0); }
  /// Y of the last accepted step: what the outputs of a stage really are.
  [[nodiscard]] const double* outputs(Index stage) const { return accepted_[stage].data(); }
  /// Y of the first `integrate` of the step: with the predicted coupling variables.
  [[nodiscard]] const double* predicted_outputs(Index stage) const { return predicted_[stage].data(); }
  void keep_prediction();

  /// An integer of this step, or what it leads to, that does not fit: nothing is to be accepted then.
  [[nodiscard]] std::optional<Failure> overflow() { return std::exchange(overflow_, std::nullopt); }
  /// A boolean or enumeration that cannot be, in Y of a stage.
  [[nodiscard]] std::optional<Failure> impossible(Index stage, double time_s) {
    return find_impossible(plan_, plan_.stage(stage), y_[stage].newest_integers(), time_s);
  }
  /// Whose outputs were asked for last: who is to blame where that threw.
  [[nodiscard]] const Member& asked() const { return *asked_; }
  [[nodiscard]] double mean_step_s(std::size_t member) const { return steps_.mean_step_s(member); }

  void archive(Archive& archive);
  /// … and what else is told of the last step and all of them.
  void archive_totals(Archive& archive);

 private:
  void plan_differences();
  /// From the start of the step to these states; outputs of members that are rows into `y`.
  struct TrialSteps;
  std::optional<MemberFailure> step_members(const MemberTrials::List& members, MemberTrials::State to,
                                            double* y);
  void build_inputs();
  /// Those that depend on the coupling variables of a batch of groups.
  void build_inputs_of(std::size_t batch);
  /// Inputs from the trial alone, for what depends on states alone.
  void look_up_trial_inputs(const TimeGrid& grid);
  void evaluate_outputs(const TimeGrid& grid);
  void evaluate_whole(const TimeGrid& grid);
  void watch_states();
  void propagate_change(const TimeGrid& grid, const std::vector<std::uint32_t>& readers);
  void set_trial(const Eigen::VectorXd& u);
  /// ∂g/∂u in the columns of a group, whose readers have stepped.
  void difference_group(const TimeGrid& grid, std::uint32_t group, InterfaceJacobian& jacobian);
  /// `change(k)`: of Y in an entry of `column_rows_`.
  template <class Change>
  void fill_columns(std::span<const std::uint32_t> columns, const Change& change,
                    InterfaceJacobian& jacobian) const;
  /// Where unknowns stand in the planes of their stages: of the trial, and of Y.
  void look_up_planes();
  double& trial(std::size_t i) { return trial_planes_[places_[i].stage][places_[i].offset]; }
  [[nodiscard]] double evaluated(std::size_t i) const {
    return y_planes_[places_[i].stage][places_[i].offset];
  }

  const CouplingPlan& plan_;
  const CoupledSystem& system_;
  CouplingState& state_;
  InputPredictors& predictors_;
  const StagePlan& stage_;  ///< the one that steps
  StageState& inputs_of_step_;
  MemberSteps steps_;
  const Member* asked_;
  std::optional<Failure> overflow_;
  InterfaceStructure structure_;
  std::vector<MemberTrials::List> group_readers_;  ///< of each group of columns
  /// Groups whose readers are integrated at the same time.
  struct Batch {
    std::vector<std::uint32_t> columns;
    MemberTrials::List readers;
    ExchangeProgram inputs;  ///< those that the columns change, where the exchange is plain copies
    ExchangeWeights weights;
  };
  std::vector<Batch> batches_;
  bool watches_states_;
  std::vector<std::uint32_t> state_outputs_;  ///< of the stepping stage, those that depend on states alone
  std::vector<double> last_state_outputs_;
  std::vector<double> state_output_sizes_;
  bool unmoved_ = false;
  std::vector<bool> feeds_through_;  ///< per member
  std::vector<SampleRing> y_;        ///< per stage: the start of the step and Y
  SampleRings y_rings_;
  std::vector<std::vector<double>> accepted_;
  std::vector<std::vector<double>> predicted_;
  std::vector<double> inputs_;
  std::vector<double> changed_inputs_;
  MemberTrials trials_;
  std::optional<ChangedOutputs> changed_outputs_;
  bool builds_in_part_ = false;  ///< Batch::inputs can be used
  struct Place {
    std::uint32_t stage;
    std::uint32_t offset;
  };
  std::vector<Place> places_;  ///< per unknown
  // The rows of all columns, one behind the other, and where they stand in the planes of their stages.
  std::vector<std::uint32_t> column_starts_;
  std::vector<std::uint32_t> column_rows_;
  std::vector<std::uint32_t> column_offsets_;
  std::vector<double*> trial_planes_;
  std::vector<const double*> y_planes_;
  std::vector<std::vector<double>>
      state_changes_;                  ///< per member: ∂x(H), where it has directional derivatives
  std::vector<SampleRing> changed_y_;  ///< Y + ∂Y
  SampleRings changed_y_rings_;
  std::vector<double> changed_coefficients_;
  StateSensitivity sensitivity_;
  std::vector<double> rate_change_;
  std::vector<double> no_change_;
  std::vector<double> output_change_;
  Tick start_ = 0;
  Tick end_ = 0;
  double start_s_ = 0.0;
  double length_s_ = 0.0;
  Eigen::VectorXd u_;
  Eigen::VectorXd g_;
  Eigen::VectorXd y_reference_;
  Eigen::VectorXd increments_;
  VariableSizes sizes_;
  std::uint64_t integrations_ = 0;
};

}  // namespace ergon
