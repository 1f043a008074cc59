#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "ergon/coupling/schemes/scheme.hpp"
#include "ergon/coupling/state/coupling_state.hpp"
#include "ergon/coupling/state/parts.hpp"
#include "ergon/coupling/step_control/step_control.hpp"

namespace ergon {

/// A run that can be taken from point to point, kept and set back.
class Repeatable {
 public:
  virtual ~Repeatable() = default;
  virtual std::optional<Failure> advance_point() = 0;
  virtual void keep() = 0;
  virtual void set_back() = 0;
  [[nodiscard]] virtual CouplingState& state() = 0;
  [[nodiscard]] virtual const StepRecord& record() const = 0;
};

/// What step control must know before the start.
struct WindowSetting {
  const CouplingPlan& plan;
  const Scheme& scheme;
  std::span<const BondRecord> bonds;  ///< which of them have accounts
  bool can_rewind = false;            ///< all subsystems can be set back
  Decisions* decisions = nullptr;     ///< nothing: one process
};

/// Windows: the time between two points that all subsystems reach together, of variable length and repeatable.
class WindowControl {
 public:
  /// Null where steps are fixed, or, with the reasons in `problems`, where what is asked for does not fit.
  static std::unique_ptr<WindowControl> make(const WindowSetting& setting, ProblemList& problems);

  void start(const StepRecord& at_start);
  /// One accepted window, which ends with the first point that is not before `horizon`, if not earlier.
  std::optional<Failure> advance(Repeatable& run, Tick horizon);

  [[nodiscard]] const StepControlRecord& record() const { return control_.record(); }
  /// Outputs of the last window taken as a whole; empty where it is not taken so.
  [[nodiscard]] std::span<const double> rough_outputs() const { return rough_outputs_; }

  void archive(Archive& archive) {
    control_.archive(archive);
    archive(std::span(rough_outputs_));
  }

 private:
  WindowControl(const CouplingPlan& plan, bool rewinds, StepControl control);
  std::optional<Failure> take(Repeatable& run, Tick factor);
  std::optional<Failure> take_whole_and_halves(Repeatable& run, Tick factor);
  void look_ahead(Repeatable& run);

  const CouplingPlan& plan_;
  bool rewinds_;
  Tick smallest_;  ///< window
  StepControl control_;
  std::vector<double> rough_outputs_;
};

}  // namespace ergon
