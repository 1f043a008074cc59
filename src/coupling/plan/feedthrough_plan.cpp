#include <fmt/format.h>

#include <algorithm>

#include "ergon/coupling/plan/coupling_plan.hpp"

namespace ergon {
namespace {

/// Inputs on which some output of their node depends at the same instant.
std::vector<bool> inputs_with_feedthrough(const CoupledSystem& system) {
  std::vector<bool> any(system.inputs.size(), false);
  for (const Node& node : system.nodes) {
    for (const FeedthroughPair& pair : node.description->feedthrough) {
      const Index first = node.port_inputs[pair.input];
      for (Index i = 0; i < node.description->inputs[pair.input].size; ++i) any[first + i] = true;
    }
  }
  return any;
}

}  // namespace

KinematicPrediction CouplingPlan::kinematic_prediction(Index displacement_input) const {
  const auto unit = [&](Index input) -> const Unit& {
    const SignalName& signal = system_.inputs[input];
    return system_.nodes[signal.node].description->inputs[signal.port].unit;
  };
  // A motion has one source: one term each, and both from the same subsystem.
  const Index flow_input = system_.links[displacement_input]->kinematic_partner;
  const LinkTerm& x = system_.links[displacement_input]->terms.front();
  const LinkTerm& v = system_.links[flow_input]->terms.front();
  KinematicPrediction p;
  p.displacement_slot = inputs_[displacement_input].offset;
  p.flow_slot = inputs_[flow_input].offset;
  p.source_stage = outputs_[x.output].stage;
  p.displacement_source = outputs_[x.output].offset;
  p.flow_source = outputs_[v.output].offset;
  p.displacement_gain = x.gain;
  p.displacement_offset = x.offset;
  p.flow_gain = v.gain;
  p.flow_to_rate = rate_factor(unit(flow_input), unit(displacement_input));
  return p;
}

void CouplingPlan::plan_feedthrough(ProblemList& problems) {
  const auto feeds_through = inputs_with_feedthrough(system_);
  input_mode_.assign(system_.inputs.size(), FeedthroughMode::stale);
  // A flow is predicted together with its displacement, where that is predicted at all, as long as the second-order law of
  // motion is as good as the extrapolation. Beyond, each is predicted with the degree that it is extrapolated with.
  const auto by_motion = [&](const Link& link) {
    return link.kinematic_partner != Link::no_partner && degree(link.kinematic_partner) < 2;
  };
  std::vector<bool> predicted_with_displacement(system_.inputs.size(), false);
  for (const auto& link : system_.links) {
    if (link && by_motion(*link) && feeds_through[link->input]) {
      predicted_with_displacement[link->kinematic_partner] = true;
    }
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
    const FeedthroughMode mode =
        layout_.knows_the_end
            ? FeedthroughMode::refresh
            : said.value_or(can_refresh ? FeedthroughMode::refresh : FeedthroughMode::predict);
    if (mode == FeedthroughMode::refresh && !can_refresh) {
      problems.error(node.where,
                     fmt::format("'{}' cannot re-evaluate its outputs, so {} is not possible.", node.name,
                                 layout_.knows_the_end ? fmt::format("scheme = \"{}\"", layout_.scheme)
                                                       : std::string("feedthrough = \"refresh\"")),
                     layout_.knows_the_end ? "Use scheme = \"jacobi\"." : "Use feedthrough = \"predict\".");
      continue;
    }
    if (address.lane != Lane::real) {
      // What is held is predicted to be as it is.
      input_mode_[input] = mode == FeedthroughMode::refresh ? mode : FeedthroughMode::stale;
      if (mode == FeedthroughMode::refresh) {
        (address.lane == Lane::integer ? stage.refreshed_integers : stage.refreshed_texts)
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
      if (by_motion(link)) {
        stage.kinematic.push_back(kinematic_prediction(input));
        continue;
      }
      if (predicted_with_displacement[input]) continue;
      stage.predicted_slots.push_back(address.offset);
      const int degree = std::max(1, this->degree(input));
      if (is_sum) {
        stage.prediction.add_sum({address.offset, first_term, static_cast<std::uint32_t>(link.terms.size())});
      }
      for (std::uint32_t t = 0; t < link.terms.size(); ++t) {
        add_term(stage.prediction, is_sum ? first_term + t : address.offset, degree, link.terms[t]);
      }
    }
  }
  for (StagePlan& stage : stages_) {
    stage.evaluates_separately = !stage.refreshed_slots.empty() || !stage.refreshed_integers.empty() ||
                                 !stage.refreshed_texts.empty() || !stage.kinematic.empty() ||
                                 !stage.predicted_slots.empty();
  }
}

}  // namespace ergon
