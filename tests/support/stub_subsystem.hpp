#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include "ergon/core/subsystem.hpp"

namespace ergon::testing {

/// For tests of the wiring: ports and nothing behind them.
class StubSubsystem : public Subsystem {
 public:
  explicit StubSubsystem(Description description) : description_(std::move(description)) {}
  [[nodiscard]] Description describe() const override { return description_; }
  StepStatus initialize(const Experiment& /*experiment*/) override { return {}; }
  StepStatus step(double /*t*/, double /*h*/, const InputView& /*u*/) override { return {}; }
  void outputs(double /*t*/, const double* /*u*/, double* /*y*/) override {}

 private:
  Description description_;
};

class StubElement final : public Element {
 public:
  explicit StubElement(Description description) : description_(std::move(description)) {}
  [[nodiscard]] Description describe() const override { return description_; }
  void evaluate(const double* /*u*/, double* /*y*/) const override {}

 private:
  Description description_;
};

inline Port port(std::string name, std::string_view unit = "", std::size_t size = 1) {
  return {std::move(name), Unit::of(unit), size, "", 0.0, false};
}

inline std::unique_ptr<StubSubsystem> stub(std::vector<Port> inputs, std::vector<Port> outputs,
                                           std::vector<FeedthroughPair> feedthrough = {}) {
  Description description;
  description.inputs = std::move(inputs);
  description.outputs = std::move(outputs);
  description.feedthrough = std::move(feedthrough);
  return std::make_unique<StubSubsystem>(std::move(description));
}

inline std::unique_ptr<StubElement> stub_element(std::vector<Port> inputs, std::vector<Port> outputs,
                                                 std::vector<FeedthroughPair> feedthrough = {}) {
  Description description;
  description.inputs = std::move(inputs);
  description.outputs = std::move(outputs);
  description.feedthrough = std::move(feedthrough);
  return std::make_unique<StubElement>(std::move(description));
}

}  // namespace ergon::testing
