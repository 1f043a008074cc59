#include "ergon/coupling/ledger/element_losses.hpp"

#include <cmath>

#include "ergon/coupling/state/subsystem_failure.hpp"

namespace ergon {

ElementLosses::ElementLosses(const CouplingPlan& plan)
    : system_(plan.system()), place_of_node_(plan.system().nodes.size(), 0) {
  for (const StagePlan& stage : plan.stages()) {
    for (const Member& m : stage.members) {
      if (m.law == nullptr) continue;
      place_of_node_[m.node] = laws_.size();
      laws_.push_back({m.law, m.node, plan.first_input_of(m.node)});
    }
  }
}

template <typename Each>
void ElementLosses::for_each_law(const Point& point, Each&& each) {
  Index node = 0;
  try {
    for (Law& law : laws_) {
      node = law.node;
      each(law, point.inputs_used_by_outputs(law.first_input));
    }
  } catch (...) {
    throw SubsystemFailure(system_.nodes[node].name, point.time_s(), current_exception_text());
  }
}

void ElementLosses::start(const Point& point) {
  last_point_ = point.tick();
  for_each_law(point, [](Law& law, const double* u) {
    law.power_W = law.law->dissipation_W(u);
    law.work = {0.0, 0.0, law.law->stored_J(u)};
  });
}

void ElementLosses::update(const Point& point) {
  const double H_s = point.duration_s(point.tick() - last_point_);
  last_point_ = point.tick();
  for_each_law(point, [H_s](Law& law, const double* u) {
    const double power_W = law.law->dissipation_W(u);
    const double work_J = 0.5 * (law.power_W + power_W) * H_s;
    (work_J < 0.0 ? law.work.supplied_J : law.work.dissipated_J) += std::abs(work_J);
    law.power_W = power_W;
  });
}

void ElementLosses::archive(Archive& archive) {
  if (laws_.empty()) return;
  archive(last_point_);
  for (Law& law : laws_) {
    archive(law.power_W);
    archive(law.work.dissipated_J);
    archive(law.work.supplied_J);
    archive(law.work.stored_at_start_J);
  }
}

}  // namespace ergon
