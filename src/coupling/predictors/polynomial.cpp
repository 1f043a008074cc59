#include "ergon/coupling/predictors/registry.hpp"

namespace ergon {
namespace {

/// The polynomial through the newest samples of each input, of the degree that its link says (docs/theory/explicit-coupling.md).
/// Weights are computed once per pair of stages; planes are copied. What comes from faster stages goes through the samples of it at the
/// stage's own points.
class Polynomials final : public InputPredictor {
 public:
  Polynomials(Index stage, const PredictorRequest& request)
      : InputPredictor(stage), plan_(request.plan), state_(request.state), of_stage_(plan_.stage(stage)) {
    plan_end(request);
    const int degree = std::max(at_end_.max_degree(), own_at_end_.max_degree());
    end_coefficients_.resize(static_cast<std::size_t>(degree + 1) * of_stage_.slots);
  }

  int degree(Tick k) override {
    StageState& state = state_.stage(stage());
    if (!of_stage_.own_exchange.empty()) {
      OwnPoints& own = state.own_points();
      return std::max(
          of_stage_.other_exchange.update(state_.rings(), plan_.grid(), k, state.degree_cap(), own.of_others),
          of_stage_.own_exchange.update(own.rings, plan_.grid(), k, state.degree_cap(), own.of_polynomials));
    }
    return of_stage_.exchange.update(state_.rings(), plan_.grid(), k, state.degree_cap(), state.weights());
  }
  void write(Tick /*k*/, int degree, double* coefficients) override {
    StageState& state = state_.stage(stage());
    if (!of_stage_.own_exchange.empty()) {
      const OwnPoints& own = state.own_points();
      of_stage_.other_exchange.write(state_.rings(), state.degree_cap(), own.of_others, degree, coefficients,
                                     of_stage_.slots);
      of_stage_.own_exchange.write(own.rings, state.degree_cap(), own.of_polynomials, degree, coefficients,
                                   of_stage_.slots);
      return;
    }
    of_stage_.exchange.write(state_.rings(), state.degree_cap(), state.weights(), degree, coefficients,
                             of_stage_.slots);
  }

  /// Of degree 1 at least, even where the input is held.
  std::optional<Failure> close(const PredictedStep& step, std::span<double> inputs) override {
    if (end_slots_.empty()) return std::nullopt;
    int degree = at_end_.update(state_.rings(), plan_.grid(), step.start, at_end_.max_degree(), end_weights_);
    if (!own_at_end_.empty()) {
      OwnPoints& own = state_.stage(stage()).own_points();
      degree = std::max(degree, own_at_end_.update(own.rings, plan_.grid(), step.start,
                                                   own_at_end_.max_degree(), own.at_end));
      own_at_end_.write(own.rings, own_at_end_.max_degree(), own.at_end, degree, end_coefficients_.data(),
                        of_stage_.slots);
    }
    at_end_.write(state_.rings(), at_end_.max_degree(), end_weights_, degree, end_coefficients_.data(),
                  of_stage_.slots);
    at_end_.add_up(degree, end_coefficients_.data(), of_stage_.slots);
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
      for (std::uint32_t t = 0; t < link.terms.size(); ++t) {
        const std::uint32_t to = is_sum ? first_term + t : slot;
        if (!of_stage_.executes_at_end && plan_.comes_from_faster(of_stage_, link.terms[t]))
          own_at_end_.add(to, 0, to, degree, LinkTerm{});
        else
          plan_.add_term(at_end_, to, degree, link.terms[t]);
      }
    }
  }

  const CouplingPlan& plan_;
  CouplingState& state_;
  const StagePlan& of_stage_;
  ExchangeProgram at_end_;
  ExchangeProgram own_at_end_;
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
