#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ergon/coupling/schemes/explicit_stepper.hpp"
#include "ergon/coupling/schemes/scheme.hpp"
#include "ergon/coupling/state/foreign_step.hpp"
#include "ergon/coupling/state/member_calls.hpp"

namespace ergon {
namespace {

/// One stage after the other, each a subsystem; a new output is visible at once to those behind it. Where nothing but held
/// samples goes in, a turn is a list of assignments and one call; `take_turn` would do the same.
class SweepStepper final : public ExplicitStepper {
 public:
  using ExplicitStepper::ExplicitStepper;

  void restart() override {
    plan_short_turns();
    sweeps_ = 0;
  }

 private:
  struct Assignment {
    const SampleRing* from;
    std::uint32_t source;
    std::uint32_t slot;
  };
  struct ShortTurn {
    const GroupedSteps* step = nullptr;  ///< nothing: the turn is a usual one
    GroupedSteps::Member member;
    std::uint32_t first_assignment = 0;
    std::uint32_t assignments = 0;
    std::uint32_t outputs = 0;
  };

  void plan_short_turns() {
    turns_.assign(plan_.stepping_stages(), {});
    assignments_.clear();
    any_at_end_ = false;
    for (Index s = 0; s < plan_.stepping_stages(); ++s) {
      const StagePlan& stage = plan_.stage(s);
      any_at_end_ = any_at_end_ || stage.executes_at_end;
      const Member& m = stage.members.front();
      // Degree 0: the newest sample of each source, whatever its time.
      const auto held = stage.exchange.plain_copies();
      const bool usual =
          stage.executes_at_end || stage.members.size() != 1 || !held || stage.exchange.max_degree() > 0 ||
          m.discrete != nullptr || stage.input_lanes.has_discrete() || stage.output_lanes.has_discrete() ||
          !stage.fed_by_laws.empty() || !stage.read_by_laws.empty() || state_.stage(s).degree_cap() > 0 ||
          state_.stage(s).has_additions() || !predictors_.is_plain(s) || !predictors_.evaluates_as_applied(s);
      if (usual) continue;
      const Subsystem::Grouped grouped = m.subsystem->grouped_steps();
      turns_[s] = {grouped.steps,
                   {grouped.self, m.first_input, m.first_output},
                   static_cast<std::uint32_t>(assignments_.size()),
                   static_cast<std::uint32_t>(held->size()),
                   static_cast<std::uint32_t>(stage.output_count)};
      for (const ExchangeProgram::PlainCopy& h : *held)
        assignments_.push_back({&state_.stage(h.stage).samples(), h.source, h.slot});
    }
  }

  /// As `take_turn`, but for the measurement of its cost.
  std::optional<Failure> take_short_turn(Index s, const ShortTurn& turn) {
    StageState& state = state_.stage(s);
    double* u = state.coefficients();
    for (const Assignment& a : std::span(assignments_).subspan(turn.first_assignment, turn.assignments))
      u[a.slot] = a.from->newest()[a.source];
    state.set_degree(0);
    const Tick length = state.next() - state.start();
    if (length != length_) {
      length_ = length;
      length_s_ = plan_.grid().duration_s(length);
    }
    if (state.start() != start_) {
      start_ = state.start();
      start_s_ = plan_.grid().time_s(start_);
    }
    if (state.next() != end_) {
      end_ = state.next();
      end_s_ = plan_.grid().time_s(end_);
    }
    double* y = state.samples().pending();
    StepStatus status;
    try {
      std::size_t next = 0;
      status = turn.step->run({&turn.member, 1}, next, {start_s_, length_s_, end_s_}, u, y);
      if (!status.ok) [[unlikely]]
        status = finish_short_turn(s, status);
    } catch (...) {
      state.count_step();
      return failure_of(plan_, plan_.stage(s).members.front(), start_s_, current_exception_text());
    }
    state.count_step();
    if (!status.ok) [[unlikely]] {
      Failure failure = failure_of(plan_, plan_.stage(s).members.front(), start_s_, status.reason);
      failure.discarded = status.outcome == StepOutcome::discarded;
      return failure;
    }
    if (state.evaluates_separately()) {
      if (auto failure = predictors_.close(s)) return failure;
    }
    double sum = 0.0;  // finite only if its terms are
    for (std::uint32_t i = 0; i < turn.outputs; ++i) sum += y[i];
    if (!std::isfinite(sum)) {
      if (auto failure = find_non_finite(plan_, plan_.stage(s), y, plan_.grid().time_s(state.next())))
        return failure;
    }
    state.samples().commit(state.next());
    return std::nullopt;
  }

  /// A step that was not simply done: what `execute` would make of it.
  [[gnu::noinline]] StepStatus finish_short_turn(Index s, const StepStatus& ended) {
    StageState& state = state_.stage(s);
    const Member& m = plan_.stage(s).members.front();
    const InputView u = state.inputs_of(m);
    const StepStatus status =
        finish_step(m, start_s_, length_s_, u, ended,
                    state_.repeats_discarded() ? Discarded::returned : Discarded::in_pieces);
    if (status.ok) ask_outputs(m, end_s_, u.coefficients, pending_of(state.samples()));
    return status;
  }

