#pragma once

#include <algorithm>
#include <array>

#include "ergon/core/subsystem.hpp"
#include "ergon/models/hydraulics/fluid.hpp"
#include "ergon/models/registry.hpp"

namespace ergon {

/// A double-acting cylinder behind a spool valve                                  [rodriguez2022, (25) to (32)]
///   s, ṡ   length of the actuator and its rate: inputs;   f > 0 extends it
///   V₁ = A₁ (l/2 + s₀ − s),   V₂ = A₂ (l/2 + s − s₀)
///   ṗᵢ = β(pᵢ)/Vᵢ (Qᵢ − dVᵢ/dt),   with dV₁/dt = −A₁ ṡ, dV₂/dt = A₂ ṡ
///   Q₁ = a_i q(p_P − p₁) − a_o q(p₁ − p_T),   Q₂ = a_o q(p_P − p₂) − a_i q(p₂ − p_T),   q: see Orifice
///   a_i = A_v γ,   a_o = A_v (1 − γ),   γ the spool, kept within 0 … 1
///   f = A₂ p₂ − A₁ p₁ − c ṡ
/// Positions and rates are two inputs and are extrapolated apart: volumes follow s, compression follows ṡ. Where limits are given,
/// chambers and pressures stop at them; else a run ends there.
///
/// Energy. Stored: the pressed fluid, Σ Vᵢ (r F − p) (see Fluid). With Q_P, Q_T the flows of a chamber from the pump and to the
/// tank, and F_P, F_T, Fᵢ the enthalpies there:
///   supplied    Σ r Q_P F_P                                           by the pump
///   dissipated  c ṡ² + Σ r (Q_P (F_P − Fᵢ) + Q_T (Fᵢ − F_T)) + Σ r Q_T F_T    friction, valve, and what the tank gets
/// Fluid that a chamber presses back into the pump's line is dissipated, and what it draws from the tank is supplied, so that
/// neither ever falls. Where s and ṡ disagree, volume appears or vanishes with the energy that is in it: this is booked as
/// received through the position.
///   state    p₁, p₂
///   inputs   position_in, velocity_in, spool
///   outputs  force; pressure_1, pressure_2; mass_1, mass_2; mass_flow_1, mass_flow_2; pump_power, tank_power, loss_power
class ValvedCylinder {
 public:
  struct Parameters {
    Fluid fluid{};
    Orifice orifice{};
    std::array<double, 2> area_m2 = {65e-4, 65e-4};  ///< of the piston in chamber 1 and 2
    double length_m = 0.442;                         ///< l: of both chambers together
    double middle_m = 0.0;                           ///< s₀: where both are equally long
    double friction_Ns_m = 1e5;                      ///< c
    double valve_area_m2 = 5e-6;                     ///< A_v
    double pump_Pa = 7.6e6;
    double tank_Pa = 1e5;
    double shortest_chamber_m = 0.0;   ///< chambers are not taken as shorter; 0: there is no such stop
    double highest_pressure_Pa = 0.0;  ///< pressures stop at 0 and here; 0: they do not
  };
  explicit ValvedCylinder(const Parameters& parameters);

  static constexpr std::size_t position_count() { return 0; }
  static constexpr std::size_t velocity_count() { return 2; }
  static constexpr std::size_t input_count() { return 3; }
  static constexpr std::size_t output_count() { return 10; }
  static constexpr bool supplies() { return true; }
  [[nodiscard]] Description describe() const;
  [[nodiscard]] std::vector<std::string> state_names() const { return {"p1", "p2"}; }
  void position_rates(const double* /*q*/, const double* /*v*/, double* /*q_dot*/) const {}
  void normalise(double* /*q*/) const {}

