#pragma once

#include <array>
#include <string>
#include <vector>

#include "ergon/core/api.hpp"
#include "ergon/coupling/plan/bond_table.hpp"
#include "ergon/coupling/plan/energy_groups.hpp"
#include "ergon/coupling/state/archive.hpp"
#include "ergon/coupling/state/step_record.hpp"
#include "ergon/verdict/spurious_energy.hpp"

namespace ergon {

/// The balance of the subsystems and elements that bonds join:
///   L = Σ (stored + dissipated − supplied) − E₀ − Σ work received through inputs that no bond feeds
/// with stored energies of simultaneous samples and velocities. It is zero in an exact coupling of exact subsystems.
/// What the dampers of an element take in the sum of all its bonds is
///   W_el = −∫ e·dq − (stored − stored at t₀)          e: its efforts, q: the displacements that they act along
/// by the trapezoidal rule, whose error for a spring is bounded, unlike that of e·f with the velocities of a leapfrog. Sampled at
/// its receivers it works with guesses of its sources, and its efforts and their displacements do not belong together: there W_el is
/// the integral of what its law takes out (ElementLosses). The same holds for an element whose ends have no displacements (heat, fluids)
/// and whose law accounts for all of its power.
/// The kinetic energy is that seen from the mean velocity of the group's centre of mass, where all members tell their momentum.
/// A balance exists only at points that all members reach together.
class ERGON_API EnergyGroup {
 public:
  EnergyGroup(const CoupledSystem& system, BondGroup group);

  [[nodiscard]] const std::vector<Index>& bonds() const { return group_.bonds; }
  /// Every member keeps its books, so that there is a balance.
  [[nodiscard]] bool complete() const { return complete_; }
  /// "left, right": the members that are stepped.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  /// At t₀ and at every point: the work of elements.
  void observe(const StepRecord& record);
  /// Some bond has no sample at this point, so there can be no balance.
  [[nodiscard]] bool may_sample(const StepRecord& record) const;
  /// `observe` has something to do: elements take part.
  [[nodiscard]] bool has_elements() const { return !element_ports_.empty(); }
  /// Takes a sample of the balance; false if the members are not all at this point.
  bool sample(const StepRecord& record, std::size_t window);

  /// Energy that elements gave away beyond what their laws do: efforts that act in the wrong direction.
  [[nodiscard]] double given_by_elements_J() const { return most_given_J_; }

  [[nodiscard]] const SpuriousEnergy& spurious() const { return spurious_; }
  [[nodiscard]] SpuriousEnergy& spurious() { return spurious_; }

  void archive(Archive& archive);

 private:
  /// A component of a bond whose effort an element gives.
  struct ElementPort {
    Index bond = 0;
    BondComponentRow of;
    double effort = 0.0;
    double displacement = 0.0;
  };
  [[nodiscard]] double kinetic_J(double kinetic_J, const Momentum& sum);

  void add_element_ports(const CoupledSystem& system, Index bond);
  /// Whether the balance of this element is that of its law.
  [[nodiscard]] bool is_balanced_by_law(Index node) const;

  BondGroup group_;
  std::vector<ElementPort> element_ports_;
  std::vector<Index> balanced_by_law_;  ///< elements
  std::vector<std::string> names_;
  bool complete_ = true;
  bool sampled_at_receivers_ = false;  ///< some element
  bool has_momentum_ = true;           ///< as far as is known: all members

  bool started_ = false;
  double element_work_J_ = 0.0;  ///< done by the elements on their ends
  double start_J_ = 0.0;
  double element_start_J_ = 0.0;
  double most_given_J_ = 0.0;
  std::array<double, 3> mean_velocity_m_s_{};
  SpuriousEnergy spurious_;
};

/// Inputs that no bond feeds, but, at once or through elements, an output of a subsystem that has inputs itself: power may pass
/// there, and no books see it.
[[nodiscard]] ERGON_API std::vector<std::string> unwatched_inputs(const CoupledSystem& system);

/// The groups of bonds that share subsystems or elements, in order of their first bond.
[[nodiscard]] ERGON_API std::vector<EnergyGroup> energy_groups(const CoupledSystem& system);

}  // namespace ergon
