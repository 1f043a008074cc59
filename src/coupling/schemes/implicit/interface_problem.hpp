#pragma once

#include <Eigen/Core>
#include <optional>
#include <utility>
#include <vector>

#include "ergon/coupling/schemes/implicit/changed_outputs.hpp"
#include "ergon/coupling/schemes/implicit/interface_jacobian.hpp"
#include "ergon/coupling/schemes/implicit/interface_structure.hpp"
#include "ergon/coupling/schemes/implicit/member_states.hpp"
#include "ergon/coupling/schemes/implicit/state_sensitivity.hpp"
#include "ergon/coupling/schemes/stepper.hpp"

namespace ergon {

/// The interface residual g(u) = u − Y(z(u)) of one macro step.                                  [schweizer2014, Sect. 3]
/// u: the coupling variables at the end of the step, that is all outputs which some subsystem reads (what only a law
/// reads is no unknown: the law belongs to Y). z(u): the states that the subsystems reach when their inputs follow the
/// polynomials through u and the samples before. Y: what the outputs then are, laws and feed-through included.
class InterfaceProblem {
 public:
  explicit InterfaceProblem(const SteppingContext& context);

  [[nodiscard]] std::size_t size() const { return structure_.unknowns.size(); }
  [[nodiscard]] const InterfaceStructure& structure() const { return structure_; }
  [[nodiscard]] std::uint64_t integrations() const { return integrations_; }
  void restart();

  /// Begins a step: keeps the states, places the extrapolated coupling variables as samples of its end. Returns them.
  const Eigen::VectorXd& predict(const TimeGrid& grid, Tick start, Tick end);
  /// Integrates all subsystems with these coupling variables; g is then known.
  std::optional<MemberFailure> integrate(const TimeGrid& grid, const Eigen::VectorXd& u);
  [[nodiscard]] const Eigen::VectorXd& residual() const { return g_; }
  /// Sizes of the coupling variables in this step, for increments, damping and updates: the largest value in the same port
  /// that a step was accepted with, or the predicted one, and not much less than others of the same dimension. Trials do not
  /// count: they may be wild.
  [[nodiscard]] const Eigen::VectorXd& weights() const { return weights_; }
  /// max |g|/size, with the present trial counted where it is larger; infinite where g is no number.
  [[nodiscard]] double relative_residual() const;
  /// max |g|/weight; infinite where g is no number.
  [[nodiscard]] double weighted_residual() const;
  /// Whether the last `integrate` has led the states where the one before did, but for rounding: what is left of g then is
  /// rounding, too, such as that of the force of a stiff spring that nothing stretches.
  [[nodiscard]] bool states_unmoved() const;

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
  std::optional<MemberFailure> step_members(const std::vector<std::uint32_t>& members);
  void build_inputs();
  void evaluate_outputs(const TimeGrid& grid);
  void propagate_change(const TimeGrid& grid, const std::vector<std::uint32_t>& readers);
  void set_trial(const Eigen::VectorXd& u);
  void set_weights();
  template <typename Value>
  void grow_by_port(Eigen::VectorXd& sizes, Value value) const;
  /// Of the last `integrate`, where the states of the readers of some groups have changed.
  void evaluate_group(const TimeGrid& grid, std::uint32_t group);
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
  std::vector<std::vector<std::uint32_t>> group_readers_;  ///< of each group of columns
  std::vector<std::vector<std::uint32_t>> batch_readers_;  ///< of each batch of groups
  std::vector<std::uint32_t> state_outputs_;  ///< of the stepping stage, those that depend on states alone
  std::vector<double> last_state_outputs_;
  std::vector<double> state_output_sizes_;
  bool unmoved_ = false;
  std::vector<std::uint32_t> all_members_;
  std::vector<bool> feeds_through_;  ///< per member
  std::vector<SampleRing> y_;        ///< per stage: the start of the step and Y
  SampleRings y_rings_;
  std::vector<std::vector<double>> accepted_;
  std::vector<std::vector<double>> predicted_;
  std::vector<double> inputs_;
  std::vector<double> changed_inputs_;
  MemberStates start_states_;
  MemberStates end_states_;
  MemberStates perturbed_states_;
  std::optional<ChangedOutputs> changed_outputs_;
  struct Place {
    std::uint32_t stage;
    std::uint32_t offset;
  };
  std::vector<Place> places_;  ///< per unknown
  std::vector<double*> trial_planes_;
  std::vector<const double*> y_planes_;
  std::vector<Eigen::Index> port_ends_;  ///< unknowns of one port are neighbours: where each port ends
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
  Eigen::VectorXd scale_;    ///< of accepted steps
  Eigen::VectorXd weights_;  ///< of this step
  Eigen::VectorXd increments_;
  Eigen::VectorXd increment_sizes_;  ///< of differences
  std::vector<std::size_t> kinds_;   ///< of quantity, per unknown
  std::vector<double> largest_of_kind_;
  std::uint64_t integrations_ = 0;
};

}  // namespace ergon
