#pragma once

#include <cstdint>
#include <vector>

#include "ergon/core/coupled_system.hpp"
#include "ergon/core/time_grid.hpp"
#include "ergon/coupling/plan/discrete_exchange.hpp"
#include "ergon/coupling/plan/exchange_program.hpp"

namespace ergon {

/// A subsystem or element inside a stage; indices are relative to the stage's arrays. Counts are those of reals.
struct Member {
  Subsystem* subsystem = nullptr;
  const Element* law = nullptr;  ///< the same object, where it is an element
  Index node = 0;
  std::uint32_t first_input = 0;
  std::uint32_t first_output = 0;
  std::uint32_t input_count = 0;
  std::uint32_t output_count = 0;
  /// Communication steps of its own in one step of the stage, where a scheme keeps fast and slow members together.
  std::uint32_t substeps = 1;
  bool samples_start = false;
  bool thread_safe = true;
  AsyncSteps* async = nullptr;        ///< where it takes its steps elsewhere
  DiscretePorts* discrete = nullptr;  ///< where it has ports that are not reals
  std::uint32_t first_integer_input = 0;
  std::uint32_t first_text_input = 0;
  std::uint32_t first_integer_output = 0;
  std::uint32_t first_text_output = 0;
};

/// The unit of visibility: subsystems that start their steps together and whose outputs become visible together.
/// Jacobi has one stage per communication step size, Gauss–Seidel one per subsystem; elements have their own.
struct StagePlan {
  bool algebraic = false;
  bool executes_at_end = false;  ///< Gauss–Seidel behind a faster stage: takes its step when the step is over
  /// Jacobi beside a faster stage: nobody sees anything of its step before the end, so that it may be computed all the while.
  bool is_overlapped = false;
  EvaluateAt evaluate = EvaluateAt::sources;
  int level = 0;                      ///< feed-through depth of an element stage
  Tick period = 0;                    ///< as the user gave it
  std::vector<Index> related_stages;  ///< of an element: its sources (or receivers), whose points are its own
  std::vector<Index>
      read_by_laws;  ///< element stages to evaluate anew when this one is visible within a sweep
  std::vector<Index> fed_by_laws;  ///< element stages sampled at this receiver's points

  std::vector<Member> members;
  ExchangeProgram exchange;
  std::size_t input_count = 0;  ///< of reals, as all that is not said to be otherwise
  std::size_t slots = 0;        ///< inputs and terms of sums
  std::size_t output_count = 0;
  ValueCounts input_counts{};
  ValueCounts output_counts{};
  DiscreteExchange discrete_exchange;
  std::vector<std::int64_t> start_integers;  ///< what unconnected inputs keep
  std::vector<std::string> start_texts;
  std::size_t samples_kept = 0;      ///< in the ring of its outputs
  bool follows_inputs = false;       ///< some member looks at its inputs within the step
  std::vector<double> start_inputs;  ///< one per slot: what unconnected inputs keep

  /// Some output is predicted or refreshed: evaluated with other inputs than those applied.
  bool evaluates_separately = false;
  std::vector<Index> predicted_inputs;  ///< of the system: to predict for the end of the step
  std::vector<std::uint32_t> refreshed_slots;
  std::vector<std::uint32_t> refreshed_integers;
  std::vector<std::uint32_t> refreshed_texts;

  // ── Inputs sampled at the stage's own points, where its sources have many points in between ──
  /// What is sampled. Where the step is taken at its end: everything. Elsewhere what comes from faster stages: a polynomial through
  /// their newest samples, h apart, that goes on over H would carry their errors on by (H/h)^degree.
  ExchangeProgram own_samples;
  ExchangeProgram own_exchange;    ///< the polynomials through those samples
  ExchangeProgram other_exchange;  ///< what `own_exchange` leaves, where it leaves anything
  [[nodiscard]] bool keeps_own_points() const { return executes_at_end || !own_samples.empty(); }
};

/// Members of one stage that are evaluated together, at one feed-through depth.
struct Evaluation {
  Index stage = 0;
  int level = 0;
  std::vector<std::uint32_t> members;
};

}  // namespace ergon
