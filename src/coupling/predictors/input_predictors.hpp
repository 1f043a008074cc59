#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "ergon/core/api.hpp"
#include "ergon/coupling/predictors/registry.hpp"

namespace ergon {

/// The predictors of all stages: what makes inputs out of samples. `plan` and `state` must outlive it.
class ERGON_API InputPredictors {
 public:
  /// Reports predictors that are asked for and cannot be had.
  InputPredictors(const CouplingPlan& plan, CouplingState& state, ProblemList& problems);

  /// Back to t₀.
  void restart();
  /// Writes the input polynomials of a stage that start at tick `k`, from samples as they are; returns their degree.
  int build(Index stage, Tick k, double* coefficients);
  /// The step of a stage has begun: its inputs are made.
  std::optional<Failure> produce(Index stage);
  /// Copies of the newest samples of others, ring by ring.
  struct Held {
    struct Ring {
      const SampleRing* samples = nullptr;
      const ExchangeProgram::Copy* end = nullptr;  ///< of its copies, of which there are some
    };
    const ExchangeProgram::Copy* copies = nullptr;
    const Ring* first = nullptr;
    const Ring* end = nullptr;
  };
  /// Where all that `produce` does is to copy a few samples, as nearly everywhere in sweeps, `hold` will do it. Else nothing.
  [[nodiscard]] const Held* held(Index stage) const { return holds_[stage] ? &held_[stage] : nullptr; }
  static void hold(const Held& held, StageState& state) {
    double* values = state.coefficients();
    const ExchangeProgram::Copy* c = held.copies;
    for (const Held::Ring* ring = held.first; ring != held.end; ++ring) {
      const double* newest = ring->samples->newest();
      do {
        values[c->slot] = newest[c->source];
      } while (++c != ring->end);
    }
    state.set_degree(0);
    if (state.has_additions()) state.add_additions();
  }
  /// The members have stepped: makes the inputs with which their outputs are evaluated, where those differ from the ones applied.
  std::optional<Failure> close(Index stage);

  /// Who produces an input over the step.
  [[nodiscard]] std::string_view producer(Index input) const { return producer_[input]; }
  /// Polynomials are all there is, as nearly everywhere: their program is run without asking further.
  [[nodiscard]] bool is_plain(Index stage) const { return of_stage_[stage].size() == 1; }
  /// The outputs at the end of a step are evaluated with the inputs as they were applied.
  [[nodiscard]] bool evaluates_as_applied(Index stage) const {
    return !state_.stage(stage).evaluates_separately() ||
           (is_plain(stage) && plan_.stage(stage).predicted_inputs.empty());
  }
  void archive(Archive& archive);

 private:
  [[nodiscard]] PredictedStep step_of(Index stage) const;
  void plan_held();

  const CouplingPlan& plan_;
  CouplingState& state_;
  std::vector<std::string_view> producer_;
  std::vector<std::unique_ptr<InputPredictor>> all_;
  std::vector<std::vector<InputPredictor*>> of_stage_;
  // Side by side for all stages: what a sweep of thousands touches is in one place.
  std::vector<char> holds_;  ///< per stage
  std::vector<Held> held_;   ///< likewise
  std::vector<Held::Ring> held_rings_;
  std::vector<ExchangeProgram::Copy> held_copies_;
};

}  // namespace ergon
