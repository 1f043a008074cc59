#include <fmt/format.h>

#include <algorithm>

#include "ergon/verdict/evidence_kinds.hpp"
#include "ergon/verdict/sampling_schedule.hpp"
#include "ergon/verdict/verdict_words.hpp"

namespace ergon {
namespace {

/// Powers and residual powers of all bonds, window by window: overflow, and sudden changes of the residual. Powers and residual (2) are
/// taken at every point; (3) is dear to read, but cumulative: it is sampled, once in every window at least.
class BondPower final : public Evidence {
 public:
  explicit BondPower(EvidenceContext& context)
      : context_(context),
        traces_(context.powers),
        sampling_(context.bonds.size(), true),
        imbalance_J_(context.bonds.size()) {
    scratch_.reserve(TimeWindows::capacity);
  }

  bool start(const ObservedPoint& point) override {
    const auto has_imbalance = [](const EvidenceContext::Bond& bond) { return bond.has_imbalance; };
    all_by_imbalance_ = std::all_of(context_.bonds.begin(), context_.bonds.end(), has_imbalance);
    all_by_interface_ = std::none_of(context_.bonds.begin(), context_.bonds.end(), has_imbalance);
    traces_.start(point.record.bond_figures(), point.time_s);
    return true;
  }

  void observe(const ObservedPoint& point) override {
    const BondFigures& figures = point.record.bond_figures();
    if (!figures.corrected && figures.all_at(point.tick) &&
        traces_.observe_all(figures, point.time_s, point.window, all_by_interface_)) {
      if (all_by_interface_ || sampling_.skip(point.window)) return;
      sampling_.resume();
      if (!sample_all(point)) {
        for (Index b = 0; b < context_.bonds.size(); ++b) sample(point, b, traces_.common_step_s());
      }
      sampling_.plan_skips(point.window);
    } else {
      sampling_.resume();
      traces_.observe_powers(figures, point.tick, point.time_s, point.window,
                             [&](Index b, double H_s) { sample(point, b, H_s); });
    }
  }

  void widen() override {
    traces_.widen();
    sampling_.widen();
  }

  void findings(Findings& findings) const override {
    for (Index b = 0; b < context_.bonds.size(); ++b) {
      if (!traces_.finite(b))
        findings.add_of_bond(b, {.says = VerdictValue::unreliable, .kind = ReasonKind::not_finite});
      if (context_.bonds[b].has_imbalance || !context_.options.sequential) add_sudden_changes(b, findings);
    }
  }

  void describe(const Finding& finding, VerdictReason& reason) const override {
    reason.bond = context_.system.bonds[finding.subject].name;
    reason.what =
        finding.kind == ReasonKind::not_finite
            ? fmt::format("energies at bond '{}' are too large for a number", reason.bond)
            : fmt::format("interface power of bond '{}' is {:.3g} × its usual level {}", reason.bond,
                          finding.ratio, verdict_words::interval(reason.from_s, reason.to_s));
  }

  void archive(Archive& archive) override {
    traces_.archive(archive);
    sampling_.archive(archive);
  }

 private:
  /// What was created until a point of this bond, `H_s` after the one before.
  void sample(const ObservedPoint& point, Index b, double H_s) {
    if (!context_.bonds[b].has_imbalance) {
      traces_.observe_interface(b, point.record.bond_figures().interface_energy_J[b], H_s, point.window);
    } else if (sampling_.due(b, point.window)) [[unlikely]] {
      sampling_.sampled(b, point.window);
      traces_.observe_imbalance(b, point.record.imbalance_J(b), point.time_s, point.window);
    }
  }
  /// All bonds at once, where all are due. False: they are not, and nothing was done.
  bool sample_all(const ObservedPoint& point) {
    if (!all_by_imbalance_ || !sampling_.all_due(point.window)) return false;
    sampling_.sampled_all(point.window);
    point.record.imbalances_J(imbalance_J_);
    traces_.observe_imbalances(imbalance_J_, point.time_s, point.window);
    return true;
  }
  void add_sudden_changes(Index b, Findings& findings) const {
    const auto change = traces_.sudden_change(b, scratch_);
    if (!change || change->energy_ratio < verdict_limits::doubtful_sudden_energy) return;
    const bool large = !(change->energy_ratio < verdict_limits::unreliable_sudden_energy);
    for (std::size_t i = 0; i < change->count; ++i) {
      const PowerTraces::SuddenChange::Burst& burst = change->bursts[i];
      findings.add_of_bond(b, {.says = large ? VerdictValue::unreliable : VerdictValue::doubtful,
                               .kind = ReasonKind::sudden_change,
                               .first_window = burst.windows.first,
                               .last_window = burst.windows.last,
                               .ratio = burst.level,
                               .limit = verdict_limits::sudden_level,
                               .amount = change->energy_ratio});
    }
  }

  const EvidenceContext& context_;
  PowerTraces& traces_;
  bool all_by_imbalance_ = false;
  bool all_by_interface_ = false;
  SamplingSchedule sampling_;
  NumberArray imbalance_J_;  ///< (3) per bond, on its way to the traces
  mutable std::vector<double> scratch_;
};

}  // namespace

std::unique_ptr<Evidence> bond_power_evidence(EvidenceContext& context) {
  return context.bonds.empty() ? nullptr : std::make_unique<BondPower>(context);
}

}  // namespace ergon
