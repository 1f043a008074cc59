#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "ergon/core/live_subsystem.hpp"
#include "ergon/coupling/plan/coupling_plan.hpp"

// Which subsystems and elements belong together, and where their inputs and outputs lie.

namespace ergon {
namespace {

Member make_member(const CoupledSystem& system, Index node_index) {
  const Node& node = system.nodes[node_index];
  Member member;
  member.subsystem = live(node);
  member.law = dynamic_cast<const Element*>(member.subsystem);
  member.node = node_index;
  member.input_count = static_cast<std::uint32_t>(node.input_counts.reals);
  member.output_count = static_cast<std::uint32_t>(node.output_counts.reals);
  member.thread_safe = node.description->thread_safe;
  member.async = member.subsystem->async_steps();
  if (node.input_counts.has_discrete() || node.output_counts.has_discrete())
    member.discrete = member.subsystem->discrete_ports();
  member.samples_start = node.description->samples_input == InputSampling::start;
  return member;
}

int node_level(const CoupledSystem& system, const Node& node) {
  int level = 0;
  for (Index o = 0; o < node.output_count; ++o)
    level = std::max(level, system.output_level[node.first_output + o]);
  return level;
}

}  // namespace

void CouplingPlan::make_stages(ProblemList& problems) {
  for (const StageGroup& group : layout_.groups) {
    StagePlan& stage = stages_.emplace_back();
    stage.period = group.period;
    stage.executes_at_end = group.executes_at_end;
    stage.is_overlapped = group.is_overlapped;
    for (const Index n : group.nodes) {
      stage.members.push_back(make_member(system_, n));
      stage.members.back().substeps = static_cast<std::uint32_t>(group.period / periods_[n]);
    }
  }
  stepping_stages_ = stages_.size();
  if (problems.has_errors()) return;
  if (stepping_stages_ == 0) {
    problems.error({}, "There is no subsystem to step, only elements.", "Add at least one [[subsystem]].");
    return;
  }
  add_element_stages();
  number_slots();
  for (StagePlan& stage : stages_) wire(stage);
  for (StagePlan& stage : stages_) size_inputs(stage);
}

void CouplingPlan::add_element_stages() {
  constexpr Index nowhere = static_cast<Index>(-1);
  std::vector<Index> stage_of_node(system_.nodes.size(), nowhere);
  for (Index s = 0; s < stages_.size(); ++s) {
    for (const Member& m : stages_[s].members) stage_of_node[m.node] = s;
  }
  // Who reads whom, between nodes.
  std::vector<std::vector<Index>> sources(system_.nodes.size());
  std::vector<std::vector<Index>> readers(system_.nodes.size());
  for (const auto& link : system_.links) {
    if (!link) continue;
    for (const LinkTerm& term : link->terms) {
      const Index from = system_.outputs[term.output].node;
      const Index to = system_.inputs[link->input].node;
      sources[to].push_back(from);
      readers[from].push_back(to);
    }
  }
  std::vector<Index> elements;
  for (Index n = 0; n < system_.nodes.size(); ++n) {
    if (system_.nodes[n].description->algebraic) elements.push_back(n);
  }
  // All nodes from which (or to which) `n` is reached through elements that have no points of their own.
  std::vector<EvaluateAt> evaluate(system_.nodes.size(), EvaluateAt::sources);
  const auto reach = [&](Index n, const std::vector<std::vector<Index>>& neighbours,
                         bool through_receiver_laws) {
    std::vector<Index> found;
    std::vector<Index> open = neighbours[n];
    std::set<Index> seen;
    while (!open.empty()) {
      const Index other = open.back();
      open.pop_back();
      if (!seen.insert(other).second) continue;
      if (system_.nodes[other].description->algebraic &&
          (through_receiver_laws || evaluate[other] == EvaluateAt::sources)) {
        open.insert(open.end(), neighbours[other].begin(), neighbours[other].end());
      } else {
        found.push_back(other);
      }
    }
    return found;
  };
  // What no subsystem reads, only recorders, has no receiver whose points it could have: it has those of its sources.
  for (const Index n : elements) {
    if (system_.nodes[n].evaluate == EvaluateAt::receiver && !reach(n, readers, true).empty())
      evaluate[n] = EvaluateAt::receiver;
  }
  // Those sampled at receivers first: they are sources, at points of their own, of those sampled at sources.
  std::stable_sort(elements.begin(), elements.end(), [&](Index a, Index b) {
    const Node& x = system_.nodes[a];
    const Node& y = system_.nodes[b];
    if (evaluate[a] != evaluate[b]) return evaluate[a] == EvaluateAt::receiver;
    return node_level(system_, x) < node_level(system_, y);
  });
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
    const Node& node = system_.nodes[n];
    Signature signature{node_level(system_, node), evaluate[n], {}};
    const auto related =
        evaluate[n] == EvaluateAt::sources ? reach(n, sources, false) : reach(n, readers, true);
    for (const Index other : related) signature.related.push_back(stage_of_node[other]);
    std::sort(signature.related.begin(), signature.related.end());
    signature.related.erase(std::unique(signature.related.begin(), signature.related.end()),
                            signature.related.end());
    const auto [entry, is_new] = known.try_emplace(signature, stages_.size());
    if (is_new) {
      StagePlan& stage = stages_.emplace_back();
      stage.algebraic = true;
      stage.evaluate = evaluate[n];
      stage.level = signature.level;
      stage.related_stages = signature.related;
    }
    stages_[entry->second].members.push_back(make_member(system_, n));
    stage_of_node[n] = entry->second;
  }
}

