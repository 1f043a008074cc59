#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ergon/core/problem.hpp"

namespace ergon {

/// Which outputs of a foreign simulator are its energy account (capabilities.hpp, AccountSample).
struct EnergyMapping {
  std::string stored;      ///< J
  std::string dissipated;  ///< J, since the start; empty: nothing is taken out
  std::string kinetic;     ///< J; empty: not told apart
  /// Work received per input, as outputs in J since the start. Where they are not had, the whole work is that through `through`.
  std::map<std::string, std::string> received{};
  std::string through;  ///< an input; may be empty where there is one only
  SourceLocation where;
  std::string supplied{};  ///< J, since the start; empty: nothing is brought in by sources inside
};

/// Which of its interfaces an FMU is run by: with its own solver, or with ours.
enum class FmuInterfaceKind { co_simulation, model_exchange };

/// What a scenario says about a simulator that is not ours, beyond its parameters (docs/fmus.md).
struct ForeignOptions {
  bool isolate = false;        ///< in a process of its own
  bool sandbox = false;        ///< isolated, and kept from files and network as far as the kernel can
  double call_limit_s = 60.0;  ///< isolated: an answer takes at most so long
  /// Relative, of its own solver; nothing: that of step control, where there is one, else what it takes by itself.
  std::optional<double> tolerance{};
  /// Model exchange: absolute tolerance in units of the nominal value of each state; nothing: a hundredth of the relative one.
  std::optional<double> absolute_tolerance{};
  std::optional<FmuInterfaceKind> interface {};  ///< nothing: co-simulation, where it has both
  std::optional<bool> refresh{};       ///< outputs follow inputs without a step; nothing: it is tried out
  bool output_derivatives = false;     ///< its rates of outputs become outputs, "der(name)"
  std::vector<std::string> outputs{};  ///< further variables to be had as outputs
  std::vector<std::string> inputs{};   ///< tunable parameters exposed as inputs
  /// Isolated: names of variables of the environment that its process receives, with * and ?.
  std::vector<std::string> environment{};
  /// Inputs that an output depends on at once, instead of what the simulator says.
  std::map<std::string, std::vector<std::string>> feedthrough{};
  std::optional<EnergyMapping> energy{};
  SourceLocation where;
};

}  // namespace ergon
