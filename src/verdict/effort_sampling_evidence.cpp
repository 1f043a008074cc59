#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "ergon/verdict/effort_samples.hpp"
#include "ergon/verdict/evidence_kinds.hpp"
#include "ergon/verdict/verdict_limits.hpp"

namespace ergon {
namespace {

/// Where the components of each bond begin, and the end.
std::vector<std::size_t> first_components(const CoupledSystem& system) {
  std::vector<std::size_t> first = {0};
  for (const PowerBond& bond : system.bonds) first.push_back(first.back() + bond.components.size());
  return first;
}

/// How many samples of the efforts of a bond there are in a period.
class EffortSampling final : public Evidence {
 public:
  explicit EffortSampling(const EvidenceContext& context)
      : system_(context.system), first_(first_components(system_)), samples_(first_.back()) {}

  bool start(const ObservedPoint& /*point*/) override { return true; }
  void observe(const ObservedPoint& point) override {
    const std::span<const double> efforts = point.record.efforts();
    if (efforts.empty()) return;
    const BondFigures& figures = point.record.bond_figures();
    if (figures.all_at(point.tick)) {
      samples_.observe(efforts);
      return;
    }
    for (Index b = 0; b + 1 < first_.size(); ++b) {
      if (figures.last_point(b) == point.tick) samples_.observe(efforts, first_[b], first_[b + 1]);
    }
  }

  void findings(Findings& findings) const override {
    for (Index b = 0; b + 1 < first_.size(); ++b) {
      const double per_period = samples_per_period(b);
      if (!(per_period < verdict_limits::samples_per_period)) continue;
      findings.add_of_bond(b, {.says = VerdictValue::doubtful,
                               .kind = ReasonKind::too_few_samples,
                               .ratio = per_period,
                               .limit = verdict_limits::samples_per_period});
    }
  }
  void describe(const Finding& finding, VerdictReason& reason) const override {
    reason.bond = system_.bonds[finding.subject].name;
    reason.what = fmt::format("the efforts of bond '{}' are sampled {:.3g} times in a period", reason.bond,
                              finding.ratio);
  }
  void archive(Archive& archive) override { samples_.archive(archive); }

 private:
  /// Enough where too little is known.
  [[nodiscard]] double samples_per_period(Index b) const {
    double change2 = 0.0;
    double square = 0.0;
    for (std::size_t component = first_[b]; component < first_[b + 1]; ++component) {
      if (samples_.known(component) < verdict_limits::fewest_samples)
        return verdict_limits::samples_per_period;
      change2 += samples_.change2(component);
      square += samples_.square_about_mean(component);
    }
    if (!(change2 > 0.0)) return verdict_limits::samples_per_period;
    return std::numbers::pi / std::asin(std::min(1.0, 0.5 * std::sqrt(change2 / square)));
  }

  const CoupledSystem& system_;
  std::vector<std::size_t> first_;
  EffortSamples samples_;
};

}  // namespace

std::unique_ptr<Evidence> effort_sampling_evidence(EvidenceContext& context) {
  return context.bonds.empty() ? nullptr : std::make_unique<EffortSampling>(context);
}

}  // namespace ergon
