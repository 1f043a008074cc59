// Two hundred spheres fall into a box: many contacts, and islands that merge.
#include <gtest/gtest.h>

#include <random>

#include "support/machine_building.hpp"

namespace ergon {
namespace {

using namespace testing_machines;
using Eigen::Vector3d;

TEST(Granular, TwoHundredSpheresFallIntoABoxAndNoneIsLost) {
  // Minutes with sanitizers: there the first heap is looked at, not how it fills the box.
#if defined(__SANITIZE_ADDRESS__)
  constexpr bool to_heap = false;
#else
  constexpr bool to_heap = true;
#endif
  constexpr double radius = 0.05;
  constexpr double wall = 0.35;
  MachineDescription machine;
  machine.shapes = {plane("floor", Vector3d::Zero(), Vector3d::UnitZ()),
                    plane("west", {-wall, 0.0, 0.0}, Vector3d::UnitX()),
                    plane("east", {wall, 0.0, 0.0}, -Vector3d::UnitX()),
                    plane("south", {0.0, -wall, 0.0}, Vector3d::UnitY()),
                    plane("north", {0.0, wall, 0.0}, -Vector3d::UnitY())};
  std::mt19937 generator(11);
  std::uniform_real_distribution<double> jitter(-0.01, 0.01);
  for (int i = 0; i < 200; ++i) {
    const int layer = i / 25;
    const int place = i % 25;
    const std::string name = "ball" + std::to_string(i);
    const Vector3d at(-0.24 + 0.12 * (place % 5), -0.24 + 0.12 * (place / 5), 0.1 + 0.12 * layer);
    machine.bodies.push_back(
        ball(name, 0.5, radius, at + Vector3d(jitter(generator), jitter(generator), jitter(generator))));
    machine.shapes.push_back(sphere(name, name, radius));
  }
  machine.materials = {{"glass", 0.3}};
  machine.contacts = {{"ball*", "ground", "glass"}, {"ball*", "ball*", "glass"}};
  Running run(machine);
  double worst = 0.0;
  int missed = 0;
  std::size_t max_contacts = 0;
  for (int i = 0; i < (to_heap ? 260 : 150); ++i) {
    run.step(2e-3);
    worst = std::max(worst, run.stepper->report().residual);
    missed += run.stepper->report().solved ? 0 : 1;
    max_contacts = std::max(max_contacts, run.stepper->contacts().size());
  }
  EXPECT_GT(max_contacts, to_heap ? 300U : 100U);
  EXPECT_LE(worst, 2e-2);
  EXPECT_LE(missed, 13) << "of 260 steps";
  double fastest = 0.0;
  for (std::size_t i = 0; i < 200; ++i) {
    const Vector3d& at = run.state.position[i];
    EXPECT_GT(at[2], 0.5 * radius);
    EXPECT_LT(at[2], 1.5);
    EXPECT_LT(std::abs(at[0]), wall);
    EXPECT_LT(std::abs(at[1]), wall);
    fastest = std::max(fastest, run.velocity(i).norm());
  }
  EXPECT_LT(fastest, to_heap ? 1.5 : 10.0);  // what falls freely has 4.4 m/s
}

}  // namespace
}  // namespace ergon
