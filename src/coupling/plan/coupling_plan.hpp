#pragma once

#include <span>
#include <vector>

#include "ergon/core/api.hpp"
#include "ergon/core/coupled_system.hpp"
#include "ergon/core/problem.hpp"
#include "ergon/core/time_grid.hpp"
#include "ergon/coupling/options/options.hpp"
#include "ergon/coupling/plan/bond_table.hpp"
#include "ergon/coupling/plan/scheme_layout.hpp"
#include "ergon/coupling/plan/slot_address.hpp"
#include "ergon/coupling/plan/stage_plan.hpp"

namespace ergon {

/// What never changes while a system is stepped: stages, exchange programs, addresses, order of evaluation. Made once from
/// the frozen system, the options and the layout of the scheme. `system` must outlive it.
class ERGON_API CouplingPlan {
 public:
  /// Reports settings that do not fit the system; the plan is complete only where none did.
  CouplingPlan(CoupledSystem& system, const TimeGrid& grid, const CouplingOptions& options,
               SchemeLayout layout, ProblemList& problems);

  [[nodiscard]] const CoupledSystem& system() const { return system_; }
  [[nodiscard]] const TimeGrid& grid() const { return grid_; }
  [[nodiscard]] const CouplingOptions& options() const { return options_; }
  [[nodiscard]] const SchemeLayout& layout() const { return layout_; }

  /// Stepping stages in order of execution, then element stages by level.
  [[nodiscard]] std::span<const StagePlan> stages() const { return stages_; }
  [[nodiscard]] const StagePlan& stage(Index s) const { return stages_[s]; }
  [[nodiscard]] std::size_t stepping_stages() const { return stepping_stages_; }
  [[nodiscard]] std::span<const StagePlan> stepping() const { return stages().first(stepping_stages_); }
  [[nodiscard]] const Node& node_of(const Member& member) const { return system_.nodes[member.node]; }

  /// Where the numbers of the bonds are.
  [[nodiscard]] const BondTable& bonds() const { return bonds_; }
  [[nodiscard]] SlotAddress input(Index input) const { return inputs_[input]; }
  [[nodiscard]] SlotAddress output(Index output) const { return outputs_[output]; }
  /// Where the inputs of a node begin; a node without inputs has none.
  [[nodiscard]] SlotAddress first_input_of(Index node) const { return first_input_of_[node]; }
  /// The slot of one term of an input: a slot of its own where the input is a sum.
  [[nodiscard]] SlotAddress term(Index input, Index term) const;
  [[nodiscard]] FeedthroughMode feedthrough_mode(Index input) const { return input_mode_[input]; }
  /// Degree with which an input is extrapolated; 0 for an unconnected one.
  [[nodiscard]] int degree(Index input) const;
  /// Which predictor makes the flows and displacements of a bond; polynomials where nobody says so.
  [[nodiscard]] const std::string& predictor(const PowerBond& bond) const {
    return bond.predictor.empty() ? options_.predictor : bond.predictor;
  }
  /// Whether the efforts of a bond are evaluated with flows of the past.
  [[nodiscard]] bool has_stale_efforts(const PowerBond& bond) const;

  /// Everything with feed-through, by level: at t₀.
  [[nodiscard]] std::span<const Evaluation> start_evaluations() const { return start_evaluations_; }
  /// Refreshed members and elements, by level: at communication points.
  [[nodiscard]] std::span<const Evaluation> point_evaluations() const { return point_evaluations_; }

  /// Communication step of a node in ticks; 0 for elements.
  [[nodiscard]] Tick period(Index node) const { return periods_[node]; }
  /// The longest communication step.
  [[nodiscard]] Tick longest_period() const;
  /// Ticks between two samples of a stage; of an element, between the common points of its sources, or the points of its
  /// fastest receiver. 0 for an element without either.
  [[nodiscard]] Tick sampling_period(const StagePlan& stage) const;
  [[nodiscard]] int max_degree() const;
  /// A real output that has samples at least twice as often as the stage that reads it has points.
  [[nodiscard]] bool comes_from_faster(const StagePlan& reader, const LinkTerm& term) const;
  /// The term of a real input, whatever its source is.
  void add_term(ExchangeProgram& program, std::uint32_t slot, int degree, const LinkTerm& term) const;

 private:
  void check_options(ProblemList& problems) const;
  void find_continuous_inputs();
  void make_stages(ProblemList& problems);
  void add_element_stages();
  void number_slots();
  void wire(StagePlan& stage);
  // discrete_planning.cpp
  void number_discrete(StagePlan& stage, std::uint32_t stage_index, Member& member);
  void wire_discrete(StagePlan& stage, const Node& node);
  [[nodiscard]] bool refreshes_discrete(const StagePlan& stage, const Member& member) const;
  void size_inputs(StagePlan& stage);
  void plan_own_points(StagePlan& stage);
  void plan_feedthrough(ProblemList& problems);
  void plan_evaluations();
  void plan_sweeps();

  CoupledSystem& system_;
  TimeGrid grid_;
  CouplingOptions options_;
  SchemeLayout layout_;
  std::vector<Tick> periods_;  ///< per node
  std::vector<StagePlan> stages_;
  std::size_t stepping_stages_ = 0;
  std::vector<SlotAddress> inputs_;
  std::vector<SlotAddress> outputs_;
  std::vector<SlotAddress> first_input_of_;  ///< per node
  std::vector<std::uint32_t> first_term_;    ///< per input: the slot of its first term
  std::vector<bool> follows_continuous_;     ///< per input, see CouplingOptions::only_followed
  BondTable bonds_;
  std::vector<FeedthroughMode> input_mode_;
  std::vector<Evaluation> start_evaluations_;
  std::vector<Evaluation> point_evaluations_;
};

}  // namespace ergon
