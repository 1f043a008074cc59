#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ergon/core/coupled_system.hpp"
#include "ergon/coupling/options/correction_settings.hpp"
#include "ergon/coupling/options/implicit_options.hpp"
#include "ergon/coupling/options/parameter_change.hpp"
#include "ergon/coupling/options/step_control_options.hpp"

namespace ergon {

/// How the history of a higher-order extrapolation is filled at t₀.
enum class Starter {
  none,    ///< lower degree until there are enough samples
  repeat,  ///< repeat the first steps with rewound subsystems until the history is as accurate as the scheme
};

/// Solve for a static equilibrium at t₀: nothing changes, with some quantities free to be found.
struct EquilibriumRequest {
  /// "instance.state", or "instance.input" of an input that nothing is connected to.
  struct Quantity {
    std::string name;
    SourceLocation where;
  };
  std::vector<Quantity> free;  ///< start values are first guesses
  std::vector<Quantity> hold;  ///< as given; whatever is not free is held, named or not
  SourceLocation where;
};

struct CouplingOptions {
  std::string scheme = "jacobi";
  std::vector<std::string> order;  ///< Gauss–Seidel
  int degree = 0;                  ///< extrapolation, where a link does not say its own
  /// … and only where the receiver looks at the input within its step and what is sent is continuous; elsewhere it is held.
  bool only_followed = false;
  std::string predictor;  ///< of the flows of bonds that do not say their own; nothing: polynomials
  std::optional<FeedthroughMode>
      feedthrough;  ///< where a bond does not say its own; nothing: refresh, else predict
  Starter starter = Starter::none;
  unsigned threads = 1;
  std::vector<CorrectionRequest> corrections;      ///< at most one per bond
  ImplicitOptions implicit;                        ///< of the schemes semi-implicit and implicit
  std::optional<StepControlOptions> step_control;  ///< nothing: fixed steps
  std::optional<EquilibriumRequest> equilibrium;   ///< nothing: initial values as given
  /// Samples before t₀ per output name, the most recent first: y(t₀ − H), y(t₀ − 2H), …
  std::map<std::string, std::vector<double>> initial_history;
  std::vector<ParameterChange> changes;  ///< of parameters, during the run
};

}  // namespace ergon
