#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "coupling/stage.hpp"

namespace ergon {

/// The interface residual g(u) = u − Y(z(u)) of one macro step.                                  [schweizer2014, Sect. 2]
/// u: the coupling variables at the end of the step, that is all outputs which some subsystem reads (what only a law
/// reads is no unknown: the law belongs to Y). z(u): the states that the subsystems reach when their inputs follow the
/// polynomials through u and the samples before. Y: what the outputs then are, laws and feed-through included.
class InterfaceProblem {
 public:
  /// Which subsystem failed in a step.
  struct StepFailure {
    std::size_t member = 0;
    const char* reason = "";
  };

  /// `evaluations`: stage and members of everything with feed-through, by depth.
  struct Level {
    Index stage = 0;
    std::vector<std::uint32_t> members;
  };
  InterfaceProblem(const CoupledSystem& system, std::vector<Stage>& stages, std::vector<SampleRing*> rings,
                   std::vector<Level> levels, int degree);

  [[nodiscard]] std::size_t size() const { return unknowns_.size(); }
  [[nodiscard]] const std::vector<std::uint32_t>& readers(std::size_t unknown) const {
    return unknowns_[unknown].readers;
  }
  [[nodiscard]] std::uint64_t integrations() const { return integrations_; }

  /// Begins a step: keeps the states, places the extrapolated coupling variables as samples of its end. Returns them.
  const Eigen::VectorXd& predict(const TimeGrid& grid, Tick start, Tick end);
  /// Integrates all subsystems with these coupling variables; g is then known.
  std::optional<StepFailure> integrate(const TimeGrid& grid, const Eigen::VectorXd& u);
  [[nodiscard]] const Eigen::VectorXd& residual() const { return g_; }
  /// ∂g/∂u by finite differences about the last `integrate`; only readers of a variable are integrated again.
  std::optional<StepFailure> difference(const TimeGrid& grid, Eigen::MatrixXd& jacobian);
  /// Sizes of the coupling variables, for increments and tolerances: the largest so far.
  [[nodiscard]] const Eigen::VectorXd& scale() const { return scale_; }

  /// Ends the step: u stays the sample of the coupling variables (`evaluated`: Y does), all else is Y.
  void accept(bool evaluated);
  /// Y of the last `integrate`: what the outputs of a stage really are.
  [[nodiscard]] const double* outputs(Index stage) const { return y_[stage].sample(0); }

 private:
  struct Unknown {
    Index stage = 0;
    std::uint32_t offset = 0;
    std::vector<std::uint32_t> readers;  ///< members of the stepping stage
  };

  std::optional<StepFailure> step_member(std::uint32_t member);
  void build_inputs(const TimeGrid& grid);
  void evaluate_outputs(const TimeGrid& grid);
  void set_trial(const Eigen::VectorXd& u);
  void save(std::vector<std::vector<double>>& states) const;
  void restore(std::uint32_t member, const std::vector<std::vector<double>>& states);

  std::vector<Stage>& stages_;
  std::vector<SampleRing*> rings_;
  std::vector<Level> levels_;
  int degree_;
  std::vector<Unknown> unknowns_;
  std::vector<SampleRing> y_;  ///< one sample per stage
  std::vector<SampleRing*> y_rings_;
  std::vector<double> inputs_;
  std::vector<std::vector<double>> start_states_;
  std::vector<std::vector<double>> end_states_;
  Tick start_ = 0;
  Tick end_ = 0;
  double start_s_ = 0.0;
  double end_s_ = 0.0;
  Eigen::VectorXd u_;
  Eigen::VectorXd g_;
  Eigen::VectorXd g_reference_;
  Eigen::VectorXd scale_;
  std::uint64_t integrations_ = 0;
};

}  // namespace ergon
