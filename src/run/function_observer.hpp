#pragma once

#include <functional>
#include <utility>

#include "ergon/run/run.hpp"

namespace ergon {

/// Calls a function at every communication point, t₀ included.
class FunctionObserver final : public Observer {
 public:
  explicit FunctionObserver(std::function<void(const StepRecord&)> function)
      : function_(std::move(function)) {}
  void begin(const Engine& /*engine*/) override {}
  void inspect(const StepRecord& record) override { function_(record); }
  void end(const std::optional<Failure>& /*failure*/) override {}

 private:
  std::function<void(const StepRecord&)> function_;
};

}  // namespace ergon