  std::optional<Failure> start_steps() override {
    if (turns_.empty()) plan_short_turns();  // a trial run, before all is ready
    const bool timed = sweeps_++ % MemberSteps::timing_interval == 0;
    for (Index s = 0; s < plan_.stepping_stages(); ++s) {
      StageState& state = state_.stage(s);
      if (state.next() != state_.now()) continue;
      if (turns_[s].step != nullptr) {
        if (!timed) {
          state_.begin_step(s);
          if (auto failure = take_short_turn(s, turns_[s])) return failure;
          continue;
        }
        steps_of(s).time_next();
      }
      const StagePlan& stage = plan_.stage(s);
      state_.begin_step(s);
      if (stage.executes_at_end) {
        // The samples of this point are final only now, after refresh.
        stage.exchange.build(state_.rings(), plan_.grid(), state_.now(), 0, state.weights(),
                             state.own_points().newest(), stage.slots);
        continue;
      }
      if (auto failure = take_turn(s, state_.now())) return failure;
    }
    return std::nullopt;
  }

  std::optional<Failure> arrive(Tick arrival) override {
    if (!any_at_end_) return std::nullopt;
    for (Index s = 0; s < plan_.stepping_stages(); ++s) {
      if (state_.stage(s).next() != arrival || !plan_.stage(s).executes_at_end) continue;
      if (auto failure = take_turn(s, arrival)) return failure;
    }
    return std::nullopt;
  }

  /// Laws that are sampled at a receiver's points see what has become visible since the point.
  std::optional<Failure> take_turn(Index s, Tick k) {
    for (const Index law : plan_.stage(s).fed_by_laws) {
      if (auto failure = evaluate_elements(law, k)) return failure;
    }
    if (auto failure = execute(s)) return failure;
    return commit(s);
  }

  /// The new output is visible at once, and so is what the laws make of it where the end of the step is one of their points;
  /// sources that have not come so far are extrapolated.
  std::optional<Failure> commit(Index s) {
    const Tick k = state_.stage(s).next();
    state_.stage(s).samples().commit(k);
    for (const Index law : plan_.stage(s).read_by_laws) {
      if (state_.stage(law).samples().tick(0) > k || !has_point(law, k)) continue;
      if (auto failure = evaluate_elements(law, k)) return failure;
    }
    return std::nullopt;
  }

  /// Whether `k` is, or will be, a communication point of a stage.
  [[nodiscard]] bool has_point(Index s, Tick k) const {
    const StagePlan& stage = plan_.stage(s);
    if (!stage.algebraic)
      return (k - state_.anchor()) % state_.stage(s).period() == 0 || k == state_.horizon();
    const auto there = [&](Index other) { return has_point(other, k); };
    const auto& related = stage.related_stages;
    return stage.evaluate == EvaluateAt::sources ? std::all_of(related.begin(), related.end(), there)
                                                 : std::any_of(related.begin(), related.end(), there);
  }

  std::vector<ShortTurn> turns_;  ///< per stepping stage
  std::vector<Assignment> assignments_;
  bool any_at_end_ = false;
  std::uint64_t sweeps_ = 0;
  // Of the last short turn: others often have the same, and a time is a division.
  Tick length_ = -1, start_ = -1, end_ = -1;
  double length_s_ = 0.0, start_s_ = 0.0, end_s_ = 0.0;
};

/// The user's order; those not named follow, in order of names.
std::vector<Index> order_of(const SchemeRequest& request, ProblemList& problems) {
  const CoupledSystem& system = request.system;
  std::vector<Index> order;
  std::vector<bool> named(system.nodes.size(), false);
  std::vector<std::string> names;
  for (const Node& node : system.nodes) {
    if (!node.description->algebraic) names.push_back(node.name);
  }
  for (const std::string& name : request.options.order) {
    const auto node = system.find_node(name);
    if (!node || system.nodes[*node].description->algebraic) {
      problems.error({}, fmt::format("'order' names '{}', which is no subsystem.", name),
                     did_you_mean(name, names));
    } else if (named[*node]) {
      problems.error({}, fmt::format("'order' names '{}' twice.", name), "Name each subsystem once.");
    } else {
      named[*node] = true;
      order.push_back(*node);
    }
  }
  for (Index n = 0; n < system.nodes.size(); ++n) {
    if (!named[n] && !system.nodes[n].description->algebraic) order.push_back(n);
  }
  return order;
}

class GaussSeidelScheme final : public Scheme {
 public:
  [[nodiscard]] std::string_view name() const override { return "gauss-seidel"; }
  [[nodiscard]] std::string_view help() const override {
    return "one after the other, in 'order'; a new output is visible at once";
  }
  [[nodiscard]] bool takes_order() const override { return true; }

  /// One stage per subsystem. Multi-rate: a subsystem that comes after a faster one waits until that one has reached the end
  /// of the slow step, so it executes its step at the end; otherwise at the start, and who comes later interpolates its result.
  [[nodiscard]] SchemeLayout layout(const SchemeRequest& request, ProblemList& problems) const override {
    SchemeLayout layout;
    layout.scheme = name();
    layout.sequential = true;
    Tick fastest_so_far = 0;
    for (const Index n : order_of(request, problems)) {
      StageGroup group;
      group.nodes = {n};
      group.period = request.grid.ticks(request.system.nodes[n].step_s);
      group.executes_at_end = fastest_so_far != 0 && fastest_so_far < group.period;
      fastest_so_far = fastest_so_far == 0 ? group.period : std::min(fastest_so_far, group.period);
      layout.groups.push_back(std::move(group));
    }
    return layout;
  }
  [[nodiscard]] std::unique_ptr<Stepper> make_stepper(const SteppingContext& context,
                                                      ProblemList& /*problems*/) const override {
    return std::make_unique<SweepStepper>(context);
  }
};

}  // namespace

const Scheme& gauss_seidel_scheme() {
  static const GaussSeidelScheme scheme;
  return scheme;
}

}  // namespace ergon
