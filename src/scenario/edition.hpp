#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ergon/core/api.hpp"
#include "ergon/coupling/options/options.hpp"

namespace ergon {

enum class FrictionLaw;
enum class TurningRule;

/// The defaults on which results depend, under a name. A scenario with `edition = "2026.1"` gets those of that time, whatever later
/// versions prefer; one that names none gets the newest (docs/compatibility.md). What a file says itself takes precedence.
struct Edition {
  std::string_view name;
  std::string_view scheme;         ///< [coupling] scheme
  std::string_view extrapolation;  ///< [coupling] extrapolation, any word that bonds take
  /// [coupling] feedthrough; nothing: refresh where outputs can be evaluated again, predict elsewhere.
  std::optional<FeedthroughMode> feedthrough;
  Starter starter;              ///< [coupling] starter
  std::string_view update;      ///< [coupling] jacobian, or acceleration
  std::string_view correction;  ///< method of bonds that do not name one
  double accuracy;              ///< [output] accuracy, relative to half the range of an output
  FrictionLaw friction_law;     ///< [solver] friction_law of machine files
  TurningRule turning;          ///< [solver] turning of machine files
};

/// The oldest first. What was released never changes: other defaults are another edition.
[[nodiscard]] ERGON_API std::span<const Edition> editions();
/// What a scenario gets that names none: the newest that is in force. Later ones may be tried by name.
[[nodiscard]] ERGON_API const Edition& newest_edition();
/// Nothing where none has that name.
[[nodiscard]] ERGON_API const Edition* find_edition(std::string_view name);
[[nodiscard]] ERGON_API std::vector<std::string> edition_names();

}  // namespace ergon
