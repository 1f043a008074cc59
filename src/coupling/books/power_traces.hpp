#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "ergon/coupling/books/time_windows.hpp"
#include "ergon/coupling/books/verdict_limits.hpp"
#include "ergon/coupling/state/archive.hpp"
#include "ergon/coupling/state/step_record.hpp"

namespace ergon {

/// What the bonds did over the run, in windows: their powers, their residual powers, and the energy that the interface created.
/// At every point of all bonds a few numbers change, so these lie one behind the other, two bonds by two bonds; and the windows stand
/// row by row: what is written at a point is in one piece, however many bonds and windows there are. Two bonds go through the
/// arithmetic side by side.
class PowerTraces {
 public:
  explicit PowerTraces(std::size_t bonds);

  void start(std::size_t bond, const BondRecord& books, double time_s);
  /// Takes the point `now` of all bonds, where all have one there, after the same last one, and no correction acts: what each does
  /// for itself below, two bonds at a time. With `interface`, also what (2) says that they have created. False: nothing was done.
  bool learn_all(std::span<const BondRecord> records, Tick now, double time_s, std::size_t window,
                 bool interface);
  /// The time since the last point of all, after `learn_all`.
  [[nodiscard]] double common_step_s() const { return common_step_s_; }
  /// Takes the point `now` of all bonds that have one there, after their last one, and calls `at_point(bond, books, H_s)` for each.
  /// Returns how many have.
  template <class AtPoint>
  std::size_t learn_powers(std::span<const BondRecord> records, Tick now, double time_s, std::size_t window,
                           AtPoint&& at_point) {
    tell_times();
    std::size_t learnt = 0;
    for (std::size_t bond = 0; bond < bonds_; ++bond) {
      const BondRecord& books = records[bond];
      if (books.last_point != now) continue;
      const double H_s = time_s - last_time_s_[bond];
      if (!(H_s > 0.0)) continue;
      last_time_s_[bond] = time_s;
      learn_power<double>(&books, states_[bond / 2], windows_[window * states_.size() + bond / 2], bond % 2,
                          H_s);
      ++learnt;
      at_point(bond, books, H_s);
    }
    return learnt;
  }
  /// Takes what its interface has created since t₀, at a point of `learn_powers`: H_s after the one before.
  void learn_interface(std::size_t bond, double created_J, double H_s, std::size_t window) {
    learn_created<double>(created_J, states_[bond / 2], windows_[window * states_.size() + bond / 2],
                          bond % 2, H_s);
  }
  /// … or at some of them.
  void learn_imbalance(std::size_t bond, double created_J, double time_s, std::size_t window) {
    const double H_s = time_s - told_at_s_[bond];
    told_at_s_[bond] = time_s;
    learn_created<double>(created_J, states_[bond / 2], windows_[window * states_.size() + bond / 2],
                          bond % 2, H_s);
  }
  /// A correction was cut short by its limit in the last `H_s`.
  void learn_limited(std::size_t bond, double H_s) { limited_s_[bond] += H_s; }
  void widen();

  /// No power and no energy of the bond has ever overflowed.
  [[nodiscard]] bool finite(std::size_t bond) const;
  /// Largest |∫ residual dt|, with its sign.
  [[nodiscard]] double created_J(std::size_t bond) const { return state(bond).largest_J[bond % 2]; }
  /// Swing of the energy that the bond passed on, max − min of ∫P dt, before what was created made it larger.
  [[nodiscard]] double swing_J(std::size_t bond) const;
  /// |created| over the swing.
  [[nodiscard]] double created_ratio(std::size_t bond) const;
  /// Mean |P| of the last quarter of the run over that of the first.
  [[nodiscard]] double growth(std::size_t bond) const;
  /// Share of the time for which a correction was cut short by its limit.
  [[nodiscard]] double limited_share(std::size_t bond) const;
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
    static constexpr std::size_t most_bursts = 8;
    std::array<Burst, most_bursts> bursts;  ///< later ones are part of the last
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
  /// Numbers of two neighbours stand side by side. Of an odd number of bonds the last one has none: zeros.
  struct alignas(16) State {
    double power_W[2];
    double passed_J[2];  ///< ∫P dt
    double least_J[2];
    double most_J[2];
    double exchanged_J[2];
    double created_J[2];
    double largest_J[2];
    double honest_swing_J[2];
  };
  struct alignas(16) Window {
    double time_s[2];
    double exchanged_J[2];
    double residual_J[2];
    double residual_W2s[2];
    double created_J[2];
    void merge(const Window& other) {
      for (std::size_t i = 0; i < 2; ++i) {
        time_s[i] += other.time_s[i];
        exchanged_J[i] += other.exchanged_J[i];
        residual_J[i] += other.residual_J[i];
        residual_W2s[i] += other.residual_W2s[i];
        created_J[i] = std::max(created_J[i], other.created_J[i]);
      }
    }
  };
  [[nodiscard]] const State& state(std::size_t bond) const { return states_[bond / 2]; }
  [[nodiscard]] Cell cell(std::size_t bond, std::size_t window) const {
    const Window& w = windows_[window * states_.size() + bond / 2];
    const std::size_t i = bond % 2;
    return {w.time_s[i], w.exchanged_J[i], w.residual_J[i], w.residual_W2s[i], w.created_J[i]};
  }
  [[nodiscard]] double last_time_s(std::size_t bond) const {
    return in_step_ ? common_time_s_ : last_time_s_[bond];
  }
  /// From here on each bond has its own time.
  void tell_times();

  // Number is a double, of the neighbour `lane`, or two of them, of both.
  template <class Number>
  static void learn_power(const BondRecord* books, State& state, Window& window, std::size_t lane,
                          double H_s);
  template <class Number>
  static void learn_created(Number created_J, State& state, Window& window, std::size_t lane, double H_s);

  std::size_t bonds_;
  std::vector<State> states_;        ///< per two bonds
  std::vector<Window> windows_;      ///< [window][two bonds]
  std::vector<double> last_time_s_;  ///< per bond; of no meaning while they are in step
  std::vector<double> told_at_s_;    ///< where (3) tells what was created
  std::vector<double> start_time_s_;
  std::vector<double> limited_s_;
  bool in_step_ = false;  ///< the last point of all bonds was one, at `common_time_s_`
  double common_time_s_ = 0.0;
  double common_step_s_ = 0.0;
};

}  // namespace ergon
