#pragma once

#include <array>
#include <optional>
#include <vector>

#include "ergon/coupling/books/time_windows.hpp"
#include "ergon/coupling/state/step_record.hpp"

namespace ergon {

/// What one bond did over the run, in windows: its power, its residual power, and the energy that the interface created.
class PowerTrace {
 public:
  void start(const BondRecord& bond);
  /// Takes a point of the bond, `H_s` > 0 after its last one.
  void learn_power(const BondRecord& bond, double H_s, std::size_t window);
  /// Takes what its interface has created since t₀, `H_s` > 0 after that was told last: at every point, or at some of them.
  void learn_created(double created_J, double H_s, std::size_t window);
  void widen() { TimeWindows::merge_pairs<Cell>(windows_); }

  [[nodiscard]] bool finite() const { return finite_; }
  /// Largest |∫ residual dt|, with its sign.
  [[nodiscard]] double created_J() const { return largest_created_J_; }
  /// Swing of the energy that the bond passed on, max − min of ∫P dt, before what was created made it larger.
  [[nodiscard]] double swing_J() const;
  /// |created| over the swing.
  [[nodiscard]] double created_ratio() const;
  /// Mean |P| of the last quarter of the run over that of the first.
  [[nodiscard]] double growth() const;
  /// Share of the time for which a correction was cut short by its limit.
  [[nodiscard]] double limited_share() const { return time_s_ > 0.0 ? limited_s_ / time_s_ : 0.0; }
  struct Span {
    std::size_t first = 0;
    std::size_t last = 0;
  };
  /// First and last window in which nearly all of it was created.
  [[nodiscard]] Span creation() const;

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
  [[nodiscard]] std::optional<SuddenChange> sudden_change(std::vector<double>& scratch) const;

 private:
  struct Cell {
    double time_s = 0.0;
    double exchanged_J = 0.0;   ///< Σ |P| H
    double residual_J = 0.0;    ///< Σ |residual| H
    double residual_W2s = 0.0;  ///< Σ residual² H
    double created_J = 0.0;     ///< largest |∫ residual dt|
    void merge(const Cell& other);
    [[nodiscard]] double level_W() const;
    [[nodiscard]] double share() const { return exchanged_J > 0.0 ? residual_J / exchanged_J : 0.0; }
  };
  [[nodiscard]] std::size_t used() const;

  std::array<Cell, TimeWindows::capacity> windows_{};
  bool finite_ = true;
  double time_s_ = 0.0;
  double limited_s_ = 0.0;
  double power_W_ = 0.0;
  double passed_J_ = 0.0;  ///< ∫P dt
  double least_J_ = 0.0;
  double most_J_ = 0.0;
  double exchanged_J_ = 0.0;
  double created_J_ = 0.0;
  double largest_created_J_ = 0.0;
  double honest_swing_J_ = 0.0;
};

}  // namespace ergon
