#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ergon/verdict/evidence_kinds.hpp"
#include "ergon/verdict/verdict_limits.hpp"
#include "ergon/verdict/verdict_words.hpp"

namespace ergon {
namespace {

/// Corrections that do much work, or that wanted to do more than their limit allows.
class CorrectionWork final : public Evidence {
 public:
  explicit CorrectionWork(const EvidenceContext& context) : context_(context), bonds_(context.bonds.size()) {}

  bool start(const ObservedPoint& point) override {
    start_time_s_ = point.time_s;
    for (Bond& bond : bonds_) bond.last_time_s = point.time_s;
    return point.record.bond_figures().corrected;
  }
  void observe(const ObservedPoint& point) override {
    const BondFigures& figures = point.record.bond_figures();
    const std::span<const BondRecord> records = point.record.bonds();
    for (Index b = 0; b < bonds_.size(); ++b) {
      if (figures.last_point(b) != point.tick) continue;
      Bond& bond = bonds_[b];
      if (records[b].correction_capped) bond.limited_s += point.time_s - bond.last_time_s;
      if (records[b].corrected) bond.work_J = std::max(bond.work_J, std::abs(records[b].correction_energy_J));
      bond.last_time_s = point.time_s;
    }
  }

  void findings(Findings& findings) const override {
    for (Index b = 0; b < bonds_.size(); ++b) add_work(b, findings);
    for (Index b = 0; b < bonds_.size(); ++b) {
      const double time_s = bonds_[b].last_time_s - start_time_s_;
      const double limited = time_s > 0.0 ? bonds_[b].limited_s / time_s : 0.0;
      if (context_.bonds[b].judged_by == EnergyEvidence::interface &&
          limited > verdict_limits::correction_limited)
        findings.add_of_bond(b, {.says = VerdictValue::doubtful,
                                 .kind = ReasonKind::correction_limited,
                                 .ratio = limited,
                                 .limit = verdict_limits::correction_limited});
    }
  }

  void describe(const Finding& finding, VerdictReason& reason) const override {
    using namespace verdict_words;
    reason.bond = context_.system.bonds[finding.subject].name;
    reason.what =
        finding.kind == ReasonKind::correction_limited
            ? fmt::format("the correction at bond '{}' was cut short by its limit for {} of the time",
                          reason.bond, percent(finding.ratio))
            : fmt::format(
                  "the correction at bond '{}' did {:.5g} J of work, {}: it puts the energy right, not the "
                  "motion",
                  reason.bond, finding.amount, share_of(finding.ratio, finding.scale));
  }

  void archive(Archive& archive) override {
    archive(std::span(bonds_));
    archive(start_time_s_);
  }

 private:
  struct Bond {
    double last_time_s = 0.0;
    double limited_s = 0.0;
    double work_J = 0.0;  ///< largest |work|
  };
  /// Over the energy of its group; where that is not known, over what the bond passed on.
  void add_work(Index b, Findings& findings) const {
    const double work_J = bonds_[b].work_J;
    if (work_J == 0.0) return;
    const EnergyGroup& group = context_.groups[context_.bonds[b].group];
    const double scale_J =
        context_.is_balanced(group) ? group.spurious().scale_J() : context_.powers.peak_to_peak_J(b);
    if (!(work_J > verdict_limits::doubtful_correction * scale_J)) return;
    findings.add_of_bond(b, {.says = VerdictValue::doubtful,
                             .kind = ReasonKind::correction_work,
                             .ratio = work_J / scale_J,
                             .limit = verdict_limits::doubtful_correction,
                             .amount = work_J,
                             .scale = scale_J});
  }

  const EvidenceContext& context_;
  std::vector<Bond> bonds_;
  double start_time_s_ = 0.0;
};

}  // namespace

std::unique_ptr<Evidence> correction_evidence(EvidenceContext& context) {
  return context.bonds.empty() ? nullptr : std::make_unique<CorrectionWork>(context);
}

}  // namespace ergon
