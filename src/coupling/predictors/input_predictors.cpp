#include "ergon/coupling/predictors/input_predictors.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ergon {
namespace {

void check_names(const CouplingPlan& plan, ProblemList& problems) {
  const auto check = [&](const std::string& name, const SourceLocation& where) {
    if (name.empty() || find_predictor(name) != nullptr) return;
    std::vector<std::string> names;
    for (const PredictorInfo& info : predictors()) names.emplace_back(info.name);
    problems.error(where, fmt::format("There is no predictor '{}'.", name), did_you_mean(name, names));
  };
  check(plan.options().predictor, {});
  for (const PowerBond& bond : plan.system().bonds) check(bond.predictor, bond.where);
}

/// Of more than these an exchange program makes no less of the time: it copies several at a time.
constexpr std::size_t few_copies = 32;

}  // namespace

InputPredictors::InputPredictors(const CouplingPlan& plan, CouplingState& state, ProblemList& problems)
    : plan_(plan),
      state_(state),
      producer_(plan.system().inputs.size(), polynomial_predictor),
      of_stage_(plan.stages().size()) {
  check_names(plan, problems);
  std::vector<bool> predicted_at_end(plan.system().inputs.size(), false);
  const PredictorRequest request{plan, state, producer_, predicted_at_end, problems};
  // The last in the registry choose first, and polynomials take what is left; they write in the order of the registry.
  for (std::size_t kind = predictors().size(); kind-- > 0;) {
    auto made = predictors()[kind].make(request);
    all_.insert(all_.begin(), std::make_move_iterator(made.begin()), std::make_move_iterator(made.end()));
  }
  for (const auto& predictor : all_) of_stage_[predictor->stage()].push_back(predictor.get());
  plan_held();
}

void InputPredictors::plan_held() {
  struct Place {
    std::size_t copy = 0;
    std::size_t ring = 0;
  };
  std::vector<Place> begins;  // per stage, and the end
  std::vector<std::size_t> ends_of_rings;
  for (Index s = 0; s < plan_.stages().size(); ++s) {
    const StagePlan& stage = plan_.stage(s);
    const auto copies = stage.exchange.plain_copies();
    holds_.push_back(is_plain(s) && !stage.keeps_own_points() && stage.exchange.holds() &&
                     copies.has_value() && copies->size() <= few_copies);
    begins.push_back({held_copies_.size(), held_rings_.size()});
    if (!holds_[s]) continue;
    for (const ExchangeProgram::PlainCopy& c : *copies) {
      const SampleRing* samples = state_.rings()[c.stage];
      if (held_rings_.size() == begins[s].ring || held_rings_.back().samples != samples) {
        held_rings_.push_back({samples, nullptr});
        ends_of_rings.push_back(0);
      }
      held_copies_.push_back({c.slot, c.source});
      ends_of_rings.back() = held_copies_.size();
    }
  }
  begins.push_back({held_copies_.size(), held_rings_.size()});
  // Nothing moves any more.
  for (std::size_t r = 0; r < held_rings_.size(); ++r)
    held_rings_[r].end = held_copies_.data() + ends_of_rings[r];
  for (Index s = 0; s < plan_.stages().size(); ++s)
    held_.push_back({held_copies_.data() + begins[s].copy, held_rings_.data() + begins[s].ring,
                     held_rings_.data() + begins[s + 1].ring});
}

void InputPredictors::restart() {
  for (const auto& predictor : all_) predictor->restart();
}

PredictedStep InputPredictors::step_of(Index stage) const {
  const StageState& state = state_.stage(stage);
  return {state.start(), state.next(), plan_.grid().time_s(state.next()),
          plan_.grid().duration_s(state.next() - state.start())};
}

int InputPredictors::build(Index stage, Tick k, double* coefficients) {
  if (is_plain(stage) && !plan_.stage(stage).keeps_own_points()) {
    StageState& state = state_.stage(stage);
    const StagePlan& plan = plan_.stage(stage);
    return plan.exchange.build(state_.rings(), plan_.grid(), k, state.degree_cap(), state.weights(),
                               coefficients, plan.slots);
  }
  int degree = 0;
  for (InputPredictor* predictor : of_stage_[stage]) degree = std::max(degree, predictor->degree(k));
  for (InputPredictor* predictor : of_stage_[stage]) predictor->write(k, degree, coefficients);
  plan_.stage(stage).exchange.add_up(degree, coefficients, plan_.stage(stage).slots);
  return degree;
}

std::optional<Failure> InputPredictors::produce(Index s) {
  const StagePlan& stage = plan_.stage(s);
  StageState& state = state_.stage(s);
  if (!stage.keeps_own_points() && is_plain(s)) {
    state.set_degree(stage.exchange.build(state_.rings(), plan_.grid(), state.start(), state.degree_cap(),
                                          state.weights(), state.coefficients(), stage.slots));
    if (state.has_additions()) state.add_additions();
    return std::nullopt;
  }
  if (!stage.executes_at_end) {
    if (stage.keeps_own_points()) state_.sample_own_points(s, state.start());
    const PredictedStep step = step_of(s);
    for (InputPredictor* predictor : of_stage_[s]) {
      if (auto failure = predictor->arrived(step)) return failure;
    }
    state.set_degree(build(s, state.start(), state.coefficients()));
  } else {
    state_.sample_own_points(s, state.next());
    OwnPoints& own = state.own_points();
    state.set_degree(stage.own_exchange.build(own.rings, plan_.grid(), state.start(), state.degree_cap(),
                                              own.of_polynomials, state.coefficients(), stage.slots));
  }
  state.add_additions();
  if (stage.executes_at_end) return std::nullopt;
  const PredictedStep step = step_of(s);
  for (InputPredictor* predictor : of_stage_[s]) {
    if (auto failure = predictor->settle(step, state.degree(), state.coefficients())) return failure;
  }
  return std::nullopt;
}

std::optional<Failure> InputPredictors::close(Index s) {
  StageState& state = state_.stage(s);
  if (state.degree_cap() > 0) state.close_inputs(plan_.grid().duration_s(state.next() - state.start()));
  if (!state.evaluates_separately()) return std::nullopt;
  const auto inputs = state.evaluated_with();
  std::copy_n(state.applied(), plan_.stage(s).slots, inputs.begin());
  if (is_plain(s) && plan_.stage(s).predicted_inputs.empty()) return std::nullopt;
  const PredictedStep step = step_of(s);
  for (InputPredictor* predictor : of_stage_[s]) {
    if (auto failure = predictor->close(step, inputs)) return failure;
  }
  return std::nullopt;
}

void InputPredictors::archive(Archive& archive) {
  archive.section("predictors");
  for (const auto& predictor : all_) predictor->archive(archive);
}

}  // namespace ergon
