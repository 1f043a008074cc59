#include "support/counted_allocations.hpp"

#if ERGON_COUNTS_ALLOCATIONS

#include "support/machine_building.hpp"

namespace ergon {
namespace {

using namespace testing_machines;
using Eigen::Vector3d;

// Joints, friction by dense and by sparse rows, and the interface model: none of them asks for memory once the contacts that there will be have been there.
TEST(Allocation, NoneOnceTheContactsAreKnown) {
  MachineDescription machine;
  const Vector3d size(0.5, 0.5, 0.3);
  machine.shapes = {plane("floor", Vector3d::Zero(), Vector3d::UnitZ())};
  machine.materials = {{"wood", 0.5}};
  for (int i = 0; i < 3; ++i) {
    const std::string name = "box" + std::to_string(i);
    machine.bodies.push_back(block(name, 10.0, size, {0.0, 0.0, 0.15 + 0.3 * i}));
    machine.shapes.push_back(box(name, name, size));
  }
  machine.bodies.push_back(block("arm", 2.0, {1.0, 0.1, 0.1}, {3.5, 0.0, 0.2}));
  machine.shapes.push_back(sphere("tip", "arm", 0.2));
  machine.shapes.back().position_m = {0.5, 0.0, 0.0};
  machine.joints = {joint("pivot", JointType::revolute, ground_name, "arm", {3.0, 0.0, 0.2})};
  for (int i = 0; i < 120; ++i) {
    const std::string name = "ball" + std::to_string(i);
    machine.bodies.push_back(ball(name, 0.5, 0.05, {-3.0 + 0.1 * (i % 12), 0.1 * (i / 12), 0.05}));
    machine.shapes.push_back(sphere(name, name, 0.0501));
  }
  // Walls that press them together, so that they stay one island.
  const std::pair<Vector3d, Vector3d> walls[] = {{{-3.05, 0.0, 0.0}, Vector3d::UnitX()},
                                                 {{-1.85, 0.0, 0.0}, -Vector3d::UnitX()},
                                                 {{0.0, -0.05, 0.0}, Vector3d::UnitY()},
                                                 {{0.0, 0.95, 0.0}, -Vector3d::UnitY()}};
  for (const auto& [at, normal] : walls)
    machine.shapes.push_back(plane("wall" + std::to_string(machine.shapes.size()), at, normal));
  machine.contacts = {{"ball*", "wall*", "wood"}, {"box*", "floor", "wood"},  {"box*", "box*", "wood"},
                      {"tip", "floor", "wood"},   {"ball*", "floor", "wood"}, {"ball*", "ball*", "wood"}};
  machine.actuators = {{"ram", ground_name, "arm", {3.5, 0.0, 1.0}, {3.5, 0.0, 0.25}}};
  Running run(machine);
  InterfaceEvaluator evaluator(*run.machine);
  InterfaceModel model;
  const auto step = [&] {
    MachineRows& rows = run.stepper->prepare(run.t, 2e-3, run.prescribed, run.state);
    evaluator.evaluate(rows, 2e-3, run.state, {run.forces, run.prescribed, run.wrenches}, model);
    run.stepper->step(run.t, 2e-3, {run.forces, run.prescribed, run.wrenches}, run.state);
  };
  run.run(0.1, 2e-3);
  step();
  ASSERT_GT(run.stepper->report().newton, 0);
  const long before = allocations;
  for (int i = 0; i < 20; ++i) step();
  EXPECT_EQ(allocations, before);
}

}  // namespace
}  // namespace ergon

#endif
