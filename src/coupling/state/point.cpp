#include "ergon/coupling/state/point.hpp"

#include <algorithm>

namespace ergon {

void Point::newest_inputs(Index stage, double* inputs) const {
  std::copy_n(state_->stage(stage).applied(), plan_->stage(stage).slots, inputs);
  plan_->stage(stage).exchange.copy_samples(state_->rings(), plan_->grid(), tick(), inputs);
  state_->stage(stage).add_moving(state_->rings(), tick(), inputs);
}

}  // namespace ergon
