#pragma once

#include <optional>
#include <string>

#include "ergon/core/port_type.hpp"
#include "ergon/core/problem.hpp"

namespace ergon {

/// A parameter, or an input that nothing feeds, that is to change during the run, at the first communication point of its subsystem
/// that is not before the time.
struct ParameterChange {
  double time_s = 0.0;
  std::string parameter;  ///< "instance.parameter", "instance.input"
  TypedValue value;
  SourceLocation where;
  std::optional<double> until_s{};  ///< from then on it has the value that it had before
  bool is_bias = false;             ///< `value` is added to the value that it has then
};

/// … that has changed.
struct ParameterChanged {
  double time_s = 0.0;  ///< of the communication point
  std::string parameter;
  TypedValue before;
  TypedValue value;
};

}  // namespace ergon
