#include "ergon/coupling/predictors/registry.hpp"

namespace ergon {
namespace {

/// The polynomial through the newest samples of each input, of the degree that its link says (docs/theory/explicit-coupling.md).
/// Weights are computed once per pair of stages; planes are copied.
class Polynomials final : public InputPredictor {
 public:
  Polynomials(Index stage, const PredictorRequest& request)
      : InputPredictor(stage), plan_(request.plan), state_(request.state), of_stage_(plan_.stage(stage)) {
    plan_end(request);
    end_coefficients_.resize(static_cast<std::size_t>(at_end_.max_degree() + 1) * of_stage_.slots);
  }

  int degree(Tick k) override {
    StageState& state = state_.stage(stage());
    return of_stage_.exchange.update(state_.rings(), plan_.grid(), k, state.degree_cap(), state.weights());
  }
  void write(Tick /*k*/, int degree, double* coefficients) override {
    StageState& state = state_.stage(stage());
    of_stage_.exchange.write(state_.rings(), state.degree_cap(), state.weights(), degree, coefficients,
                             of_stage_.slots);
  }

  /// Of degree 1 at least, even where the input is held.
  std::optional<Failure> close(const PredictedStep& step, std::span<double> inputs) override {
    if (at_end_.empty()) return std::nullopt;
    const int degree = at_end_.build(state_.rings(), plan_.grid(), step.start, at_end_.max_degree(),
                                     end_weights_, end_coefficients_.data(), of_stage_.slots);
    const InputView predicted{end_coefficients_.data(), of_stage_.slots, degree};
    for (const std::uint32_t slot : end_slots_) inputs[slot] = predicted(slot, step.length_s);
    return std::nullopt;
  }

 private:
  /// What is left to predict of the inputs whose outputs want it (FeedthroughMode::predict).
  void plan_end(const PredictorRequest& request) {
    for (const Index input : of_stage_.predicted_inputs) {
      if (request.predicted_at_end[input]) continue;
      const Link& link = *plan_.system().links[input];
      const std::uint32_t slot = plan_.input(input).offset;
      const std::uint32_t first_term = plan_.term(input, 0).offset;
      const bool is_sum = link.terms.size() > 1;
      const int degree = std::max(1, plan_.degree(input));
      end_slots_.push_back(slot);
      if (is_sum) at_end_.add_sum({slot, first_term, static_cast<std::uint32_t>(link.terms.size())});
      for (std::uint32_t t = 0; t < link.terms.size(); ++t)
        plan_.add_term(at_end_, is_sum ? first_term + t : slot, degree, link.terms[t]);
    }
  }

  const CouplingPlan& plan_;
  CouplingState& state_;
  const StagePlan& of_stage_;
  ExchangeProgram at_end_;
  std::vector<std::uint32_t> end_slots_;
  ExchangeWeights end_weights_;
  std::vector<double> end_coefficients_;
};

}  // namespace

std::vector<std::unique_ptr<InputPredictor>> make_polynomials(const PredictorRequest& request) {
  std::vector<std::unique_ptr<InputPredictor>> made;
  for (Index s = 0; s < request.plan.stepping_stages(); ++s)
    made.push_back(std::make_unique<Polynomials>(s, request));
  return made;
}

}  // namespace ergon
