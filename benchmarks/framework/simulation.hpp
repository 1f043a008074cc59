#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ergon/coupling/engine.hpp"

namespace ergon::bench {

/// A scenario file with overrides, run through the same run() as `ergon run`: benchmarks and tests have no loop of
/// their own. Throws InputError on a bad file, std::runtime_error on a run that fails unexpectedly.
class Simulation {
 public:
  Simulation(const std::filesystem::path& scenario, const std::vector<std::string>& overrides = {});
  ~Simulation();

  [[nodiscard]] const CoupledSystem& system() const;
  [[nodiscard]] const Engine& engine() const;
  /// Index of an output, "instance.port"; throws if there is none.
  [[nodiscard]] Index output(const std::string& name) const;

  /// Initialises and hands out the engine, for who wants to step it himself. Throws what `run` throws.
  Engine& start();
  /// Calls `at_point` at t₀ and at every communication point. Returns the failure of a run that did not finish.
  std::optional<Failure> run(const std::function<void(const StepRecord&)>& at_point);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace ergon::bench
