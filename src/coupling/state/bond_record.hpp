#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "ergon/core/api.hpp"
#include "ergon/core/coupled_system.hpp"
#include "ergon/core/time_grid.hpp"
#include "ergon/coupling/state/bond_gains.hpp"
#include "ergon/coupling/state/number_array.hpp"

namespace ergon {

/// The books of one power bond at a communication point. Powers in W, energies in J, cumulative since t₀.
/// Positive residuals: the interface injects energy (docs/theory/power-bonds.md).
struct BondRecord {
  // What changes at every point comes first: it is kept in BondFigures.
  Tick last_point = 0;              ///< when these figures were last updated
  double power_into_b_W = 0.0;      ///< effort × flow of simultaneous plain samples
  double exchanged_energy_J = 0.0;  ///< Σ |effort × flow| H: the scale of everything below
  double residual_power_W = 0.0;    ///< (1) from plain samples alone                    [rodriguez2022, (9)]
  double residual_energy_J = 0.0;
  double interface_power_W = 0.0;  ///< (2) from the input values actually applied
  double interface_energy_J = 0.0;
  bool has_imbalance =
      false;  ///< (3) exists: both ends account for the work they receive, see BondsRecord::imbalance_J
  bool corrected = false;          ///< a corrector acts on the receiver of this bond
  bool correction_capped = false;  ///< the correction of the next step was limited
  bool has_leaks = false;          ///< energy-leak monitoring is on: the ends' leaks are known

  double correction = 0.0;           ///< effort added over the last step (SI), its sign that of its power
  double correction_energy_J = 0.0;  ///< work of the correction, by the flow at the end of each step
  double leak_a_J = 0.0;             ///< Σ Eqs. (10), (11) of gonzalez2019 for the subsystem at end a
  double leak_b_J = 0.0;
  double group_leak_J = 0.0;  ///< Eq. (12): of the whole group of subsystems that this bond belongs to
};

/// What of all bonds changes at every point, one array per figure: what thousands of bonds cost is how much of them is touched at a
/// point. Figures as in BondRecord, one number per bond; with `tell` and `take` they come from there and go there.
struct BondFigures {
  NumberArray power_into_b_W;
  NumberArray exchanged_energy_J;
  NumberArray residual_power_W;
  NumberArray residual_energy_J;
  NumberArray interface_power_W;
  NumberArray interface_energy_J;
  std::vector<std::uint32_t> rate_group;  ///< per bond: those of one rate_group have the same points
  std::vector<Tick> last_points;          ///< per rate_group
  bool corrected = false;                 ///< there are bonds with corrections, or with limited ones

  BondFigures() = default;
  explicit BondFigures(std::size_t bonds) : rate_group(bonds) {
    for (NumberArray* figure : {&power_into_b_W, &exchanged_energy_J, &residual_power_W, &residual_energy_J,
                                &interface_power_W, &interface_energy_J})
      figure->resize(bonds);
  }
  [[nodiscard]] std::size_t bonds() const { return rate_group.size(); }
  [[nodiscard]] Tick last_point(Index bond) const { return last_points[rate_group[bond]]; }
  /// Every bond has a point here.
  [[nodiscard]] bool all_at(Tick now) const {
    return std::all_of(last_points.begin(), last_points.end(), [now](Tick last) { return last == now; });
  }
  void tell(Index bond, BondRecord& record) const {
    record.last_point = last_point(bond);
    record.power_into_b_W = power_into_b_W[bond];
    record.exchanged_energy_J = exchanged_energy_J[bond];
    record.residual_power_W = residual_power_W[bond];
    record.residual_energy_J = residual_energy_J[bond];
    record.interface_power_W = interface_power_W[bond];
    record.interface_energy_J = interface_energy_J[bond];
  }
  void take(Index bond, const BondRecord& record) {
    last_points[rate_group[bond]] = record.last_point;
    power_into_b_W[bond] = record.power_into_b_W;
    exchanged_energy_J[bond] = record.exchanged_energy_J;
    residual_power_W[bond] = record.residual_power_W;
    residual_energy_J[bond] = record.residual_energy_J;
    interface_power_W[bond] = record.interface_power_W;
    interface_energy_J[bond] = record.interface_energy_J;
    corrected = corrected || record.corrected || record.correction_capped;
  }
};

/// The books of all bonds at one communication point.
class ERGON_API BondsRecord {
 public:
  virtual ~BondsRecord() = default;
  /// All that the books hold of every bond, put together where somebody asks: valid until the next point.
  [[nodiscard]] virtual std::span<const BondRecord> bonds() const = 0;
  /// … and what of it changes at every point, as it is kept: for those who look at all bonds at all points.
  [[nodiscard]] virtual const BondFigures& bond_figures() const = 0;
  /// Efforts of the bonds at their last points (SI), one number per component of every bond; empty where they are not told.
  [[nodiscard]] virtual std::span<const double> efforts() const { return {}; }
  /// How the effort of a bond answers at once to motion, as probed at t₀; nothing where that cannot be found out.
  [[nodiscard]] virtual const BondGains* direct_gains(Index /*bond*/) const { return nullptr; }
  /// (3) of a bond: Δreceived by one end + Δreceived by the other since t₀, jumps of held inputs included. Read from the
  /// accounts where the bond is at its point; else as it was read last.
  [[nodiscard]] virtual double imbalance_J(Index bond) const = 0;
  /// Of all bonds.
  virtual void imbalances_J(std::span<double> per_bond) const {
    for (Index b = 0; b < per_bond.size(); ++b) per_bond[b] = imbalance_J(b);
  }
};

}  // namespace ergon
