#include "ergon/fmi/exchange/event_limit.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ergon::fmi {

void EventLimit::begin_step(double t, double h, std::size_t indicators) {
  close_s_ = close_share * h;
  last_s_ = first_close_s_ = t;
  close_ = events_ = 0;
  fired_.assign(indicators, 0);
}

bool EventLimit::take(double t, std::span<const int> roots) {
  if (t - last_s_ > close_s_) {
    close_ = 0;
    first_close_s_ = t;
    std::fill(fired_.begin(), fired_.end(), 0U);
  }
  last_s_ = t;
  ++close_;
  ++events_;
  for (std::size_t i = 0; i < roots.size(); ++i) fired_[i] += roots[i] != 0 ? 1U : 0U;
  return close_ <= max_close && events_ <= max_events;
}

std::string EventLimit::complaint(std::span<const std::string> names) const {
  std::vector<std::string> culprits;
  for (std::size_t i = 0; i < fired_.size() && culprits.size() < 5; ++i) {
    if (fired_[i] == 0) continue;
    culprits.push_back(i < names.size() ? fmt::format("'{}'", names[i])
                                        : fmt::format("{} of {}", i + 1, fired_.size()));
  }
  const std::string of = culprits.empty()
                             ? "asked for by the FMU after internal steps"
                             : fmt::format("of the event indicator{} {}", culprits.size() == 1 ? "" : "s",
                                           fmt::join(culprits, ", "));
  if (close_ > max_close)
    return fmt::format("it chatters: {} events within {:.3g} s, {}; such a switch needs a hysteresis", close_,
                       last_s_ - first_close_s_, of);
  return fmt::format("more than {} events within one communication step, {}", max_events, of);
}

}  // namespace ergon::fmi
