#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "ergon/coupling/engine_impl.hpp"

namespace ergon {

Engine::Impl::Impl(CoupledSystem& coupled_system, TimeGrid time_grid, const CouplingOptions& coupling_options,
                   ProblemList& problems)
    : system(coupled_system),
      grid(time_grid),
      options(coupling_options),
      scheme(find_scheme(options.scheme)) {
  if (scheme == nullptr) {
    std::vector<std::string> names;
    for (const Scheme& s : schemes()) names.emplace_back(s.name);
    problems.error({}, fmt::format("There is no scheme '{}'.", options.scheme),
                   did_you_mean(options.scheme, names));
    return;
  }
  check_options(problems);
  for (const Node& node : system.nodes) {
    periods.push_back(node.description.algebraic ? 0 : grid.ticks(node.step_s));
  }
  build_stages(problems);
  if (problems.has_errors()) return;
  plan_feedthrough(problems);
  plan_evaluations();
  plan_sweeps();
  make_monitors();
  if (options.threads > 1) pool = std::make_unique<ThreadPool>(options.threads);
  if (!problems.has_errors()) plan_implicit(problems);
  if (!problems.has_errors()) plan_corrections(problems);
  if (!problems.has_errors()) plan_step_control(problems);
}

void Engine::Impl::check_options(ProblemList& problems) const {
  const auto check_degree = [&](int degree, const SourceLocation& where) {
    if (degree >= 0 && degree <= max_extrapolation_degree) return;
    problems.error(where, fmt::format("There is no extrapolation of degree {}.", degree),
                   fmt::format("Choose from: {}.", extrapolation_names()));
  };
  check_degree(options.degree, {});
  for (const auto& link : system.links) {
    if (link && link->degree)
      check_degree(*link->degree, system.nodes[system.inputs[link->input].node].where);
  }
  if (options.starter != Starter::none && !options.initial_history.empty()) {
    problems.error({}, "Both a starter and an initial_history fill the history before the start.",
                   "Leave one of them out.");
  }
}

namespace {

Member make_member(const CoupledSystem& system, Index node_index) {
  const Node& node = system.nodes[node_index];
  Member member;
  member.subsystem = node.subsystem.get();
  member.law = dynamic_cast<const Element*>(member.subsystem);
  member.node = node_index;
  member.input_count = static_cast<std::uint32_t>(node.input_count);
  member.output_count = static_cast<std::uint32_t>(node.output_count);
  member.samples_start = node.description.samples_input == InputSampling::start;
  return member;
}

int node_level(const CoupledSystem& system, const Node& node) {
  int level = 0;
  for (Index o = 0; o < node.output_count; ++o)
    level = std::max(level, system.output_level[node.first_output + o]);
  return level;
}

}  // namespace

void Engine::Impl::build_stages(ProblemList& problems) {
  const SchemeRequest request{system, periods, options.order};
  for (const StagePlan& plan : scheme->plan(request, problems)) {
    Stage& stage = stages.emplace_back();
    stage.period = plan.period;
    stage.executes_at_end = plan.executes_at_end;
    for (const Index n : plan.nodes) stage.members.push_back(make_member(system, n));
  }
  stepping_stages = stages.size();
  if (problems.has_errors()) return;
  if (stepping_stages == 0) {
    problems.error({}, "There is no subsystem to step, only elements.", "Add at least one [[subsystem]].");
    return;
  }
  add_element_stages();
  number_slots();
  for (Index s = 0; s < stages.size(); ++s) wire(stages[s], s);
  plan_hermite();
  for (Index s = 0; s < stages.size(); ++s) reserve_inputs(stages[s], s);
  for (Stage& stage : stages) {
    rings.push_back(&stage.samples);
    stage.own_rings = {&stage.own_points};
    plain_inputs.resize(std::max(plain_inputs.size(), stage.slots));
  }
}

void Engine::Impl::add_element_stages() {
  constexpr Index nowhere = static_cast<Index>(-1);
  std::vector<Index> stage_of_node(system.nodes.size(), nowhere);
  for (Index s = 0; s < stages.size(); ++s) {
    for (const Member& m : stages[s].members) stage_of_node[m.node] = s;
  }
  // Who reads whom, between nodes.
  std::vector<std::vector<Index>> sources(system.nodes.size());
  std::vector<std::vector<Index>> readers(system.nodes.size());
  for (const auto& link : system.links) {
    if (!link) continue;
    for (const LinkTerm& term : link->terms) {
      const Index from = system.outputs[term.output].node;
      const Index to = system.inputs[link->input].node;
      sources[to].push_back(from);
      readers[from].push_back(to);
    }
  }
  std::vector<Index> elements;
  for (Index n = 0; n < system.nodes.size(); ++n) {
    if (system.nodes[n].description.algebraic) elements.push_back(n);
  }
  // Those sampled at receivers first: they are sources, at points of their own, of those sampled at sources.
  std::stable_sort(elements.begin(), elements.end(), [&](Index a, Index b) {
    const Node& x = system.nodes[a];
    const Node& y = system.nodes[b];
    if (x.evaluate != y.evaluate) return x.evaluate == EvaluateAt::receiver;
    return node_level(system, x) < node_level(system, y);
  });
  // All nodes from which (or to which) `n` is reached through elements that have no points of their own.
  const auto reach = [&](Index n, const std::vector<std::vector<Index>>& neighbours,
                         bool through_receiver_laws) {
    std::vector<Index> found;
    std::vector<Index> open = neighbours[n];
    std::set<Index> seen;
    while (!open.empty()) {
      const Index other = open.back();
      open.pop_back();
      if (!seen.insert(other).second) continue;
      const Node& node = system.nodes[other];
      if (node.description.algebraic && (through_receiver_laws || node.evaluate == EvaluateAt::sources)) {
        open.insert(open.end(), neighbours[other].begin(), neighbours[other].end());
      } else {
        found.push_back(other);
      }
    }
    return found;
  };
  struct Signature {
    int level;
    EvaluateAt evaluate;
    std::vector<Index> related;
    bool operator<(const Signature& o) const {
      return std::tie(level, evaluate, related) < std::tie(o.level, o.evaluate, o.related);
    }
  };
  std::map<Signature, Index> known;
  for (const Index n : elements) {
    const Node& node = system.nodes[n];
    Signature signature{node_level(system, node), node.evaluate, {}};
    const auto related =
        node.evaluate == EvaluateAt::sources ? reach(n, sources, false) : reach(n, readers, true);
    for (const Index other : related) signature.related.push_back(stage_of_node[other]);
    std::sort(signature.related.begin(), signature.related.end());
    signature.related.erase(std::unique(signature.related.begin(), signature.related.end()),
                            signature.related.end());
    const auto [entry, is_new] = known.try_emplace(signature, stages.size());
    if (is_new) {
      Stage& stage = stages.emplace_back();
      stage.algebraic = true;
      stage.evaluate = node.evaluate;
      stage.level = signature.level;
      stage.related_stages = signature.related;
    }
    stages[entry->second].members.push_back(make_member(system, n));
    stage_of_node[n] = entry->second;
  }
}

void Engine::Impl::number_slots() {
  input_address.resize(system.inputs.size());
  output_address.resize(system.outputs.size());
  int max_degree = std::max(1, options.degree);
  for (const auto& link : system.links) {
    if (link) max_degree = std::max(max_degree, link->degree.value_or(options.degree));
  }
  for (Index s = 0; s < stages.size(); ++s) {
    Stage& stage = stages[s];
    std::uint32_t inputs = 0;
    std::uint32_t outputs = 0;
    for (Member& m : stage.members) {
      const Node& node = system.nodes[m.node];
      m.first_input = inputs;
      m.first_output = outputs;
      for (std::uint32_t i = 0; i < m.input_count; ++i) {
        input_address[node.first_input + i] = {static_cast<std::uint32_t>(s), inputs++};
      }
      for (std::uint32_t o = 0; o < m.output_count; ++o) {
        output_address[node.first_output + o] = {static_cast<std::uint32_t>(s), outputs++};
      }
    }
    stage.input_count = inputs;
    // One sample more than the extrapolation needs: Gauss–Seidel may be a step ahead of the point being recorded, and
    // implicit schemes try samples of the end of the step.
    stage.samples = SampleRing(static_cast<std::size_t>(max_degree) + 2, outputs);
  }
}

void Engine::Impl::wire(Stage& stage, Index stage_index) {
  std::uint32_t slots = static_cast<std::uint32_t>(stage.input_count);
  for (Index input = 0; input < system.inputs.size(); ++input) {
    if (input_address[input].stage != stage_index || !system.links[input]) continue;
    const Link& link = *system.links[input];
    const int degree = scheme->implicit ? options.degree : link.degree.value_or(options.degree);
    const std::uint32_t slot = input_address[input].offset;
    const bool is_sum = link.terms.size() > 1;
    if (is_sum) stage.exchange.add_sum({slot, slots, static_cast<std::uint32_t>(link.terms.size())});
    for (const LinkTerm& term : link.terms) {
      const SlotAddress source = output_address[term.output];
      const std::uint32_t term_slot = is_sum ? slots++ : slot;
      stage.exchange.add(term_slot, source.stage, source.offset, degree, term);
      stage.own_exchange.add(term_slot, 0, term_slot, term.differentiate ? 0 : degree, LinkTerm{});
    }
    if (is_sum)
      stage.own_exchange.add_sum({slot, slots - static_cast<std::uint32_t>(link.terms.size()),
                                  static_cast<std::uint32_t>(link.terms.size())});
  }
  stage.slots = slots;
}

void Engine::Impl::reserve_inputs(Stage& stage, Index stage_index) {
  const bool all_start = std::all_of(stage.members.begin(), stage.members.end(),
                                     [](const Member& m) { return m.samples_start; });
  stage.degree_cap = stage.algebraic || all_start ? 0 : stage.exchange.max_degree();
  stage.coefficients.assign(static_cast<std::size_t>(stage.degree_cap + 1) * stage.slots, 0.0);
  stage.scratch.assign(stage.slots, 0.0);
  for (Index input = 0; input < system.inputs.size(); ++input) {
    if (input_address[input].stage != stage_index) continue;
    stage.coefficients[input_address[input].offset] = system.input_start[input];
    stage.scratch[input_address[input].offset] = system.input_start[input];
  }
  stage.end_values = stage.scratch;
  stage.evaluated_with = stage.scratch;
  if (stage.executes_at_end) {
    stage.own_points = SampleRing(static_cast<std::size_t>(stage.exchange.max_degree()) + 2, stage.slots);
  }
}

void Engine::Impl::plan_evaluations() {
  std::map<std::pair<int, Index>, Evaluation> at_start;  // by level and stage
  std::map<std::pair<int, Index>, Evaluation>
      at_points;  // an element stage is evaluated as a whole: no members
  for (Index s = 0; s < stages.size(); ++s) {
    const Stage& stage = stages[s];
    std::vector<bool> refreshed(stage.slots, false);
    for (const std::uint32_t slot : stage.refreshed_slots) refreshed[slot] = true;
    for (std::uint32_t i = 0; i < stage.members.size(); ++i) {
      const Member& m = stage.members[i];
      const Node& node = system.nodes[m.node];
      bool refreshes = false;
      for (std::uint32_t u = 0; u < m.input_count; ++u) refreshes = refreshes || refreshed[m.first_input + u];
      // At every depth that one of its outputs has: two laws may read each other's ports without a loop.
      std::set<int> levels(
          system.output_level.begin() + static_cast<std::ptrdiff_t>(node.first_output),
          system.output_level.begin() + static_cast<std::ptrdiff_t>(node.first_output + node.output_count));
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
  for (auto& [key, evaluation] : at_start) start_evaluations.push_back(std::move(evaluation));
  for (auto& [key, evaluation] : at_points) point_evaluations.push_back(std::move(evaluation));
}

/// Which element stages a stepping stage concerns within a Gauss–Seidel sweep, in order of evaluation.
void Engine::Impl::plan_sweeps() {
  for (const Evaluation& evaluation : point_evaluations) {
    const Stage& law = stages[evaluation.stage];
    if (!law.algebraic) continue;
    for (const Index s : law.related_stages) {
      Stage& related = stages[s];
      (law.evaluate == EvaluateAt::sources ? related.read_by_laws : related.fed_by_laws)
          .push_back(evaluation.stage);
    }
  }
}

void Engine::Impl::make_monitors() {
  for (const PowerBond& bond : system.bonds) {
    std::vector<std::uint32_t> effort_slots;
    for (const BondComponent& c : bond.components) {
      if (bond.observed_only) break;
      std::uint32_t slot = input_address[c.effort_input].offset;
      if (c.effort_input_shared) {
        // Terms of sums were numbered in the order of inputs: count up to this one.
        const Index stage_index = input_address[c.effort_input].stage;
        std::uint32_t term = static_cast<std::uint32_t>(stages[stage_index].input_count);
        for (Index input = 0; input < c.effort_input; ++input) {
          if (input_address[input].stage != stage_index || !system.links[input]) continue;
          const std::size_t n = system.links[input]->terms.size();
          if (n > 1) term += static_cast<std::uint32_t>(n);
        }
        slot = term + static_cast<std::uint32_t>(c.effort_term);
      }
      effort_slots.push_back(slot);
    }
    monitors.emplace_back(system, bond, input_address, output_address, effort_slots, stages);
  }
  bond_records.resize(monitors.size());
}

}  // namespace ergon