void CouplingPlan::number_slots() {
  inputs_.resize(system_.inputs.size());
  outputs_.resize(system_.outputs.size());
  first_input_of_.resize(system_.nodes.size());
  first_term_.assign(system_.inputs.size(), 0);
  int most = std::max(1, options_.degree);
  for (const auto& link : system_.links) {
    if (link) most = std::max(most, link->degree.value_or(options_.degree));
  }
  for (Index s = 0; s < stages_.size(); ++s) {
    StagePlan& stage = stages_[s];
    const auto stage_index = static_cast<std::uint32_t>(s);
    std::uint32_t inputs = 0;
    std::uint32_t outputs = 0;
    for (Member& m : stage.members) {
      const Node& node = system_.nodes[m.node];
      m.first_input = inputs;
      m.first_output = outputs;
      first_input_of_[m.node] = {stage_index, inputs};
      for (std::uint32_t i = 0; i < m.input_count; ++i)
        inputs_[node.first_input + i] = {stage_index, inputs++};
      for (std::uint32_t o = 0; o < m.output_count; ++o)
        outputs_[node.first_output + o] = {stage_index, outputs++};
      if (m.discrete != nullptr) number_discrete(stage, stage_index, m);
    }
    stage.input_counts.reals = inputs;
    stage.output_counts.reals = outputs;
    stage.input_count = inputs;
    stage.output_count = outputs;
    std::uint32_t slots = inputs;  // terms of sums follow the inputs
    for (const Member& m : stage.members) {
      const Node& node = system_.nodes[m.node];
      for (Index input = node.first_input; input < node.first_input + node.input_counts.reals; ++input) {
        const auto& link = system_.links[input];
        const bool is_sum = link && link->terms.size() > 1;
        first_term_[input] = is_sum ? slots : inputs_[input].offset;
        if (is_sum) slots += static_cast<std::uint32_t>(link->terms.size());
      }
    }
    stage.slots = slots;
    // One sample more than the extrapolation needs: Gauss–Seidel may be a step ahead of the point being recorded, and
    // implicit schemes try samples of the end of the step.
    stage.samples_kept = static_cast<std::size_t>(most) + 2;
  }
}

void CouplingPlan::wire(StagePlan& stage) {
  for (const Member& m : stage.members) {
    const Node& node = system_.nodes[m.node];
    if (m.discrete != nullptr) wire_discrete(stage, node);
    for (Index input = node.first_input; input < node.first_input + node.input_counts.reals; ++input) {
      if (!system_.links[input]) continue;
      const Link& link = *system_.links[input];
      const int degree = layout_.knows_the_end ? options_.degree : this->degree(input);
      const ExchangeProgram::Sum sum{inputs_[input].offset, first_term_[input],
                                     static_cast<std::uint32_t>(link.terms.size())};
      if (sum.terms > 1) stage.exchange.add_sum(sum);
      for (std::uint32_t t = 0; t < sum.terms; ++t) {
        const LinkTerm& term = link.terms[t];
        const std::uint32_t slot = sum.first_term + t;
        add_term(stage.exchange, slot, degree, term);
        const bool held = term.differentiate || outputs_[term.output].kind != ValueKind::real;
        if (stage.executes_at_end) stage.own_exchange.add(slot, 0, slot, held ? 0 : degree, LinkTerm{});
      }
      if (sum.terms > 1 && stage.executes_at_end) stage.own_exchange.add_sum(sum);
    }
  }
}

/// After feed-through: what is predicted for the end of a step is continued over it, too.
void CouplingPlan::plan_own_points(StagePlan& stage) {
  if (stage.executes_at_end) {
    stage.own_samples = stage.exchange;
    return;
  }
  for (const Member& m : stage.members) {
    const Node& node = system_.nodes[m.node];
    for (Index input = node.first_input; input < node.first_input + node.input_counts.reals; ++input) {
      if (!system_.links[input]) continue;
      const Link& link = *system_.links[input];
      const int degree = layout_.knows_the_end ? options_.degree : this->degree(input);
      const bool predicted = std::find(stage.predicted_inputs.begin(), stage.predicted_inputs.end(), input) !=
                             stage.predicted_inputs.end();
      for (std::uint32_t t = 0; t < link.terms.size(); ++t) {
        const LinkTerm& term = link.terms[t];
        const std::uint32_t slot = first_term_[input] + t;
        const bool faster = comes_from_faster(stage, term);
        const bool follows = faster && degree > 0 && stage.follows_inputs;
        if (follows || (faster && predicted)) add_term(stage.own_samples, slot, std::max(1, degree), term);
        if (follows)
          stage.own_exchange.add(slot, 0, slot, degree, LinkTerm{});
        else
          add_term(stage.other_exchange, slot, degree, term);
      }
    }
  }
  if (stage.own_exchange.empty()) stage.other_exchange = {};
}

void CouplingPlan::size_inputs(StagePlan& stage) {
  const bool all_start = std::all_of(stage.members.begin(), stage.members.end(),
                                     [](const Member& m) { return m.samples_start && m.substeps == 1; });
  stage.follows_inputs = !stage.algebraic && !all_start;
  stage.start_inputs.assign(stage.slots, 0.0);
  for (const Member& m : stage.members) {
    const Node& node = system_.nodes[m.node];
    for (Index i = 0; i < node.input_counts.reals; ++i) {
      stage.start_inputs[m.first_input + i] = system_.input_start[node.first_input + i];
    }
  }
}

}  // namespace ergon
