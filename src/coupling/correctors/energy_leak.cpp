#include <algorithm>
#include <cmath>

#include "ergon/coupling/correctors/corrector.hpp"

namespace ergon {
namespace {

/// The published limit, and the one that suits energies which are right at each point: there the leak is small and the
/// correction only a safety net.
constexpr double published_limit = 0.25;
constexpr double half_step_limit = 0.02;

/// Returns the whole accumulated leak of a group of subsystems in one step, as a damper or a motor would.
///   f_c = −L v₁/|Δx·v₁|,  |f_c| ≤ limit·|e|                                                 [gonzalez2019, (13), (14)]
/// e is the effort just held, as published; with half-step energies the new one, to which the correction is added. No
/// displacement, no correction.
class EnergyLeakCorrector final : public Corrector {
 public:
  EnergyLeakCorrector(const CorrectionLimits& limits, bool limited_by_new_effort)
      : limits_(limits), limited_by_new_effort_(limited_by_new_effort) {}

  bool correct(const ReceiverStep& step, std::span<double> next) override {
    const double travel = std::abs(dot(step.moved, step.flow1));
    for (std::size_t i = 0; i < next.size(); ++i) {
      next[i] = travel > 0.0 && step.leak_J != 0.0 ? -step.leak_J * step.flow1[i] / travel : 0.0;
    }
    return limits_.apply(limited_by_new_effort_ ? step.effort1 : step.effort0, step.applied, step.H_s, next);
  }

 private:
  CorrectionLimits limits_;
  bool limited_by_new_effort_;
};

std::unique_ptr<Corrector> make_energy_leak(CorrectorPlace& place, const CorrectionSettings& settings,
                                            ProblemList& /*problems*/) {
  const bool published = place.stale && !place.sequential;
  place.needs = CorrectorNeeds::group_accounts;
  place.half_step_energies = settings.word("energies", published ? "reported" : "half-step") == "half-step";
  return std::make_unique<EnergyLeakCorrector>(
      read_limits(place, settings, place.half_step_energies ? half_step_limit : published_limit),
      place.half_step_energies);
}

}  // namespace

CorrectorInfo energy_leak_corrector() {
  return {
      "energy-leak",
      "returns what the energy balance of a group of subsystems has lost or gained [gonzalez2019]",
      {
          limit_key("largest correction, as a fraction of the effort; default 0.25 with stale feed-through, "
                    "else 0.02; 0: monitor only",
                    {}),
          limit_absolute_key(),
          rate_limit_key(),
          {"energies",
           "reported (default with stale feed-through) or half-step: velocities of the same instant",
           false,
           0.0,
           0.0,
           {"reported", "half-step"}},
      },
      make_energy_leak};
}

}  // namespace ergon
