#include <fmt/format.h>

#include <algorithm>

#include "ergon/coupling/engine_impl.hpp"

namespace ergon {
namespace {

/// Inputs on which some output of their node depends at the same instant.
std::vector<bool> inputs_with_feedthrough(const CoupledSystem& system) {
  std::vector<bool> any(system.inputs.size(), false);
  for (const Node& node : system.nodes) {
    for (const FeedthroughPair& pair : node.description.feedthrough) {
      Index first = node.first_input;
      for (Index p = 0; p < pair.input; ++p) first += node.description.inputs[p].size;
      for (Index i = 0; i < node.description.inputs[pair.input].size; ++i) any[first + i] = true;
    }
  }
  return any;
}

}  // namespace

KinematicPrediction Engine::Impl::kinematic_prediction(Index displacement_input) const {
  const auto unit = [&](Index input) -> const Unit& {
    const SignalName& signal = system.inputs[input];
    return system.nodes[signal.node].description.inputs[signal.port].unit;
  };
  // A motion has one source: one term each, and both from the same subsystem.
  const Index flow_input = system.links[displacement_input]->kinematic_partner;
  const LinkTerm& x = system.links[displacement_input]->terms.front();
  const LinkTerm& v = system.links[flow_input]->terms.front();
  KinematicPrediction p;
  p.displacement_slot = input_address[displacement_input].offset;
  p.flow_slot = input_address[flow_input].offset;
  p.source_stage = output_address[x.output].stage;
  p.displacement_source = output_address[x.output].offset;
  p.flow_source = output_address[v.output].offset;
  p.displacement_gain = x.gain;
  p.displacement_offset = x.offset;
  p.flow_gain = v.gain;
  if (!unit(displacement_input).is_unspecified() && !unit(flow_input).is_unspecified()) {
    p.flow_to_rate = unit(flow_input).factor / unit(displacement_input).factor;
  }
  return p;
}

void Engine::Impl::plan_feedthrough(ProblemList& problems) {
  const auto feeds_through = inputs_with_feedthrough(system);
  input_mode.assign(system.inputs.size(), FeedthroughMode::stale);
  // A flow is predicted together with its displacement, where that is predicted at all.
  std::vector<bool> predicted_with_displacement(system.inputs.size(), false);
  for (const auto& link : system.links) {
    if (link && link->kinematic_partner != Link::no_partner && feeds_through[link->input]) {
      predicted_with_displacement[link->kinematic_partner] = true;
    }
  }
  // Terms of sums follow the inputs in the slot order of wire().
  std::vector<std::uint32_t> next_term(stages.size());
  for (Index s = 0; s < stages.size(); ++s) next_term[s] = static_cast<std::uint32_t>(stages[s].input_count);

  for (Index input = 0; input < system.inputs.size(); ++input) {
    if (!system.links[input]) continue;
    const Link& link = *system.links[input];
    const SlotAddress address = input_address[input];
    Stage& stage = stages[address.stage];
    const Node& node = system.nodes[system.inputs[input].node];
    const bool is_sum = link.terms.size() > 1;
    const std::uint32_t first_term = next_term[address.stage];
    if (is_sum) next_term[address.stage] += static_cast<std::uint32_t>(link.terms.size());
    if (stage.algebraic || !feeds_through[input]) continue;

    const bool can_refresh = node.description.reevaluates_outputs;
    const auto said = link.feedthrough ? link.feedthrough : options.feedthrough;
    // Implicit schemes evaluate everything with what is known at the end of the step.
    const FeedthroughMode mode =
        scheme->implicit ? FeedthroughMode::refresh
                         : said.value_or(can_refresh ? FeedthroughMode::refresh : FeedthroughMode::predict);
    if (mode == FeedthroughMode::refresh && !can_refresh) {
      problems.error(node.where,
                     fmt::format("'{}' cannot re-evaluate its outputs, so {} is not possible.", node.name,
                                 scheme->implicit ? fmt::format("scheme = \"{}\"", scheme->name)
                                                  : std::string("feedthrough = \"refresh\"")),
                     scheme->implicit ? "Use scheme = \"jacobi\"." : "Use feedthrough = \"predict\".");
      continue;
    }
    input_mode[input] = mode;
    if (mode == FeedthroughMode::refresh) {
      stage.refreshed_slots.push_back(address.offset);
      for (std::uint32_t t = 0; is_sum && t < link.terms.size(); ++t)
        stage.refreshed_slots.push_back(first_term + t);
    } else if (mode == FeedthroughMode::predict) {
      if (link.kinematic_partner != Link::no_partner) {
        stage.kinematic.push_back(kinematic_prediction(input));
        continue;
      }
      if (predicted_with_displacement[input]) continue;
      stage.predicted_slots.push_back(address.offset);
      const int degree = std::max(1, link.degree.value_or(options.degree));
      if (is_sum) {
        stage.prediction.add_sum({address.offset, first_term, static_cast<std::uint32_t>(link.terms.size())});
      }
      for (std::uint32_t t = 0; t < link.terms.size(); ++t) {
        const SlotAddress source = output_address[link.terms[t].output];
        stage.prediction.add(is_sum ? first_term + t : address.offset, source.stage, source.offset, degree,
                             link.terms[t]);
      }
    }
  }
  for (Stage& stage : stages) {
    stage.evaluates_separately =
        !stage.refreshed_slots.empty() || !stage.kinematic.empty() || !stage.predicted_slots.empty();
    if (!stage.prediction.empty()) {
      stage.prediction_coefficients.assign(
          static_cast<std::size_t>(stage.prediction.max_degree() + 1) * stage.slots, 0.0);
    }
  }
}

}  // namespace ergon
