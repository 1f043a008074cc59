#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ergon/coupling/plan/stage_plan.hpp"
#include "ergon/coupling/state/archive.hpp"
#include "ergon/signal/sample_ring.hpp"

namespace ergon {

/// The inputs of a stage at its own points, one value per slot.
struct OwnPoints {
  OwnPoints(std::size_t history, std::size_t slots) : samples(history, slots), rings{&samples} {}
  OwnPoints(const OwnPoints&) = delete;
  OwnPoints& operator=(const OwnPoints&) = delete;
  SampleRing samples;
  SampleRings rings;  ///< as exchange programs want it
  // Caches.
  ExchangeWeights of_samples;
  ExchangeWeights of_polynomials;
  ExchangeWeights of_others;
  ExchangeWeights at_end;
};

/// What changes in one stage while it is stepped: its clock, the samples of its outputs, the inputs of its steps.
/// `plan` must outlive it. Of thousands of stages each step touches a few members of each: they come first, side by side.
class alignas(64) StageState {
 public:
  explicit StageState(const StagePlan& plan);

  // ── Clock ──
  [[nodiscard]] Tick period() const { return period_; }
  /// Another step from the next one on.
  void set_period(Tick period) { period_ = period; }
  [[nodiscard]] Tick start() const { return start_; }           ///< of the step under way, or the last one
  [[nodiscard]] Tick next() const { return next_; }             ///< its end
  [[nodiscard]] std::uint64_t steps() const { return steps_; }  ///< that were kept
  /// … and those that were set back.
  [[nodiscard]] std::uint64_t steps_taken() const { return steps_taken_; }
  /// The step from `now` on, no further than `end`. True if it is shorter than the period.
  bool begin_step(Tick now, Tick end) {
    start_ = now;
    next_ = std::min(now + period_, end);
    return next_ - start_ < period_;
  }
  void count_step() {
    ++steps_;
    ++steps_taken_;
  }
  /// Back to t₀.
  void reset();

  // ── Samples of its outputs ──
  [[nodiscard]] const SampleRing& samples() const { return samples_; }
  [[nodiscard]] SampleRing& samples() { return samples_; }

  // ── Inputs over the step: polynomials, one plane per power of τ ──
  [[nodiscard]] double* coefficients() { return coefficients_.data(); }
  [[nodiscard]] const double* coefficients() const { return coefficients_.data(); }
  [[nodiscard]] std::span<const double> all_coefficients() const { return coefficients_; }
  [[nodiscard]] int degree() const { return degree_; }
  /// Highest possible degree; 0 where every member samples its inputs at the start.
  [[nodiscard]] int degree_cap() const { return degree_cap_; }
  /// Room for polynomials of this degree, where members follow them.
  void reserve_degree(int degree);
  void set_degree(int degree) { degree_ = degree; }
  [[nodiscard]] InputView inputs_of(const Member& m) const {
    return {coefficients_.data() + m.first_input, slots_, degree_};
  }
  /// Inputs as last used in the step: the start value for who samples at the start, else the end of the polynomial.
  [[nodiscard]] const double* applied() const {
    return degree_cap_ == 0 ? coefficients_.data() : end_values_.data();
  }
  /// Takes the inputs at the end of a step of length `h_s` as those applied.
  void close_inputs(double h_s);
  /// Outputs are evaluated with other inputs than those applied: predicted or refreshed ones.
  [[nodiscard]] bool evaluates_separately() const { return evaluates_separately_; }
  void evaluate_separately() { evaluates_separately_ = true; }
  /// Inputs with which the newest outputs were evaluated.
  [[nodiscard]] const double* output_inputs() const {
    return evaluates_separately_ ? evaluated_with_.data() : applied();
  }
  [[nodiscard]] std::span<double> evaluated_with() { return evaluated_with_; }
  [[nodiscard]] std::span<double> end_values() { return end_values_; }

  // ── Integers and texts at its inputs: held over the step ──
  /// Of the step under way, or the last one.
  [[nodiscard]] DiscreteValues& discrete_inputs() { return discrete_inputs_; }
  [[nodiscard]] const DiscreteValues& discrete_inputs() const { return discrete_inputs_; }
  /// … with which the newest outputs were evaluated.
  [[nodiscard]] DiscreteValues& discrete_evaluated_with() { return discrete_evaluated_with_; }
  /// … that arrive at a point.
  [[nodiscard]] DiscreteValues& discrete_point_inputs() { return discrete_point_inputs_; }

  // ── Inputs at a point, from samples alone; those that nothing is connected to keep their value ──
  [[nodiscard]] std::span<double> point_inputs() { return point_inputs_; }
  [[nodiscard]] std::span<const double> point_inputs() const { return point_inputs_; }
  /// Of an input that nothing is connected to: from the next step on it has this value.
  void set_unconnected(ValueKind kind, std::uint32_t slot, const StoredValue& value);
  /// The step begins with these, and the outputs were evaluated with them: at t₀.
  void adopt_point_inputs();

  // ── Efforts to add to inputs after extrapolation: histories and monitors never see them ──
  /// Room for one, at this slot; returns its number.
  std::size_t reserve_addition(std::uint32_t slot);
  void set_addition(std::size_t number, double value) { additions_[number].value = value; }
  void add_additions() { add_additions(coefficients_.data()); }
  void add_additions(double* inputs) const;
  [[nodiscard]] bool has_additions() const { return !additions_.empty(); }

  // ── Inputs sampled at the stage's own points, where the plan says so ──
  [[nodiscard]] OwnPoints& own_points() { return *own_points_; }

  // ── Inputs that move on between two samples of their source: what a predictor made of them ──
  /// Room for one, at this slot, whose source is a stage; returns its number. It counts where that stage has no sample yet.
  std::size_t reserve_moving(std::uint32_t slot, Index source_stage);
  void set_moving(std::size_t number, double value) { moving_[number].value = value; }
  /// Puts them into inputs of tick `k`.
  void add_moving(const SampleRings& rings, Tick k, double* inputs) const;

  // ── Caches of weights and scratch: nothing that a later step depends on ──
  [[nodiscard]] ExchangeWeights& weights() { return weights_; }

  void archive(Archive& archive);
  void archive_totals(Archive& archive) { archive(steps_taken_); }

 private:
  struct Addition {
    std::uint32_t slot = 0;
    double value = 0.0;
  };

  const StagePlan* plan_;
  std::size_t slots_;
  int degree_cap_;
  int degree_ = 0;
  Tick period_;
  Tick start_ = 0;
  Tick next_ = 0;
  std::uint64_t steps_ = 0;
  std::uint64_t steps_taken_ = 0;
  bool evaluates_separately_;
  std::vector<double> coefficients_;
  SampleRing samples_;
  std::vector<double> end_values_;
  std::vector<double> evaluated_with_;
  std::vector<double> point_inputs_;
  DiscreteValues discrete_inputs_;
  DiscreteValues discrete_evaluated_with_;
  DiscreteValues discrete_point_inputs_;
  std::vector<Addition> additions_;
  std::unique_ptr<OwnPoints> own_points_;  ///< nothing where all inputs come straight from their sources
  struct Moving {
    std::uint32_t slot = 0;
    Index source_stage = 0;
    double value = 0.0;
  };
  std::vector<Moving> moving_;

  ExchangeWeights weights_;
};

}  // namespace ergon
