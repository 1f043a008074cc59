// The words of the verdict.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ergon/verdict/verdict.hpp"

namespace ergon {
namespace {

std::string percent(double ratio) {
  return fmt::format("{:.2g} %", 100.0 * ratio);
}

/// "102 % of the 10 J", "24 times the 10 J".
std::string share_of(double ratio, double scale_J) {
  constexpr double as_multiple = 10.0;
  if (!(ratio < as_multiple)) return fmt::format("{:.3g} times the {:.5g} J", ratio, scale_J);
  return fmt::format("{:.3g} % of the {:.5g} J", 100.0 * ratio, scale_J);
}

/// "a, b, c and 7 more".
std::string list(const std::vector<std::string>& names) {
  constexpr std::size_t most = 4;
  if (names.size() <= most) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{} and {} more", fmt::join(names.begin(), names.begin() + most - 1, ", "),
                     names.size() - most + 1);
}

std::string interval(double from_s, double to_s) {
  return fmt::format("in {:.4g}–{:.4g} s", from_s, to_s);
}

}  // namespace

std::string_view name_of(VerdictValue value) {
  switch (value) {
    case VerdictValue::reliable:
      return "reliable";
    case VerdictValue::consistent:
      return "consistent";
    case VerdictValue::doubtful:
      return "doubtful";
    case VerdictValue::unreliable:
      return "unreliable";
    case VerdictValue::not_monitored:
      return "not monitored";
  }
  return "";
}

int severity(VerdictValue value) {
  switch (value) {
    case VerdictValue::reliable:
      return 0;
    case VerdictValue::consistent:
      return 1;
    case VerdictValue::not_monitored:
      return 2;
    case VerdictValue::doubtful:
      return 3;
    case VerdictValue::unreliable:
      return 4;
  }
  return 4;
}

std::string_view name_of(ReasonKind kind) {
  switch (kind) {
    case ReasonKind::failure:
      return "failure";
    case ReasonKind::not_finite:
      return "not-finite";
    case ReasonKind::energy_balance:
      return "energy-balance";
    case ReasonKind::bond_imbalance:
      return "bond-imbalance";
    case ReasonKind::interface_energy:
      return "interface-energy";
    case ReasonKind::blind_bond:
      return "blind-bond";
    case ReasonKind::stale_efforts:
      return "stale-efforts";
    case ReasonKind::growth:
      return "growth";
    case ReasonKind::sudden_change:
      return "sudden-change";
    case ReasonKind::correction_limited:
      return "correction-limited";
    case ReasonKind::coupling_residual:
      return "coupling-residual";
    case ReasonKind::not_monitored:
      return "not-monitored";
    case ReasonKind::unwatched_input:
      return "unwatched-input";
    case ReasonKind::element_gives:
      return "element-gives";
    case ReasonKind::correction_work:
      return "correction-work";
    case ReasonKind::too_few_samples:
      return "too-few-samples";
    case ReasonKind::source_sampling:
      return "source-sampling";
    case ReasonKind::solver_residual:
      return "solver-residual";
    case ReasonKind::motion:
      return "motion";
  }
  return "";
}

double VerdictMonitor::time_s(Tick k) const {
  if (last_tick_ == 0) return start_time_s_;
  const double done = static_cast<double>(k) / static_cast<double>(last_tick_);
  return start_time_s_ + std::min(done, 1.0) * (last_time_s_ - start_time_s_);
}

VerdictReason VerdictMonitor::reason_of_failure(const Failure& failure) const {
  VerdictReason reason;
  reason.says = VerdictValue::unreliable;
  reason.kind = ReasonKind::failure;
  reason.subsystems = {failure.subsystem};
  reason.from_s = reason.to_s = failure.time_s;
  reason.what = fmt::format("{} failed at {:.4g} s: {}", failure.subsystem, failure.time_s, failure.what);
  return reason;
}

VerdictReason VerdictMonitor::reason_of_no_bonds() const {
  VerdictReason reason;
  reason.says = VerdictValue::not_monitored;
  reason.kind = ReasonKind::not_monitored;
  reason.from_s = start_time_s_;
  reason.to_s = last_time_s_;
  reason.what = "there is no power bond, so nothing tells how much energy the coupling creates";
  return reason;
}

/// Where the spurious energy of a group comes from, as far as the accounts of single bonds tell.
std::string VerdictMonitor::origin_of(const EnergyGroup& group, double amount_J,
                                      VerdictReason& reason) const {
  std::string& bond = reason.bond;
  double largest_J = 0.0;
  bool all_known = true;
  for (const Index b : group.bonds()) {
    all_known = all_known && tellings_[b].has_imbalance;
    const double then_J = std::abs(bonds_[b].imbalance_at_peak_J);
    if (!tellings_[b].has_imbalance || then_J <= largest_J) continue;
    largest_J = then_J;
    bond = system_.bonds[b].name;
  }
  if (largest_J >= 0.5 * std::abs(amount_J)) return fmt::format(", most of it from bond '{}'", bond);
  bond.clear();
  reason.by_integration = all_known;
  return all_known ? ", most of it from the integration inside the subsystems" : "";
}

