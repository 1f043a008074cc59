#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ergon/coupling/plan/coupling_plan.hpp"

namespace ergon {

/// Evaluates Y where the states of a few members have changed, from Y as it was before: only those members are asked, and those
/// that their outputs reach through feed-through. What nobody of them touches would come out as it is, bit for bit.
class ChangedOutputs {
 public:
  /// `readers`: of each group of columns, the members whose states change together. Nothing where laws, integers, texts or sums
  /// take part in the exchange: there Y is evaluated as a whole.
  static std::optional<ChangedOutputs> plan(const CouplingPlan& plan,
                                            std::span<const std::vector<std::uint32_t>> readers);

  /// Y before, and the inputs with which what depends on states alone is asked.
  void set_reference(std::span<const double> inputs, const double* y);
  /// Puts what changes into `y`. `asked` is whom to blame where that throws.
  void evaluate(std::size_t group, double t, double* y, const Member*& asked);
  /// Puts back what `evaluate` has changed.
  void put_back(std::size_t group, double* y) const;

 private:
  struct Copy {
    std::uint32_t slot;
    std::uint32_t source;
  };
  /// Members of one feed-through depth: all of their inputs are looked up before the first of them is asked.
  struct Level {
    std::vector<Copy> inputs;
    std::vector<const Member*> members;
  };
  struct Group {
    std::vector<const Member*> readers;
    std::vector<Level> levels;
    std::vector<const Member*> touched;
  };

  std::vector<Group> groups_;
  std::vector<double> inputs_;
  std::vector<double> level_inputs_;
  std::vector<double> reference_;
};

}  // namespace ergon
