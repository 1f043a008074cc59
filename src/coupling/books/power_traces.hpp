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
/// At every point of all bonds a few numbers change, so these lie one behind the other, bond by bond; and the windows stand row
/// by row, one number per bond: what is written at a point is in one piece, however many bonds and windows there are.
class PowerTraces {
 public:
  explicit PowerTraces(std::size_t bonds);

  void start(std::size_t bond, const BondRecord& books, double time_s);
  /// Takes the point `now` of all bonds that have one there, after their last one, and calls `at_point(bond, books, H_s)` for each.
  /// Returns how many have.
  template <class AtPoint>
  std::size_t learn_powers(std::span<const BondRecord> records, Tick now, double time_s, std::size_t window,
                           AtPoint&& at_point) {
    const BondRecord* const all_books = records.data();
    Flow* const all_flows = flows_.data();
    PowerCell* const row = powers_.data() + window * bonds_;
    std::size_t bond = 0;
    if (together_) {
      const double H_s = time_s - last_time_s_;
      if (!(H_s > 0.0)) return 0;
      for (; bond < bonds_ && all_books[bond].last_point == now; ++bond) {
        take(all_books[bond], H_s, all_flows[bond], row[bond]);
        at_point(bond, all_books[bond], H_s);
      }
      if (bond == bonds_) {
        last_time_s_ = time_s;
        return bonds_;
      }
      part(bond, time_s);
    }
    std::size_t learnt = bond;
    for (; bond < bonds_; ++bond) {
      const BondRecord& books = all_books[bond];
      if (books.last_point != now) continue;
      Flow& flow = all_flows[bond];
      const double H_s = time_s - flow.last_time_s;
      if (!(H_s > 0.0)) continue;
      take(books, H_s, flow, row[bond]);
      flow.last_time_s = time_s;
      ++learnt;
      at_point(bond, books, H_s);
    }
    if (learnt == bonds_) {
      together_ = true;
      last_time_s_ = time_s;
    }
    return learnt;
  }
  /// Takes what its interface has created since t₀, at every point or at some of them.
  void learn_created(std::size_t bond, double created_J, double time_s, std::size_t window) {
    Created& created = created_[bond];
    const double H_s = time_s - created.last_time_s;
    created.last_time_s = time_s;
    const double swing_J = flows_[bond].most_J - flows_[bond].least_J;
    if (std::abs(created_J) > std::abs(created.largest_J)) created.largest_J = created_J;
    if (std::abs(created.largest_J) <= verdict_limits::honest_swing * swing_J)
      created.honest_swing_J = swing_J;
    const double residual_J = created_J - created.energy_J;
    created.energy_J = created_J;
    ResidualCell& cell = residuals_[window * bonds_ + bond];
    cell.residual_J += std::abs(residual_J);
    cell.residual_W2s += residual_J * residual_J / H_s;
    cell.created_J = std::max(cell.created_J, std::abs(created_J));
  }
  /// A correction was cut short by its limit in the last `H_s`.
  void learn_limited(std::size_t bond, double H_s) { limited_s_[bond] += H_s; }
  void widen();

  /// No power and no energy of the bond has ever overflowed.
  [[nodiscard]] bool finite(std::size_t bond) const;
  /// Largest |∫ residual dt|, with its sign.
  [[nodiscard]] double created_J(std::size_t bond) const { return created_[bond].largest_J; }
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
  struct Flow {
    double last_time_s = 0.0;  ///< where not all bonds have the same
    double power_W = 0.0;
    double passed_J = 0.0;  ///< ∫P dt
    double least_J = 0.0;
    double most_J = 0.0;
    double exchanged_J = 0.0;
  };
  struct Created {
    double last_time_s = 0.0;
    double energy_J = 0.0;
    double largest_J = 0.0;
    double honest_swing_J = 0.0;
  };
  struct PowerCell {
    double time_s = 0.0;
    double exchanged_J = 0.0;  ///< Σ |P| H
    void merge(const PowerCell& other) {
      time_s += other.time_s;
      exchanged_J += other.exchanged_J;
    }
  };
  struct ResidualCell {
    double residual_J = 0.0;    ///< Σ |residual| H
    double residual_W2s = 0.0;  ///< Σ residual² H
    double created_J = 0.0;     ///< largest |∫ residual dt|
    void merge(const ResidualCell& other) {
      residual_J += other.residual_J;
      residual_W2s += other.residual_W2s;
      created_J = std::max(created_J, other.created_J);
    }
  };
  /// A window of one bond, put together.
  struct Cell : PowerCell, ResidualCell {
    [[nodiscard]] double level_W() const { return time_s > 0.0 ? std::sqrt(residual_W2s / time_s) : 0.0; }
    [[nodiscard]] double share() const { return exchanged_J > 0.0 ? residual_J / exchanged_J : 0.0; }
  };
  static void take(const BondRecord& books, double H_s, Flow& flow, PowerCell& cell) {
    const double power_W = books.power_into_b_W;
    const double exchanged_J = books.exchanged_energy_J;
    const double passed_J = flow.passed_J + 0.5 * (flow.power_W + power_W) * H_s;
    cell.time_s += H_s;
    cell.exchanged_J += exchanged_J - flow.exchanged_J;
    flow.power_W = power_W;
    flow.passed_J = passed_J;
    flow.least_J = std::min(flow.least_J, passed_J);
    flow.most_J = std::max(flow.most_J, passed_J);
    flow.exchanged_J = exchanged_J;
  }
  [[nodiscard]] double last_time_s(std::size_t bond) const {
    return together_ ? last_time_s_ : flows_[bond].last_time_s;
  }
  /// From here on each bond has its own time: the first `learnt` this one, the others that of the point before.
  void part(std::size_t learnt, double time_s);
  [[nodiscard]] Cell cell(std::size_t bond, std::size_t window) const {
    return {powers_[window * bonds_ + bond], residuals_[window * bonds_ + bond]};
  }

  std::size_t bonds_;
  bool together_ = false;     ///< all bonds were at the last point
  double last_time_s_ = 0.0;  ///< … its time
  std::vector<Flow> flows_;
  std::vector<Created> created_;
  std::vector<double> start_time_s_;
  std::vector<double> limited_s_;
  std::vector<PowerCell> powers_;        ///< [window][bond]
  std::vector<ResidualCell> residuals_;  ///< likewise
};

}  // namespace ergon
