#include "ergon/coupling/plan/coupling_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "ergon/core/live_subsystem.hpp"

namespace ergon {

CouplingPlan::CouplingPlan(CoupledSystem& system, const TimeGrid& grid, const CouplingOptions& options,
                           SchemeLayout layout, ProblemList& problems)
    : system_(system), grid_(grid), options_(options), layout_(std::move(layout)) {
  check_options(problems);
  for (const Node& node : system_.nodes) {
    periods_.push_back(node.description->algebraic ? 0 : grid_.ticks(node.step_s));
  }
  find_continuous_inputs();
  make_stages(problems);
  if (problems.has_errors()) return;
  bonds_ = BondTable(system_, this);
  plan_feedthrough(problems);
  for (Index s = 0; s < stepping_stages_; ++s) plan_own_points(stages_[s]);
  plan_evaluations();
  plan_sweeps();
}

void CouplingPlan::check_options(ProblemList& problems) const {
  const auto check_degree = [&](int degree, const SourceLocation& where) {
    if (degree >= 0 && degree <= max_extrapolation_degree) return;
    problems.error(where, fmt::format("There is no extrapolation of degree {}.", degree),
                   fmt::format("Choose from: {}.", extrapolation_names()));
  };
  check_degree(options_.degree, {});
  for (const auto& link : system_.links) {
    if (link && link->degree)
      check_degree(*link->degree, system_.nodes[system_.inputs[link->input].node].where);
  }
  if (options_.starter != Starter::none && !options_.initial_history.empty()) {
    problems.error({}, "Both a starter and an initial_history fill the history before the start.",
                   "Leave one of them out.");
  }
}

/// What bonds exchange is continuous, and so is what comes from who keeps energy accounts: a state of a physical system. Sources may jump, and
/// controllers that are sampled do. A receiver that looks at its inputs at the start of a step follows them, too, where it takes several
/// steps in one of the sender's.
void CouplingPlan::find_continuous_inputs() {
  follows_continuous_.assign(system_.inputs.size(), false);
  std::vector<bool> of_bond(system_.inputs.size(), false);
  for (const PowerBond& bond : system_.bonds) {
    for (const auto* inputs : {&bond.effort_node_inputs, &bond.flow_node_inputs}) {
      for (const Index input : *inputs) of_bond[input] = true;
    }
  }
  const auto is_physical = [&](const LinkTerm& term) {
    const Node& sender = system_.nodes[system_.outputs[term.output].node];
    return !sender.description->is_signal && !sender.description->algebraic &&
           live(sender)->energy_account() != nullptr;
  };
  for (Index input = 0; input < system_.inputs.size(); ++input) {
    const auto& link = system_.links[input];
    const Node& receiver = system_.nodes[system_.inputs[input].node];
    if (!link || receiver.description->algebraic) continue;
    const auto is_slower = [&](const LinkTerm& term) {
      const Node& sender = system_.nodes[system_.outputs[term.output].node];
      return !sender.description->algebraic && receiver.step_s < sender.step_s;
    };
    const bool follows = receiver.description->samples_input == InputSampling::continuous ||
                         std::any_of(link->terms.begin(), link->terms.end(), is_slower);
    follows_continuous_[input] =
        follows && (of_bond[input] || std::all_of(link->terms.begin(), link->terms.end(), is_physical));
  }
}

SlotAddress CouplingPlan::term(Index input, Index term) const {
  return {inputs_[input].stage, first_term_[input] + static_cast<std::uint32_t>(term)};
}

int CouplingPlan::degree(Index input) const {
  const auto& link = system_.links[input];
  if (!link) return 0;
  if (link->degree) return *link->degree;
  return !options_.only_followed || follows_continuous_[input] ? options_.degree : 0;
}

bool CouplingPlan::has_stale_efforts(const PowerBond& bond) const {
  const Node& sender = system_.nodes[bond.effort_node];
  if (sender.description->algebraic) return false;
  const auto& of_all = sender.description->outputs_of_all_inputs;
  const bool has_effort_of_all =
      !of_all.empty() &&
      std::any_of(bond.components.begin(), bond.components.end(), [&](const BondComponent& c) {
        return std::binary_search(of_all.begin(), of_all.end(), system_.outputs[c.effort_output].port);
      });
  const auto feeds_through = [&](Index input) {
    const auto& pairs = sender.description->feedthrough;
    return has_effort_of_all || std::any_of(pairs.begin(), pairs.end(), [&](const FeedthroughPair& pair) {
             return pair.input == system_.inputs[input].port &&
                    std::any_of(bond.components.begin(), bond.components.end(), [&](const BondComponent& c) {
                      return system_.outputs[c.effort_output].port == pair.output;
                    });
           });
  };
  return std::any_of(bond.effort_node_inputs.begin(), bond.effort_node_inputs.end(), [&](Index input) {
    return input_mode_[input] == FeedthroughMode::stale && feeds_through(input);
  });
}

Tick CouplingPlan::longest_period() const {
  Tick longest = 1;
  for (const StagePlan& stage : stepping()) longest = std::max(longest, stage.period);
  return longest;
}

Tick CouplingPlan::sampling_period(const StagePlan& stage) const {
  if (!stage.algebraic) return stage.period;
  Tick period = 0;
  for (const Index s : stage.related_stages) {
    const Tick other = sampling_period(stages_[s]);
    if (period == 0) {
      period = other;
    } else {
      period = stage.evaluate == EvaluateAt::sources ? std::lcm(period, other) : std::min(period, other);
    }
  }
  return period;
}

bool CouplingPlan::comes_from_faster(const StagePlan& reader, const LinkTerm& term) const {
  const SlotAddress source = outputs_[term.output];
  if (term.differentiate || source.kind != ValueKind::real) return false;
  const Tick period = sampling_period(stages_[source.stage]);
  // Between once and twice as often its own samples are about as far apart as the reader's points.
  return period > 0 && 2 * period <= reader.period;
}

int CouplingPlan::max_degree() const {
  int degree = 0;
  for (const StagePlan& stage : stages_) degree = std::max(degree, stage.exchange.max_degree());
  return degree;
}

void CouplingPlan::plan_evaluations() {
  std::map<std::pair<int, Index>, Evaluation> at_start;  // by level and stage
  std::map<std::pair<int, Index>, Evaluation>
      at_points;  // an element stage is evaluated as a whole: no members
  for (Index s = 0; s < stages_.size(); ++s) {
    const StagePlan& stage = stages_[s];
    std::vector<bool> refreshed(stage.slots, false);
    for (const std::uint32_t slot : stage.refreshed_slots) refreshed[slot] = true;
    for (std::uint32_t i = 0; i < stage.members.size(); ++i) {
      const Member& m = stage.members[i];
      const Node& node = system_.nodes[m.node];
      bool refreshes = false;
      for (std::uint32_t u = 0; u < m.input_count; ++u) refreshes = refreshes || refreshed[m.first_input + u];
      refreshes = refreshes || refreshes_discrete(stage, m);
      // At every depth that one of its outputs has: two laws may read each other's ports without a loop.
      std::set<int> levels(
          system_.output_level.begin() + static_cast<std::ptrdiff_t>(node.first_output),
          system_.output_level.begin() + static_cast<std::ptrdiff_t>(node.first_output + node.output_count));
      levels.erase(0);
      for (const int level : levels) {
        const auto evaluation = [&](auto& map) -> Evaluation& {
          return map.try_emplace({level, s}, Evaluation{s, level, {}}).first->second;
        };
        evaluation(at_start).members.push_back(i);
        if (stage.algebraic) evaluation(at_points);
        if (!stage.algebraic && refreshes) evaluation(at_points).members.push_back(i);
      }
    }
  }
  for (auto& [key, evaluation] : at_start) start_evaluations_.push_back(std::move(evaluation));
  for (auto& [key, evaluation] : at_points) point_evaluations_.push_back(std::move(evaluation));
}

/// Which element stages a stepping stage concerns within a Gauss–Seidel sweep, in order of evaluation.
void CouplingPlan::plan_sweeps() {
  for (const Evaluation& evaluation : point_evaluations_) {
    const StagePlan& law = stages_[evaluation.stage];
    if (!law.algebraic) continue;
    for (const Index s : law.related_stages) {
      StagePlan& related = stages_[s];
      (law.evaluate == EvaluateAt::sources ? related.read_by_laws : related.fed_by_laws)
          .push_back(evaluation.stage);
    }
  }
}

}  // namespace ergon
