#include "ergon/run/summary/solver_evidence.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ergon {

void judge_solvers(Summary& summary) {
  for (const NodeSummary& node : summary.nodes) {
    if (!node.solver || node.solver->missed == 0) continue;
    const SolverFigures& solver = *node.solver;
    VerdictReason reason;
    reason.says = VerdictValue::doubtful;
    reason.kind = ReasonKind::solver_residual;
    reason.subsystems = {node.name};
    reason.from_s = solver.first_missed_s;
    reason.to_s = summary.reached_time_s;
    reason.ratio = solver.largest_residual;
    reason.limit = solver.tolerance;
    reason.what = fmt::format(
        "{}: contact forces missed the tolerance {:.2g} in {} of {} steps, first at {:.4g} s; largest "
        "residual {:.2g} (take smaller steps, or allow more friction_iterations)",
        node.name, solver.tolerance, solver.missed, solver.solves, solver.first_missed_s,
        solver.largest_residual);
    summary.warnings.push_back(reason.what);
    if (!summary.verdict) continue;
    Verdict& verdict = *summary.verdict;
    if (severity(verdict.value) < severity(reason.says)) verdict.value = reason.says;
    // The worst first.
    const auto behind = std::find_if(verdict.reasons.begin(), verdict.reasons.end(), [&](const auto& other) {
      return severity(other.says) < severity(reason.says);
    });
    verdict.reasons.insert(behind, std::move(reason));
  }
}

}  // namespace ergon
