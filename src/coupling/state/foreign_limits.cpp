#include "ergon/coupling/state/foreign_limits.hpp"

#include <fmt/format.h>

#include <cmath>

namespace ergon {
namespace {

/// Steps are written with few digits: a multiple is one to so many.
constexpr double rounding = 1e-9;

void check_one_length(const CouplingPlan& plan, Index n, ProblemList& problems) {
  const Node& node = plan.system().nodes[n];
  const TimeGrid& grid = plan.grid();
  if (plan.options().step_control) {
    problems.error(
        node.where,
        fmt::format("Step control changes the step, but '{}' takes steps of one length.", node.name),
        "Leave out step control, or use a simulator that can change its step.");
  } else if (grid.end() % plan.period(n) != 0) {
    problems.error(
        node.where,
        fmt::format(
            "The last step of '{}' would be shortened to end at {} s, but it takes steps of one length.",
            node.name, grid.time_s(grid.end())),
        fmt::format("Make the time of the run a multiple of its step, {} s.", node.step_s.value()));
  }
}

void check_internal_step(const CouplingPlan& plan, const Node& node, ProblemList& problems) {
  const double internal = node.description->internal_step_s;
  const double steps = node.step_s.value() / internal;
  if (plan.options().step_control) {
    problems.error(
        node.where,
        fmt::format(
            "Step control changes the step, but those of '{}' are multiples of its internal step, {} s.",
            node.name, internal),
        "Leave out step control.");
  } else if (!(std::round(steps) >= 1.0 && std::abs(steps - std::round(steps)) <= rounding * steps)) {
    problems.error(node.where,
                   fmt::format("The step of '{}', {} s, is not a multiple of its internal step, {} s.",
                               node.name, node.step_s.value(), internal),
                   fmt::format("Give a step_size of {} s, or a multiple of it.", internal));
  }
}

}  // namespace

void check_foreign_limits(const CouplingPlan& plan, ProblemList& problems) {
  for (Index n = 0; n < plan.system().nodes.size(); ++n) {
    const Node& node = plan.system().nodes[n];
    if (node.description->algebraic) continue;
    if (node.description->fixed_step) check_one_length(plan, n, problems);
    if (node.description->internal_step_s > 0.0) check_internal_step(plan, node, problems);
  }
}

}  // namespace ergon