  /// ṗ
  void acceleration(const double* u, const double* /*q*/, const double* p, double* p_dot) const;
  template <typename Tell>
  void powers(const double* u, const double* u_rate, const double* /*q*/, const double* /*p*/,
              const double* p_work, Tell tell) const {
    const double rate = u[1];
    double dissipated_W = p_.friction_Ns_m * rate * rate;
    double supplied_W = 0.0;
    const double pump_Pa = p_.fluid.enthalpy_Pa(p_.pump_Pa);
    const double tank_Pa = p_.fluid.enthalpy_Pa(p_.tank_Pa);
    double volume_W = 0.0;  // of volume that appears: s and ṡ disagree
    const double disagreement = (u_rate != nullptr ? u_rate[0] : 0.0) - rate;
    for (int chamber = 0; chamber < 2; ++chamber) {
      const double p = p_work[chamber];
      const ValveFlows flows = valve_flows(u[2], p, chamber);
      const double ratio = p_.fluid.ratio(p);
      const double chamber_Pa = p_.fluid.enthalpy_Pa(p);
      dissipated_W += ratio * (flows.from_pump_m3_s * (pump_Pa - chamber_Pa) +
                               flows.to_tank_m3_s * (chamber_Pa - tank_Pa));
      const double pump_W = ratio * flows.from_pump_m3_s * pump_Pa;
      const double tank_W = ratio * flows.to_tank_m3_s * tank_Pa;
      supplied_W += std::max(pump_W, 0.0) + std::max(-tank_W, 0.0);
      dissipated_W += std::max(tank_W, 0.0) + std::max(-pump_W, 0.0);
      // At its stop a chamber keeps its volume, whatever the rate says.
      const double appears = is_stopped(u[0], chamber) ? -rate : disagreement;
      volume_W += p_.fluid.energy_density_J_m3(p) * volume_per_length_m2(chamber) * appears;
    }
    tell(0, dissipated_W);
    tell(1, volume_W);
    tell(2, -force_N(u, p_work) * rate);
    tell(1 + input_count(), supplied_W);
  }
  [[nodiscard]] double stored_J(const double* u, const double* q, const double* p) const;
  [[nodiscard]] double kinetic_J(const double* /*q*/, const double* /*p*/) const { return 0.0; }
  void add_jump_work_J(const double* u_old, const double* u_new, const double* q, const double* p,
                       double share, double* received) const;
  void outputs(const double* u, const double* q, const double* p, double* y) const;
  void output_jacobian(const double* u, const double* q, const double* p, double* jacobian) const;
  /// Pressures that a step led beyond their limits stop there, as with valves that let fluid out and in; returns the energy, J,
  /// that went with it.
  [[nodiscard]] double keep_within(const double* u, double* p) const;
  /// A chamber without length, a pressure below 0, a fluid that pressing would thin.
  [[nodiscard]] const char* violation(const double* u, const double* q, const double* p) const;
  /// The same before the first step, with position and stroke.
  [[nodiscard]] std::string inconsistency(const double* u, const double* q, const double* p) const;

  [[nodiscard]] double force_N(const double* u, const double* p) const {
    return p_.area_m2[1] * p[1] - p_.area_m2[0] * p[0] - p_.friction_Ns_m * u[1];
  }

 private:
  /// dV/ds
  [[nodiscard]] double volume_per_length_m2(int chamber) const {
    return chamber == 0 ? -p_.area_m2[0] : p_.area_m2[1];
  }
  [[nodiscard]] double chamber_length_m(double position, int chamber) const {
    const double out = position - p_.middle_m;
    return 0.5 * p_.length_m + (chamber == 0 ? -out : out);
  }
  [[nodiscard]] bool is_stopped(double position, int chamber) const {
    return chamber_length_m(position, chamber) < p_.shortest_chamber_m;
  }
  [[nodiscard]] double volume_m3(double position, int chamber) const {
    const double length =
        is_stopped(position, chamber) ? p_.shortest_chamber_m : chamber_length_m(position, chamber);
    return p_.area_m2[static_cast<std::size_t>(chamber)] * length;
  }
  /// Through the valve from the pump, and to the tank; at the density of the chamber.
  struct ValveFlows {
    double from_pump_m3_s = 0.0;
    double to_tank_m3_s = 0.0;
  };
  [[nodiscard]] ValveFlows valve_flows(double spool, double p, int chamber) const;
  [[nodiscard]] double inflow_m3_s(double spool, double p, int chamber) const {
    const ValveFlows flows = valve_flows(spool, p, chamber);
    return flows.from_pump_m3_s - flows.to_tank_m3_s;
  }

  Parameters p_;
};

/// What a scenario says of a cylinder, apart from s₀: shared by all models that have one.
std::vector<ParameterInfo> cylinder_parameters();
std::vector<ParameterInfo> cylinder_initial();
/// Nothing after reporting what is unphysical: of pump, tank and fluid, or of the pressures at the start.
std::optional<ValvedCylinder::Parameters> read_cylinder(const ModelRequest& request, ProblemList& problems);

/// hydraulics.cylinder
ModelInfo cylinder_model();

}  // namespace ergon
