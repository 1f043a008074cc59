#include <fmt/format.h>

#include <algorithm>

#include "ergon/coupling/plan/coupling_plan.hpp"

namespace ergon {
namespace {

/// Inputs on which some output of their node depends at the same instant.
std::vector<bool> inputs_with_feedthrough(const CoupledSystem& system) {
  std::vector<bool> any(system.inputs.size(), false);
  for (const Node& node : system.nodes) {
    if (!node.description->outputs_of_all_inputs.empty())
      std::fill_n(any.begin() + static_cast<std::ptrdiff_t>(node.first_input), node.input_count, true);
    for (const FeedthroughPair& pair : node.description->feedthrough) {
      const Index first = node.port_inputs[pair.input];
      for (Index i = 0; i < node.description->inputs[pair.input].size; ++i) any[first + i] = true;
    }
  }
  return any;
}

}  // namespace

void CouplingPlan::plan_feedthrough(ProblemList& problems) {
  const auto feeds_through = inputs_with_feedthrough(system_);
  input_mode_.assign(system_.inputs.size(), FeedthroughMode::stale);
  // Where flows have a predictor of their own, outputs are evaluated with what that ended with.
  std::vector<bool> has_own_predictor(system_.inputs.size(), false);
  for (const PowerBond& bond : system_.bonds) {
    const std::string& name = predictor(bond);
    if (name.empty() || name == "polynomial") continue;
    for (const Index input : bond.effort_node_inputs) has_own_predictor[input] = true;
  }
  for (Index input = 0; input < system_.inputs.size(); ++input) {
    if (!system_.links[input]) continue;
    const Link& link = *system_.links[input];
    const SlotAddress address = inputs_[input];
    StagePlan& stage = stages_[address.stage];
    const Node& node = system_.nodes[system_.inputs[input].node];
    const bool is_sum = link.terms.size() > 1;
    const std::uint32_t first_term = first_term_[input];
    if (stage.algebraic || !feeds_through[input]) continue;

    const bool can_refresh = node.description->reevaluates_outputs;
    const auto said = link.feedthrough ? link.feedthrough : options_.feedthrough;
    // Implicit schemes evaluate everything with what is known at the end of the step.
    const FeedthroughMode mode = layout_.knows_the_end
                                     ? FeedthroughMode::refresh
                                     : said.value_or(has_own_predictor[input] ? FeedthroughMode::stale
                                                     : can_refresh            ? FeedthroughMode::refresh
                                                                              : FeedthroughMode::predict);
    if (mode == FeedthroughMode::refresh && !can_refresh) {
      problems.error(node.where,
                     fmt::format("'{}' cannot re-evaluate its outputs, so {} is not possible.", node.name,
                                 layout_.knows_the_end ? fmt::format("scheme = \"{}\"", layout_.scheme)
                                                       : std::string("feedthrough = \"refresh\"")),
                     layout_.knows_the_end ? "Use scheme = \"jacobi\"." : "Use feedthrough = \"predict\".");
      continue;
    }
    if (address.kind != ValueKind::real) {
      // What is held is predicted to be as it is.
      input_mode_[input] = mode == FeedthroughMode::refresh ? mode : FeedthroughMode::stale;
      if (mode == FeedthroughMode::refresh) {
        (address.kind == ValueKind::integer ? stage.refreshed_integers : stage.refreshed_texts)
            .push_back(address.offset);
      }
      continue;
    }
    input_mode_[input] = mode;
    if (mode == FeedthroughMode::refresh) {
      stage.refreshed_slots.push_back(address.offset);
      for (std::uint32_t t = 0; is_sum && t < link.terms.size(); ++t)
        stage.refreshed_slots.push_back(first_term + t);
    } else if (mode == FeedthroughMode::predict) {
      stage.predicted_inputs.push_back(input);
    }
  }
  for (StagePlan& stage : stages_) {
    stage.evaluates_separately = !stage.refreshed_slots.empty() || !stage.refreshed_integers.empty() ||
                                 !stage.refreshed_texts.empty() || !stage.predicted_inputs.empty();
  }
}

}  // namespace ergon
