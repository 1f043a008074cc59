#pragma once

#include <array>
#include <atomic>
#include <span>
#include <vector>

#include "ergon/run/run.hpp"

namespace ergon {

/// Keeps some outputs at instants that a run shares with the same system at half and at twice its steps: at every second step
/// of the run, or at fewer of them, so that there are at most `most_rows`, or fewer where there are many outputs. Each output is taken at points of its own
/// subsystem, which keeps its smallest and largest values since the row before, too, over all points that the runs share: a short
/// transient between two rows is seen. With step control points are where they are: there outputs are interpolated by cubics.
/// All memory is taken at the start.
///
/// Runs at smaller steps also watch all of their own points for outputs that swing from step to step (include_swings).
class MotionSamples final : public Observer {
 public:
  static constexpr std::size_t most_rows = 8192;
  /// Systems with more than 61 outputs have this many, where they take so many steps …
  static constexpr std::size_t usual_rows = 1024;
  static constexpr std::size_t usual_values = 500'000;
  /// … and those with thousands fewer, so that memory is bounded.
  static constexpr std::size_t fewest_rows_of_many = 128;
  static constexpr std::size_t most_values = 3'000'000;

  /// `steps_in_unit`: how many steps of this run make two steps of the run that is judged: 2, and of companions 1 or 4.
  MotionSamples(std::vector<Index> outputs, int steps_in_unit);

  void begin(const Engine& engine) override;
  void inspect(const StepRecord& record) override;
  void end(const std::optional<Failure>& failure) override;
  void archive(Archive& archive) override;

  [[nodiscard]] std::span<const Index> outputs() const { return outputs_; }
  /// Instants at which all outputs are known, from t₀ on. The last is the end of a run that finished.
  [[nodiscard]] std::size_t rows() const { return complete_rows(); }
  [[nodiscard]] bool has_end() const { return has_end_; }
  /// False: what was read back is of a run with another end, whose rows are at other instants.
  [[nodiscard]] bool fits() const { return fits_; }
  /// How far the run is; may be asked from another thread.
  [[nodiscard]] double part_done() const { return part_done_.load(std::memory_order_relaxed); }
  /// Steps follow from a tolerance.
  [[nodiscard]] bool controlled() const { return controlled_; }
  [[nodiscard]] double time_s(std::size_t row) const;
  /// When the output of this row was taken: where its subsystem has long steps, at the last of its points before.
  [[nodiscard]] double taken_at_s(std::size_t row, std::size_t output) const;
  [[nodiscard]] double value(std::size_t row, std::size_t output) const {
    return values_[row * outputs_.size() + output];
  }
  /// From the row before to this one, both included.
  [[nodiscard]] double least(std::size_t row, std::size_t output) const {
    return least_[row * outputs_.size() + output];
  }
  [[nodiscard]] double most(std::size_t row, std::size_t output) const {
    return most_[row * outputs_.size() + output];
  }
  [[nodiscard]] bool watches_swings() const { return steps_in_unit_ > 2 && !controlled_; }
  /// Half of what the output jumps back and forth at each step, for some steps at least, since the row before; 0: it does not.
  [[nodiscard]] double swing(std::size_t row, std::size_t output) const {
    return static_cast<double>(swings_[row * outputs_.size() + output]);
  }
  /// In how many rows the output has one common point: 1, or more where its subsystem has long steps.
  [[nodiscard]] std::size_t rows_per_point(std::size_t output) const;

 private:
  /// The outputs of subsystems with equal steps.
  struct Lane {
    std::size_t first = 0;  ///< in `outputs_`
    std::size_t count = 0;
    Tick own_ticks = 0;  ///< its steps; 0: it has none
    Tick unit_ticks =
        1;  ///< between common points: two steps of the judged run; one where check runs keep the step
  };
  struct LaneState {
    std::size_t next_row = 0;
    Tick next_tick = 0;   ///< of the next row
    Tick next_point = 0;  ///< the next common one
  };
  /// The last values of an output, as differences: the third is (−1)ⁿ 8c for a swing c, whatever it swings about.
  struct Swing {
    double value = 0.0;
    double first = 0.0;
    double second = 0.0;
    double third = 0.0;
    int alternations = 0;  ///< of the sign of the third, in one go
    float since_row = 0.0F;
  };
  static constexpr std::size_t points_of_cubic = 4;

  [[nodiscard]] std::size_t complete_rows() const;
  [[nodiscard]] std::size_t rows_at_most() const;
  [[nodiscard]] Tick tick_of(const Lane& lane, std::size_t row) const;
  /// Reads the outputs of this point.
  void read(const StepRecord& record, const Lane& lane);
  /// Includes the values that were read in the window that is open.
  void include(const Lane& lane);
  /// Ends the window with the values that were read, which begin the next one.
  void take(const Lane& lane, std::size_t row);
  void watch_swings(const Lane& lane);
  void interpolate(const StepRecord& record);

  std::vector<Index> outputs_;
  int steps_in_unit_;
  std::vector<Lane> lanes_;
  std::vector<double> row_times_s_;
  std::vector<double> point_;  ///< outputs at this point
  bool controlled_ = false;
  double tick_per_row_ = 1.0;  ///< between rows, in ticks
  const Engine* engine_ = nullptr;

  double ticks_ = 1.0;
  double tick_s_ = 1.0;
  std::atomic<double> part_done_{0.0};

  // What changes.
  std::vector<LaneState> states_;
  Tick next_tick_ = 0;
  std::vector<double> values_;
  std::vector<double> least_;
  std::vector<double> most_;
  std::vector<double> least_so_far_;  ///< per output, in the window that is open
  std::vector<double> most_so_far_;
  std::vector<float> swings_;
  std::vector<Tick> next_own_points_;  ///< per lane, where swings are watched
  std::vector<Swing> swing_states_;    ///< empty: they are not watched
  std::vector<bool> is_sampled_;       ///< per output: what it does from step to step is its law
  bool has_end_ = false;
  bool fits_ = true;
  std::size_t points_ = 0;
  std::array<double, points_of_cubic> point_times_s_{};
  std::vector<double> point_values_;  ///< of the last points, where steps are controlled
};

}  // namespace ergon
