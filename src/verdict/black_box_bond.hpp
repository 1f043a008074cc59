#pragma once

#include <optional>
#include <vector>

#include "ergon/coupling/plan/bond_table.hpp"
#include "ergon/coupling/state/step_record.hpp"
#include "ergon/verdict/principal_axis.hpp"

namespace ergon {

/// The energy that a bond creates where nobody keeps books, from the coupling variables alone. The stiffness K = −∂e/∂ξ of the
/// end that gives the effort, probed at t₀, is a symmetric matrix; along its principal axes components do not mix, and each of them is
/// a PrincipalAxis. Where one mass per side does not explain the motion along them there is no answer.
class BlackBoxBond {
 public:
  /// From the direct gains of the bond; nothing where the law is not a spring's.
  static std::optional<BlackBoxBond> make(const CoupledSystem& system, Index index, const BondGains& gains);

  /// A point of the bond, `H_s` after its last one.
  void observe(const StepRecord& record, double H_s, std::size_t window);
  void widen() {
    for (PrincipalAxis& axis : axes_) axis.widen();
  }

  struct Judgement {
    double spurious_J = 0.0;  ///< largest |ε|, with its sign
    double scale_J = 0.0;
    double unexplained = 1.0;  ///< part of the forces that one mass per side leaves, the worse side
  };
  [[nodiscard]] Judgement judge() const;

  void archive(Archive& archive);

 private:
  std::vector<BondComponentRow> components_;
  double scale_ = 1.0;                          ///< of the bond
  std::vector<double> directions_;              ///< per axis: its direction, as long as there are components
  std::size_t loose_ = 0;                       ///< of those, the first so many without stiffness: no axes
  std::vector<PrincipalAxis::Sample> samples_;  ///< room for those of one point

  // What changes.
  std::vector<PrincipalAxis> axes_;
  double effort2_ = 0.0;        ///< Σ e²
  double loose_effort2_ = 0.0;  ///< … along directions without stiffness: none of the springs'
};

}  // namespace ergon
