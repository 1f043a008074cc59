#include "benchmarks/work-precision/problems.hpp"

#include <algorithm>

namespace ergon::bench {
namespace {

constexpr const char* euler = "semi-implicit-euler";
constexpr const char* rk4 = "rk4";

std::vector<WorkSubsystem> masses(std::vector<std::string> names, int ratio_of_last = 1) {
  std::vector<WorkSubsystem> list;
  for (std::string& name : names) list.push_back({std::move(name), euler, rk4});
  list.back().ratio = ratio_of_last;
  return list;
}

}  // namespace

int WorkProblem::fastest() const {
  int fastest = 1;
  for (const WorkSubsystem& subsystem : subsystems) fastest = std::max(fastest, subsystem.ratio);
  return fastest;
}

const std::vector<WorkProblem>& work_problems() {
  static const std::vector<std::string> left_right = {"left.position", "right.position"};
  static const std::vector<WorkProblem> all = {
      {"oscillator f-s",
       "lim-oscillator/f-s.toml",
       10.0,
       100,
       masses({"left", "right"}),
       {"coupling"},
       {},
       left_right},
      {"oscillator s-s", "lim-oscillator/s-s.toml", 10.0, 100, masses({"left", "right"}), {}, {}, left_right},
      {"oscillator f-f", "lim-oscillator/f-f.toml", 10.0, 100, masses({"left", "right"}), {}, {}, left_right},
      {"damped, 20 : 1",
       "leak-damping/f-s.toml",
       10.0,
       100,
       masses({"left", "right"}, 20),
       {"coupling"},
       {},
       left_right},
      {"heavy, 10 : 1",
       "leak-table2/f-s.toml",
       10.0,
       100,
       masses({"left", "right"}, 10),
       {"coupling"},
       {},
       left_right,
       {"right.m=10"}},
      {"haptic device",
       "haptic/haptic.toml",
       2.0,
       20,
       masses({"virtual", "device"}),
       {"grip"},
       {},
       {"virtual.position", "device.position"}},
      {"three masses",
       "residual-multiple/multiple-3.toml",
       10.0,
       100,
       masses({"m1", "m2", "m3"}),
       {"bond1", "bond2"},
       {},
       {"m1.position", "m2.position", "m3.position"}},
      {"five masses",
       "residual-multiple/multiple-5.toml",
       10.0,
       100,
       masses({"m1", "m2", "m3", "m4", "m5"}),
       {"bond1", "bond2", "bond3", "bond4"},
       {},
       {"m1.position", "m5.position"}},
      {"nonlinear",
       "residual-nonlinear/nonlinear.toml",
       10.0,
       100,
       masses({"m1", "m2"}),
       {"bond1"},
       {},
       {"m1.position", "m2.position"}},
      {"pendula",
       "pendula/pendula.toml",
       10.0,
       50,
       {{"first", euler, "newmark"}, {"second", euler, "newmark"}},
       {"spring"},
       {},
       {"first.position", "second.position"}},
      {"crane, 40 : 1",
       "hydraulic-crane/crane.toml",
       10.0,
       100,
       {{"mechanics", euler, rk4}, {"hydraulics", "explicit-euler", rk4, 40}, {"spool", "", "", 40}},
       {"actuator"},
       {},
       {"mechanics.position"}},
      {"double pendulum",
       "double-pendulum/double-pendulum.toml",
       2.0,
       32,
       masses({"upper", "lower"}),
       {},
       {"elbow"},
       {"upper.angle", "lower.angle"}},
      {"slider-crank",
       "slider-crank/slider-crank.toml",
       2.0,
       32,
       masses({"crank", "slider"}),
       {},
       {"guide"},
       {"crank.angle", "slider.angle"}},
      {"five-mass chain",
       "mass-chain/chain.toml",
       0.5,
       25,
       masses({"mass1", "mass2", "mass3", "mass4", "mass5"}),
       {},
       {},
       {"mass1.position", "mass2.position", "mass3.position", "mass4.position", "mass5.position"}},
      {"universal joint",
       "universal-joint-3d/universal-joint-3d.toml",
       0.4,
       16,
       masses({"rod1", "rod2"}),
       {},
       {"knee"},
       {"rod1.position", "rod2.position"}},
  };
  return all;
}

}  // namespace ergon::bench
