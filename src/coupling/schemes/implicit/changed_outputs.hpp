#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ergon/coupling/plan/coupling_plan.hpp"
#include "ergon/coupling/schemes/implicit/member_trials.hpp"

namespace ergon {

/// Evaluates Y where the exchange is plain copies: after a trial of all members; and where the states of a few have changed, from Y as
/// it was before. Then only those members are asked, and those that their outputs reach through feed-through. What nobody of
/// them touches would come out as it is, bit for bit.
class ChangedOutputs {
 public:
  /// False where laws, integers, texts or sums take part in the exchange: there Y is evaluated as a whole.
  [[nodiscard]] static bool is_possible(const CouplingPlan& plan);
  /// `readers`: of each group of columns, the members whose states change together.
  ChangedOutputs(const CouplingPlan& plan, const MemberTrials& trials,
                 std::span<const MemberTrials::List> readers);

  /// Where the outputs of members that are rows go when some are stepped with changed variables; as long as Y.
  [[nodiscard]] double* stepped() { return stepped_.data(); }

  /// Completes `y`, in which what depends on states alone is right, for the states of the end. `inputs`: of all members, those
  /// with which the others were evaluated last; gets the inputs of what feeds through. `asked` is whom to blame where that throws.
  void evaluate_all(double t, double* inputs, double* y, const Member*& asked) const;
  /// Y before, and inputs with which what depends on states alone can be asked.
  void set_reference(std::span<const double> inputs, const double* y);
  [[nodiscard]] const double* reference() const { return reference_.data(); }
  /// Puts what changes into `y`.
  void evaluate(std::size_t group, double t, double* y, const Member*& asked);
  /// Puts back what `evaluate` has changed.
  void put_back(std::size_t group, double* y) const {
    for (const std::uint32_t o : groups_[group].touched) y[o] = reference_[o];
  }

 private:
  struct Copy {
    std::uint32_t slot;
    std::uint32_t source;
  };
  /// Members of one feed-through depth: all of their inputs are looked up before the first of them is asked.
  struct Level {
    std::vector<Copy> inputs;
    MemberTrials::List members;
  };
  struct Group {
    MemberTrials::List readers;          ///< those that are not rows
    std::vector<std::uint32_t> stepped;  ///< outputs of those that are
    std::vector<Level> levels;
    std::vector<std::uint32_t> touched;  ///< outputs
  };
  void evaluate(std::span<const Level> levels, double t, double* inputs, double* y,
                const Member*& asked) const;

  const MemberTrials& trials_;
  std::vector<Level> all_levels_;
  std::vector<Group> groups_;
  std::vector<double> inputs_;
  std::vector<double> level_inputs_;
  std::vector<double> reference_;
  std::vector<double> stepped_;
};

}  // namespace ergon
