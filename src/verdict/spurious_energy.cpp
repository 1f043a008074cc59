#include "ergon/verdict/spurious_energy.hpp"

#include <algorithm>
#include <limits>

#include "ergon/verdict/verdict_limits.hpp"

namespace ergon {
namespace limits = verdict_limits;

void SpuriousEnergy::sample(const EnergySample& now, std::size_t window) {
  if (!std::isfinite(now.stored_J + now.dissipated_J + now.created_J + now.outside_J)) {
    finite_ = false;
    return;
  }
  const bool first = samples_++ == 0;
  double change_J = 0.0;
  if (!first) {
    change_J = now.created_J - created_J_;
    const double lost_J = now.dissipated_J - dissipated_J_;
    const double before_J = in_motion_J_;
    in_motion_J_ = std::max(now.kinetic_J, before_J - std::max(lost_J, 0.0));
    // Overdamped, or in circuits: hardly any of it is kinetic.
    if (kinetic_J_ < limits::little_kinetic * swing_J()) in_motion_J_ = std::max(in_motion_J_, swing_J());
    if (lost_J > 0.0 && in_motion_J_ > 0.0) spurious_J_ *= std::exp(-lost_J / in_motion_J_);
    given_J_ -= lost_J;
    if (in_motion_J_ > before_J) {
      // Negative damping: what it gives is all in the motion, and ε grows with it, by that part of the growth: ε itself makes the
      // motion grow, too. A motor, too, "dissipates" negative amounts, but what it gives passes through, or does not grow with
      // the motion.
      const double growth_J = in_motion_J_ - before_J;
      if (given_J_ > 0.0 && given_J_ < limits::most_given * growth_J && before_J > 0.0)
        spurious_J_ *= 1.0 + std::min(given_J_, growth_J) / before_J;
      given_J_ = 0.0;
    }
    spurious_J_ += change_J;
  } else {
    in_motion_J_ = now.kinetic_J;
  }
  const double honest_J = now.stored_J - spurious_J_;
  if (!first) {
    const double given_J = std::abs(now.outside_J - outside_J_) + std::abs(honest_J - stored_J_);
    turnover_J_ = std::max(turnover_J_, std::min(std::abs(now.dissipated_J - dissipated_J_), given_J));
  }
  stored_J_ = honest_J;
  outside_J_ = now.outside_J;
  dissipated_J_ = now.dissipated_J;
  created_J_ = now.created_J;
  // In a run that explodes the difference is round-off.
  if (std::abs(spurious_J_) <=
      limits::most_cancellation * std::max(scale_J_, std::abs(now.kinetic_J - spurious_J_))) {
    stored_.update(honest_J, first);
    without_input_.update(honest_J - now.outside_J, first);
    kinetic_J_ = std::max(kinetic_J_, now.kinetic_J - spurious_J_);
    scale_J_ = std::max({scale_J_, kinetic_J_, swing_J(), turnover_J_, limits::round_off * now.magnitude_J});
  }
  at_peak_ = std::abs(spurious_J_) > std::abs(largest_J_);
  if (at_peak_) largest_J_ = spurious_J_;
  windows_[window].merge({std::abs(spurious_J_), std::abs(change_J)});
}

double SpuriousEnergy::ratio() const {
  if (largest_J_ == 0.0) return 0.0;
  return scale_J_ > 0.0 ? std::abs(largest_J_) / scale_J_ : std::numeric_limits<double>::infinity();
}

SpuriousEnergy::Span SpuriousEnergy::above(double limit) const {
  const double threshold_J = limit * scale_J_;
  double all_J = 0.0;
  std::size_t used = 0;
  for (std::size_t i = 0; i < windows_.size(); ++i) {
    all_J += windows_[i].created_J;
    if (windows_[i].created_J > 0.0 || windows_[i].spurious_J > 0.0) used = i + 1;
  }
  const double mean_J = all_J / static_cast<double>(std::max<std::size_t>(used, 1));
  Span span;
  bool any = false;
  double rest_J = all_J;
  for (std::size_t i = 0; i < used; ++i) {
    const bool ended = rest_J <= limits::creation_begins * all_J &&
                       rest_J < limits::creation_fades * mean_J * static_cast<double>(used - i);
    rest_J -= windows_[i].created_J;
    if (windows_[i].spurious_J <= threshold_J) continue;
    if (any && ended) break;
    if (!any) span.first = i;
    span.last = i;
    any = true;
  }
  return span;
}

}  // namespace ergon
