#pragma once

#include <optional>

#include "ergon/core/coupled_system.hpp"
#include "ergon/coupling/schemes/scheme.hpp"
#include "ergon/coupling/start/start_evaluation.hpp"
#include "ergon/coupling/state/start_states.hpp"

namespace ergon {

/// What the start wants of a run: to take its first steps for trial.
class TrialRun {
 public:
  virtual ~TrialRun() = default;
  /// Outputs at t₀ are evaluated: books are opened, and nothing before is remembered.
  virtual void open_books() = 0;
  virtual std::optional<Failure> advance_point() = 0;
  /// No step goes on: subsystems may be set back.
  virtual std::optional<Failure> finish_pending() = 0;
};

/// Everything at t₀: subsystems are initialised, an equilibrium is found, outputs and loops are evaluated, stated values are
/// checked, histories filled. Findings about the user's input go to `problems`; a model that fails returns its failure.
class Start {
 public:
  Start(CoupledSystem& system, const CouplingPlan& plan, const Scheme& scheme, CouplingState& state,
        const Parts& parts, ProblemList& problems, const StartStates* saved)
      : system_(system),
        plan_(plan),
        scheme_(scheme),
        state_(state),
        parts_(parts),
        problems_(problems),
        saved_(saved) {}

  std::optional<Failure> run(TrialRun& trial);

 private:
  std::optional<Failure> initialize_subsystems();
  /// Outputs that differ after the end of initialization are those of the start.
  std::optional<Failure> end_initialization();
  [[nodiscard]] bool has_other_outputs(Index stage, const Member& member) const;
  void check_stated_inputs() const;
  void check_start_conditions() const;
  void report_loops() const;
  // restore_states.cpp
  /// Says which subsystems have no saved state, and which states have no subsystem.
  void check_saved_states() const;
  /// Those that need an end of initialization are set after it.
  void restore_saved_states(bool after_initialization);

  // starter.cpp
  std::optional<Failure> repeat_first_steps(TrialRun& trial);
  // initial_history.cpp
  void seed_initial_history();
  void continue_own_points(Index stage);

  CoupledSystem& system_;
  const CouplingPlan& plan_;
  const Scheme& scheme_;
  CouplingState& state_;
  Parts parts_;
  ProblemList& problems_;
  const StartStates* saved_;
};

}  // namespace ergon
