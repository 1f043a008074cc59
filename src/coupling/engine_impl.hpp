#pragma once

#include <memory>
#include <vector>

#include "ergon/coupling/correctors/corrected_receiver.hpp"
#include "ergon/coupling/engine.hpp"
#include "ergon/coupling/implicit/implicit_stepper.hpp"
#include "ergon/coupling/monitors/bond_monitor.hpp"
#include "ergon/coupling/monitors/leak_monitor.hpp"
#include "ergon/coupling/schemes/scheme.hpp"
#include "ergon/coupling/snapshot.hpp"
#include "ergon/coupling/stage.hpp"
#include "ergon/coupling/step_control/step_control.hpp"
#include "ergon/coupling/thread_pool.hpp"

namespace ergon {

/// Members of one stage that are evaluated together, at one feed-through depth.
struct Evaluation {
  Index stage = 0;
  int level = 0;
  std::vector<std::uint32_t> members;
};

/// What the engine consists of. Split over stage_builder.cpp (construction), engine_start.cpp (t₀),
/// static_equilibrium.cpp, starter.cpp (history) and engine.cpp (stepping).
class Engine::Impl final : public StepRecord {
 public:
  Impl(CoupledSystem& coupled_system, TimeGrid time_grid, const CouplingOptions& coupling_options,
       ProblemList& problems);

  // ── StepRecord ──
  [[nodiscard]] Tick tick() const override { return now; }
  [[nodiscard]] double time_s() const override { return grid.time_s(now); }
  [[nodiscard]] double output(Index output) const override {
    const SlotAddress a = output_address[output];
    // The samples hold the coupling variables; what the outputs really are is beside them.
    if (implicit != nullptr) return implicit->problem().outputs(a.stage)[a.offset];
    return stages[a.stage].samples.sample_at(now)[a.offset];
  }
  [[nodiscard]] double applied_input(Index input) const override {
    const SlotAddress a = input_address[input];
    return stages[a.stage].applied()[a.offset];
  }
  [[nodiscard]] double rough_output(Index output) const override;
  [[nodiscard]] const ImplicitRecord* implicit_steps() const override {
    return implicit != nullptr ? &implicit->record() : nullptr;
  }
  [[nodiscard]] std::span<const BondRecord> bonds() const override { return bond_records; }
  [[nodiscard]] const StepControlRecord* step_control() const override {
    return control != nullptr ? &control->record() : nullptr;
  }
  void energies(std::span<EnergyRecord> per_node) const override;

  // ── Stepping (engine.cpp) ──
  std::optional<Failure> advance() { return control != nullptr ? advance_window() : advance_point(); }
  std::optional<Failure> advance_point();
  std::optional<Failure> start_steps();
  std::optional<Failure> arrive(Tick arrival);
  void build_inputs(Stage& stage);
  std::optional<Failure> execute(Stage& stage);
  void evaluate_outputs(Stage& stage, double t_end, double h);
  std::optional<Failure> commit_within_sweep(Stage& stage);
  void predict_kinematics(Stage& stage);
  std::optional<Failure> evaluate_point();
  std::optional<Failure> evaluate_element_stage(Stage& stage, Tick k);
  std::optional<Failure> evaluate_laws_feeding(const Stage& reader, Tick k);
  std::optional<Failure> refresh(const Evaluation& evaluation);
  [[nodiscard]] bool has_point(const Stage& stage, Tick k) const;
  [[nodiscard]] bool is_due(const Stage& element_stage) const;
  [[nodiscard]] std::optional<Failure> find_non_finite(const Stage& stage, const double* plane,
                                                       double t) const;
  [[nodiscard]] Failure failure_of(const Stage& stage, std::size_t member, double t,
                                   std::string_view reason) const;

  // ── Implicit schemes (implicit_steps.cpp) ──
  void plan_implicit(ProblemList& problems);
  void check_implicit(ProblemList& problems) const;
  void note_what_has_no_effect(ProblemList& problems) const;
  void check_update_rule(const UpdateRuleInfo& rule, ProblemList& problems) const;
  void plan_hermite();
  std::optional<Failure> advance_implicit();
  [[nodiscard]] std::vector<double> interface_jacobian(Tick length);

