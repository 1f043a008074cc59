#include "ergon/models/logic/clock.hpp"

#include <cmath>

namespace ergon {
namespace {

/// Of the period: a tick that rounding puts this little behind a point is at the point.
constexpr double same_instant = 1e-9;

Port clock_port(const char* name, PortType type, const char* description) {
  Port made{name, {}, 1, description};
  made.type = type;
  return made;
}

}  // namespace

Description Clock::describe() const {
  Description description;
  description.outputs = {
      clock_port("tick", PortType::boolean, "true where there was a tick since the last point"),
      clock_port("count", PortType::integer, "ticks so far")};
  description.samples_input = InputSampling::start;
  return description;
}

std::int64_t Clock::ticks_until(double t) const {
  const double periods = (t - first_s_) / period_s_ + same_instant;
  return periods < 0.0 ? 0 : static_cast<std::int64_t>(std::floor(periods)) + 1;
}

StepStatus Clock::initialize(const Experiment& experiment) {
  // Ticks before the start are history; one at the start is seen there.
  const std::int64_t before = ticks_until(experiment.start_s - 2.0 * same_instant * period_s_);
  state_.count = ticks_until(experiment.start_s);
  state_.tick = state_.count > before ? 1 : 0;
  return {};
}

StepStatus Clock::step(double t, double h, const InputView& /*u*/) {
  const std::int64_t count = ticks_until(t + h);
  state_.tick = count > state_.count ? 1 : 0;
  state_.count = count;
  return {};
}

ModelInfo clock_model() {
  ModelInfo info;
  info.name = "logic.clock";
  info.summary = "ticks with a fixed period";
  info.parameters = {{"period_s", "s", 1.0, "time between two ticks", {}, 0.0, true},
                     {"first_s", "s", 0.0, "time of the first tick"}};
  info.integrated = false;
  info.make = [](const ModelRequest& request, ProblemList& /*problems*/) -> std::unique_ptr<Subsystem> {
    return std::make_unique<Clock>(request.parameters.number("period_s"),
                                   request.parameters.number("first_s"));
  };
  info.examples = {{"late", {{"period_s", {0.005, {}}}, {"first_s", {0.01, {}}}}}};
  return info;
}

}  // namespace ergon
