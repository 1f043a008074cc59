#pragma once

#include <string>

#include "ergon/core/port_type.hpp"
#include "ergon/core/problem.hpp"

namespace ergon {

/// A parameter that is to change during the run, at the first communication point of its subsystem that is not before the time.
struct ParameterChange {
  double time_s = 0.0;
  std::string parameter;  ///< "instance.parameter"
  TypedValue value;
  SourceLocation where;
};

/// … that has changed.
struct ParameterChanged {
  double time_s = 0.0;  ///< of the communication point
  std::string parameter;
  TypedValue before;
  TypedValue value;
};

}  // namespace ergon
