#pragma once

namespace ergon::numerics {

/// What an integration call came to. `reason` is a static text, empty when ok.
struct IntegrationStatus {
  bool ok = false;
  double reached_time_s = 0.0;
  const char* reason = "";
};

}  // namespace ergon::numerics
