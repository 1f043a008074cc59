#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "ergon/coupling/correctors/corrector.hpp"

namespace ergon {
namespace {

/// Nearly energy-preserving coupling element: what the extrapolation missed in the last step is handed in during the
/// next one.
///   f_c = α · mean over the step of (e − ẽ)                                                  [benedikt2013]
/// The mean is (s/H)(e₁ − e₀) where it was held, for a true effort that goes straight from e₀ to e₁. Extrapolated with
/// degree d, and true on a polynomial of degree d + 1, it is
///   w_d (s/H) ∇ᵈ(e₁ − e₀),  w_d = 2/(d + 1)! ∫₀¹ τ(τ + 1)…(τ + d) dτ = 1, 5/6, 3/4, 251/360
/// (the coefficients of Adams and Bashforth); s: how far beyond its sample the receiver uses it on average. Before all
/// differences are known nothing is handed in.
/// Stale efforts: no more is given than was taken.
class NepceCorrector final : public Corrector {
 public:
  NepceCorrector(double alpha, const CorrectorPlace& place, const CorrectionLimits& limits)
      : alpha_(alpha),
        degree_(static_cast<std::size_t>(place.degree)),
        stale_(place.stale),
        limits_(limits),
        state_(degree_ * place.components + 2) {}

  bool correct(const ReceiverStep& step, std::span<double> next) override {
    constexpr std::array<double, 4> weights = {1.0, 5.0 / 6.0, 3.0 / 4.0, 251.0 / 360.0};
    double& steps = state_[state_.size() - 2];
    const bool known = steps >= static_cast<double>(degree_);
    if (!known) steps += 1.0;
    for (std::size_t i = 0; i < next.size(); ++i) {
      // Row k of the state is ∇ᵏ of the step before: the new one is their running difference.
      double difference = step.ahead_effort[i];
      for (std::size_t k = 0; k < degree_; ++k) {
        double& before = state_[k * next.size() + i];
        const double higher = difference - before;
        before = difference;
        difference = higher;
      }
      next[i] = known ? alpha_ * weights.at(degree_) * difference : 0.0;
    }
    const bool capped = limits_.apply(step.effort1, step.applied, step.H_s, next);
    if (!stale_) return capped;
    return give_no_more_than_taken(step, state_.back(), next) || capped;
  }

  [[nodiscard]] std::span<double> state() override { return state_; }

 private:
  double alpha_;
  std::size_t degree_;
  bool stale_;
  CorrectionLimits limits_;
  std::vector<double> state_;  ///< differences of the step before, steps seen, taken (J)
};

std::unique_ptr<Corrector> make_nepce(CorrectorPlace& place, const CorrectionSettings& settings,
                                      ProblemList& problems) {
  const bool ahead = std::any_of(place.lags.begin(), place.lags.end(), [](const InterfaceLag& lag) {
    return lag.looked_ahead_s > 0.0 && !lag.sender_holds;
  });
  if (!ahead) {
    problems.warning(
        settings.where(),
        fmt::format("Bond '{}': the nepce correction is disabled: {}.", settings.bond(),
                    place.sequential ? "a Gauss-Seidel sweep hands new efforts on at once"
                                     : "the receiver looks at its inputs only when they are new, or the "
                                       "other side holds its own as long"),
        "Remove the correction; residual-power corrects stale feed-through.");
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
          make_nepce};
}

}  // namespace ergon
