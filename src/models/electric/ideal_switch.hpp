#pragma once

#include <algorithm>
#include <cmath>

#include "ergon/core/subsystem.hpp"
#include "ergon/models/registry.hpp"

namespace ergon {

/// An ideal switch between a source that gives a voltage and a load that takes one, with a diode beside the load: open, the load is
/// shorted and the source idle.
///   V_load = s V_source,   I_source = s I_load                  s: how far it is closed, kept within 0 … 1
/// Between 0 and 1 it is the mean of a switch that is closed for the share s of a short period (duty cycle), a transformer whose ratio
/// is a signal; with `reversible` s may go down to −1 (a bridge of four switches). It stores nothing and loses nothing: what it receives
/// from the source, s V I, the load gets. No state; its outputs are those of the inputs of the same instant.
///   inputs   source_voltage, load_current, closed
///   outputs  load_voltage, source_current
class IdealSwitch {
 public:
  explicit IdealSwitch(double lowest) : lowest_(lowest) {}

  static constexpr std::size_t position_count() { return 0; }
  static constexpr std::size_t velocity_count() { return 0; }
  // Not a constant: a row of constant sizes needs a state.
  [[nodiscard]] std::size_t input_count() const { return 3; }
  [[nodiscard]] Description describe() const;
  [[nodiscard]] std::vector<std::string> state_names() const { return {}; }
  void position_rates(const double* /*q*/, const double* /*v*/, double* /*q_dot*/) const {}
  void normalise(double* /*q*/) const {}
  void acceleration(const double* /*u*/, const double* /*q*/, const double* /*v*/, double* /*a*/) const {}

  template <typename Tell>
  void powers(const double* u, const double* /*u_rate*/, const double* /*q*/, const double* /*v*/,
              const double* /*v_work*/, Tell tell) const {
    const double power_W = share(u) * u[0] * u[1];
    tell(1, power_W);
    tell(2, -power_W);
  }
  [[nodiscard]] double stored_J(const double* /*u*/, const double* /*q*/, const double* /*v*/) const {
    return 0.0;
  }
  [[nodiscard]] double kinetic_J(const double* /*q*/, const double* /*v*/) const { return 0.0; }
  void add_jump_work_J(const double* /*u_old*/, const double* /*u_new*/, const double* /*q*/,
                       const double* /*v*/, double /*share*/, double* /*received*/) const {}
  void outputs(const double* u, const double* /*q*/, const double* /*v*/, double* y) const {
    y[0] = share(u) * u[0];
    y[1] = share(u) * u[1];
  }
  void output_jacobian(const double* u, const double* /*q*/, const double* /*v*/, double* jacobian) const {
    const bool moves = u[2] > lowest_ && u[2] < 1.0;
    jacobian[0] = jacobian[4] = share(u);
    jacobian[1] = jacobian[3] = 0.0;
    jacobian[2] = moves ? u[0] : 0.0;
    jacobian[5] = moves ? u[1] : 0.0;
  }
  /// Without a state nothing else would show it.
  [[nodiscard]] const char* violation(const double* u, const double* /*q*/, const double* /*v*/) const {
    return std::isfinite(u[0] + u[1] + u[2]) ? nullptr : "an input of the switch is not a number";
  }

 private:
  [[nodiscard]] double share(const double* u) const { return std::clamp(u[2], lowest_, 1.0); }  // NaN passes

  double lowest_;
};

/// electric.switch
ModelInfo ideal_switch_model();

}  // namespace ergon
