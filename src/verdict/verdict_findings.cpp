// What each kind of evidence means for the run.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "ergon/verdict/verdict.hpp"
#include "ergon/verdict/verdict_limits.hpp"

namespace ergon {
namespace limits = verdict_limits;

void VerdictMonitor::assess(std::vector<Finding>& findings) const {
  auto imbalance = imbalances_.begin();  // both in the order of the bonds
  auto blind = blind_.begin();
  for (std::size_t b = 0; b < bonds_.size(); ++b) {
    const BondState& bond = bonds_[b];
    if (!traces_.finite(b)) findings.push_back({VerdictValue::unreliable, ReasonKind::not_finite, b});
    // The more telling reason first: it has the interval.
    if (tellings_[b].has_imbalance || !options_.sequential) assess_sudden_change(b, findings);
    if (imbalance != imbalances_.end() && imbalance->bond == b)
      assess_spurious((imbalance++)->energy, ReasonKind::bond_imbalance, b, findings);
    const bool is_blind = blind != blind_.end() && blind->bond == b;
    if (is_blind) assess_blind(*blind++, findings);
    if (bond.evidence == Evidence::interface && !is_blind) assess_interface(b, findings);
    if (bond.evidence == Evidence::none)
      findings.push_back({VerdictValue::not_monitored, ReasonKind::not_monitored, b});
    assess_correction(b, findings);
    assess_samples(b, findings);
    const double limited = traces_.limited_share(b);
    if (bond.evidence == Evidence::interface && limited > limits::correction_limited) {
      findings.push_back({VerdictValue::doubtful, ReasonKind::correction_limited, b, 0, TimeWindows::capacity,
                          limited, limits::correction_limited});
    }
  }
  assess_residual(findings);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (!groups_[g].balanced) continue;
    assess_spurious(groups_[g].group.spurious(), ReasonKind::energy_balance, g, findings);
    assess_elements(g, findings);
  }
  assess_sources(findings);
  if (!unwatched_.empty()) findings.push_back({VerdictValue::doubtful, ReasonKind::unwatched_input, 0});
}

/// −∫e·dq − ΔV of an element is what its law takes out; less than that is given to its ends by nobody.
void VerdictMonitor::assess_elements(std::size_t g, std::vector<Finding>& findings) const {
  const EnergyGroup& group = groups_[g].group;
  const double scale_J = group.spurious().scale_J();
  const double given_J = group.given_by_elements_J();
  if (!(given_J > limits::doubtful_energy * scale_J)) return;
  Finding finding{VerdictValue::doubtful, ReasonKind::element_gives, g};
  finding.ratio = given_J / scale_J;
  finding.limit = limits::doubtful_energy;
  finding.amount = given_J;
  finding.scale = scale_J;
  if (finding.ratio > limits::unreliable_energy) {
    finding.says = VerdictValue::unreliable;
    finding.limit = limits::unreliable_energy;
  }
  findings.push_back(finding);
}

void VerdictMonitor::assess_correction(std::size_t b, std::vector<Finding>& findings) const {
  const BondState& bond = bonds_[b];
  if (bond.correction_J == 0.0) return;
  const GroupState& state = groups_[group_of_bond_[b]];
  const double scale_J = state.balanced ? state.group.spurious().scale_J() : traces_.swing_J(b);
  if (!(bond.correction_J > limits::doubtful_correction * scale_J)) return;
  Finding finding{VerdictValue::doubtful, ReasonKind::correction_work, b};
  finding.ratio = bond.correction_J / scale_J;
  finding.limit = limits::doubtful_correction;
  finding.amount = bond.correction_J;
  finding.scale = scale_J;
  findings.push_back(finding);
}

void VerdictMonitor::assess_samples(std::size_t b, std::vector<Finding>& findings) const {
  double change2 = 0.0;
  double square = 0.0;
  for (std::size_t i = 0; i < system_.bonds[b].components.size(); ++i) {
    const std::size_t component = first_effort_[b] + i;
    if (efforts_.known(component) < limits::fewest_samples) return;
    change2 += efforts_.change2(component);
    square += efforts_.square_about_mean(component);
  }
  if (!(change2 > 0.0)) return;
  const double fewest = std::numbers::pi / std::asin(std::min(1.0, 0.5 * std::sqrt(change2 / square)));
  if (fewest >= limits::samples_per_period) return;
  Finding finding{VerdictValue::doubtful, ReasonKind::too_few_samples, b};
  finding.ratio = fewest;
  finding.limit = limits::samples_per_period;
  findings.push_back(finding);
}

void VerdictMonitor::assess_sources(std::vector<Finding>& findings) const {
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    const double ratio = sources_.ratio(i);
    if (!(ratio > limits::doubtful_source)) continue;
    Finding finding{VerdictValue::doubtful, ReasonKind::source_sampling, i};
    finding.ratio = ratio;
    finding.limit = limits::doubtful_source;
    findings.push_back(finding);
  }
}

void VerdictMonitor::assess_spurious(const SpuriousEnergy& spurious, ReasonKind kind, std::size_t subject,
                                     std::vector<Finding>& findings) const {
  const bool of_bond = kind == ReasonKind::bond_imbalance;
  if (!spurious.finite()) {
    // A group is told by its first bond.
    findings.push_back({VerdictValue::unreliable, ReasonKind::not_finite,
                        of_bond ? subject : groups_[subject].group.bonds().front()});
    return;
  }
  if (spurious.samples() < 2) return;  // over at once
  const double ratio = spurious.ratio();
  Finding finding{VerdictValue::consistent, kind, subject};
  finding.ratio = ratio;
  finding.limit = limits::doubtful_energy;
  finding.amount = spurious.largest_J();
  finding.scale = spurious.scale_J();
  if (ratio > limits::doubtful_energy) {
    finding.says = VerdictValue::doubtful;
    if (ratio > limits::unreliable_energy) {
      finding.says = VerdictValue::unreliable;
      finding.limit = limits::unreliable_energy;
    }
    const SpuriousEnergy::Span span = spurious.above(finding.limit);
    finding.first_window = span.first;
    finding.last_window = span.last;
  }
  findings.push_back(finding);
}

