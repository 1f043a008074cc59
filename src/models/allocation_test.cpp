#include "support/counted_allocations.hpp"

#if ERGON_COUNTS_ALLOCATIONS

#include <gtest/gtest.h>

#include <cstddef>

#include "ergon/core/geometry.hpp"
#include "support/model_making.hpp"

namespace ergon {
namespace {

using namespace testing_models;

TEST(Allocation, TheCounterCounts) {
  const long before = allocations;
  delete new volatile int(1);
  EXPECT_GT(allocations, before);
}

/// Allocations of 50 rounds of everything that an engine asks a subsystem in its loop.
long allocations_of(Subsystem& subsystem) {
  std::size_t inputs = 0;
  std::size_t outputs = 0;
  for (const Port& port : subsystem.describe().inputs) inputs += port.size;
  for (const Port& port : subsystem.describe().outputs) outputs += port.size;
  std::vector<double> coefficients(3 * inputs + 1, 0.1);
  std::vector<double> y(outputs);
  std::vector<double> received(inputs);
  std::vector<double> jacobian(outputs * inputs);
  const auto slot = subsystem.rewindable()->make_slot();
  AccountSample sample;
  sample.received_J = received;
  // Between any input and any output: what it means is tested elsewhere.
  const std::vector<InterfacePort> first = {{}};
  InterfaceInertia* interface = inputs > 0 ? subsystem.interface_inertia() : nullptr;
  if (interface != nullptr) interface->prepare_interface(first);
  double mass[1], force[1];
  const Geometry* geometry = subsystem.geometry();
  const Scene scene = geometry != nullptr ? geometry->scene() : Scene{};
  std::vector<Pose> poses(scene.moving_bodies());
  std::vector<Point3> points(scene.line_points());
  std::vector<ForceArrow> arrows(scene.arrows.size());
  const double* u = coefficients.data();
  const long before = allocations;
  for (int i = 0; i < 50; ++i) {
    subsystem.rewindable()->save(*slot);
    subsystem.step(0.0, 1e-3, InputView{u, inputs, i % 3});
    subsystem.rewindable()->restore(*slot);
    subsystem.step(0.0, 1e-3, InputView{u, inputs, i % 3});
    subsystem.outputs(0.0, u, y.data());
    if (subsystem.differentiable() != nullptr)
      subsystem.differentiable()->output_jacobian(0.0, u, jacobian.data());
    if (const EnergyAccount* account = subsystem.energy_account()) account->sample({0.0, u, u}, sample);
    if (interface != nullptr) interface->interface_inertia(0.0, 1e-3, u, mass, force);
    if (geometry != nullptr) geometry->draw({poses, points, arrows});
  }
  return allocations - before;
}

TEST(Allocation, SteppingAllocatesNothing) {
  for (const ModelInfo& info : models()) {
    std::vector<Example> settings = info.examples;
    settings.emplace_back();
    for (const Example& example : settings) {
      for (const IntegratorInfo& integrator : integrators()) {
        if (!info.takes_integrator(integrator.name)) continue;
        ProblemList problems;
        const auto subsystem = make_model(info.name, example.parameters, example.initial,
                                          {.method = integrator.name}, problems, "", example.joints);
        ASSERT_NE(subsystem, nullptr) << text_of(problems);
        subsystem->initialize({});
        EXPECT_EQ(allocations_of(*subsystem), 0)
            << info.name << ' ' << example.name << ' ' << integrator.name;
      }
    }
  }
}

}  // namespace
}  // namespace ergon

#endif
