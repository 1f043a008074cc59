#include <fmt/format.h>

#include <utility>

#include "ergon/core/iterative_solver.hpp"
#include "ergon/verdict/evidence_kinds.hpp"

namespace ergon {
namespace {

/// Subsystems that did not solve their steps to their own tolerance, such as contact forces with friction. Their figures are those since
/// t₀, so that they are read once, at the end.
class ContactResiduals final : public Evidence {
 public:
  explicit ContactResiduals(const CoupledSystem& system) : system_(system) {
    for (Index n = 0; n < system.nodes.size(); ++n) {
      if (const auto* solver = dynamic_cast<const IterativeSolver*>(system.nodes[n].subsystem.get()))
        solvers_.push_back({n, solver, {}});
    }
  }

  bool start(const ObservedPoint& /*point*/) override { return !solvers_.empty(); }
  void observe(const ObservedPoint& /*point*/) override {}
  void finish(const ObservedPoint& /*point*/, bool /*energies_hold*/) override {
    for (Solver& s : solvers_) s.figures = s.solver->solver_figures();
  }
  void findings(Findings& findings) const override {
    for (std::size_t s = 0; s < solvers_.size(); ++s) {
      const SolverFigures& figures = solvers_[s].figures;
      if (figures.solves == 0 || figures.missed == 0) continue;
      findings.add({.says = VerdictValue::doubtful,
                    .kind = ReasonKind::solver_residual,
                    .subject = s,
                    .ratio = figures.largest_residual,
                    .limit = figures.tolerance});
    }
  }
  void describe(const Finding& finding, VerdictReason& reason) const override {
    const Solver& s = solvers_[finding.subject];
    const std::string& name = system_.nodes[s.node].name;
    reason.subsystems = {name};
    reason.from_s = s.figures.first_missed_s;
    reason.what = fmt::format(
        "{}: contact forces missed the tolerance {:.2g} in {} of {} steps, first at {:.4g} s; largest "
        "residual "
        "{:.2g} (take smaller steps, or allow more friction_iterations)",
        name, s.figures.tolerance, s.figures.missed, s.figures.solves, s.figures.first_missed_s,
        s.figures.largest_residual);
  }
  void archive(Archive& /*archive*/) override {}

 private:
  struct Solver {
    Index node = 0;
    const IterativeSolver* solver = nullptr;
    SolverFigures figures;  ///< of the end
  };
  const CoupledSystem& system_;
  std::vector<Solver> solvers_;
};

}  // namespace

std::unique_ptr<Evidence> contact_residual_evidence(EvidenceContext& context) {
  return std::make_unique<ContactResiduals>(context.system);
}

}  // namespace ergon
