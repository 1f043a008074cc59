#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "ergon/run/simulation.hpp"

/// Systems whose errors are known.
namespace ergon::known_errors {

/// y(t, h): what a method with steps of h gives at t.
using Outputs = std::function<void(double t, double h, double* y)>;

/// Its outputs are functions of time and of the step size, so that their errors are known.
class StepDependent final : public Subsystem {
 public:
  StepDependent(std::vector<Port> ports, Outputs outputs, double step_s)
      : ports_(std::move(ports)), outputs_(std::move(outputs)), step_s_(step_s) {}
  [[nodiscard]] Description describe() const override {
    Description d;
    d.inputs = {{"unused", Unit::of("1"), 1, "", 0.0, true}};
    d.outputs = ports_;
    return d;
  }
  StepStatus initialize(const Experiment& /*experiment*/) override { return {}; }
  StepStatus step(double /*t*/, double h, const InputView& /*u*/) override {
    step_s_ = h;
    return {};
  }
  void outputs(double t, const double* /*u*/, double* y) override { outputs_(t, step_s_, y); }

 private:
  std::vector<Port> ports_;
  Outputs outputs_;
  double step_s_;
};

constexpr double H_s = 1e-3;

inline Port port(const char* name, const char* unit, std::size_t size = 1) {
  return {name, Unit::of(unit), size, ""};
}

inline SimulationOptions options_for(MotionCheck check = MotionCheck::automatic) {
  SimulationOptions options;
  options.stop_time_s = Rational(10, 1);
  options.check = check;
  return options;
}

inline Summary judge(const std::vector<Port>& ports, const Outputs& outputs,
                     const SimulationOptions& options = options_for(), const std::vector<Port>& others = {},
                     const Outputs& other_outputs = {}) {
  Simulation simulation(
      [=] {
        SystemGraph graph;
        graph.add("body", std::make_unique<StepDependent>(ports, outputs, H_s), Rational(1, 1000));
        if (!others.empty())
          graph.add("other", std::make_unique<StepDependent>(others, other_outputs, H_s), Rational(1, 1000));
        return graph;
      },
      options);
  simulation.run();
  return simulation.summary();
}

inline const VariableMotion& variable(const Summary& summary, const std::string& name) {
  for (const VariableMotion& v : summary.motion.variables) {
    if (v.name == name) return v;
  }
  throw std::logic_error("there is no " + name);
}

}  // namespace ergon::known_errors
