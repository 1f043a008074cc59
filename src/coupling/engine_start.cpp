#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "coupling/engine_impl.hpp"
#include "numerics/nonlinear_solver.hpp"

namespace ergon {

std::optional<Failure> Engine::Impl::initialize(ProblemList& problems) {
  reset_clock();
  for (const Stage& stage : stages) {
    for (std::size_t i = 0; i < stage.members.size(); ++i) {
      const StepStatus status = stage.members[i].subsystem->initialize(grid.time_s(0));
      if (!status.ok) return failure_of(stage, i, grid.time_s(0), status.reason);
    }
  }
  if (auto failure = evaluate_everything(problems)) return failure;
  check_stated_inputs(problems);
  report_loops(problems);
  if (problems.has_errors()) return std::nullopt;
  if (options.starter == Starter::repeat) {
    if (auto failure = run_starter(problems)) return failure;
  }
  seed_initial_history(problems);
  for (std::size_t b = 0; b < monitors.size(); ++b) monitors[b].start(stages, grid, bond_records[b]);
  return std::nullopt;
}

void Engine::Impl::reset_clock() {
  now = 0;
  points = 0;
  clamped = false;
  for (Stage& stage : stages) {
    stage.start = stage.next = 0;
    stage.steps = 0;
    stage.previous_step_s = 0.0;
    for (Member& m : stage.members) {
      m.measured_s = 0.0;
      m.timed_steps = 0;
    }
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
  std::size_t next_loop = 0;
  for (int level = 1; level <= system.max_level; ++level) {
    for (const Evaluation& evaluation : start_evaluations) {
      if (evaluation.level == level) evaluate_members(evaluation);
    }
    // Loops were found in topological order, so their levels do not decrease.
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
    if (auto failure = find_non_finite(stage, stage.samples.newest(), t)) return failure;
  }
  return std::nullopt;
}

void Engine::Impl::evaluate_members(const Evaluation& evaluation) {
  Stage& stage = stages[evaluation.stage];
  stage.exchange.build(rings, grid, 0, 0, stage.scratch.data(), stage.slots);
  for (const std::uint32_t i : evaluation.members) {
    const Member& m = stage.members[i];
    m.subsystem->outputs(grid.time_s(0), stage.scratch.data() + m.first_input,
                         stage.samples.newest() + m.first_output);
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
  std::vector<double> y(loop.size());
  for (std::size_t i = 0; i < loop.size(); ++i) y[i] = value(loop[i]);

  const auto residual = [&](const double* x, double* r) {
    for (std::size_t i = 0; i < loop.size(); ++i) value(loop[i]) = x[i];
    // All owners read the same trial values: build every input before any output is overwritten.
    for (const Evaluation& e : owners) {
      Stage& stage = stages[e.stage];
      stage.exchange.build(rings, grid, 0, 0, stage.scratch.data(), stage.slots);
    }
    for (const Evaluation& e : owners) {
      Stage& stage = stages[e.stage];
      for (const std::uint32_t i : e.members) {
        const Member& m = stage.members[i];
        m.subsystem->outputs(grid.time_s(0), stage.scratch.data() + m.first_input,
                             stage.samples.newest() + m.first_output);
      }
    }
    bool finite = true;
    for (std::size_t i = 0; i < loop.size(); ++i) {
      r[i] = x[i] - value(loop[i]);
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
  for (Stage& stage : stages) {
    if (stage.algebraic) continue;
    // As many samples as every output of the stage has; an output without history would be a false one.
    std::size_t depth = static_cast<std::size_t>(max_extrapolation_degree);
    for (const Member& m : stage.members) {
      const Node& node = system.nodes[m.node];
      for (Index o = 0; o < node.output_count; ++o) {
        const auto given = options.initial_history.find(system.outputs[node.first_output + o].text);
        depth = std::min(depth, given == options.initial_history.end() ? 0 : given->second.size());
      }
    }
    std::vector<double> plane(stage.samples.width());
    for (std::size_t j = 0; j < depth; ++j) {
      for (const Member& m : stage.members) {
        const Node& node = system.nodes[m.node];
        for (Index o = 0; o < node.output_count; ++o) {
          plane[m.first_output + o] =
              options.initial_history.at(system.outputs[node.first_output + o].text)[j];
        }
      }
      if (!stage.samples.append_older(-static_cast<Tick>(j + 1) * stage.period, plane.data())) break;
    }
  }
}

}  // namespace ergon