/// Where one mass per side does not explain the motion, something is hidden, and nothing is proven.
void VerdictMonitor::assess_blind(const BlindState& blind, std::vector<Finding>& findings) const {
  const BlindBond::Judgement judged = blind.books.judge();
  const bool explained = judged.unexplained < limits::unexplained_motion && judged.scale_J > 0.0;
  // What refreshed and predicted efforts create shows in residual (2), too.
  if (!explained && !bonds_[blind.bond].stale) return assess_interface(blind.bond, findings);
  Finding finding{VerdictValue::consistent, ReasonKind::blind_bond, blind.bond};
  finding.amount = judged.spurious_J;
  finding.scale = judged.scale_J;
  finding.ratio = judged.scale_J > 0.0 ? std::abs(judged.spurious_J) / judged.scale_J : 0.0;
  finding.limit = limits::doubtful_energy;
  if (!explained) {
    finding.says = VerdictValue::doubtful;
    finding.kind = ReasonKind::stale_efforts;
  } else if (finding.ratio > limits::unreliable_energy) {
    finding.says = VerdictValue::unreliable;
    finding.limit = limits::unreliable_energy;
  } else if (finding.ratio > limits::doubtful_energy) {
    finding.says = VerdictValue::doubtful;
  } else if (judged.unexplained > limits::exact_motion &&
             std::abs(judged.drift_J) > limits::unreliable_energy * judged.scale_J) {
    finding.says = VerdictValue::doubtful;
    finding.amount = judged.drift_J;
    finding.ratio = std::abs(judged.drift_J) / judged.scale_J;
  }
  findings.push_back(finding);
}

void VerdictMonitor::assess_interface(std::size_t b, std::vector<Finding>& findings) const {
  const double ratio = traces_.created_ratio(b);
  const double growth = traces_.growth(b);
  const double created_J = traces_.created_J(b);
  Finding finding{VerdictValue::consistent, ReasonKind::interface_energy, b};
  finding.ratio = ratio;
  finding.limit = limits::doubtful_interface;
  finding.amount = created_J;
  finding.scale = traces_.swing_J(b);
  const bool small = ratio <= limits::doubtful_interface;
  // Energy that was created and is still there makes the level rise, energy that was destroyed makes it fall; else it
  // went into dampers, or never came out of them.
  const bool shows = created_J > 0.0 ? growth > limits::steady_level : growth < 1.0 / limits::steady_level;
  if (!small) {
    finding.says = VerdictValue::doubtful;
    if (ratio > limits::unreliable_interface && shows && !bonds_[b].stale &&
        !system_.bonds[b].observed_only) {
      finding.says = VerdictValue::unreliable;
      finding.limit = limits::unreliable_interface;
    }
    const PowerTraces::Span span = traces_.creation(b);
    finding.first_window = span.first;
    finding.last_window = span.last;
  } else if (bonds_[b].stale) {
    finding.says = VerdictValue::doubtful;
    finding.kind = ReasonKind::stale_efforts;
  }
  findings.push_back(finding);
  if (growth < limits::growth || ratio < limits::doubtful_growth) return;
  // Energy that grows g-fold grows by at least (g − 1) × swing. Where (2) is small it may even have the wrong sign.
  const bool proven = ratio > limits::unreliable_growth * (growth - 1.0) && created_J > 0.0;
  findings.push_back({proven ? VerdictValue::unreliable : VerdictValue::doubtful, ReasonKind::growth, b, 0,
                      TimeWindows::capacity, growth, limits::growth, created_J, traces_.swing_J(b)});
}

/// A step that ends with coupling variables and outputs apart has coupled something else. One or two may: a contact closes,
/// a variable that was zero begins to move.
void VerdictMonitor::assess_residual(std::vector<Finding>& findings) const {
  if (residuals_.steps == 0) return;
  const auto steps = static_cast<double>(residuals_.steps);
  const auto finding = [&](VerdictValue says, std::uint64_t count, double limit) {
    Finding f{says, ReasonKind::coupling_residual, 0};
    f.ratio = static_cast<double>(count) / steps;
    f.limit = limits::steps_with_residual;
    f.amount = residuals_.largest;
    f.scale = limit;
    return f;
  };
  const auto often = [&](std::uint64_t count) {
    return static_cast<double>(count) > limits::steps_with_residual * steps;
  };
  if (often(residuals_.large)) {
    findings.push_back(finding(VerdictValue::unreliable, residuals_.large, limits::unreliable_residual));
  } else if (often(residuals_.noticed)) {
    findings.push_back(finding(VerdictValue::doubtful, residuals_.noticed, limits::doubtful_residual));
  }
}

void VerdictMonitor::assess_sudden_change(std::size_t b, std::vector<Finding>& findings) const {
  const auto change = traces_.sudden_change(b, scratch_);
  if (!change || change->energy_ratio < limits::doubtful_sudden_energy) return;
  const VerdictValue says = change->energy_ratio < limits::unreliable_sudden_energy
                                ? VerdictValue::doubtful
                                : VerdictValue::unreliable;
  for (std::size_t i = 0; i < change->count; ++i) {
    const PowerTraces::SuddenChange::Burst& burst = change->bursts[i];
    findings.push_back({says, ReasonKind::sudden_change, b, burst.windows.first, burst.windows.last,
                        burst.level, limits::sudden_level, change->energy_ratio});
  }
}

}  // namespace ergon
