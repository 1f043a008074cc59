#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ergon/verdict/energy_finding.hpp"
#include "ergon/verdict/evidence_kinds.hpp"
#include "ergon/verdict/sampling_schedule.hpp"
#include "ergon/verdict/verdict_words.hpp"

namespace ergon {
namespace {

/// The balance of the subsystems and elements that bonds join, where all of them keep accounts: the most truthful evidence. Also what
/// elements give beyond their laws. Writes `EvidenceContext::groups`.
class GroupBalance final : public Evidence {
 public:
  explicit GroupBalance(EvidenceContext& context)
      : context_(context), imbalance_at_peak_J_(context.bonds.size(), 0.0) {
    for (std::size_t g = 0; g < context.groups.size(); ++g) {
      if (!context.is_balanced(context.groups[g])) continue;
      balanced_.push_back({g});
      has_elements_ = has_elements_ || context.groups[g].has_elements();
    }
    sampling_ = SamplingSchedule(balanced_.size());
  }

  bool start(const ObservedPoint& point) override {
    if (balanced_.empty()) return false;
    observe(point);
    return true;
  }
  void observe(const ObservedPoint& point) override {
    if (has_elements_) observe_elements(point);
    if (sampling_.skip(point.window)) return;
    sample(point, false);
    sampling_.plan_skips(point.window);
  }
  void finish(const ObservedPoint& point, bool energies_hold) override {
    if (energies_hold) sample(point, true);
  }
  void widen() override {
    for (const Balanced& b : balanced_) group(b).spurious().widen();
    sampling_.widen();
  }

  void findings(Findings& findings) const override {
    for (const Balanced& b : balanced_) {
      const SpuriousEnergy& spurious = group(b).spurious();
      if (!spurious.finite()) {
        findings.add({.says = VerdictValue::unreliable, .kind = ReasonKind::not_finite, .subject = b.group});
      } else if (spurious.samples() >= 2) {  // else: over at once
        Finding finding = judged_energy(ReasonKind::energy_balance, spurious);
        finding.subject = b.group;
        findings.add(finding);
      }
      add_elements(b, findings);
    }
  }

  void describe(const Finding& finding, VerdictReason& reason) const override {
    using namespace verdict_words;
    const EnergyGroup& group = context_.groups[finding.subject];
    if (finding.kind == ReasonKind::not_finite) {
      reason.bond = context_.system.bonds[group.bonds().front()].name;
      reason.what = fmt::format("energies at bond '{}' are too large for a number", reason.bond);
      return;
    }
    reason.subsystems = group.names();
    const std::string names = list(group.names());
    if (finding.kind == ReasonKind::element_gives) {
      reason.what = fmt::format(
          "elements gave {:.5g} J to {} that their laws do not, {}: look for an effort with the wrong sign",
          finding.amount, names, share_of(finding.ratio, finding.scale));
    } else if (finding.says == VerdictValue::consistent) {
      reason.what = fmt::format("energy balance of {} closes within {} (scale {:.3g} J)", names,
                                percent(finding.ratio), finding.scale);
    } else {
      const std::string origin = origin_of(group, finding.amount, reason);
      reason.what =
          fmt::format("energy error of {} up to {:+.5g} J ({}), {}{}", names, finding.amount,
                      share_of(finding.ratio, finding.scale), interval(reason.from_s, reason.to_s), origin);
    }
  }

  void archive(Archive& archive) override {
    for (Balanced& b : balanced_) {
      group(b).archive(archive);
      archive(b.misses);
    }
    archive(std::span(imbalance_at_peak_J_));
    sampling_.archive(archive);
  }

 private:
  struct Balanced {
    std::size_t group = 0;
    int misses = 0;  ///< points in a row that some member did not share
  };
  [[nodiscard]] EnergyGroup& group(const Balanced& b) { return context_.groups[b.group]; }
  [[nodiscard]] const EnergyGroup& group(const Balanced& b) const { return context_.groups[b.group]; }

  void observe_elements(const ObservedPoint& point) {
    for (const Balanced& b : balanced_) {
      if (group(b).has_elements()) group(b).observe(point.record);
    }
  }
  void sample(const ObservedPoint& point, bool at_end) {
    sampling_.resume();
    for (std::size_t i = 0; i < balanced_.size(); ++i) {
      Balanced& b = balanced_[i];
      EnergyGroup& energies = group(b);
      const bool due = sampling_.due(i, point.window) || at_end;
      if (!due || !energies.may_sample(point.record)) continue;
      const bool missed = !energies.sample(point.record, point.window);
      if (!missed && energies.spurious().at_peak()) note_imbalances(energies, point.record);
      b.misses = missed ? b.misses + 1 : 0;
      if (missed && b.misses % verdict_limits::most_misses != 0) continue;
      // A motion that dies out at once is seen in the first points, or never.
      const bool dense = energies.spurious().samples() < verdict_limits::dense_samples;
      sampling_.sampled(i, point.window, dense ? 1 : verdict_limits::points_between_samples);
    }
  }
  void note_imbalances(const EnergyGroup& energies, const StepRecord& record) {
    for (const Index b : energies.bonds()) {
      if (context_.bonds[b].has_imbalance) imbalance_at_peak_J_[b] = record.imbalance_J(b);
    }
  }
  /// −∫e·dq − ΔV of an element is what its law takes out; less than that is given to its ends by nothing.
  void add_elements(const Balanced& b, Findings& findings) const {
    const double scale_J = group(b).spurious().scale_J();
    const double given_J = group(b).given_by_elements_J();
    if (!(given_J > verdict_limits::doubtful_energy * scale_J)) return;
    Finding finding = judged_energy(ReasonKind::element_gives, given_J, scale_J, given_J / scale_J);
    finding.says = std::max(finding.says, VerdictValue::doubtful);
    finding.subject = b.group;
    findings.add(finding);
  }
  /// Where the spurious energy of a group comes from, as far as the accounts of single bonds show.
  std::string origin_of(const EnergyGroup& energies, double amount_J, VerdictReason& reason) const {
    double largest_J = 0.0;
    bool all_known = true;
    for (const Index b : energies.bonds()) {
      const bool known = context_.bonds[b].has_imbalance;
      all_known = all_known && known;
      const double then_J = std::abs(imbalance_at_peak_J_[b]);
      if (!known || then_J <= largest_J) continue;
      largest_J = then_J;
      reason.bond = context_.system.bonds[b].name;
    }
    if (largest_J >= verdict_limits::most_of_it * std::abs(amount_J))
      return fmt::format(", most of it from bond '{}'", reason.bond);
    reason.bond.clear();
    reason.by_integration = all_known;
    return all_known ? ", most of it from the integration inside the subsystems" : "";
  }

  EvidenceContext& context_;
  std::vector<Balanced> balanced_;
  std::vector<double> imbalance_at_peak_J_;  ///< per bond: when the energy of its group was most wrong
  bool has_elements_ = false;
  SamplingSchedule sampling_{0};
};

}  // namespace

std::unique_ptr<Evidence> group_balance_evidence(EvidenceContext& context) {
  return context.bonds.empty() ? nullptr : std::make_unique<GroupBalance>(context);
}

}  // namespace ergon
