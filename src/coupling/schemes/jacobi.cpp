#include <algorithm>
#include <deque>
#include <map>

#include "ergon/coupling/schemes/explicit_stepper.hpp"
#include "ergon/coupling/schemes/scheme.hpp"
#include "ergon/coupling/state/subsystem_failure.hpp"

namespace ergon {
namespace {

/// All stages at a point start from the same samples; what they compute is visible when the end of their step is reached. Steps of slow
/// stages go on while faster ones take theirs: their inputs are made at the start, and what they compute, or that they failed, is
/// looked at when the end is reached, or when somebody asks one of their subsystems; on however many threads.
class JacobiStepper final : public ExplicitStepper {
 public:
  explicit JacobiStepper(const SteppingContext& context)
      : ExplicitStepper(context), overlapped_of_(plan_.stepping_stages(), nullptr) {
    std::size_t batch = 0;
    for (Index s = 0; s < plan_.stepping_stages(); ++s) {
      if (!plan_.stage(s).is_overlapped) continue;
      if (predictors_.is_plain(s)) {
        overlapped_of_[s] = &overlapped_.emplace_back(s, steps_of(s), batch);
        close_before_steps(s);
      }
      ++batch;
    }
    plan_order();
  }
  ~JacobiStepper() override { static_cast<void>(finish_pending()); }

  void restart() override { forget(); }
  void archive(Archive& archive) override {
    if (archive.reads()) forget();
  }

  std::optional<Failure> finish_pending() override {
    std::optional<Failure> first;
    for (OverlappedStep& overlapped : overlapped_) {
      conclude(overlapped);
      overlapped.pending = false;
      if (!first) first = overlapped.failure;
    }
    return first;
  }

  void await(Index stage) override {
    if (overlapped_.empty() || stage >= overlapped_of_.size()) return;
    OverlappedStep* overlapped = overlapped_of_[stage];
    if (overlapped == nullptr || !overlapped->pending) return;
    conclude(*overlapped);
    if (overlapped->failure) throw SubsystemFailure(*overlapped->failure);
    overlapped->pending = false;
  }

 private:
  struct OverlappedStep {
    OverlappedStep(Index number, MemberSteps& steps, std::size_t batch)
        : stage(number), members(steps, batch) {}
    Index stage;
    MemberSteps::Overlapped<StageStep> members;
    bool pending = false;  ///< nobody has been told what came of it
    bool concluded = true;
    std::optional<Failure> failure;  ///< what came of it
  };

  /// What goes on beside others begins before them. But other predictors than polynomials ask subsystems when inputs are made, those
  /// of slow stages among them: then in the order of the steps, the shortest first.
  void plan_order() {
    const auto others_ask = [this] {
      for (Index s = 0; s < plan_.stepping_stages(); ++s) {
        if (!predictors_.is_plain(s)) return true;
      }
      return false;
    };
    for (Index s = 0; s < plan_.stepping_stages(); ++s) order_.push_back(s);
    if (!others_ask())
      std::stable_partition(order_.begin(), order_.end(),
                            [this](Index s) { return overlapped_of_[s] != nullptr; });
  }

  std::optional<Failure> start_steps() override {
    for (const Index s : order_) {
      if (state_.stage(s).next() != state_.now()) continue;
      state_.begin_step(s);
      auto failure = overlapped_of_[s] != nullptr ? start_overlapped(*overlapped_of_[s]) : execute(s);
      if (failure) return failure;
    }
    return std::nullopt;
  }

  std::optional<Failure> arrive(Tick arrival) override {
    for (Index s = 0; s < plan_.stepping_stages(); ++s) {
      StageState& stage = state_.stage(s);
      if (stage.next() != arrival) continue;
      if (OverlappedStep* overlapped = overlapped_of_[s]) {
        conclude(*overlapped);
        if (overlapped->failure) return overlapped->failure;
        overlapped->pending = false;
        // Not where somebody asks before: all parts must be here. The step may have begun before a saved state was restored.
        StageStep& step = stage_step(s);
        begin(step);
        if (auto failure = complete_outputs(s, step)) return failure;
      }
      stage.samples().commit(arrival);
    }
    return std::nullopt;
  }

  std::optional<Failure> start_overlapped(OverlappedStep& overlapped) {
    const Index s = overlapped.stage;
    StageState& state = state_.stage(s);
    StageStep& step = stage_step(s);
    if (auto failure = make_inputs(s, step)) return failure;
    begin(step);
    if (!step.in_runs || state.evaluates_separately()) {
      if (auto failure = close_inputs(s)) return failure;
    }
    overlapped.failure.reset();
    overlapped.concluded = false;
    overlapped.pending = true;
    state.count_step();
    overlapped.members.start(plan_.stage(s).members.size(), step);
    return std::nullopt;
  }

  void conclude(OverlappedStep& overlapped) {
    if (overlapped.concluded) return;
    overlapped.concluded = true;
    const auto failed = overlapped.members.finish();
    overlapped.failure =
        failed ? failure_of_step(overlapped.stage, *failed) : check_outputs(stage_step(overlapped.stage));
  }

  void forget() {
    static_cast<void>(finish_pending());
    for (OverlappedStep& overlapped : overlapped_) overlapped.failure.reset();
  }

  std::deque<OverlappedStep> overlapped_;       ///< in place: threads know where they are
  std::vector<OverlappedStep*> overlapped_of_;  ///< per stepping stage
  std::vector<Index> order_;                    ///< in which steps begin
};

class JacobiScheme final : public Scheme {
 public:
  [[nodiscard]] std::string_view name() const override { return "jacobi"; }
  [[nodiscard]] std::string_view help() const override {
    return "all subsystems step in parallel from samples of the past";
  }
  [[nodiscard]] SchemeLayout layout(const SchemeRequest& request, ProblemList& /*problems*/) const override {
    SchemeLayout layout;
    layout.scheme = name();
    layout.groups = groups_by_period(request);
    // Step control repeats what failed: it has to know at once.
    for (StageGroup& group : layout.groups)
      group.is_overlapped =
          group.period > layout.groups.front().period && !request.options.step_control.has_value();
    return layout;
  }
  [[nodiscard]] std::unique_ptr<Stepper> make_stepper(const SteppingContext& context,
                                                      ProblemList& /*problems*/) const override {
    return std::make_unique<JacobiStepper>(context);
  }
};

}  // namespace

std::vector<StageGroup> groups_by_period(const SchemeRequest& request) {
  std::map<Tick, StageGroup> by_period;
  for (Index n = 0; n < request.system.nodes.size(); ++n) {
    const Node& node = request.system.nodes[n];
    if (node.description->algebraic) continue;
    const Tick period = request.grid.ticks(node.step_s);
    StageGroup& group = by_period[period];
    group.period = period;
    group.nodes.push_back(n);
  }
  std::vector<StageGroup> groups;
  for (auto& [period, group] : by_period) groups.push_back(std::move(group));
  return groups;
}

const Scheme& jacobi_scheme() {
  static const JacobiScheme scheme;
  return scheme;
}

}  // namespace ergon
