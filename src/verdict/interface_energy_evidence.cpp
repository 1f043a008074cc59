#include <fmt/format.h>

#include <cmath>

#include "ergon/verdict/evidence_kinds.hpp"
#include "ergon/verdict/verdict_limits.hpp"
#include "ergon/verdict/verdict_words.hpp"

namespace ergon {
namespace {
namespace limits = verdict_limits;

/// (2): the energy that the interface of a bond created, against what the bond passed on; and growth of the exchanged power to which the
/// interface adds. For bonds without better evidence. Reads the powers of `EvidenceContext::powers`.
class InterfaceEnergy final : public Evidence {
 public:
  explicit InterfaceEnergy(const EvidenceContext& context) : context_(context) {}

  bool start(const ObservedPoint& /*point*/) override {
    for (const EvidenceContext::Bond& bond : context_.bonds) {
      if (bond.judged_by == EnergyEvidence::interface) return true;
    }
    return false;
  }
  void observe(const ObservedPoint& /*point*/) override {}

  void findings(Findings& findings) const override {
    for (Index b = 0; b < context_.bonds.size(); ++b) {
      if (context_.bonds[b].judged_by != EnergyEvidence::interface || findings.is_judged(b)) continue;
      findings.add_of_bond(b, created_energy(b));
      add_growth(b, findings);
    }
  }

  void describe(const Finding& finding, VerdictReason& reason) const override {
    using namespace verdict_words;
    reason.bond = context_.system.bonds[finding.subject].name;
    if (finding.kind == ReasonKind::stale_efforts) {
      reason.what = stale_efforts_sentence(reason.bond);
    } else if (finding.kind == ReasonKind::growth) {
      reason.what = fmt::format("the power at bond '{}' has grown {:.3g}-fold, and its interface adds energy",
                                reason.bond, finding.ratio);
    } else if (finding.says == VerdictValue::consistent) {
      reason.what =
          fmt::format("the interface of bond '{}' created about {} of the {:.5g} J that it passed on",
                      reason.bond, percent(finding.ratio), finding.scale);
    } else {
      reason.what = fmt::format("the interface of bond '{}' {} about {:.2g} J, {} that it passed on, {}",
                                reason.bond, created(finding.amount), std::abs(finding.amount),
                                share_of(finding.ratio, finding.scale), interval(reason.from_s, reason.to_s));
    }
  }

  void archive(Archive& /*archive*/) override {}

 private:
  [[nodiscard]] Finding created_energy(Index b) const {
    const PowerTraces& powers = context_.powers;
    const double ratio = powers.created_ratio(b);
    const double growth = powers.growth(b);
    const double created_J = powers.created_J(b);
    Finding finding{.kind = ReasonKind::interface_energy,
                    .ratio = ratio,
                    .limit = limits::doubtful_interface,
                    .amount = created_J,
                    .scale = powers.peak_to_peak_J(b)};
    if (ratio <= limits::doubtful_interface) {
      if (context_.bonds[b].stale) {
        finding.says = VerdictValue::doubtful;
        finding.kind = ReasonKind::stale_efforts;
      }
      return finding;
    }
    // Energy that was created and is still there makes the level rise, energy that was destroyed makes it fall; else it
    // went into dampers, or never came out of them.
    const bool shows = created_J > 0.0 ? growth > limits::steady_level : growth < 1.0 / limits::steady_level;
    finding.says = VerdictValue::doubtful;
    if (ratio > limits::unreliable_interface && shows && !context_.bonds[b].stale &&
        !context_.system.bonds[b].observed_only) {
      finding.says = VerdictValue::unreliable;
      finding.limit = limits::unreliable_interface;
    }
    const PowerTraces::Span span = powers.creation(b);
    finding.first_window = span.first;
    finding.last_window = span.last;
    return finding;
  }
  void add_growth(Index b, Findings& findings) const {
    const PowerTraces& powers = context_.powers;
    const double ratio = powers.created_ratio(b);
    const double growth = powers.growth(b);
    if (growth < limits::growth || ratio < limits::doubtful_growth) return;
    // Energy that grows g-fold grows by at least (g − 1) × the range. Where (2) is small it may even have the wrong sign.
    const bool proven = ratio > limits::unreliable_growth * (growth - 1.0) && powers.created_J(b) > 0.0;
    findings.add_of_bond(b, {.says = proven ? VerdictValue::unreliable : VerdictValue::doubtful,
                             .kind = ReasonKind::growth,
                             .ratio = growth,
                             .limit = limits::growth,
                             .amount = powers.created_J(b),
                             .scale = powers.peak_to_peak_J(b)});
  }

  const EvidenceContext& context_;
};

}  // namespace

std::unique_ptr<Evidence> interface_energy_evidence(EvidenceContext& context) {
  return context.bonds.empty() ? nullptr : std::make_unique<InterfaceEnergy>(context);
}

}  // namespace ergon
