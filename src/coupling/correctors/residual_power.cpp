#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "ergon/coupling/correctors/corrector.hpp"

namespace ergon {
namespace {

enum class Variant { published, bounded, banked, by_parts, direct_gains };

/// Pays back the energy that the interface is known to make, from the coupling variables alone.
///   ζ = Σ μᵢ Hᵢ dPᵢ                                                                        [rodriguez2022, (11)]
///   published   U += ζ₀ + f_c·v₁ H;   f_c = −(ζ + νU) v₁/(|v₁|² H)                          [rodriguez2022, (14)–(17)]
///               with f_c as it was applied, after all limits
///   bounded     the same
///   banked      B += ζ + f_c·(v₀ + v₁)/2 H;   f_c = −B v₁/(|v₁|² H),  |f_c| ≤ |Σ 2μᵢ (e₁ − e₀)ᵢ|
///   by-parts    f_c = Σ 2μᵢ (e₁ − e₀)ᵢ: over a long time ∫ dP dt is −2∫ Δe·f dt/H, so that the late part of the effort
///               itself can be handed in
///   direct-gains f_c = Σ e* − e: e is what was evaluated with motion that is late, e* = e − K Δξ − C Δf what it is with the
///               motion of now, by the direct gains K = −∂e/∂ξ, C = −∂e/∂f of its sender, and the mean change of e* over the step where
///               it is held
/// No flow, no correction. Stale efforts: all but the published law give no more than they have taken.
class ResidualPowerCorrector final : public Corrector {
 public:
  ResidualPowerCorrector(Variant variant, double nu, const CorrectionLimits& limits, bool stale)
      : variant_(variant), nu_(nu), limits_(limits), stale_(stale) {}

  bool correct(const ReceiverStep& step, std::span<double> next) override {
    const bool capped = pay(step, next);
    // What is late is known: nothing is an estimate that could be misled.
    if (!stale_ || variant_ == Variant::published || variant_ == Variant::direct_gains) return capped;
    double& taken_J = state_[2];
    return give_no_more_than_taken(step, taken_J, next) || capped;
  }

  [[nodiscard]] std::span<double> state() override { return state_; }

 private:
  bool pay(const ReceiverStep& step, std::span<double> next) {
    if (variant_ == Variant::by_parts) {
      std::copy(step.lag_effort.begin(), step.lag_effort.end(), next.begin());
      return limits_.apply(step.lag_effort, step.applied, step.H_s, next);
    }
    if (variant_ == Variant::direct_gains) {
      std::copy(step.missing_effort.begin(), step.missing_effort.end(), next.begin());
      return limits_.apply(step.missing_effort, step.applied, step.H_s, next);
    }
    const double zeta = step.lag_energy_J;
    double& debt_J = state_[0];
    double& last_zeta_J = state_[1];
    double owed_J = 0.0;
    if (variant_ == Variant::published || variant_ == Variant::bounded) {
      debt_J += last_zeta_J + dot(step.applied, step.flow1) * step.H_s;
      last_zeta_J = zeta;
      owed_J = zeta + nu_ * debt_J;
    } else {
      debt_J += zeta + 0.5 * (dot(step.applied, step.flow0) + dot(step.applied, step.flow1)) * step.H_s;
      owed_J = debt_J;
    }
    const double speed2 = dot(step.flow1, step.flow1);
    for (std::size_t i = 0; i < next.size(); ++i) {
      next[i] = speed2 > 0.0 && owed_J != 0.0 ? -owed_J * step.flow1[i] / (speed2 * step.H_s) : 0.0;
    }
    return limits_.apply(variant_ == Variant::banked ? step.lag_effort : step.effort1, step.applied, step.H_s,
                         next);
  }

