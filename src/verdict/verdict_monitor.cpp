#include "ergon/verdict/verdict_monitor.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ergon/verdict/verdict_limits.hpp"

namespace ergon {
namespace {

VerdictReason reason_of_failure(const Failure& failure) {
  VerdictReason reason;
  reason.says = VerdictValue::unreliable;
  reason.kind = ReasonKind::failure;
  reason.subsystems = {failure.subsystem};
  reason.from_s = reason.to_s = failure.time_s;
  reason.what = fmt::format("{} failed at {:.4g} s: {}", failure.subsystem, failure.time_s, failure.what);
  return reason;
}

}  // namespace

VerdictMonitor::VerdictMonitor(const CoupledSystem& system, VerdictOptions options)
    : context_(std::make_unique<EvidenceContext>(system, std::move(options))),
      so_far_(empty_findings()),
      points_until_look_(verdict_limits::first_look) {
  for (const EvidenceMaker make : evidence_registry()) {
    if (auto evidence = make(*context_)) evidence_.push_back(std::move(evidence));
  }
}

Findings VerdictMonitor::empty_findings() const {
  const CoupledSystem& system = context_->system;
  constexpr std::size_t most_per_bond = PowerTraces::SuddenChange::max_bursts + 6;
  constexpr std::size_t most_of_run = 3;
  return {2 * context_->groups.size() + most_per_bond * system.bonds.size() + system.outputs.size() +
              system.nodes.size() + most_of_run,
          system.bonds.size()};
}

void VerdictMonitor::start(const StepRecord& first_point) {
  started_ = true;
  start_time_s_ = last_time_s_;
  context_->choose(first_point);
  const ObservedPoint point = observed(first_point);
  std::erase_if(evidence_, [&](const auto& evidence) { return !evidence->start(point); });
}

void VerdictMonitor::inspect(const StepRecord& record) {
  last_tick_ = record.tick();
  last_time_s_ = record.time_s();
  if (!started_) {
    start(record);
  } else {
    while (windows_.must_widen(last_tick_)) {
      windows_.widen();
      for (const auto& evidence : evidence_) evidence->widen();
    }
    const ObservedPoint point = observed(record);
    for (const auto& evidence : evidence_) evidence->observe(point);
  }
  if (context_->options.watch && --points_until_look_ <= 0) judge_so_far();
}

void VerdictMonitor::finish(const StepRecord& last_point, bool energies_hold) {
  if (!started_) return;
  for (const auto& evidence : evidence_) evidence->finish(observed(last_point), energies_hold);
}

void VerdictMonitor::collect(Findings& findings) const {
  findings.clear();
  for (std::size_t e = 0; started_ && e < evidence_.size(); ++e) {
    findings.of_evidence(e);
    evidence_[e]->findings(findings);
  }
}

void VerdictMonitor::judge_so_far() {
  points_until_look_ = verdict_limits::points_between_looks;
  collect(so_far_);
  alarms_ = so_far_.value() == VerdictValue::unreliable ? alarms_ + 1 : 0;
}

bool VerdictMonitor::unreliable_so_far() const {
  return alarms_ >= verdict_limits::looks_that_agree;
}

Verdict VerdictMonitor::verdict(const std::optional<Failure>& failure) const {
  Findings findings = empty_findings();
  collect(findings);
  Verdict verdict;
  verdict.value = verdict.energy = failure ? VerdictValue::unreliable : findings.value();
  if (failure) verdict.reasons.push_back(reason_of_failure(*failure));
  if (context_->bonds.empty()) verdict.reasons.push_back(reason_of_no_bonds());
  for (const Finding& finding : findings.sorted()) verdict.reasons.push_back(reason_of(finding));
  return verdict;
}

VerdictReason VerdictMonitor::reason_of(const Finding& finding) const {
  VerdictReason reason;
  reason.says = finding.says;
  reason.kind = finding.kind;
  reason.from_s = time_s(windows_.begin(finding.first_window));
  reason.to_s = time_s(windows_.end(finding.last_window));
  if (finding.limit > 0.0) {
    reason.ratio = finding.ratio;
    reason.limit = finding.limit;
  }
  evidence_[finding.evidence]->describe(finding, reason);
  return reason;
}

VerdictReason VerdictMonitor::reason_of_no_bonds() const {
  VerdictReason reason;
  reason.says = VerdictValue::not_monitored;
  reason.kind = ReasonKind::not_monitored;
  reason.from_s = start_time_s_;
  reason.to_s = last_time_s_;
  reason.what = "no power bond is declared, so artificial energy cannot be measured";
  return reason;
}

double VerdictMonitor::time_s(Tick k) const {
  if (last_tick_ == 0) return start_time_s_;
  const double done = static_cast<double>(k) / static_cast<double>(last_tick_);
  return start_time_s_ + std::min(done, 1.0) * (last_time_s_ - start_time_s_);
}

void VerdictMonitor::archive(Archive& archive) {
  archive.section("verdict");
  for (const auto& evidence : evidence_) evidence->archive(archive);
  archive(windows_);
  archive(started_);
  archive(start_time_s_);
  archive(last_time_s_);
  archive(last_tick_);
  archive(points_until_look_);
  archive(alarms_);
}

}  // namespace ergon
