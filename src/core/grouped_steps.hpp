#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "ergon/core/api.hpp"
#include "ergon/core/subsystem.hpp"

namespace ergon {

/// From where to where a step goes. The end is that of the clock of the run: start + length may differ from it in the last digit.
struct StepInterval {
  double start_s = 0.0;
  double length_s = 0.0;
  double end_s = 0.0;
};

/// Steps subsystems of one kind in one call: between two that cost nanoseconds, a call through a table of functions and the
/// bookkeeping of its result are most of the time. Inputs are held over the step.
class ERGON_API GroupedSteps {
 public:
  struct Member {
    void* self = nullptr;  ///< see Subsystem::Grouped
    std::uint32_t first_input = 0;
    std::uint32_t first_output = 0;
  };
  virtual ~GroupedSteps() = default;
  /// Those from members[next] on, one after the other: a step with the inputs from u[first_input] on, then the outputs with the
  /// same inputs, from y[first_output] on. What `step` and `outputs` of each would do, call for call and bit for bit.
  /// `next` is afterwards the first that is not done; also where something is thrown, which is then what that one threw. The first
  /// step that is not simply done ends the call with its status, as `step` would have returned it; outputs that cannot be had with a
  /// failure. Those behind have not been touched.
  virtual StepStatus run(std::span<const Member> members, std::size_t& next, const StepInterval& step,
                         const double* u, double* y) const = 0;
};

/// Trial steps of subsystems of one kind, for schemes that take a step several times: the states are rows of numbers outside of
/// the subsystems, so that nothing is saved and restored between two trials. Only for steps as of GroupedSteps, and for states that
/// are rows of one length for all of the kind (Rewindable::state_numbers).
class ERGON_API GroupedTrials {
 public:
  struct Member {
    Subsystem* subsystem = nullptr;
    std::uint32_t first_input = 0;
    std::uint32_t first_output = 0;
    std::uint32_t row = 0;  ///< where its row begins
  };
  virtual ~GroupedTrials() = default;
  /// The states of the subsystems into rows, and back.
  virtual void read(std::span<const Member> members, double* rows) const = 0;
  virtual void write(std::span<const Member> members, const double* rows) const = 0;
  /// As GroupedSteps::run, but from the states in `from` to those in `to`; what the subsystems themselves hold is as before.
  virtual void run(std::span<const Member> members, double h, const double* u, const double* from, double* to,
                   double* y) const = 0;
  /// The outputs in these states, with these inputs.
  virtual void outputs(std::span<const Member> members, const double* u, const double* rows,
                       double* y) const = 0;
};

}  // namespace ergon
