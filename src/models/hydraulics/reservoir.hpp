#pragma once

#include <algorithm>
#include <cmath>

#include "ergon/core/subsystem.hpp"
#include "ergon/models/registry.hpp"

namespace ergon {

/// Something that holds a volume of fluid and answers with its pressure above the atmosphere.
///   V̇ = Σ Q                                                          Q volume flows into it
///   tank         p = ρ g V/A                                          open, area A; level V/A
///   accumulator  p = p₀ (V₀/(V₀ − V))ⁿ − p_atm                        gas of volume V₀ and absolute pressure p₀ where it holds no fluid
/// Stored ∫₀ⱽ p dV. A run ends where it is empty (V < 0) or an accumulator has no gas left.
///   state    V
///   inputs   volume flows …
///   outputs  pressure, volume; level of a tank
class Reservoir {
 public:
  enum class Kind : unsigned char { tank, accumulator };
  struct Parameters {
    Kind kind = Kind::tank;
    double stiffness_Pa_m3 = 1.0;  ///< ρ g/A
    double area_m2 = 1.0;
    double gas_m3 = 1.0;        ///< V₀
    double precharge_Pa = 1e6;  ///< p₀, absolute
    double exponent = 1.4;      ///< n
    std::size_t ports = 1;
  };
  static constexpr double atmosphere_Pa = 101325.0;

  explicit Reservoir(const Parameters& parameters) : p_(parameters) {}

  static constexpr std::size_t position_count() { return 0; }
  static constexpr std::size_t velocity_count() { return 1; }
  [[nodiscard]] std::size_t input_count() const { return p_.ports; }
  [[nodiscard]] std::size_t output_count() const { return p_.kind == Kind::tank ? 3 : 2; }
  [[nodiscard]] Description describe() const;
  [[nodiscard]] std::vector<std::string> state_names() const { return {"volume"}; }
  void position_rates(const double* /*q*/, const double* /*v*/, double* /*q_dot*/) const {}
  void normalise(double* /*q*/) const {}

  void acceleration(const double* u, const double* /*q*/, const double* /*v*/, double* a) const {
    a[0] = 0.0;
    for (std::size_t i = 0; i < input_count(); ++i) a[0] += u[i];
  }
  template <typename Tell>
  void powers(const double* u, const double* /*u_rate*/, const double* /*q*/, const double* /*v*/,
              const double* v_work, Tell tell) const {
    const double pressure = pressure_Pa(v_work[0]);
    for (std::size_t i = 0; i < input_count(); ++i) tell(1 + i, pressure * u[i]);
  }
  [[nodiscard]] double stored_J(const double* /*u*/, const double* /*q*/, const double* v) const;
  [[nodiscard]] double kinetic_J(const double* /*q*/, const double* /*v*/) const { return 0.0; }
  void add_jump_work_J(const double* /*u_old*/, const double* /*u_new*/, const double* /*q*/,
                       const double* /*v*/, double /*share*/, double* /*received*/) const {}
  void outputs(const double* /*u*/, const double* /*q*/, const double* v, double* y) const {
    y[0] = pressure_Pa(v[0]);
    y[1] = v[0];
    if (p_.kind == Kind::tank) y[2] = v[0] / p_.area_m2;
  }
  void output_jacobian(const double* /*u*/, const double* /*q*/, const double* /*v*/,
                       double* jacobian) const {
    std::fill_n(jacobian, output_count() * input_count(), 0.0);
  }
  [[nodiscard]] const char* violation(const double* /*u*/, const double* /*q*/, const double* v) const {
    if (!(v[0] >= 0.0)) return "it is empty, or a flow into it is not a number";
    if (p_.kind == Kind::accumulator && !(v[0] < p_.gas_m3)) return "the accumulator has no gas left";
    return nullptr;
  }

 private:
  [[nodiscard]] double pressure_Pa(double volume_m3) const {
    if (p_.kind == Kind::tank) return p_.stiffness_Pa_m3 * volume_m3;
    return p_.precharge_Pa * std::pow(p_.gas_m3 / (p_.gas_m3 - volume_m3), p_.exponent) - atmosphere_Pa;
  }

  Parameters p_;
};

/// hydraulics.tank, hydraulics.accumulator
ModelInfo tank_model();
ModelInfo accumulator_model();

}  // namespace ergon
