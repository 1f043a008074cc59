#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/coupled_system.hpp"
#include "coupling/correctors/settings.hpp"
#include "coupling/implicit/options.hpp"
#include "coupling/step_control/step_control.hpp"

namespace ergon {

/// How the history of a higher-order extrapolation is filled at t₀.
enum class Starter {
  none,    ///< lower degree until there are enough samples
  repeat,  ///< repeat the first steps with rewound subsystems until the history is as accurate as the scheme
};

struct CouplingOptions {
  std::string scheme = "jacobi";
  std::vector<std::string> order;  ///< Gauss–Seidel
  int degree = 0;                  ///< extrapolation, where a link does not say its own
  std::optional<FeedthroughMode>
      feedthrough;  ///< where a bond does not say its own; nothing: refresh, else predict
  Starter starter = Starter::none;
  unsigned threads = 1;
  std::vector<CorrectionRequest> corrections;      ///< at most one per bond
  ImplicitOptions implicit;                        ///< of the schemes semi-implicit and implicit
  std::optional<StepControlOptions> step_control;  ///< nothing: fixed steps
  /// Samples before t₀ per output name, the most recent first: y(t₀ − H), y(t₀ − 2H), …
  std::map<std::string, std::vector<double>> initial_history;
};

}  // namespace ergon
