#include <fmt/format.h>

#include "ergon/verdict/evidence_kinds.hpp"

namespace ergon {
namespace {

/// Bonds whose energy nothing judges.
class UnmonitoredBonds final : public Evidence {
 public:
  explicit UnmonitoredBonds(const EvidenceContext& context) : context_(context) {}

  bool start(const ObservedPoint& /*point*/) override {
    for (const EvidenceContext::Bond& bond : context_.bonds) {
      if (bond.judged_by == EnergyEvidence::none) return true;
    }
    return false;
  }
  void observe(const ObservedPoint& /*point*/) override {}
  void findings(Findings& findings) const override {
    for (Index b = 0; b < context_.bonds.size(); ++b) {
      if (context_.bonds[b].judged_by == EnergyEvidence::none)
        findings.add_of_bond(b, {.says = VerdictValue::not_monitored, .kind = ReasonKind::not_monitored});
    }
  }
  void describe(const Finding& finding, VerdictReason& reason) const override {
    const PowerBond& bond = context_.system.bonds[finding.subject];
    reason.bond = bond.name;
    reason.what = bond.observed_only
                      ? fmt::format("bond '{}' is observed only: both ends account for its law", bond.name)
                      : fmt::format(
                            "bond '{}': under Gauss–Seidel only the energy accounts of both ends could show "
                            "it, and one "
                            "keeps "
                            "none",
                            bond.name);
  }
  void archive(Archive& /*archive*/) override {}

 private:
  const EvidenceContext& context_;
};

}  // namespace

std::unique_ptr<Evidence> unmonitored_bond_evidence(EvidenceContext& context) {
  return context.bonds.empty() ? nullptr : std::make_unique<UnmonitoredBonds>(context);
}

}  // namespace ergon
