#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "ergon/coupling/correctors/corrector.hpp"

namespace ergon {
namespace {

/// W/|Δx| has no bound where the receiver turns round, and what the correction does there comes back in the next step:
/// without a limit it feeds on itself.
constexpr double default_limit = 0.25;

/// Passivity observer and controller of the subsystem that gives the effort.
///   W = E_in − ΔS − D,  E_in = −Σ (e + f_c)·Δx: what the interface gave it, minus what it stored and dissipated
///   f_c = W/|Δx| · Δx/|Δx| where W < 0, else 0: takes back from the receiver what came from nowhere
///                                                                                           [gonzalez2019, (4a), (4b)]
/// The paper's force is the one on the effort's sender: the sign here is that of the force on the receiver.
/// e is the effort that the receiver moved against: ½(e₀ + e₁) as long as it follows the true one, less by
/// (s/H)(e₁ − e₀) where it was held beyond its sample, by s on average; held all along it is e₀, as published.
/// With prediction, W is that of the end of the next step, in which holding does (s/H)(e₁ − e₀)·Δx too little work.
/// Without an account, ΔS + D = −(energy it had at t₀), which the user must give: it may hand out so much and no more.
class PassivityCorrector final : public Corrector {
 public:
  struct Options {
    bool predict = false;
    bool extrapolated = false;  ///< the effort follows a slope over the step
    bool has_account = true;
    double initial_energy_J = 0.0;
  };
  PassivityCorrector(const Options& options, const CorrectionLimits& limits)
      : options_(options), limits_(limits) {}

  bool correct(const ReceiverStep& step, std::span<double> next) override {
    double& given_J = state_[0];
    double worked_J = 0.0;
    for (std::size_t i = 0; i < next.size(); ++i) {
      const double held = options_.extrapolated ? 0.0 : step.ahead_effort[i];
      worked_J += (0.5 * (step.effort0[i] + step.effort1[i]) - held) * step.moved[i];
    }
    given_J -= worked_J + dot(step.applied, step.moved);
    double W = given_J - (options_.has_account ? step.sender_energy_J : -options_.initial_energy_J);
    if (options_.predict && !options_.extrapolated) {
      for (std::size_t i = 0; i < next.size(); ++i) {
        W += step.ahead_effort[i] * step.flow1[i] * step.H_s;
      }
    }
    const double square = dot(step.moved, step.moved);
    for (std::size_t i = 0; i < next.size(); ++i) {
      next[i] = W < 0.0 && square > 0.0 ? W * step.moved[i] / square : 0.0;
    }
    return limits_.apply(step.effort1, step.applied, step.H_s, next);
  }

  [[nodiscard]] std::span<double> state() override { return state_; }

 private:
  Options options_;
  CorrectionLimits limits_;
  std::array<double, 1> state_{};
};

std::unique_ptr<Corrector> make_passivity(CorrectorPlace& place, const CorrectionSettings& settings,
                                          ProblemList& problems) {
  if (place.sequential && place.degree == 0) {
    problems.warning(
        settings.where(),
        fmt::format("Bond '{}': the passivity correction is disabled: in a Gauss-Seidel sweep the "
                    "order decides which effort is held, and with it the work that would be observed.",
                    settings.bond()),
        "Use extrapolation = \"linear\", scheme = \"jacobi\" or method = \"energy-leak\".");
    return nullptr;
  }
  if (place.degree > 1) {
    problems.warning(
        settings.where(),
        fmt::format(
            "Bond '{}': the passivity correction is disabled: its observer knows the work of a "
            "step to second order only: with {} extrapolation that is coarser than the coupling itself.",
            settings.bond(), place.degree == 2 ? "quadratic" : "cubic"),
        "Remove the correction, or use extrapolation = \"linear\".");
    return nullptr;
  }
  PassivityCorrector::Options options;
  options.predict = settings.flag("prediction");
  options.extrapolated = place.degree > 0;
  // As printed, energies are those that the sender reports. Of a leapfrog they swing with its steps; where the effort is
  // fresh, that is most of what the observer would see.
  const bool as_printed = place.stale || settings.word("limit", "") == "none";
  const std::string energies = settings.word("energies", as_printed ? "account" : "half-step");
  options.has_account = energies != "interface";
  place.half_step_energies = energies == "half-step";
  if (options.has_account) place.needs = CorrectorNeeds::sender_accounts;
  if (options.has_account && !place.sender_accounts) {
    problems.error(
        settings.where(),
        fmt::format(
            "Bond '{}': passivity needs the energy account of the subsystem that sends the effort, but it "
            "has none.",
            settings.bond()),
        "Say energies = \"interface\" with initial_energy, or use method = \"residual-power\".");
    return nullptr;
  }
  options.initial_energy_J = settings.number("initial_energy", 0.0);
  if (options.has_account && settings.has("initial_energy")) {
    problems.error(settings.where(),
                   fmt::format("Bond '{}': initial_energy has no effect where an energy account is used.",
                               settings.bond()),
                   "Leave it out, or set energies = \"interface\".");
    return nullptr;
  }
  if (!options.has_account && !settings.has("initial_energy")) {
    problems.error(
        settings.where(),
        fmt::format("Bond '{}': without energy accounts, passivity needs to know how much energy the "
                    "sender of the effort may release.",
                    settings.bond()),
        "Give initial_energy, in J.");
    return nullptr;
  }
  return std::make_unique<PassivityCorrector>(options, read_limits(place, settings, default_limit));
}

}  // namespace

CorrectorInfo passivity_corrector() {
  return {
      "passivity",
      "dissipates what the sender of the effort releases beyond its energy [gonzalez2019, Sect. 2]",
      {
          limit_key("largest correction, as a fraction of the effort (default 0.25), or \"none\"", {"none"}),
          limit_absolute_key(),
          rate_limit_key(),
          {"prediction", "act on the energy expected at the end of the next step", false, 0.0, 0.0, {}, true},
          {"energies",
           "half-step: velocities of the same instant; account: as reported (default with stale feed-through "
           "or limit = \"none\"); interface: from the coupling variables alone",
           false,
           0.0,
           0.0,
           {"account", "half-step", "interface"}},
          {"initial_energy",
           "energy that the sender of the effort may release, in J (energies = \"interface\")", true, 0.0,
           1e300},
      },
      make_passivity};
}

}  // namespace ergon
