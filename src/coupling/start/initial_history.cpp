#include <fmt/format.h>

#include <algorithm>

#include "ergon/coupling/start/start.hpp"

namespace ergon {

/// Samples before t₀ as the user gave them.
void Start::seed_initial_history() {
  const CouplingOptions& options = plan_.options();
  std::vector<std::string> names;
  for (const SignalName& s : system_.outputs) names.push_back(s.text);
  for (const auto& [name, values] : options.initial_history) {
    const auto output = system_.find_output(name);
    if (!output) {
      problems_.error({}, fmt::format("'initial_history' lists '{}', which is not an output.", name),
                      did_you_mean(name, names));
    } else if (system_.outputs[*output].type != PortType::real) {
      problems_.error({}, fmt::format("'initial_history' lists '{}', which is not a real.", name),
                      "Leave it out: only reals are extrapolated.");
    }
  }
  if (problems_.has_errors()) return;
  std::vector<bool> read(system_.outputs.size(), false);
  for (const auto& link : system_.links) {
    if (!link) continue;
    for (const LinkTerm& term : link->terms) read[term.output] = true;
  }
  const auto samples_of = [&](Index output) -> const std::vector<double>* {
    const auto given = options.initial_history.find(system_.outputs[output].text);
    return given == options.initial_history.end() ? nullptr : &given->second;
  };
  for (Index s = 0; s < plan_.stages().size(); ++s) {
    const StagePlan& stage = plan_.stage(s);
    SampleRing& samples = state_.stage(s).samples();
    // Samples that become visible together need histories of one depth; what nobody reads needs none.
    std::size_t depth = static_cast<std::size_t>(max_extrapolation_degree);
    std::optional<Index> with;
    std::optional<Index> without;
    for (const Member& m : stage.members) {
      const Node& node = system_.nodes[m.node];
      for (Index o = node.first_output; o < node.first_output + node.output_counts.reals; ++o) {
        const auto* given = samples_of(o);
        if (given != nullptr) with = o;
        if (!read[o]) continue;
        depth = std::min(depth, given == nullptr ? 0 : given->size());
        if (given == nullptr || given->empty()) without = o;
      }
    }
    const Tick period = plan_.sampling_period(stage);
    if (!with || period == 0) continue;
    if (without) {
      problems_.error(
          {},
          fmt::format(
              "'initial_history' has samples of '{}', but none of '{}', which is sent at the same time.",
              system_.outputs[*with].text, system_.outputs[*without].text),
          fmt::format("Give as many for '{}', or use starter = \"repeat\".", system_.outputs[*without].text));
      continue;
    }
    std::vector<double> plane(samples.sample(0), samples.sample(0) + samples.width());
    for (std::size_t j = 0; j < depth; ++j) {
      for (const Member& m : stage.members) {
        const Node& node = system_.nodes[m.node];
        for (Index o = 0; o < node.output_counts.reals; ++o) {
          const auto* given = samples_of(node.first_output + o);
          if (given != nullptr && j < given->size()) plane[m.first_output + o] = (*given)[j];
        }
      }
      if (!samples.append_older(-static_cast<Tick>(j + 1) * period, plane.data())) break;
    }
  }
  for (Index s = 0; s < plan_.stepping_stages(); ++s) {
    if (plan_.stage(s).keeps_own_points()) continue_own_points(s);
  }
}

/// What comes in at points of the stage before t₀, by the polynomials through the samples of the sources.
void Start::continue_own_points(Index s) {
  const StagePlan& stage = plan_.stage(s);
  SampleRing& own = state_.stage(s).own_points().samples;
  const auto known = static_cast<Tick>(stage.own_samples.shortest_history(state_.rings()));
  std::vector<double> inputs(stage.slots);
  for (Tick j = 1; j < known; ++j) {
    state_.own_inputs_at(s, -j * stage.period, inputs.data());
    if (!own.append_older(-j * stage.period, inputs.data())) break;
  }
}

}  // namespace ergon
