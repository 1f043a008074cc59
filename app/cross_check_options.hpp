#pragma once

#include <optional>
#include <string>

namespace ergon::app {

/// Times of a run as an options file of the FMI cross-check gives them (NAME_ref.opt), as exact as they are written. A step of 0 stands
/// for a variable step: then it is the output interval, where there is one.
struct CrossCheckOptions {
  std::optional<std::string> start{};
  std::optional<std::string> stop{};
  std::optional<std::string> step{};
};

/// Lines "Key, value"; keys that do not concern a run in fixed steps (RelTol, AbsTol, SolverType, …) are passed over. Throws InputError.
CrossCheckOptions read_cross_check_options(const std::string& file);

}  // namespace ergon::app
