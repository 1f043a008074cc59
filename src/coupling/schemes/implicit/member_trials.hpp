#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "ergon/core/grouped_steps.hpp"
#include "ergon/coupling/plan/coupling_plan.hpp"
#include "ergon/coupling/schemes/implicit/member_states.hpp"

namespace ergon {

/// States of the members of a stage in a step that is taken several times. Where a member can be tried outside of itself
/// (GroupedTrials), its states are rows of numbers that a trial leads from one to another; itself it holds the state of the start until
/// `finish`. Others are saved and restored.
class MemberTrials {
 public:
  enum class State : std::uint8_t {
    start,    ///< of the step
    end,      ///< where the last trial of all members has led
    changed,  ///< … with some coupling variables changed
  };
  /// `in_rows`: else all are saved and restored.
  MemberTrials(const CouplingPlan& plan, const StagePlan& stage, bool in_rows);

  /// Members in an order of calling, cut into runs of neighbours of one kind.
  struct List {
    struct Run {
      const GroupedTrials* together = nullptr;  ///< nothing: one by one
      std::uint32_t first = 0;
      std::uint32_t end = 0;
      std::size_t row_size = 0;
    };
    std::vector<std::uint32_t> members;
    std::vector<GroupedTrials::Member> entries;  ///< of each member
    std::vector<Run> runs;
    std::vector<std::uint32_t> run_of;  ///< per member
    std::vector<std::uint32_t> others;  ///< those members whose states are not rows
    [[nodiscard]] std::size_t size() const { return members.size(); }
  };
  /// Whose rows are those of these states.
  [[nodiscard]] List list(std::span<const std::uint32_t> members,
                          const std::function<State(std::uint32_t)>& state) const;
  /// … of the start: for steps.
  [[nodiscard]] List list(std::span<const std::uint32_t> members) const {
    return list(members, [](std::uint32_t /*member*/) { return State::start; });
  }
  [[nodiscard]] bool has_row(std::uint32_t member) const { return together_[member] != nullptr; }
  /// Who is not a row.
  [[nodiscard]] const std::vector<std::uint32_t>& others() const { return all_.others; }
  [[nodiscard]] const List& all() const { return all_; }

  /// The step starts from the states as they are.
  void keep_start(double time_s);
  /// The states of all, where `others` are now, are those of the end.
  void keep_end(double time_s);
  /// All members have the state of the end. (Others are there.)
  void finish();

  /// Steps the entries i … end − 1 of a list, all of one run, with these inputs.
  void run(const List& list, std::size_t i, std::size_t end, double h, const double* u, State to, double* y) {
    list.runs[list.run_of[i]].together->run(std::span(list.entries).subspan(i, end - i), h, u, rows_.data(),
                                            rows_.data() + offset(to), y);
  }
  /// Whether some of a list of the start have been led elsewhere by changed coupling variables, or are not rows.
  [[nodiscard]] bool any_changed(const List& list) const;
  /// Outputs of a list with these inputs. `asked` is whom to blame where that throws.
  void ask(const List& list, double t, const double* u, double* y, const Member*& asked) const;

  // ── Others ──
  MemberStates& slots(State state) { return slots_[static_cast<std::size_t>(state)]; }

 private:
  [[nodiscard]] std::size_t offset(State state) const {
    return static_cast<std::size_t>(state) * row_numbers_;
  }

  const StagePlan& stage_;
  std::vector<const GroupedTrials*> together_;  ///< per member
  std::vector<std::uint32_t> row_of_;           ///< likewise
  std::vector<std::size_t> row_size_;           ///< likewise
  std::size_t row_numbers_ = 0;                 ///< of all rows of one state
  std::vector<double> rows_;                    ///< of all states
  List all_;
  std::vector<MemberStates> slots_;
};

}  // namespace ergon
