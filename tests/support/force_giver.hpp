#pragma once

#include "support/coupled_subsystems.hpp"

namespace ergon::testing {

/// The ports of who takes a motion and gives a force.
inline Description ports_of_force_giver() {
  Description d;
  d.inputs = {scalar("position_in", "m"), scalar("velocity_in", "m/s")};
  d.outputs = {scalar("force", "N")};
  return d;
}

/// Its force is a given function of time, whatever the motion (no feed-through).
class ForceGiver final : public Rewinding {
 public:
  explicit ForceGiver(std::function<double(double)> force) : force_(std::move(force)) {}
  [[nodiscard]] Description describe() const override { return ports_of_force_giver(); }
  StepStatus initialize(const Experiment& /*experiment*/) override { return {}; }
  StepStatus step(double /*t*/, double /*h*/, const InputView& /*u*/) override { return {}; }
  void outputs(double t, const double* /*u*/, double* y) override { y[0] = force_(t); }

 private:
  std::function<double(double)> force_;
};

}  // namespace ergon::testing
