#pragma once

#include <array>
#include <cstddef>

#include "ergon/coupling/state/archive.hpp"
#include "ergon/verdict/time_windows.hpp"

namespace ergon {

/// The energy that one component of a bond creates, from the coupling variables alone. N is the end that moves, with ξ and f; D gives
/// the effort e, evaluated with ξ_u, f_u. With D's direct gains k_c = −∂e/∂ξ, c_c = −∂e/∂f
///   k_c x₁ + c_c v₁ = e + k_c ξ_u + c_c f_u           motion of D's end of the coupling, v₁ = ẋ₁
///   e* = k_c (x₁ − ξ) + c_c (v₁ − f)                  the effort as it should be
///   dL = ∫(ẽ − e*)·f dt + ∫(k_c (ξ̃ − ξ) + c_c (f̃ − f))·v₁ dt      created by the interface; tilde: as applied
/// The scale of it: one mass, spring and damper per side, by least squares with non-negative figures,
///   ∫ẽ dt = m₂Δf + c₂Δξ + k₂∫ξ dt + const,    −∫ê dt = m₁Δv₁ + c₁Δx₁ + k₁∫x₁ dt + const,    ê = k_c (x₁ − ξ̃) + c_c (v₁ − f̃)
/// whose kinetic and potential energy is taken once in every window of time.
class PrincipalAxis {
 public:
  /// Of an end that samples its inputs at the start of its steps: those over the steps of the bond; else 0.
  struct OwnSteps {
    double flow_source = 0.0;
    double effort_source = 0.0;
  };
  PrincipalAxis(double stiffness, double damping, OwnSteps steps)
      : stiffness_(stiffness), damping_(damping), steps_(steps) {}

  /// One point, in SI units.
  struct Sample {
    double xi = 0.0;
    double f = 0.0;
    double e = 0.0;
    double xi_used = 0.0;  ///< for e, as the following
    double f_used = 0.0;
    double e_applied = 0.0;  ///< at the end of the step before, as the following
    double xi_applied = 0.0;
    double f_applied = 0.0;
  };
  /// `H_s` after the last one.
  void observe(const Sample& sample, double H_s, std::size_t window);
  void widen() { TimeWindows::merge_pairs<Cell>(windows_); }

  static constexpr std::size_t unknowns = 4;
  /// What one end consists of.
  struct Side {
    std::array<double, unknowns> figures{};  ///< mass, damper, spring, constant force
    double square = 0.0;                     ///< of the impulses, summed up
    double rest = 0.0;                       ///< … that the figures do not explain
  };
  [[nodiscard]] Side flow_source() const;
  [[nodiscard]] Side effort_source() const;

  struct Energies {
    bool known = false;
    double kinetic_J = 0.0;
    double potential_J = 0.0;
    double lost_J = 0.0;  ///< in the window, as is what was created
    double created_J = 0.0;
  };
  [[nodiscard]] Energies energies(std::size_t window, const Side& flow_source,
                                  const Side& effort_source) const;

  void archive(Archive& archive);

 private:
  struct Instant {
    Sample at;
    double g = 0.0;  ///< k_c x₁ + c_c v₁
    double x1 = 0.0;
    double v1 = 0.0;
    double H_s = 0.0;  ///< since the point before
  };
  /// Least squares for the figures of one side.
  struct Fit {
    std::array<double, unknowns * unknowns> normal{};
    std::array<double, unknowns> right{};
    double square = 0.0;
    void observe(const std::array<double, unknowns>& row, double value);
    [[nodiscard]] Side solve() const;
  };
  struct Cell {
    double time_s = 0.0;
    double created_J = 0.0;
    double f2 = 0.0;     ///< ∫f² dt
    double v2 = 0.0;     ///< ∫v₁² dt
    double rate2 = 0.0;  ///< ∫(v₁ − f)² dt
    double xi = 0.0;     ///< at its end, as the following
    double f = 0.0;
    double e = 0.0;
    double lag_s = 0.0;  ///< of f
    double x1 = 0.0;
    double v1 = 0.0;
    void merge(const Cell& other) {
      Cell sum = other.time_s > 0.0 ? other : *this;
      sum.time_s = time_s + other.time_s;
      sum.created_J = created_J + other.created_J;
      sum.f2 = f2 + other.f2;
      sum.v2 = v2 + other.v2;
      sum.rate2 = rate2 + other.rate2;
      *this = sum;
    }
  };
  void differentiate();
  void observe_step(const Instant& a, const Instant& b, std::size_t window);

  double stiffness_;
  double damping_;
  OwnSteps steps_;

  // What changes.
  std::array<Instant, 3> last_{};  ///< the newest first
  std::size_t known_ = 0;
  double elapsed_s_ = 0.0;
  Fit flow_source_;
  Fit effort_source_;
  std::array<Cell, TimeWindows::capacity> windows_{};
};

}  // namespace ergon
