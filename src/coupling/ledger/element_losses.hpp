#pragma once

#include <vector>

#include "ergon/coupling/plan/coupling_plan.hpp"
#include "ergon/coupling/state/archive.hpp"
#include "ergon/coupling/state/point.hpp"

namespace ergon {

/// What the dampers of elements take out, since an element is a law and remembers nothing:
///   W = ∫ P(u) dt,   P: the power that its law takes out at the inputs that its outputs used
/// by the trapezoidal rule over communication points. A step whose mean power is positive is dissipated, one whose mean power is
/// negative (negative damping) is supplied, so that neither ever falls.
class ElementLosses {
 public:
  struct Work {
    double dissipated_J = 0.0;
    double supplied_J = 0.0;
    double stored_at_start_J = 0.0;
  };

  explicit ElementLosses(const CouplingPlan& plan);

  [[nodiscard]] bool empty() const { return laws_.empty(); }
  /// At t₀, when everything has been evaluated.
  void start(const Point& point);
  /// At every later point.
  void update(const Point& point);
  /// Of a node that is an element.
  [[nodiscard]] const Work& of(Index node) const { return laws_[place_of_node_[node]].work; }

  void archive(Archive& archive);

 private:
  struct Law {
    const Element* law = nullptr;
    Index node = 0;
    SlotAddress first_input;
    double power_W = 0.0;
    Work work{};
  };
  /// `each`: (law, its inputs). What a law throws is its failure.
  template <typename Each>
  void for_each_law(const Point& point, Each&& each);

  const CoupledSystem& system_;
  std::vector<Law> laws_;
  std::vector<std::size_t> place_of_node_;
  Tick last_point_ = 0;
};

}  // namespace ergon
