#pragma once

#include <cstdint>
#include <vector>

#include "core/coupled_system.hpp"
#include "coupling/exchange.hpp"
#include "signal/sample_ring.hpp"

namespace ergon {

/// A subsystem or element inside a stage; indices are relative to the stage's arrays.
struct Member {
  Subsystem* subsystem = nullptr;
  Index node = 0;
  std::uint32_t first_input = 0;
  std::uint32_t first_output = 0;
  std::uint32_t input_count = 0;
  std::uint32_t output_count = 0;
  bool samples_start = false;
  double measured_s = 0.0;  ///< time spent in the steps that were timed
  std::uint64_t timed_steps = 0;
};

/// How an input is predicted for the output evaluation at the end of a step (FeedthroughMode::predict).
struct KinematicPrediction {
  std::uint32_t displacement = 0;
  std::uint32_t flow = 0;
  double previous_flow = 0.0;
};

/// The unit of visibility: subsystems that start their steps together and whose outputs become visible together.
/// Jacobi has one stage per communication step size, Gauss–Seidel one per subsystem; elements have their own.
struct Stage {
  bool algebraic = false;
  bool executes_at_end = false;  ///< Gauss–Seidel behind a faster stage: takes its step when the step is over
  EvaluateAt evaluate = EvaluateAt::sources;
  int level = 0;  ///< feed-through depth of an element stage
  Tick period = 0;
  Tick start = 0;  ///< of the step under way
  Tick next = 0;   ///< its end
  std::uint64_t steps = 0;
  std::vector<Index> related_stages;  ///< of an element: its sources (or receivers), whose points are its own

  std::vector<Member> members;
  SampleRing samples;
  Exchange exchange;
  std::size_t input_count = 0;
  std::size_t slots = 0;  ///< inputs and terms of sums
  int degree_cap = 0;     ///< 0 where every member samples its inputs at the start
  int degree = 0;
  std::vector<double> coefficients;

  std::vector<double> end_values;      ///< inputs at the end of the step (unused where degree_cap = 0)
  std::vector<double> evaluated_with;  ///< inputs with which the newest outputs were evaluated
  bool evaluates_separately =
      false;  ///< some output is predicted or refreshed: evaluated_with differs from applied

  std::vector<KinematicPrediction> kinematic;
  std::vector<std::uint32_t> kinematic_flows;
  Exchange prediction;  ///< inputs predicted by polynomial
  std::vector<std::uint32_t> predicted_slots;
  std::vector<double> prediction_coefficients;
  double previous_step_s = 0.0;  ///< 0 before the first step: no backward difference yet

  std::vector<std::uint32_t> refreshed_slots;
  std::vector<double> scratch;

  /// Inputs as last used in the step: the start value for who samples at the start, else the end of the polynomial.
  [[nodiscard]] const double* applied() const {
    return degree_cap == 0 ? coefficients.data() : end_values.data();
  }
  [[nodiscard]] const double* output_inputs() const {
    return evaluates_separately ? evaluated_with.data() : applied();
  }
};

}  // namespace ergon
