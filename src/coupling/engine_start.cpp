#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ergon/core/start_condition.hpp"
#include "ergon/coupling/engine_impl.hpp"
#include "ergon/numerics/nonlinear_solver.hpp"

namespace ergon {

std::optional<Failure> Engine::Impl::initialize(ProblemList& problems) {
  reset_clock();
  for (const Stage& stage : stages) {
    for (std::size_t i = 0; i < stage.members.size(); ++i) {
      const StepStatus status = stage.members[i].subsystem->initialize(grid.time_s(0));
      if (!status.ok) return failure_of(stage, i, grid.time_s(0), status.reason);
    }
  }
  if (options.equilibrium) solve_equilibrium(problems);
  if (problems.has_errors()) return std::nullopt;
  if (auto failure = evaluate_everything(problems)) return failure;
  if (problems.has_errors()) return std::nullopt;
  check_stated_inputs(problems);
  check_start_conditions(problems);
  report_loops(problems);
  if (problems.has_errors()) return std::nullopt;
  if (options.starter == Starter::repeat && implicit == nullptr) {
    if (auto failure = run_starter(problems)) return failure;
  }
  if (implicit == nullptr) seed_initial_history(problems);
  start_books();
  if (implicit != nullptr) implicit->restart();
  if (control != nullptr) control->start(*this);
  return std::nullopt;
}

void Engine::Impl::reset_clock() {
  now = anchor = 0;
  clamped = false;
  for (Stage& stage : stages) {
    stage.start = stage.next = 0;
    stage.steps = 0;
    for (KinematicPrediction& p : stage.kinematic) p.samples = 0;
    stage.books.assign(stage.members.size(), {});
  }
}

std::optional<Failure> Engine::Impl::evaluate_everything(ProblemList& problems) {
  const double t = grid.time_s(0);
  // First what depends on no input; feed-through outputs get a provisional value with the start inputs.
  for (Stage& stage : stages) {
    double* plane = stage.samples.restart(0);
    for (const Member& m : stage.members) {
      m.subsystem->outputs(t, stage.scratch.data() + m.first_input, plane + m.first_output);
    }
  }
  std::size_t next_loop = 0;  // loops and evaluations are in order of their levels
  std::size_t next = 0;
  for (int level = 1; level <= system.max_level; ++level) {
    for (; next < start_evaluations.size() && start_evaluations[next].level == level; ++next) {
      evaluate_members(start_evaluations[next]);
    }
    while (next_loop < system.loops.size() && system.output_level[system.loops[next_loop].front()] <= level) {
      if (!solve_loop(system.loops[next_loop], problems)) return std::nullopt;
      ++next_loop;
    }
  }
  for (Stage& stage : stages) {
    stage.exchange.build(rings, grid, 0, 0, stage.scratch.data(), stage.slots);
    std::copy(stage.scratch.begin(), stage.scratch.end(), stage.coefficients.begin());
    stage.end_values = stage.scratch;
    stage.evaluated_with = stage.scratch;
    if (stage.executes_at_end) {
      std::copy(stage.scratch.begin(), stage.scratch.end(), stage.own_points.restart(0));
    }
    if (auto failure = find_non_finite(stage, stage.samples.newest(), t)) return failure;
  }
  return std::nullopt;
}

void Engine::Impl::evaluate_members(const Evaluation& evaluation) {
  Stage& stage = stages[evaluation.stage];
  stage.exchange.build(rings, grid, 0, 0, stage.scratch.data(), stage.slots);
  std::vector<double> trial(stage.samples.width());
  for (const std::uint32_t i : evaluation.members) {
    const Member& m = stage.members[i];
    const Node& node = system.nodes[m.node];
    m.subsystem->outputs(grid.time_s(0), stage.scratch.data() + m.first_input, trial.data() + m.first_output);
    // Only the outputs of this depth: others may be the solution of a loop already.
    for (Index o = 0; o < node.output_count; ++o) {
      if (system.output_level[node.first_output + o] != evaluation.level) continue;
      stage.samples.newest()[m.first_output + o] = trial[m.first_output + o];
    }
  }
}

/// Newton on y − Y(y) = 0 over the outputs of one feed-through loop, everything else held.
bool Engine::Impl::solve_loop(const std::vector<Index>& loop, ProblemList& problems) {
  const auto value = [&](Index output) -> double& {
    const SlotAddress a = output_address[output];
    return stages[a.stage].samples.newest()[a.offset];
  };
  const auto owners = [&] {
    std::vector<Evaluation> list;
    for (Index s = 0; s < stages.size(); ++s) {
      Evaluation e{s, 0, {}};
      for (std::uint32_t i = 0; i < stages[s].members.size(); ++i) {
        const Index node = stages[s].members[i].node;
        if (std::any_of(loop.begin(), loop.end(), [&](Index o) { return system.outputs[o].node == node; })) {
          e.members.push_back(i);
        }
      }
      if (!e.members.empty()) list.push_back(std::move(e));
    }
    return list;
  }();
  // Outputs are evaluated beside the samples: an owner may have outputs outside the loop, or in another one.
  std::vector<std::vector<double>> trial(stages.size());
  for (const Evaluation& e : owners) trial[e.stage].resize(stages[e.stage].samples.width());
  std::vector<double> y(loop.size());
  for (std::size_t i = 0; i < loop.size(); ++i) y[i] = value(loop[i]);

  const auto residual = [&](const double* x, double* r) {
    for (std::size_t i = 0; i < loop.size(); ++i) value(loop[i]) = x[i];
    for (const Evaluation& e : owners) {
      Stage& stage = stages[e.stage];
      stage.exchange.build(rings, grid, 0, 0, stage.scratch.data(), stage.slots);
      for (const std::uint32_t i : e.members) {
        const Member& m = stage.members[i];
        m.subsystem->outputs(grid.time_s(0), stage.scratch.data() + m.first_input,
                             trial[e.stage].data() + m.first_output);
      }
    }
    bool finite = true;
    for (std::size_t i = 0; i < loop.size(); ++i) {
      const SlotAddress a = output_address[loop[i]];
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

void Engine::Impl::report_loops(ProblemList& problems) const {
  for (const auto& loop : system.loops) {
    std::string names;
    for (const Index o : loop) names += (names.empty() ? "" : ", ") + system.outputs[o].text;
    problems.warning(
        system.nodes[system.outputs[loop.front()].node].where,
        fmt::format("Outputs {} depend on each other at the same instant. The loop is solved at the start; "
                    "during stepping it is closed with values of the last communication point.",
                    names),
        "Give one of the subsystems a state at the interface to break the loop.");
  }
}

/// A stated start value of a connected input must be what arrives there.
void Engine::Impl::check_stated_inputs(ProblemList& problems) const {
  for (Index input = 0; input < system.inputs.size(); ++input) {
    const auto& stated = system.stated_input_start[input];
    if (!stated || !system.links[input]) continue;
    const SlotAddress a = input_address[input];
    const double arrives = stages[a.stage].coefficients[a.offset];
    const double scale = std::max({std::abs(*stated), std::abs(arrives), 1e-9});
    if (std::abs(*stated - arrives) <= 1e-9 * scale) continue;
    const Node& node = system.nodes[system.inputs[input].node];
    const std::string source = system.outputs[system.links[input]->terms.front().output].text;
    problems.error(
        node.where,
        fmt::format("Initial values do not fit: '{}' is said to start at {}, but '{}' gives it {}.",
                    system.inputs[input].text, *stated, source, arrives),
        fmt::format("Make both ends agree, or leave '{}' out of 'initial'.", system.inputs[input].text));
  }
}

void Engine::Impl::check_start_conditions(ProblemList& problems) const {
  for (const Node& node : system.nodes) {
    const auto* condition = dynamic_cast<const StartCondition*>(node.subsystem.get());
    if (condition == nullptr) continue;
    const SlotAddress a = input_address[node.first_input];
    const std::string misfit = condition->misfit_at_start(stages[a.stage].coefficients.data() + a.offset);
    if (misfit.empty()) continue;
    problems.error(node.where, fmt::format("'{}' cannot start: {}.", node.name, misfit),
                   "Make both agree: change its parameters, or what gives it this input.");
  }
}

void Engine::Impl::seed_initial_history(ProblemList& problems) {
  if (options.initial_history.empty()) return;
  std::vector<std::string> names;
  for (const SignalName& s : system.outputs) names.push_back(s.text);
  for (const auto& [name, values] : options.initial_history) {
    if (!system.find_output(name)) {
      problems.error({}, fmt::format("'initial_history' names '{}', which is no output.", name),
                     did_you_mean(name, names));
    }
  }
  if (problems.has_errors()) return;
  std::vector<bool> read(system.outputs.size(), false);
  for (const auto& link : system.links) {
    if (!link) continue;
    for (const LinkTerm& term : link->terms) read[term.output] = true;
  }
  const auto samples_of = [&](Index output) -> const std::vector<double>* {
    const auto given = options.initial_history.find(system.outputs[output].text);
    return given == options.initial_history.end() ? nullptr : &given->second;
  };
  for (Stage& stage : stages) {
    // Samples that become visible together need histories of one depth; what nobody reads needs none.
    std::size_t depth = static_cast<std::size_t>(max_extrapolation_degree);
    std::optional<Index> with;
    std::optional<Index> without;
    for (const Member& m : stage.members) {
      const Node& node = system.nodes[m.node];
      for (Index o = node.first_output; o < node.first_output + node.output_count; ++o) {
        const auto* given = samples_of(o);
        if (given != nullptr) with = o;
        if (!read[o]) continue;
        depth = std::min(depth, given == nullptr ? 0 : given->size());
        if (given == nullptr || given->empty()) without = o;
      }
    }
    const Tick period = sampling_period(stage);
    if (!with || period == 0) continue;
    if (without) {
      problems.error(
          {},
          fmt::format(
              "'initial_history' has samples of '{}', but none of '{}', which is sent at the same time.",
              system.outputs[*with].text, system.outputs[*without].text),
          fmt::format("Give as many for '{}', or use starter = \"repeat\".", system.outputs[*without].text));
      continue;
    }
    std::vector<double> plane(stage.samples.sample(0), stage.samples.sample(0) + stage.samples.width());
    for (std::size_t j = 0; j < depth; ++j) {
      for (const Member& m : stage.members) {
        const Node& node = system.nodes[m.node];
        for (Index o = 0; o < node.output_count; ++o) {
          const auto* given = samples_of(node.first_output + o);
          if (given != nullptr && j < given->size()) plane[m.first_output + o] = (*given)[j];
        }
      }
      if (!stage.samples.append_older(-static_cast<Tick>(j + 1) * period, plane.data())) break;
    }
  }
}

/// Ticks between two samples of a stage; of an element, between the common points of its sources, or the points of its
/// fastest receiver. 0 for an element without either.
Tick Engine::Impl::sampling_period(const Stage& stage) const {
  if (!stage.algebraic) return stage.period;
  Tick period = 0;
  for (const Index s : stage.related_stages) {
    const Tick other = sampling_period(stages[s]);
    if (period == 0) {
      period = other;
    } else {
      period = stage.evaluate == EvaluateAt::sources ? std::lcm(period, other) : std::min(period, other);
    }
  }
  return period;
}

}  // namespace ergon
