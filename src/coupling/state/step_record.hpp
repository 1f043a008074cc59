#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ergon/core/capabilities.hpp"
#include "ergon/core/coupled_system.hpp"
#include "ergon/core/time_grid.hpp"
#include "ergon/coupling/state/bond_gains.hpp"
#include "ergon/coupling/state/failure.hpp"
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
      false;  ///< (3) exists: both ends account for the work they receive, see StepRecord::imbalance_J
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
  std::vector<std::uint32_t> pace;  ///< per bond: those of one pace have the same points
  std::vector<Tick> last_points;    ///< per pace
  bool corrected = false;           ///< there are bonds with corrections, or with limited ones

  BondFigures() = default;
  explicit BondFigures(std::size_t bonds) : pace(bonds) {
    for (NumberArray* figure : {&power_into_b_W, &exchanged_energy_J, &residual_power_W, &residual_energy_J,
                                &interface_power_W, &interface_energy_J})
      figure->resize(bonds);
  }
  [[nodiscard]] std::size_t bonds() const { return pace.size(); }
  [[nodiscard]] Tick last_point(Index bond) const { return last_points[pace[bond]]; }
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
    last_points[pace[bond]] = record.last_point;
    power_into_b_W[bond] = record.power_into_b_W;
    exchanged_energy_J[bond] = record.exchanged_energy_J;
    residual_power_W[bond] = record.residual_power_W;
    residual_energy_J[bond] = record.residual_energy_J;
    interface_power_W[bond] = record.interface_power_W;
    interface_energy_J[bond] = record.interface_energy_J;
    corrected = corrected || record.corrected || record.correction_capped;
  }
};

/// Energy books of one subsystem or element, where it keeps them. An element has no account of its own: the engine integrates what
/// its dampers take.
struct EnergyRecord : AccountSample {
  bool available = false;
  double element_received_J =
      0.0;  ///< by an element, through all its inputs together: Δstored + Δdissipated − Δsupplied
  /// Received through all inputs together.
  [[nodiscard]] double total_received_J() const {
    return std::accumulate(received_J.begin(), received_J.end(), element_received_J);
  }
};

/// How step control got here.
struct StepControlRecord {
  double step_s = 0.0;         ///< length of the last window
  double error = 0.0;          ///< its error, as a multiple of the tolerance
  std::uint64_t accepted = 0;  ///< windows so far
  std::uint64_t rejected = 0;  ///< tries that were repeated with a smaller step
  std::uint64_t forced =
      0;  ///< accepted although too large: at the smallest step, or nothing can be set back
  double shortest_s = 0.0;
  double longest_s = 0.0;
};

/// Cost of one subsystem, estimated from every 64th step so that measuring costs nothing.
struct NodeCost {
  std::uint64_t steps = 0;
  double mean_step_s = 0.0;
};

/// How macro steps with an implicit scheme went.
struct ImplicitRecord {
  std::size_t unknowns = 0;        ///< coupling variables
  int iterations = 0;              ///< corrector integrations of the last step
  double residual = 0.0;           ///< of the last step, relative to the sizes of the coupling variables
  std::uint64_t steps = 0;         ///< that were kept or tried
  std::uint64_t integrations = 0;  ///< of single subsystems, over all steps
  int most_iterations = 0;
  double largest_residual = 0.0;
};

/// One communication point, as everything downstream (monitors, recorder, summary) sees it: read-only.
class StepRecord {
 public:
  virtual ~StepRecord() = default;
  [[nodiscard]] virtual Tick tick() const = 0;
  [[nodiscard]] virtual double time_s() const = 0;
  /// The newest sample of an output that is not in the future of this point: of a real; of an integer, boolean or enumeration
  /// as the nearest double. A text has no number: 0.
  [[nodiscard]] virtual double output(Index output) const = 0;
  /// … of an output of the integer lane, with all its digits; 0 for others.
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
  /// All that the books hold of every bond, put together where somebody asks: valid until the next point.
  [[nodiscard]] virtual std::span<const BondRecord> bonds() const = 0;
  /// … and what of it changes at every point, as it is kept: for those who look at all bonds at all points.
  [[nodiscard]] virtual const BondFigures& bond_figures() const = 0;
  /// Efforts of the bonds at their last points (SI), one number per component of every bond; empty where they are not told.
  [[nodiscard]] virtual std::span<const double> efforts() const { return {}; }
  /// Nothing where steps are fixed.
  [[nodiscard]] virtual const StepControlRecord* step_control() const { return nullptr; }
  /// Nothing for explicit schemes.
  [[nodiscard]] virtual const ImplicitRecord* implicit_steps() const { return nullptr; }
  /// How the effort of a bond answers at once to motion, as probed at t₀; nothing where that cannot be found out.
  [[nodiscard]] virtual const BondGains* direct_gains(Index /*bond*/) const { return nullptr; }
  /// (3) of a bond: Δreceived by one end + Δreceived by the other since t₀, jumps of held inputs included. Read from the
  /// accounts where the bond is at its point; else as it was read last.
  [[nodiscard]] virtual double imbalance_J(Index bond) const = 0;
  /// Of all bonds.
  virtual void imbalances_J(std::span<double> per_bond) const {
    for (Index b = 0; b < per_bond.size(); ++b) per_bond[b] = imbalance_J(b);
  }
  /// False in the midst of a step of this node: it is computed ahead, so that its energies are those of the step's end.
  [[nodiscard]] virtual bool is_at_point(Index /*node*/) const { return true; }
  /// The books of one node at this point: read when they are asked for, once per point. In the midst of a step that goes on beside
  /// others this waits for its end: ask `is_at_point` first where energies of another instant are of no use.
  [[nodiscard]] virtual const EnergyRecord& energy(Index node) const = 0;
  /// Of all nodes.
  void energies(std::span<EnergyRecord> per_node) const {
    for (Index n = 0; n < per_node.size(); ++n) per_node[n] = energy(n);
  }
};

}  // namespace ergon