  // ── Windows of variable length (windows.cpp) ──
  void plan_step_control(ProblemList& problems);
  std::optional<Failure> advance_window();
  std::optional<Failure> try_window(Tick factor);
  [[nodiscard]] Tick longest_period() const;
  [[nodiscard]] bool all_arrived() const;
  void set_step_factor(Tick factor);
  [[nodiscard]] bool can_rewind() const;
  void save(Snapshot& s) const;
  void restore(const Snapshot& s);

  // ── Start (engine_start.cpp, static_equilibrium.cpp, starter.cpp) ──
  std::optional<Failure> initialize(ProblemList& problems);
  std::optional<Failure> evaluate_everything(ProblemList& problems);
  void solve_equilibrium(ProblemList& problems);
  void evaluate_members(const Evaluation& evaluation);
  [[nodiscard]] Tick sampling_period(const Stage& stage) const;
  bool solve_loop(const std::vector<Index>& loop, ProblemList& problems);
  void check_stated_inputs(ProblemList& problems) const;
  void check_start_conditions(ProblemList& problems) const;
  void seed_initial_history(ProblemList& problems);
  std::optional<Failure> run_starter(ProblemList& problems);
  void report_loops(ProblemList& problems) const;
  void reset_clock();

  // ── Construction (stage_builder.cpp) ──
  void build_stages(ProblemList& problems);
  void check_options(ProblemList& problems) const;
  void add_element_stages();
  void plan_sweeps();
  void number_slots();
  void wire(Stage& stage, Index stage_index);
  void reserve_inputs(Stage& stage, Index stage_index);
  void plan_feedthrough(ProblemList& problems);
  [[nodiscard]] KinematicPrediction kinematic_prediction(Index displacement_input) const;
  void plan_evaluations();
  void make_monitors();
  [[nodiscard]] FeedthroughMode mode_of(Index input) const { return input_mode[input]; }

  // ── Books and corrections (correction_plan.cpp) ──
  void plan_corrections(ProblemList& problems);
  [[nodiscard]] InterfaceLag lag_of(const PowerBond& bond) const;
  [[nodiscard]] CorrectorPlace place_of(const std::vector<Index>& bonds) const;
  void check_group_accounts(const std::vector<Index>& bonds, const CorrectionRequest& request,
                            ProblemList& problems) const;
  [[nodiscard]] std::vector<CorrectedReceiver::Giver> givers_of(const std::vector<Index>& bonds) const;
  void start_books();
  void learn();
  [[nodiscard]] double leak_share_J(std::size_t receiver) const;

  CoupledSystem& system;
  TimeGrid grid;
  CouplingOptions options;
  const Scheme* scheme = nullptr;

  std::vector<Tick> periods;  ///< per node
  std::vector<Stage> stages;  ///< stepping stages in order of execution, then element stages by level
  std::size_t stepping_stages = 0;
  std::vector<SampleRing*> rings;
  std::vector<SlotAddress> input_address;
  std::vector<SlotAddress> output_address;
  std::vector<FeedthroughMode> input_mode;
  std::vector<Evaluation> start_evaluations;  ///< everything with feed-through, by level: at t₀
  std::vector<Evaluation>
      point_evaluations;  ///< refreshed members and elements, by level: at communication points
  std::vector<BondMonitor> monitors;
  std::vector<BondRecord> bond_records;
  std::vector<LeakMonitor> leak_monitors;
  std::vector<CorrectedReceiver> receivers;
  static constexpr std::size_t no_leak_monitor = static_cast<std::size_t>(-1);
  std::vector<std::size_t> leak_of_receiver;  ///< index of its leak monitor, where it has one
  std::unique_ptr<ThreadPool> pool;
  mutable std::vector<double>
      plain_inputs;  ///< scratch of energies(): as long as the largest stage has slots

  std::vector<bool> is_hermite;               ///< per input: follows a cubic together with its partner
  std::unique_ptr<ImplicitStepper> implicit;  ///< nothing: an explicit scheme
  std::unique_ptr<StepControl> control;       ///< nothing: fixed steps
  bool rewinds = false;                       ///< all subsystems can be set back
  Snapshot snapshot;
  std::vector<double> rough_outputs;  ///< of the window taken in one step, where control wants to compare

  Tick now = 0;
  Tick anchor = 0;  ///< where the present step sizes began
  bool clamped = false;
};

}  // namespace ergon
