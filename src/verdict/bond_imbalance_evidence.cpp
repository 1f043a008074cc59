#include <fmt/format.h>

#include <cmath>

#include "ergon/verdict/energy_finding.hpp"
#include "ergon/verdict/evidence_kinds.hpp"
#include "ergon/verdict/sampling_schedule.hpp"
#include "ergon/verdict/verdict_words.hpp"

namespace ergon {
namespace {

/// (3) of single bonds, over the energy of their two ends: where both keep accounts, but not all of their group.
class BondImbalance final : public Evidence {
 public:
  explicit BondImbalance(const EvidenceContext& context) : context_(context) {}

  bool start(const ObservedPoint& point) override {
    for (Index b = 0; b < context_.bonds.size(); ++b) {
      if (context_.bonds[b].judged_by == EnergyEvidence::imbalance) bonds_.push_back({b, {}});
    }
    sampling_ = SamplingSchedule(bonds_.size());
    if (bonds_.empty()) return false;
    observe(point);
    return true;
  }
  void observe(const ObservedPoint& point) override {
    if (sampling_.skip(point.window)) return;
    sample(point, false);
    sampling_.plan_skips(point.window);
  }
  void finish(const ObservedPoint& point, bool energies_hold) override {
    if (energies_hold) sample(point, true);
  }
  void widen() override {
    for (Bond& bond : bonds_) bond.energy.widen();
    sampling_.widen();
  }

  void findings(Findings& findings) const override {
    for (const Bond& bond : bonds_) {
      if (!bond.energy.finite()) {
        findings.add_of_bond(bond.number, {.says = VerdictValue::unreliable, .kind = ReasonKind::not_finite});
      } else if (bond.energy.samples() >= 2) {  // else: over at once
        findings.add_of_bond(bond.number, judged_energy(ReasonKind::bond_imbalance, bond.energy));
      }
    }
  }

  void describe(const Finding& finding, VerdictReason& reason) const override {
    using namespace verdict_words;
    reason.bond = context_.system.bonds[finding.subject].name;
    if (finding.kind == ReasonKind::not_finite) {
      reason.what = fmt::format("energies at bond '{}' are too large for a number", reason.bond);
    } else if (finding.says == VerdictValue::consistent) {
      reason.what = fmt::format("energy balance of bond '{}' closes within {} (scale {:.3g} J)", reason.bond,
                                percent(finding.ratio), finding.scale);
    } else {
      reason.what = fmt::format("bond '{}' {} {:.5g} J, {} at its ends, {}", reason.bond,
                                created(finding.amount), std::abs(finding.amount),
                                share_of(finding.ratio, finding.scale), interval(reason.from_s, reason.to_s));
    }
  }

  void archive(Archive& archive) override {
    archive(std::span(bonds_));
    sampling_.archive(archive);
  }

 private:
  struct Bond {
    Index number = 0;
    SpuriousEnergy energy;
  };

  void sample(const ObservedPoint& point, bool at_end) {
    sampling_.resume();
    for (std::size_t i = 0; i < bonds_.size(); ++i) {
      const Index b = bonds_[i].number;
      const bool due = sampling_.due(i, point.window) || at_end;
      if (!due || point.record.bond_figures().last_point(b) != point.tick) continue;
      const EnergyRecord& effort_source = point.record.energy(context_.system.bonds[b].effort_node);
      const EnergyRecord& flow_source = point.record.energy(context_.system.bonds[b].flow_node);
      EnergySample ends;
      ends.stored_J = effort_source.synchronised_J + flow_source.synchronised_J;
      ends.kinetic_J = effort_source.kinetic_J + flow_source.kinetic_J;
      ends.dissipated_J = effort_source.non_conservative_J() + flow_source.non_conservative_J();
      ends.created_J = point.record.imbalance_J(b);
      for (const EnergyRecord* end : {&effort_source, &flow_source}) {
        for (const double work_J : end->received_J) ends.outside_J += work_J;
      }
      ends.outside_J -= ends.created_J;
      bonds_[i].energy.sample(ends, point.window);
      sampling_.sampled(i, point.window);
    }
  }

  const EvidenceContext& context_;
  std::vector<Bond> bonds_;
  SamplingSchedule sampling_{0};
};

}  // namespace

std::unique_ptr<Evidence> bond_imbalance_evidence(EvidenceContext& context) {
  return context.bonds.empty() ? nullptr : std::make_unique<BondImbalance>(context);
}

}  // namespace ergon