VerdictReason VerdictMonitor::reason_of(const Finding& f) const {
  VerdictReason reason;
  reason.says = f.says;
  reason.kind = f.kind;
  reason.from_s = time_s(windows_.begin(f.first_window));
  reason.to_s = time_s(windows_.end(f.last_window));
  const std::string when = interval(reason.from_s, reason.to_s);
  const bool of_group = f.kind == ReasonKind::energy_balance || f.kind == ReasonKind::element_gives;
  const bool good = f.says == VerdictValue::consistent;
  const char* created = f.amount > 0.0 ? "created" : "destroyed";
  const bool of_run = f.kind == ReasonKind::coupling_residual || f.kind == ReasonKind::unwatched_input ||
                      f.kind == ReasonKind::source_sampling;
  if (of_group) {
    reason.subsystems = groups_[f.subject].group.names();
  } else if (!of_run) {
    reason.bond = system_.bonds[f.subject].name;
  }
  if (f.limit > 0.0) {
    reason.ratio = f.ratio;
    reason.limit = f.limit;
  }
  switch (f.kind) {
    case ReasonKind::energy_balance: {
      const EnergyGroup& group = groups_[f.subject].group;
      reason.what =
          good ? fmt::format("the energy of {} is right within {} of {:.5g} J", list(group.names()),
                             percent(f.ratio), f.scale)
               : fmt::format("the energy of {} is up to {:.5g} J too {}, {} that belong there, {}{}",
                             list(group.names()), std::abs(f.amount), f.amount > 0.0 ? "high" : "low",
                             share_of(f.ratio, f.scale), when, origin_of(group, f.amount, reason));
      break;
    }
    case ReasonKind::bond_imbalance:
      reason.what = good ? fmt::format("bond '{}' kept the energy of its ends right within {} of {:.5g} J",
                                       reason.bond, percent(f.ratio), f.scale)
                         : fmt::format("bond '{}' {} {:.5g} J, {} at its ends, {}", reason.bond, created,
                                       std::abs(f.amount), share_of(f.ratio, f.scale), when);
      break;
    case ReasonKind::interface_energy:
      reason.what =
          good ? fmt::format(
                     "the interface of bond '{}' created about {} of the {:.5g} J that it "
                     "passed on",
                     reason.bond, percent(f.ratio), f.scale)
               : fmt::format("the interface of bond '{}' {} about {:.2g} J, {} that it passed on, {}",
                             reason.bond, created, std::abs(f.amount), share_of(f.ratio, f.scale), when);
      break;
    case ReasonKind::blind_bond:
      reason.what = good ? fmt::format("bond '{}', seen from outside, created {} of about {:.3g} J",
                                       reason.bond, percent(f.ratio), f.scale)
                         : fmt::format("bond '{}', seen from outside, {} {:.3g} J, {} that belong there",
                                       reason.bond, created, std::abs(f.amount), share_of(f.ratio, f.scale));
      break;
    case ReasonKind::stale_efforts:
      reason.what = fmt::format(
          "the efforts of bond '{}' are evaluated with stale flows, and without energy accounts nothing "
          "shows all "
          "that this creates (feedthrough = \"refresh\" or \"predict\" can be judged)",
          reason.bond);
      break;
    case ReasonKind::growth:
      reason.what = fmt::format("the power at bond '{}' has grown {:.3g}-fold, and its interface adds energy",
                                reason.bond, f.ratio);
      break;
    case ReasonKind::sudden_change:
      reason.what = fmt::format("interface power of bond '{}' is {:.3g} × its usual level {}", reason.bond,
                                f.ratio, when);
      break;
    case ReasonKind::correction_limited:
      reason.what = fmt::format("the correction at bond '{}' was cut short by its limit for {} of the time",
                                reason.bond, percent(f.ratio));
      break;
    case ReasonKind::coupling_residual:
      reason.what = fmt::format(
          "the coupling variables did not converge: in {} of the steps they differ from the outputs by more "
          "than "
          "{} of their size, at most by {:.3g} times it (take smaller steps, or scheme = \"implicit\")",
          percent(f.ratio), percent(f.scale), f.amount);
      break;
    case ReasonKind::not_finite:
      reason.what = fmt::format("energies at bond '{}' are too large for a number", reason.bond);
      break;
    case ReasonKind::not_monitored:
      reason.what =
          system_.bonds[f.subject].observed_only
              ? fmt::format("bond '{}' is observed only: both ends have its law in their books", reason.bond)
              : fmt::format(
                    "bond '{}': under Gauss–Seidel only the energy accounts of both ends could tell, and one "
                    "keeps "
                    "none",
                    reason.bond);
      break;
    case ReasonKind::unwatched_input:
      reason.what = fmt::format("no bond watches what arrives at {} from other subsystems", list(unwatched_));
      break;
    case ReasonKind::element_gives:
      reason.what = fmt::format(
          "elements gave {:.5g} J to {} that their laws do not, {}: look for an effort with the wrong sign",
          f.amount, list(groups_[f.subject].group.names()), share_of(f.ratio, f.scale));
      break;
    case ReasonKind::correction_work:
      reason.what = fmt::format(
          "the correction at bond '{}' did {:.5g} J of work, {}: it puts the energy right, not the motion",
          reason.bond, f.amount, share_of(f.ratio, f.scale));
      break;
    case ReasonKind::too_few_samples:
      reason.what =
          fmt::format("the efforts of bond '{}' are sampled {:.3g} times in a period", reason.bond, f.ratio);
      break;
    case ReasonKind::source_sampling:
      reason.subsystems = {sources_.name(f.subject)};
      reason.what = fmt::format("the samples of source '{}' leave out {} of its signal (a smaller step_size)",
                                sources_.name(f.subject), percent(f.ratio));
      break;
    case ReasonKind::failure:
    case ReasonKind::solver_residual:
    case ReasonKind::motion:
      break;
  }
  return reason;
}

}  // namespace ergon
