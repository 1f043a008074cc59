#include <fmt/format.h>

#include <cmath>

#include "ergon/verdict/black_box_bond.hpp"
#include "ergon/verdict/energy_finding.hpp"
#include "ergon/verdict/evidence_kinds.hpp"
#include "ergon/verdict/verdict_words.hpp"

namespace ergon {
namespace {

/// The energy that bonds create where no accounts are kept, estimated from the coupling variables with one mass, spring and damper per
/// side. Where these do not explain the motion, something is hidden, and nothing is proven.
class BlackBox final : public Evidence {
 public:
  explicit BlackBox(const EvidenceContext& context) : context_(context) {}

  bool start(const ObservedPoint& point) override {
    for (Index b = 0; b < context_.bonds.size(); ++b) {
      if (context_.bonds[b].judged_by != EnergyEvidence::interface) continue;
      const BondGains* gains = point.record.direct_gains(b);
      auto estimate = gains != nullptr ? BlackBoxBond::make(context_.system, b, *gains) : std::nullopt;
      if (!estimate) continue;
      estimate->observe(point.record, 0.0, 0);
      bonds_.push_back({b, point.time_s, std::move(*estimate)});
    }
    return !bonds_.empty();
  }
  void observe(const ObservedPoint& point) override {
    const BondFigures& figures = point.record.bond_figures();
    for (Bond& bond : bonds_) {
      const double H_s = point.time_s - bond.last_time_s;
      if (figures.last_point(bond.number) != point.tick || !(H_s > 0.0)) continue;
      bond.last_time_s = point.time_s;
      bond.estimate.observe(point.record, H_s, point.window);
    }
  }
  void widen() override {
    for (Bond& bond : bonds_) bond.estimate.widen();
  }

  void findings(Findings& findings) const override {
    for (const Bond& bond : bonds_) {
      const BlackBoxBond::Judgement judged = bond.estimate.judge();
      const bool explained = judged.unexplained < verdict_limits::unexplained_motion && judged.scale_J > 0.0;
      // What refreshed and predicted efforts create shows in residual (2), too.
      if (!explained && !context_.bonds[bond.number].stale) continue;
      findings.set_judged(bond.number);
      findings.add_of_bond(bond.number, finding_of(judged, explained));
    }
  }

  void describe(const Finding& finding, VerdictReason& reason) const override {
    using namespace verdict_words;
    reason.bond = context_.system.bonds[finding.subject].name;
    if (finding.kind == ReasonKind::stale_efforts) {
      reason.what = stale_efforts_sentence(reason.bond);
    } else if (finding.says == VerdictValue::consistent) {
      reason.what = fmt::format(
          "bond '{}' created {} of about {:.3g} J (estimated from the exchanged variables, no energy account "
          "available)",
          reason.bond, percent(finding.ratio), finding.scale);
    } else {
      reason.what = fmt::format(
          "bond '{}' {} {:.3g} J, {} (estimated from the exchanged variables, no energy account available)",
          reason.bond, created(finding.amount), std::abs(finding.amount),
          share_of(finding.ratio, finding.scale));
    }
  }

  void archive(Archive& archive) override {
    for (Bond& bond : bonds_) {
      archive(bond.last_time_s);
      bond.estimate.archive(archive);
    }
  }

 private:
  struct Bond {
    Index number = 0;
    double last_time_s = 0.0;
    BlackBoxBond estimate;
  };

  static Finding finding_of(const BlackBoxBond::Judgement& judged, bool explained) {
    const double ratio = judged.scale_J > 0.0 ? std::abs(judged.spurious_J) / judged.scale_J : 0.0;
    Finding finding = judged_energy(ReasonKind::black_box_estimate, judged.spurious_J, judged.scale_J, ratio);
    if (!explained) {
      finding.says = VerdictValue::doubtful;
      finding.kind = ReasonKind::stale_efforts;
      finding.limit = verdict_limits::doubtful_energy;
    }
    return finding;
  }

  const EvidenceContext& context_;
  std::vector<Bond> bonds_;
};

}  // namespace

std::unique_ptr<Evidence> black_box_evidence(EvidenceContext& context) {
  return context.bonds.empty() ? nullptr : std::make_unique<BlackBox>(context);
}

}  // namespace ergon
