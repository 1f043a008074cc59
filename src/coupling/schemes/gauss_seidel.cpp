#include <fmt/format.h>

#include <algorithm>

#include "ergon/coupling/schemes/explicit_stepper.hpp"
#include "ergon/coupling/schemes/scheme.hpp"

namespace ergon {
namespace {

/// One stage after the other, each a subsystem; a new output is visible at once to those behind it.
class SweepStepper final : public ExplicitStepper {
 public:
  explicit SweepStepper(const SteppingContext& context) : ExplicitStepper(context) {
    const auto stages = plan_.stepping();
    any_at_end_ =
        std::any_of(stages.begin(), stages.end(), [](const StagePlan& s) { return s.executes_at_end; });
  }

 private:
  std::optional<Failure> start_steps() override {
    Index s = 0;
    for (StageStep& step : stage_steps()) {
      StageState& state = *step.state;
      if (state.next() == state_.now()) {
        state_.begin_step(state);
        if (step.executes_at_end) [[unlikely]] {
          // The samples of this point are final only now, after refresh.
          state_.sample_own_points(s, state_.now());
        } else if (auto failure = step_stage(s, step, state_.now())) {
          return failure;
        }
      }
      ++s;
    }
    return std::nullopt;
  }

  std::optional<Failure> arrive(Tick arrival) override {
    if (!any_at_end_) return std::nullopt;
    for (Index s = 0; s < plan_.stepping_stages(); ++s) {
      if (state_.stage(s).next() != arrival || !plan_.stage(s).executes_at_end) continue;
      if (auto failure = step_stage(s, stage_step(s), arrival)) return failure;
    }
    return std::nullopt;
  }

  /// The new output is visible at once.
  [[gnu::always_inline]] std::optional<Failure> step_stage(Index s, StageStep& step, Tick k) {
    if (step.has_laws) [[unlikely]] {
      if (auto failure = evaluate_laws_before(s, k)) return failure;
    }
    if (auto failure = execute(s, step)) return failure;
    step.state->samples().commit(step.state->next());
    if (step.has_laws) [[unlikely]]
      return evaluate_laws_behind(s);
    return std::nullopt;
  }

  /// Laws that are sampled at a receiver's points see what has become visible since the point.
  std::optional<Failure> evaluate_laws_before(Index s, Tick k) {
    for (const Index law : plan_.stage(s).fed_by_laws) {
      if (auto failure = evaluate_elements(law, k)) return failure;
    }
    return std::nullopt;
  }

  /// What the laws make of a new output is visible, too, where the end of the step is one of their points; sources that have not
  /// come so far are extrapolated.
  std::optional<Failure> evaluate_laws_behind(Index s) {
    const Tick k = state_.stage(s).next();
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

  bool any_at_end_ = false;
};

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
      problems.error({}, fmt::format("'order' lists '{}', which is not a subsystem.", name),
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

const Scheme& gauss_seidel_scheme() {
  static const GaussSeidelScheme scheme;
  return scheme;
}

}  // namespace ergon
