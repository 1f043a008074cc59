#include "ergon/coupling/state/point.hpp"

#include <algorithm>

namespace ergon {

void Point::newest_inputs(Index stage, double* inputs) const {
  std::copy_n(state_->stage(stage).applied(), plan_->stage(stage).slots, inputs);
  plan_->stage(stage).exchange.copy_samples(state_->rings(), plan_->grid(), tick(), inputs);
  state_->stage(stage).add_moving(state_->rings(), tick(), inputs);
}

void Point::look_up(std::span<StageNumbers> numbers) const {
  for (Index s = 0; s < numbers.size(); ++s) {
    const StageState& stage = state_->stage(s);
    const SampleRing& ring = stage.samples();
    const bool is_sampled = ring.tick(0) == tick();
    numbers[s] = {is_sampled ? ring.newest() : ring.sample_at(tick()), stage.applied(), stage.output_inputs(),
                  stage.next() - stage.start(), is_sampled};
  }
}

}  // namespace ergon
