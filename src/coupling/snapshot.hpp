#pragma once

#include <vector>

#include "ergon/coupling/implicit/implicit_stepper.hpp"
#include "ergon/coupling/monitors/bond_monitor.hpp"
#include "ergon/coupling/monitors/leak_monitor.hpp"
#include "ergon/coupling/stage.hpp"

namespace ergon {

/// Everything that a later step depends on, taken after *learn* and before the next steps start. Taking it again reuses
/// its memory.
struct Snapshot {
  struct StageState {
    Tick start = 0;
    Tick next = 0;
    std::uint64_t steps = 0;
    int degree = 0;
    SampleRing samples;
    SampleRing own_points;
    std::vector<double> coefficients;
    std::vector<double> end_values;
    std::vector<double> evaluated_with;
    std::vector<KinematicPrediction> kinematic;
  };
  Tick now = 0;
  bool clamped = false;
  std::vector<StageState> stages;
  std::vector<std::vector<double>> subsystems;  ///< per node; empty for elements
  std::vector<BondMonitor> monitors;
  std::vector<BondRecord> bond_records;
  std::vector<LeakMonitor> leak_monitors;
  std::vector<double> receivers;
  ImplicitStepper::Memory implicit;
};

}  // namespace ergon
