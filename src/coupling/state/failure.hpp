#pragma once

#include <string>

namespace ergon {

/// What a failing run leaves behind.
struct Failure {
  std::string subsystem;
  std::string port;  ///< empty where it is not about one port
  double time_s = 0.0;
  std::string what;
  /// A step was discarded, its state is as before: it may succeed with a shorter one.
  bool discarded = false;
};

}  // namespace ergon
