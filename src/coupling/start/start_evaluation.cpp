#include "ergon/coupling/start/start_evaluation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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
  if (problems.has_errors()) return std::nullopt;
  for (Index s = 0; s < plan_.stages().size(); ++s) {
    point_inputs(s);
    state_.stage(s).adopt_point_inputs();
    if (auto failure = find_non_finite(plan_, plan_.stage(s), state_.stage(s).samples().newest(), t))
      return failure;
  }
  return std::nullopt;
}

void StartEvaluation::evaluate_all(ProblemList& problems) {
  const CoupledSystem& system = plan_.system();
  // First what depends on no input; feed-through outputs get a provisional value with the start inputs.
  for (Index s = 0; s < plan_.stages().size(); ++s) {
    double* plane = state_.stage(s).samples().restart(0);
    for (const Member& m : plan_.stage(s).members) ask(m, state_.stage(s).point_inputs().data(), plane);
  }
  const auto evaluations = plan_.start_evaluations();
  std::size_t next_loop = 0;  // loops and evaluations are in order of their levels
  std::size_t next = 0;
  for (int level = 1; level <= system.max_level; ++level) {
    for (; next < evaluations.size() && evaluations[next].level == level; ++next) {
      evaluate_members(evaluations[next]);
    }
    while (next_loop < system.loops.size() && system.output_level[system.loops[next_loop].front()] <= level) {
      if (!solve_loop(system.loops[next_loop], problems)) return;
      ++next_loop;
    }
  }
}

void StartEvaluation::ask(const Member& member, const double* inputs, double* outputs) {
  asked_ = &member;
  member.subsystem->outputs(plan_.grid().time_s(0), inputs + member.first_input,
                            outputs + member.first_output);
}

const double* StartEvaluation::point_inputs(Index s) {
  const StagePlan& stage = plan_.stage(s);
  StageState& state = state_.stage(s);
  stage.exchange.build(state_.rings(), plan_.grid(), 0, 0, state.weights(), state.point_inputs().data(),
                       stage.slots);
  return state.point_inputs().data();
}

void StartEvaluation::evaluate_members(const Evaluation& evaluation) {
  const StagePlan& stage = plan_.stage(evaluation.stage);
  const double* inputs = point_inputs(evaluation.stage);
  std::vector<double> trial(stage.output_count);
  for (const std::uint32_t i : evaluation.members) {
    const Member& m = stage.members[i];
    const Node& node = plan_.node_of(m);
    ask(m, inputs, trial.data());
    // Only the outputs of this depth: others may be the solution of a loop already.
    for (Index o = 0; o < node.output_count; ++o) {
      if (plan_.system().output_level[node.first_output + o] != evaluation.level) continue;
      value(node.first_output + o) = trial[m.first_output + o];
    }
  }
}

/// Newton on y − Y(y) = 0 over the outputs of one feed-through loop, everything else held.
bool StartEvaluation::solve_loop(const std::vector<Index>& loop, ProblemList& problems) {
  const CoupledSystem& system = plan_.system();
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
  for (const Evaluation& e : owners) trial[e.stage].resize(plan_.stage(e.stage).output_count);
  std::vector<double> y(loop.size());
  for (std::size_t i = 0; i < loop.size(); ++i) y[i] = value(loop[i]);

  const auto residual = [&](const double* x, double* r) {
    for (std::size_t i = 0; i < loop.size(); ++i) value(loop[i]) = x[i];
    for (const Evaluation& e : owners) {
      const double* inputs = point_inputs(e.stage);
      for (const std::uint32_t i : e.members) {
        const Member& m = plan_.stage(e.stage).members[i];
        ask(m, inputs, trial[e.stage].data());
      }
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
  std::string names;
  for (const Index o : loop) names += (names.empty() ? "" : ", ") + system.outputs[o].text;
  problems.error(
      system.nodes[system.outputs[loop.front()].node].where,
      fmt::format("The algebraic loop through {} has no solution at the start: {}.", names, result.reason),
      "Change the initial values, or break the loop by a subsystem without feed-through.");
  return false;
}

}  // namespace ergon
