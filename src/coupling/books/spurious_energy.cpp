#include "ergon/coupling/books/spurious_energy.hpp"

#include <algorithm>
#include <limits>

#include "ergon/coupling/books/verdict_limits.hpp"

namespace ergon {
namespace {

/// Leaves ten digits of a difference.
constexpr double most_cancellation = 1e6;

}  // namespace

void SpuriousEnergy::sample(double stored_J, double dissipated_J, double created_J, std::size_t window) {
  if (!std::isfinite(stored_J + dissipated_J + created_J)) {
    finite_ = false;
    return;
  }
  double change_J = 0.0;
  if (samples_++ > 0) {
    change_J = std::abs(created_J - created_J_);
    // Motors "dissipate" negative amounts; they do not take spurious energy back.
    const double lost_J = std::max(0.0, dissipated_J - dissipated_J_);
    const double mean_J = 0.5 * (stored_J + stored_J_);
    const double kept = mean_J > 0.0 ? std::exp(-lost_J / mean_J) : 1.0;
    spurious_J_ = spurious_J_ * kept + (created_J - created_J_);
  }
  stored_J_ = stored_J;
  dissipated_J_ = dissipated_J;
  created_J_ = created_J;
  const double honest_J = std::abs(stored_J - spurious_J_);
  // In a run that explodes the difference is round-off.
  if (honest_J * most_cancellation > std::abs(spurious_J_)) scale_J_ = std::max(scale_J_, honest_J);
  if (std::abs(spurious_J_) > std::abs(largest_J_)) largest_J_ = spurious_J_;
  windows_[window].merge({std::abs(spurious_J_), change_J});
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
    const bool ended = rest_J <= verdict_limits::creation_begins * all_J &&
                       rest_J < verdict_limits::creation_fades * mean_J * static_cast<double>(used - i);
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
