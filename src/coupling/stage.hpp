#pragma once

#include <cstdint>
#include <vector>

#include "ergon/core/coupled_system.hpp"
#include "ergon/coupling/exchange.hpp"
#include "ergon/signal/sample_ring.hpp"

namespace ergon {

/// A subsystem or element inside a stage; indices are relative to the stage's arrays.
struct Member {
  Subsystem* subsystem = nullptr;
  const Element* law = nullptr;  ///< the same object, where it is an element
  Index node = 0;
  std::uint32_t first_input = 0;
  std::uint32_t first_output = 0;
  std::uint32_t input_count = 0;
  std::uint32_t output_count = 0;
  bool samples_start = false;
};

/// What is told of a member's steps afterwards; apart, so that the stepping loop touches little memory.
struct MemberBooks {
  double measured_s = 0.0;  ///< time spent in the steps that were timed
  std::uint64_t timed_steps = 0;
  StepStatus failure;  ///< why its last step failed, if it did
};

/// How a displacement and its rate are predicted together for the output evaluation at the end of a step
/// (FeedthroughMode::predict), from the newest sample of their source. The difference of the flow is taken between the
/// samples that two steps of the receiver started from, or two samples of the source where that is slower.
struct KinematicPrediction {
  std::uint32_t displacement_slot = 0;
  std::uint32_t flow_slot = 0;
  Index source_stage = 0;
  std::uint32_t displacement_source = 0;
  std::uint32_t flow_source = 0;
  double displacement_gain = 1.0;
  double displacement_offset = 0.0;
  double flow_gain = 1.0;
  double flow_to_rate = 1.0;  ///< from the receiver's unit of flow to its unit of displacement per second

  int samples = 0;  ///< seen so far: 2 are needed for the difference
  Tick tick = 0;
  Tick previous_tick = 0;
  double flow = 0.0;
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
  Tick nominal_period = 0;  ///< as the user gave it, where step control changes it
  Tick start = 0;           ///< of the step under way
  Tick next = 0;            ///< its end
  std::uint64_t steps = 0;
  std::vector<Index> related_stages;  ///< of an element: its sources (or receivers), whose points are its own
  std::vector<Index>
      read_by_laws;  ///< element stages to evaluate anew when this one is visible within a sweep
  std::vector<Index> fed_by_laws;  ///< element stages sampled at this receiver's points

  std::vector<Member> members;
  std::vector<MemberBooks> books;  ///< one per member
  SampleRing samples;
  Exchange exchange;
  std::size_t input_count = 0;
  std::size_t slots = 0;  ///< inputs and terms of sums
  int degree_cap = 0;     ///< 0 where every member samples its inputs at the start
  int degree = 0;
  std::vector<double> coefficients;

  /// Efforts to add to inputs after extrapolation: histories and monitors never see them.
  struct Correction {
    std::uint32_t slot = 0;
    const double* value = nullptr;
  };
  std::vector<Correction> corrections;

  std::vector<double> end_values;      ///< inputs at the end of the step (unused where degree_cap = 0)
  std::vector<double> evaluated_with;  ///< inputs with which the newest outputs were evaluated
  bool evaluates_separately =
      false;  ///< some output is predicted or refreshed: evaluated_with differs from applied

  std::vector<KinematicPrediction> kinematic;
  Exchange prediction;  ///< inputs predicted by polynomial
  std::vector<std::uint32_t> predicted_slots;
  std::vector<double> prediction_coefficients;

  std::vector<std::uint32_t> refreshed_slots;
  std::vector<double> scratch;

  // Where the step is taken at its end: all inputs at the stage's own points, between which it interpolates (the
  // sources may have many points in between).
  SampleRing own_points;
  std::vector<SampleRing*> own_rings;
  Exchange own_exchange;

  /// Inputs as last used in the step: the start value for who samples at the start, else the end of the polynomial.
  [[nodiscard]] const double* applied() const {
    return degree_cap == 0 ? coefficients.data() : end_values.data();
  }
  [[nodiscard]] const double* output_inputs() const {
    return evaluates_separately ? evaluated_with.data() : applied();
  }
};

}  // namespace ergon
