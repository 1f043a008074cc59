#pragma once

#include <cstdint>
#include <string>

#include "ergon/core/api.hpp"
#include "ergon/core/coupled_system.hpp"

namespace ergon {

/// Inputs and outputs at one communication point.
class ERGON_API OutputRecord {
 public:
  virtual ~OutputRecord() = default;
  /// The newest sample of an output that is not in the future of this point: of a real; of an integer, boolean or enumeration
  /// as the nearest double. A text has no number: 0.
  [[nodiscard]] virtual double output(Index output) const = 0;
  /// … of an output of the integer kind, with all its digits; 0 for others.
  [[nodiscard]] virtual std::int64_t integer_output(Index /*output*/) const { return 0; }
  /// … of a text or bytes; empty for others.
  [[nodiscard]] virtual const std::string& text_output(Index /*output*/) const {
    static const std::string none;
    return none;
  }
  /// The same from a less accurate solution of the last window, where step control compares two.
  [[nodiscard]] virtual double rough_output(Index output) const { return this->output(output); }
  /// The value of an input as last used by its subsystem.
  [[nodiscard]] virtual double applied_input(Index input) const = 0;
  /// … and as the newest outputs of its subsystem were evaluated with: another one where they are predicted or refreshed.
  [[nodiscard]] virtual double evaluated_input(Index input) const { return applied_input(input); }
};

}  // namespace ergon
