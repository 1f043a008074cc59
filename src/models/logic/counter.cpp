#include "ergon/models/logic/counter.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace ergon {

Description Counter::describe() const {
  Port in{"in", {}, 1, "what is counted: that it becomes true"};
  in.type = PortType::boolean;
  Port reset{"reset", {}, 1, "true: back to the start", 0.0, true};
  reset.type = PortType::boolean;
  Port count{"count", {}, 1, "how often so far"};
  count.type = PortType::integer;
  Description description;
  description.inputs = {in, reset};
  description.outputs = {count};
  description.samples_input = InputSampling::start;
  return description;
}

StepStatus Counter::initialize(const Experiment& /*experiment*/) {
  state_ = {first_, 0};
  return {};
}

StepStatus Counter::step(double /*t*/, double /*h*/, const InputView& /*u*/) {
  if (reset_ != 0) {
    state_.count = first_;
  } else if (in_ != 0 && state_.was_on == 0) {
    if (state_.count == std::numeric_limits<std::int64_t>::max())
      return {false, "the count does not fit into 64 bits"};
    ++state_.count;
  }
  state_.was_on = in_;
  return {};
}

ModelInfo counter_model() {
  ModelInfo info;
  info.name = "logic.counter";
  info.summary = "counts how often a boolean becomes true, in 64 bits";
  info.parameters = {{"first", "", 0.0, "a whole number: where counting starts"}};
  info.integrated = false;
  info.make = [](const ModelRequest& request, ProblemList& problems) -> std::unique_ptr<Subsystem> {
    const double first = request.parameters.number("first");
    constexpr double largest = 9007199254740992.0;  // 2⁵³
    if (first != std::floor(first) || std::abs(first) > largest) {
      problems.error(request.where, fmt::format("'{}' starts counting at {}.", request.name, first),
                     "Give a whole number, at most 2^53 in size.");
      return nullptr;
    }
    return std::make_unique<Counter>(static_cast<std::int64_t>(first));
  };
  info.examples = {{"from minus three", {{"first", {-3.0, {}}}}}};
  return info;
}

}  // namespace ergon
