#pragma once

#include <vector>

#include "ergon/coupling/correctors/corrector.hpp"
#include "support/accounted_body.hpp"

namespace ergon::testing {

/// One step of a receiver in numbers; what is left empty is 0.
struct StepData {
  double H_s = 1.0;
  std::vector<double> effort0{};
  std::vector<double> effort1{};
  std::vector<double> flow0{};
  std::vector<double> flow1{};
  std::vector<double> moved{};
  std::vector<double> applied{};
  std::vector<double> lag_effort{};
  std::vector<double> ahead_effort{};
  double lag_energy_J = 0.0;
  double leak_J = 0.0;
  double sender_energy_J = 0.0;
};

/// A bond at single rate whose effort is stale: μ = ½.
inline CorrectorPlace stale_place(std::size_t components = 1) {
  CorrectorPlace place;
  place.components = components;
  place.stale = true;
  place.sender_accounts = true;
  InterfaceLag lag;
  lag.H_s = lag.feedthrough_s = 1.0;
  place.lags = {lag};
  return place;
}

/// A corrector without an engine: it is told what happened and asked what it would do.
class LoneCorrector {
 public:
  LoneCorrector(const std::string& method, const Settings& settings, CorrectorPlace where = stale_place())
      : place(std::move(where)), next(place.components) {
    const CorrectionRequest request = correction("bond", method, settings);
    check_correction(request, problems);
    corrector = find_corrector(method)->make(place, CorrectionSettings(request), problems);
  }

  /// The effort that it adds in the next step.
  std::vector<double> after(StepData data) {
    for (auto* row : {&data.effort0, &data.effort1, &data.flow0, &data.flow1, &data.moved, &data.applied,
                      &data.lag_effort, &data.ahead_effort}) {
      row->resize(place.components);
    }
    ReceiverStep step;
    step.H_s = data.H_s;
    step.effort0 = data.effort0;
    step.effort1 = data.effort1;
    step.flow0 = data.flow0;
    step.flow1 = data.flow1;
    step.moved = data.moved;
    step.applied = data.applied;
    step.lag_effort = data.lag_effort;
    step.ahead_effort = data.ahead_effort;
    step.lag_energy_J = data.lag_energy_J;
    step.leak_J = data.leak_J;
    step.sender_energy_J = data.sender_energy_J;
    capped = corrector->correct(step, next);
    return next;
  }

  CorrectorPlace place;
  ProblemList problems;
  std::unique_ptr<Corrector> corrector;
  std::vector<double> next;
  bool capped = false;
};

}  // namespace ergon::testing