  Variant variant_;
  double nu_;
  CorrectionLimits limits_;
  bool stale_;
  std::array<double, 3> state_{};  ///< debt, ζ of the step before, taken (J)
};

std::unique_ptr<Corrector> make_residual_power(CorrectorPlace& place, const CorrectionSettings& settings,
                                               ProblemList& problems) {
  const bool by_limit = settings.is_number("limit");
  const std::string variant_name = settings.word("variant", by_limit ? "bounded" : "banked");
  const Variant variant = variant_name == "published"      ? Variant::published
                          : variant_name == "bounded"      ? Variant::bounded
                          : variant_name == "by-parts"     ? Variant::by_parts
                          : variant_name == "direct-gains" ? Variant::direct_gains
                                                           : Variant::banked;
  const bool takes_numbers = variant == Variant::published || variant == Variant::bounded;
  if (!takes_numbers && (by_limit || settings.has("nu"))) {
    problems.error(settings.where(),
                   fmt::format("Bond '{}': variant \"{}\" finds its limit by itself and has no {}.",
                               settings.bond(), variant_name, by_limit ? "relative limit" : "nu"),
                   "Leave it out, or use variant = \"bounded\" or \"published\".");
    return nullptr;
  }
  if (variant != Variant::direct_gains && settings.has("gains")) {
    problems.note(settings.where(),
                  fmt::format("Bond '{}': 'gains' has no effect but with variant = \"direct-gains\".",
                              settings.bond()));
  }
  if (variant == Variant::direct_gains && settings.has("mu")) {
    problems.error(settings.where(),
                   fmt::format("Bond '{}': variant \"direct-gains\" knows what is late, and takes no mu.",
                               settings.bond()),
                   "Leave mu out, or use another variant.");
    return nullptr;
  }
  if (variant == Variant::direct_gains)
    place.gains =
        settings.word("gains", "each-point") == "start" ? EffortGains::start : EffortGains::each_point;
  bool any = false;
  bool beyond_lag = false;
  place.mu.clear();
  for (const InterfaceLag& lag : place.lags) {
    place.mu.push_back(settings.number("mu", lag.mu()));
    any = any || place.mu.back() != 0.0;
    beyond_lag = beyond_lag || place.mu.back() < 0.0 || place.mu.back() > lag.mu() * (1.0 + 1e-9);
  }
  if (settings.has("mu")) {
    // With stale feed-through mu is there to be tuned; without, there is no such delay, and the law would invent energy.
    if (beyond_lag && (!place.stale || place.sequential) && !settings.flag("accept_harm")) {
      problems.error(
          settings.where(),
          fmt::format(
              "Bond '{}': mu = {} corrects a delay that this interface does not have (mu = {:.4g}): the "
              "correction would do harm.",
              settings.bond(), settings.number("mu", 0.0), place.lags.front().mu()),
          "Leave mu out, use feedthrough = \"stale\" with scheme = \"jacobi\", or set accept_harm = true.");
      return nullptr;
    }
    if (settings.number("mu", 0.0) < 0.0) {
      problems.note(
          settings.where(),
          fmt::format("Bond '{}': mu = {} is an experiment: where the residual power shows artificial "
                      "energy, this correction adds as much again.",
                      settings.bond(), settings.number("mu", 0.0)));
    }
  } else if (!any) {
    problems.warning(
        settings.where(),
        fmt::format("Bond '{}': the residual-power correction is disabled: {}.", settings.bond(),
                    place.sequential
                        ? "in a Gauss-Seidel sweep the effort has no constant delay that could be corrected"
                        : "the effort is not delayed here, so there is nothing to correct"),
        "Remove the correction; energy-leak works here where subsystems keep energy accounts.");
    return nullptr;
  }
  const bool in_part = std::any_of(place.lags.begin(), place.lags.end(),
                                   [](const InterfaceLag& lag) { return lag.described_in_part; });
  if (in_part && !settings.has("mu")) {
    problems.error(
        settings.where(),
        fmt::format(
            "Bond '{}': the residual-power correction would remove only a part of the artificial energy, "
            "since the sender of the effort is slower than its receiver, and neither step is a multiple of "
            "the other.",
            settings.bond()),
        "Make one step a multiple of the other, or use extrapolation = \"linear\", or give mu yourself.");
    return nullptr;
  }
  constexpr double full_effort = 1.0;
  return std::make_unique<ResidualPowerCorrector>(variant, settings.number("nu", 0.0),
                                                  read_limits(place, settings, full_effort), place.stale);
}

}  // namespace

CorrectorInfo residual_power_corrector() {
  return {
      "residual-power",
      "returns μ H dP, computed from the coupling variables only [rodriguez2022]",
      {
          {"mu",
           "fraction of the residual energy; default: from feed-through, steps and extrapolation; below 0 as "
           "an "
           "experiment",
           true, -1.0, 1.0},
          {"nu", "share of the unpaid rest paid each step (bounded, published)", true, 0.0, 1.0},
          limit_key("largest correction, as a fraction of the effort; \"auto\" needs no number", {"auto"}),
          limit_absolute_key(),
          rate_limit_key(),
          {"variant",
           "banked (default), by-parts, direct-gains, bounded (default where limit is a number), or "
           "published",
           false,
           0.0,
           0.0,
           {"banked", "by-parts", "direct-gains", "bounded", "published"}},
          {"gains",
           "of direct-gains: probed at each-point (default), for two evaluations of the sender's outputs per "
           "input and point, or once at the start, where the effort is linear in the motion",
           false,
           0.0,
           0.0,
           {"each-point", "start"}},
          {"accept_harm", "take a mu beyond what the interface delays", false, 0.0, 0.0, {}, true},
      },
      make_residual_power};
}

}  // namespace ergon
