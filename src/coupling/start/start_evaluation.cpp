#include "ergon/coupling/start/start_evaluation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ergon/core/ends_initialization.hpp"
#include "ergon/numerics/nonlinear_solver.hpp"

namespace ergon {

std::optional<Failure> StartEvaluation::evaluate(ProblemList& problems) {
  const double t = plan_.grid().time_s(0);
  try {
    evaluate_all(problems);
  } catch (...) {
    if (asked_ == nullptr) throw;
    return failure_of(plan_, *asked_, t, current_exception_text());
  }
  if (elsewhere_) return elsewhere_;
  if (problems.has_errors()) return std::nullopt;
  for (Index s = 0; s < plan_.stages().size(); ++s) {
    point_inputs(s);
    if (overflow_) return overflow_;
    state_.stage(s).adopt_point_inputs();
    if (auto failure = find_impossible(plan_, plan_.stage(s), state_.stage(s).samples().newest_integers(), t))
      return failure;
    if (auto failure = find_non_finite(plan_, plan_.stage(s), state_.stage(s).samples().newest(), t))
      return failure;
  }
  return std::nullopt;
}

void StartEvaluation::evaluate_all(ProblemList& problems) {
  const CoupledSystem& system = plan_.system();
  // First what depends on no input; feed-through outputs get a provisional value with the start inputs.
  for (Index s = 0; s < plan_.stages().size(); ++s) {
    state_.stage(s).samples().restart(0);
    const OutputPlanes plane = newest_of(state_.stage(s).samples());
    for (const Member& m : plan_.stage(s).members) {
      if (!waits_for_inputs(m)) ask(s, m, state_.stage(s).point_inputs().data(), plane);
    }
    if (!complete(s, {}, plane)) return;
  }
  if (!ask_those_that_wait()) return;
  const auto evaluations = plan_.start_evaluations();
  std::size_t next_loop = 0;  // loops and evaluations are in order of their levels
  std::size_t next = 0;
  for (int level = 1; level <= system.max_level; ++level) {
    for (; next < evaluations.size() && evaluations[next].level == level; ++next) {
      evaluate_members(evaluations[next]);
      if (elsewhere_) return;
    }
    while (next_loop < system.loops.size() && system.output_level[system.loops[next_loop].front()] <= level) {
      if (!solve_loop(system.loops[next_loop], problems)) return;
      ++next_loop;
    }
  }
}

bool StartEvaluation::waits_for_inputs(const Member& member) const {
  const EndsInitialization* const ends = member.subsystem->ends_initialization();
  if (ends == nullptr || !ends->needs_inputs_first()) return false;
  const Node& node = plan_.node_of(member);
  const auto& links = plan_.system().links;
  return std::any_of(links.begin() + node.first_input, links.begin() + node.first_input + node.input_count,
                     [](const auto& link) { return link.has_value(); });
}

/// Senders first; where they wait for each other, in the order of the system. Whose outputs all follow inputs at once is asked at the
/// depth of these.
bool StartEvaluation::ask_those_that_wait() {
  const CoupledSystem& system = plan_.system();
  struct Waiting {
    Index stage;
    const Member* member;
  };
  std::vector<Waiting> waiting;
  std::vector<std::size_t> place(system.nodes.size(),
                                 0);  // in `waiting`, counted from 1; 0: it does not wait, or not any more
  for (Index s = 0; s < plan_.stages().size(); ++s) {
    for (const Member& m : plan_.stage(s).members) {
      const Node& node = plan_.node_of(m);
      const auto levels = system.output_level.begin() + node.first_output;
      if (!waits_for_inputs(m) || std::count(levels, levels + node.output_count, 0) == 0) continue;
      waiting.push_back({s, &m});
      place[m.node] = waiting.size();
    }
  }
  const auto ask_after_senders = [&](const auto& self, Index n) -> void {
    const Waiting one = waiting[place[n] - 1];
    place[n] = 0;
    const Node& node = system.nodes[n];
    for (Index i = node.first_input; i < node.first_input + node.input_count; ++i) {
      if (!system.links[i]) continue;
      for (const LinkTerm& term : system.links[i]->terms) {
        const Index sender = system.outputs[term.output].node;
        if (place[sender] != 0) self(self, sender);
      }
    }
    ask(one.stage, *one.member, point_inputs(one.stage), newest_of(state_.stage(one.stage).samples()));
  };
  for (const Waiting& one : waiting) {
    if (place[one.member->node] != 0) ask_after_senders(ask_after_senders, one.member->node);
  }
  for (Index s = 0; s < plan_.stages().size(); ++s) {
    if (!complete(s, {}, newest_of(state_.stage(s).samples()))) return false;
  }
  return true;
}

void StartEvaluation::ask(Index stage, const Member& member, const double* inputs,
                          const OutputPlanes& outputs) {
  asked_ = &member;
  set_discrete_inputs(member, state_.stage(stage).discrete_point_inputs());
  ask_outputs(member, plan_.grid().time_s(0), inputs + member.first_input, outputs);
}

bool StartEvaluation::complete(Index stage, std::span<const std::uint32_t> members,
                               const OutputPlanes& outputs) {
  elsewhere_ = parts_.complete(stage, members, outputs);
  return !elsewhere_;
}

const double* StartEvaluation::point_inputs(Index s) {
  const StagePlan& stage = plan_.stage(s);
  StageState& state = state_.stage(s);
  stage.exchange.build(state_.rings(), plan_.grid(), 0, 0, state.weights(), state.point_inputs().data(),
                       stage.slots);
  const auto slot = stage.discrete_exchange.build_newest(state_.rings(), state.discrete_point_inputs());
  if (slot) overflow_ = overflow_of(plan_, s, *slot, plan_.grid().time_s(0));
  return state.point_inputs().data();
}

void StartEvaluation::evaluate_members(const Evaluation& evaluation) {
  const StagePlan& stage = plan_.stage(evaluation.stage);
  const double* inputs = point_inputs(evaluation.stage);
  SampleRing& samples = state_.stage(evaluation.stage).samples();
  std::vector<double> trial(stage.output_count);
  DiscreteValues discrete{std::vector<std::int64_t>(stage.output_counts.integers),
                          std::vector<std::string>(stage.output_counts.texts)};
  const OutputPlanes plane{trial.data(), discrete.integers.data(), discrete.texts.data()};
  for (const std::uint32_t i : evaluation.members) ask(evaluation.stage, stage.members[i], inputs, plane);
  if (!complete(evaluation.stage, evaluation.members, plane)) return;
  for (const std::uint32_t i : evaluation.members) {
    const Member& m = stage.members[i];
    const Node& node = plan_.node_of(m);
    // Only the outputs of this depth: others may be the solution of a loop already.
    for (Index o = 0; o < node.output_count; ++o) {
      if (plan_.system().output_level[node.first_output + o] != evaluation.level) continue;
      const SlotAddress a = plan_.output(node.first_output + o);
      if (a.kind == ValueKind::real) samples.newest()[a.offset] = trial[a.offset];
      if (a.kind == ValueKind::integer) samples.newest_integers()[a.offset] = discrete.integers[a.offset];
      if (a.kind == ValueKind::text) samples.newest_texts()[a.offset] = discrete.texts[a.offset];
    }
  }
}

/// Newton on y − Y(y) = 0 over the outputs of one feed-through loop, everything else held.
bool StartEvaluation::solve_loop(const std::vector<Index>& loop, ProblemList& problems) {
  const CoupledSystem& system = plan_.system();
  const auto discrete = std::find_if(loop.begin(), loop.end(),
                                     [&](Index o) { return system.outputs[o].type != PortType::real; });
  if (discrete != loop.end()) {
    problems.error(
        system.nodes[system.outputs[*discrete].node].where,
        fmt::format("'{}' depends on itself at the same instant, and is not a real that could be solved for.",
                    system.outputs[*discrete].text),
        "Put something with a state into the loop, such as a subsystem that remembers the last value.");
    return false;
  }
  const auto owners = [&] {
    std::vector<Evaluation> list;
    for (Index s = 0; s < plan_.stages().size(); ++s) {
      const std::vector<Member>& members = plan_.stage(s).members;
      Evaluation e{s, 0, {}};
      for (std::uint32_t i = 0; i < members.size(); ++i) {
        const Index node = members[i].node;
        if (std::any_of(loop.begin(), loop.end(), [&](Index o) { return system.outputs[o].node == node; })) {
          e.members.push_back(i);
        }
      }
      if (!e.members.empty()) list.push_back(std::move(e));
    }
    return list;
  }();
  // Outputs are evaluated beside the samples: an owner may have outputs outside the loop, or in another one.
  std::vector<std::vector<double>> trial(plan_.stages().size());
  std::vector<DiscreteValues> trial_discrete(plan_.stages().size());
  for (const Evaluation& e : owners) {
    const ValueCounts& counts = plan_.stage(e.stage).output_counts;
    trial[e.stage].resize(counts.reals);
    trial_discrete[e.stage].integers.resize(counts.integers);
    trial_discrete[e.stage].texts.resize(counts.texts);
  }
  std::vector<double> y(loop.size());
  for (std::size_t i = 0; i < loop.size(); ++i) y[i] = value(loop[i]);

  const auto residual = [&](const double* x, double* r) {
    for (std::size_t i = 0; i < loop.size(); ++i) value(loop[i]) = x[i];
    for (const Evaluation& e : owners) {
      const double* inputs = point_inputs(e.stage);
      // Integers and texts of the loop's members stay as they are: none of them is in a loop of reals.
      const OutputPlanes plane{trial[e.stage].data(), trial_discrete[e.stage].integers.data(),
                               trial_discrete[e.stage].texts.data()};
      for (const std::uint32_t i : e.members) ask(e.stage, plan_.stage(e.stage).members[i], inputs, plane);
      if (!complete(e.stage, e.members, plane)) return false;
    }
    bool finite = true;
    for (std::size_t i = 0; i < loop.size(); ++i) {
      const SlotAddress a = plan_.output(loop[i]);
      r[i] = x[i] - trial[a.stage][a.offset];
      finite = finite && std::isfinite(r[i]);
    }
    return finite;
  };
  const auto result = numerics::solve_nonlinear(loop.size(), residual, y.data());
  for (std::size_t i = 0; i < loop.size(); ++i) value(loop[i]) = y[i];
  if (result.converged) return true;
  if (elsewhere_) return false;
  std::string names;
  for (const Index o : loop) names += (names.empty() ? "" : ", ") + system.outputs[o].text;
  problems.error(
      system.nodes[system.outputs[loop.front()].node].where,
      fmt::format("The algebraic loop through {} has no solution at the start: {}.", names, result.reason),
      "Change the initial values, or break the loop by a subsystem without feed-through.");
  return false;
}

}  // namespace ergon
