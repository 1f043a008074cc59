#pragma once

#include <array>
#include <optional>
#include <vector>

#include "ergon/coupling/books/time_windows.hpp"
#include "ergon/coupling/state/archive.hpp"
#include "ergon/coupling/state/step_record.hpp"

namespace ergon {

/// The energy that a bond of one component creates where nobody keeps books and efforts are evaluated with flows of the past:
/// from the coupling variables alone. N is the end that moves, with ξ and f; D gives the effort e, evaluated with ξ_u, f_u.
/// D's direct gains k_c = −∂e/∂ξ, c_c = −∂e/∂f are probed at t₀. Then
///   k_c x₁ + c_c v₁ = e + k_c ξ_u + c_c f_u           motion of D's end of the coupling, v₁ = ẋ₁
///   e* = k_c (x₁ − ξ) + c_c (v₁ − f)                  the effort as it should be
///   dL = ∫(ẽ − e*)·f dt + ∫k_c (ξ̃ − ξ)·v₁ dt          created by the interface; tilde: as applied
/// The scale of it: one mass, spring and damper per side, by least squares with non-negative figures,
///   ∫ẽ dt = m₂Δf + c₂Δξ + k₂∫ξ dt + const,    −∫ê dt = m₁Δv₁ + c₁Δx₁ + k₁∫x₁ dt + const,    ê = k_c (x₁ − ξ̃) + c_c (v₁ − f̃)
/// whose kinetic and potential energy is taken once in every window of time. Where one mass per side does not explain the motion
/// there is no answer.
class BlindBond {
 public:
  /// Probes the gains at t₀; nothing where they cannot be had, or where the bond has several components.
  static std::optional<BlindBond> probed(const CoupledSystem& system, Index bond, const StepRecord& start);

  /// A point of the bond, `H_s` after its last one.
  void learn(const StepRecord& record, double H_s, std::size_t window);
  void widen() { TimeWindows::merge_pairs<Cell>(windows_); }

  struct Judgement {
    double spurious_J = 0.0;  ///< largest |ε|, with its sign
    double scale_J = 0.0;
    /// What energy and losses are more in the last eighth of the time than in the first: what integrators create is in it, too, but
    /// it is only as exact as the masses and springs are.
    double drift_J = 0.0;
    double unexplained = 1.0;  ///< part of the forces that one mass per side leaves, the worse side
  };
  [[nodiscard]] Judgement judge() const;

  void archive(Archive& archive);

 private:
  /// One point: motion of both ends, efforts.
  struct Instant {
    double xi = 0.0;
    double f = 0.0;
    double e = 0.0;
    double xi_used = 0.0;
    double f_used = 0.0;
    double e_applied = 0.0;  ///< at N, at the end of the step before
    double g = 0.0;          ///< k_c x₁ + c_c v₁
    double x1 = 0.0;
    double v1 = 0.0;
    double H_s = 0.0;  ///< since the point before
  };
  /// Least squares for mass, damper, spring and a constant.
  struct Fit {
    static constexpr std::size_t unknowns = 4;
    std::array<double, unknowns * unknowns> normal{};
    std::array<double, unknowns> right{};
    double square = 0.0;
    void learn(const std::array<double, unknowns>& row, double value);
    /// Mass, damper and spring, none negative; the unexplained part of the values in `rest`.
    [[nodiscard]] std::array<double, unknowns> solve(double& rest) const;
  };
  struct Cell {
    double time_s = 0.0;
    double created_J = 0.0;
    double f2 = 0.0;     ///< ∫f² dt
    double v2 = 0.0;     ///< ∫v₁² dt
    double rate2 = 0.0;  ///< ∫(v₁ − f)² dt
    double xi = 0.0;     ///< at its end, as the following
    double f = 0.0;
    double x1 = 0.0;
    double v1 = 0.0;
    void merge(const Cell& other) {
      if (other.time_s > 0.0) {
        xi = other.xi;
        f = other.f;
        x1 = other.x1;
        v1 = other.v1;
      }
      time_s += other.time_s;
      created_J += other.created_J;
      f2 += other.f2;
      v2 += other.v2;
      rate2 += other.rate2;
    }
  };
  [[nodiscard]] Instant read(const StepRecord& record) const;
  void differentiate();
  void learn_step(const Instant& from, const Instant& to, std::size_t window);

  Index effort_output_ = 0;
  Index effort_input_ = 0;
  Index flow_output_ = 0;
  std::optional<Index> displacement_output_;
  std::optional<Index> flow_input_;
  Index displacement_input_ = 0;
  std::array<double, 6> to_SI_{};  ///< in the order of the indices above; efforts times the bond's scale
  double stiffness_ = 0.0;
  double damping_ = 0.0;

  // What changes.
  std::array<Instant, 3> last_{};  ///< the newest first
  std::size_t known_ = 0;
  double elapsed_s_ = 0.0;
  Fit mover_;
  Fit giver_;
  std::array<Cell, TimeWindows::capacity> windows_{};
};

}  // namespace ergon
