#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "ergon/coupling/schemes/implicit/changed_outputs.hpp"
#include "ergon/coupling/schemes/implicit/interface_structure.hpp"
#include "ergon/coupling/schemes/implicit/member_trials.hpp"
#include "ergon/coupling/schemes/implicit/variable_sizes.hpp"
#include "ergon/coupling/schemes/stepper.hpp"

namespace ergon {

/// The interface residual g(u) = u − Y(z(u)) of one macro step.                                  [schweizer2014, Sect. 3]
/// u: the coupling variables at the end of the step, that is all outputs which some subsystem reads (what only a law
/// reads is not an unknown: the law belongs to Y). z(u): the states that the subsystems reach when their inputs follow the
/// polynomials through u and the samples before. Y: what the outputs then are, laws and feed-through included.
class InterfaceProblem {
 public:
  /// `watches_states`: `states_unmoved` will be asked. `sweeps`: members are integrated one after the other, each with what Y of those
  /// before it has come to; u = Y(u) has the same solution.
  InterfaceProblem(const SteppingContext& context, bool watches_states, bool sweeps = false);

  [[nodiscard]] std::size_t size() const { return structure_.unknowns.size(); }
  [[nodiscard]] const InterfaceStructure& structure() const { return structure_; }
  [[nodiscard]] std::uint64_t integrations() const { return integrations_; }
  void restart();

  /// Begins a step: keeps the states, places the extrapolated coupling variables as samples of its end. Returns them.
  const Eigen::VectorXd& predict(Tick start, Tick end);
  /// Integrates all subsystems with these coupling variables; g is then known.
  std::optional<MemberFailure> integrate(const Eigen::VectorXd& u);
  /// … with those that were predicted.
  std::optional<MemberFailure> integrate_prediction();
  [[nodiscard]] const Eigen::VectorXd& residual() const { return g_; }
  /// Sizes of the coupling variables in this step, for increments, damping and updates.
  [[nodiscard]] const Eigen::VectorXd& weights() const { return sizes_.weights(); }
  [[nodiscard]] double relative_residual() const { return sizes_.relative_residual(u_, g_); }
  [[nodiscard]] double weighted_residual() const { return sizes_.weighted_residual(g_); }
  /// Whether the last `integrate` has led the states where the one before did, but for rounding: what is left of g then is
  /// rounding, too, such as that of the force of a stiff spring that nothing stretches.
  [[nodiscard]] bool states_unmoved() const { return unmoved_; }

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

  // ── About the last `integrate`, for who forms ∂g/∂u: trials with other coupling variables ──
  struct Step {
    Tick start = 0;
    Tick end = 0;
    double start_s = 0.0;
    double length_s = 0.0;
  };
  [[nodiscard]] const Step& step() const { return step_; }
  [[nodiscard]] const SteppingContext& context() const { return context_; }
  /// The coupling variables of the last `integrate`.
  [[nodiscard]] const Eigen::VectorXd& variables() const { return u_; }
  [[nodiscard]] const VariableSizes& sizes() const { return sizes_; }
  /// A coupling variable as the next inputs see it. Who changes it puts it back.
  [[nodiscard]] double& trial(std::size_t i) { return trial_planes_[places_[i].stage][places_[i].offset]; }
  /// Y of a coupling variable.
  [[nodiscard]] double evaluated(std::size_t i) const {
    return y_planes_[places_[i].stage][places_[i].offset];
  }
  /// Y of all stages: the start of the step and its end.
  [[nodiscard]] std::span<SampleRing> samples() { return y_; }
  [[nodiscard]] MemberTrials& trials() { return trials_; }
  /// Members whose steps depend on a group of columns.
  [[nodiscard]] const MemberTrials::List& readers(std::size_t group) const { return group_readers_[group]; }
  /// Nothing where Y can be evaluated as a whole only.
  [[nodiscard]] ChangedOutputs* changed_outputs() { return changed_outputs_ ? &*changed_outputs_ : nullptr; }
  /// The inputs of the step from the coupling variables as they are.
  void build_inputs();
  /// From the start of the step to these states; outputs of members that are rows into `y`.
  std::optional<MemberFailure> step_members(const MemberTrials::List& members, MemberTrials::State to,
                                            double* y);
  /// Inputs at the end of the step from the trial alone, for what depends on states alone; valid until Y is evaluated.
  std::span<const double> look_up_trial_inputs();
  /// Y and g of the states as they are.
  void evaluate_outputs();
  /// Who is to blame from here on.
  void set_asked(const Member& member) { asked_ = &member; }
  [[nodiscard]] const Member*& asked_member() { return asked_; }

 private:
  class Substeps;
  struct TrialSteps;
  std::optional<MemberFailure> integrate_members();
  std::optional<MemberFailure> sweep();
  void plan_sweep();
  void evaluate_whole();
  void watch_states();
  void set_trial(const Eigen::VectorXd& u);
  /// Where unknowns stand in the planes of their stages: of the trial, and of Y.
  void look_up_planes();

  SteppingContext context_;
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
  bool watches_states_;
  bool sweeps_;
  struct Turn {
    MemberTrials::List member;
    std::vector<std::uint32_t> unknowns;  ///< that it or a law behind it gives
  };
  std::vector<Turn> turns_;                   ///< of a sweep
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
  MemberTrials trials_;
  std::optional<ChangedOutputs> changed_outputs_;
  struct Place {
    std::uint32_t stage;
    std::uint32_t offset;
  };
  std::vector<Place> places_;  ///< per unknown
  std::vector<double*> trial_planes_;
  std::vector<const double*> y_planes_;
  Step step_;
  Eigen::VectorXd u_;
  Eigen::VectorXd g_;
  VariableSizes sizes_;
  std::uint64_t integrations_ = 0;
};

}  // namespace ergon
