#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "ergon/core/api.hpp"
#include "ergon/coupling/state/archive.hpp"
#include "ergon/coupling/state/step_record.hpp"
#include "ergon/verdict/time_windows.hpp"
#include "ergon/verdict/verdict_limits.hpp"

namespace ergon {

/// What the bonds did over the run, in windows: their powers, their residual powers, and the energy that the interface created.
/// Each figure is an array over the bonds, that of a window a row of its own: what is written at a point is in few pieces, however
/// many bonds and windows there are, and neighbours go through the arithmetic side by side.
class ERGON_API PowerTraces {
 public:
  explicit PowerTraces(std::size_t bonds);

  void start(const BondFigures& figures, double time_s);
  /// Takes the point of all bonds, after the same last one: what each does for itself below, all at once. With `interface`, also what
  /// (2) says that they have created. False: they have no common last point, and nothing was done.
  bool observe_all(const BondFigures& figures, double time_s, std::size_t window, bool interface);
  /// The time since the last point of all, after `observe_all`.
  [[nodiscard]] double common_step_s() const { return common_step_s_; }
  /// Takes the point `now` of all bonds that have one there, after their last one, and calls `at_point(bond, H_s)` for each.
  /// Returns how many have.
  template <class AtPoint>
  std::size_t observe_powers(const BondFigures& figures, Tick now, double time_s, std::size_t window,
                             AtPoint&& at_point) {
    std::size_t observed = 0;
    for (std::size_t bond = 0; bond < bonds_; ++bond) {
      if (figures.last_point(bond) != now) continue;
      const double H_s = time_s - last_time_s(bond);
      if (!(H_s > 0.0)) continue;
      if (observed == 0) expand_times();
      last_time_s_[bond] = time_s;
      observe_power(figures, bond, H_s, window);
      ++observed;
      at_point(bond, H_s);
    }
    return observed;
  }
  /// Takes what its interface has created since t₀, at a point of `observe_powers`: H_s after the one before.
  void observe_interface(std::size_t bond, double created_J, double H_s, std::size_t window);
  /// … or at some of them.
  void observe_imbalance(std::size_t bond, double created_J, double time_s, std::size_t window);
  /// … all bonds at once.
  void observe_imbalances(std::span<const double> created_J, double time_s, std::size_t window);
  void widen();

  /// No power and no energy of the bond has ever overflowed.
  [[nodiscard]] bool finite(std::size_t bond) const;
  /// Largest |∫ residual dt|, with its sign.
  [[nodiscard]] double created_J(std::size_t bond) const { return state_.largest_J[bond]; }
  /// Range of the energy that the bond passed on, max − min of ∫P dt, before what was created made it larger.
  [[nodiscard]] double peak_to_peak_J(std::size_t bond) const;
  /// |created| over that.
  [[nodiscard]] double created_ratio(std::size_t bond) const;
  /// Mean |P| of the last quarter of the run over that of the first.
  [[nodiscard]] double growth(std::size_t bond) const;
  struct Span {
    std::size_t first = 0;
    std::size_t last = 0;
  };
  /// First and last window in which nearly all of it was created.
  [[nodiscard]] Span creation(std::size_t bond) const;

  /// Windows in which the residual power is far above its usual level and a large part of the power.
  struct SuddenChange {
    struct Burst {
      Span windows;
      double level = 0.0;  ///< root mean square of the worst window over the usual one
    };
    static constexpr std::size_t max_bursts = 8;
    std::array<Burst, max_bursts> bursts;  ///< later ones are part of the last
    std::size_t count = 0;
    double energy_ratio = 0.0;  ///< energy of the residual in there over the energy exchanged elsewhere
  };
  /// `scratch` takes one number per window.
  [[nodiscard]] std::optional<SuddenChange> sudden_change(std::size_t bond,
                                                          std::vector<double>& scratch) const;

  void archive(Archive& archive);

 private:
  /// A window of one bond, put together.
  struct Cell {
    double time_s = 0.0;
    double exchanged_J = 0.0;   ///< Σ |P| H
    double residual_J = 0.0;    ///< Σ |residual| H
    double residual_W2s = 0.0;  ///< Σ residual² H
    double created_J = 0.0;     ///< largest |∫ residual dt|
    [[nodiscard]] double level_W() const { return time_s > 0.0 ? std::sqrt(residual_W2s / time_s) : 0.0; }
    [[nodiscard]] double share() const { return exchanged_J > 0.0 ? residual_J / exchanged_J : 0.0; }
  };
  /// Per bond.
  struct State {
    NumberArray power_W;
    NumberArray passed_J;  ///< ∫P dt
    NumberArray min_J;
    NumberArray max_J;
    NumberArray exchanged_J;
    NumberArray created_J;
    NumberArray largest_J;
    NumberArray range_before_fault_J;
    [[nodiscard]] auto all() {
      return std::array{&power_W,     &passed_J,  &min_J,     &max_J,
                        &exchanged_J, &created_J, &largest_J, &range_before_fault_J};
    }
  };
  /// [window][bond], rows of whole cache lines.
  struct Windows {
    NumberArray time_s;  ///< of no meaning while all have had the same points
    NumberArray exchanged_J;
    NumberArray residual_J;
    NumberArray residual_W2s;
    NumberArray created_J;
    [[nodiscard]] auto all() {
      return std::array{&time_s, &exchanged_J, &residual_J, &residual_W2s, &created_J};
    }
  };
  struct PowerWork;
  struct CreatedWork;
  struct InterfaceWork;
  struct ImbalanceWork;

  [[nodiscard]] Cell cell(std::size_t bond, std::size_t window) const {
    const std::size_t i = window * row_ + bond;
    const double time_s = same_points_ ? common_window_s_[window] : windows_.time_s[i];
    return {time_s, windows_.exchanged_J[i], windows_.residual_J[i], windows_.residual_W2s[i],
            windows_.created_J[i]};
  }
  [[nodiscard]] double last_time_s(std::size_t bond) const {
    return in_step_ ? common_time_s_ : last_time_s_[bond];
  }
  /// From here on each bond has its own time.
  void expand_times();
  [[nodiscard]] PowerWork power_work(const BondFigures& figures, double H_s, std::size_t window);
  /// `created_J`: of the bond `first`, and of those behind it.
  [[nodiscard]] CreatedWork created_work(const double* created_J, std::size_t first, std::size_t window);
  [[nodiscard]] ImbalanceWork imbalance_work(const double* created_J, std::size_t first, double time_s,
                                             std::size_t window);
  void observe_power(const BondFigures& figures, std::size_t bond, double H_s, std::size_t window);

  std::size_t bonds_;
  std::size_t row_;  ///< the same in whole cache lines
  State state_;
  Windows windows_;
  NumberArray last_time_s_;       ///< per bond; of no meaning while they are in step
  NumberArray imbalance_time_s_;  ///< when (3) was last read
  bool same_points_ =
      true;  ///< every point so far was one of all bonds, so that their windows are as long as these
  std::array<double, TimeWindows::capacity> common_window_s_{};
  bool in_step_ = false;  ///< the last point of all bonds was one, at `common_time_s_`
  double common_time_s_ = 0.0;
  double common_step_s_ = 0.0;
};

}  // namespace ergon
