#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "ergon/coupling/correctors/corrector.hpp"

namespace ergon {
namespace {

/// Nearly energy-preserving coupling element: what the extrapolation missed in the last step is handed in during the
/// next one.
///   f_c = α · mean over the step of (e − ẽ)                                                  [benedikt2013]
/// The mean is (s/H)(e₁ − e₀) where it was held, for a true effort that goes straight from e₀ to e₁, and
/// ⅚(s/H)(e₁ − 2e₀ + e₋₁) where it was extrapolated linearly, for one on a parabola; s: how far beyond its sample the
/// receiver uses it on average.
/// Stale efforts: no more is given than was taken.
class NepceCorrector final : public Corrector {
 public:
  NepceCorrector(double alpha, const CorrectorPlace& place, const CorrectionLimits& limits)
      : alpha_(alpha),
        extrapolated_(place.extrapolates),
        stale_(place.stale),
        limits_(limits),
        state_(place.components + 1) {}

  bool correct(const ReceiverStep& step, std::span<double> next) override {
    for (std::size_t i = 0; i < next.size(); ++i) {
      constexpr double parabola = 5.0 / 6.0;
      next[i] =
          alpha_ * (extrapolated_ ? parabola * (step.ahead_effort[i] - state_[i]) : step.ahead_effort[i]);
      state_[i] = step.ahead_effort[i];
    }
    const bool capped = limits_.apply(step.effort1, step.applied, step.H_s, next);
    if (!stale_) return capped;
    return give_no_more_than_taken(step, state_.back(), next) || capped;
  }

  [[nodiscard]] std::span<double> state() override { return state_; }

 private:
  double alpha_;
  bool extrapolated_;
  bool stale_;
  CorrectionLimits limits_;
  std::vector<double> state_;  ///< what was looked ahead in the step before, per component; taken (J)
};

std::unique_ptr<Corrector> make(CorrectorPlace& place, const CorrectionSettings& settings,
                                ProblemList& problems) {
  const bool ahead = std::any_of(place.lags.begin(), place.lags.end(), [](const InterfaceLag& lag) {
    return lag.looked_ahead_s > 0.0 && !lag.giver_holds;
  });
  if (!ahead) {
    problems.warning(
        settings.where(),
        fmt::format("Bond '{}': the nepce correction is switched off, since {}.", settings.bond(),
                    place.sequential ? "a Gauss-Seidel sweep hands new efforts on at once"
                                     : "the receiver looks at its inputs only when they are new, or the "
                                       "other side holds its own as long"),
        "Remove the correction; residual-power pays for stale feed-through.");
    return nullptr;
  }
  constexpr double full_effort = 1.0;
  return std::make_unique<NepceCorrector>(settings.number("alpha", 1.0), place,
                                          read_limits(place, settings, full_effort));
}

}  // namespace

CorrectorInfo nepce_corrector() {
  return {"nepce",
          "hands in what the extrapolation of the effort missed in the step before [benedikt2013]",
          {
              {"alpha", "gain, default 1", true, 0.0, 1.0},
              limit_key("largest correction, as a fraction of the effort (default 1), or \"none\"", {"none"}),
              limit_absolute_key(),
              rate_limit_key(),
          },
          make};
}

}  // namespace ergon
