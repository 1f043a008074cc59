// Counts every malloc, calloc and realloc of the process (glibc lets a program replace them). Sanitizers replace them
// too, so there the test is left out.
#include <features.h>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>

#include "models/test_support.hpp"

namespace {
std::atomic<long> allocations{0};
}

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);

void* malloc(std::size_t size) noexcept {
  ++allocations;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) noexcept {
  ++allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* memory, std::size_t size) noexcept {
  ++allocations;
  return __libc_realloc(memory, size);
}
}

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
  for (const Port& port : subsystem.describe().inputs) inputs += port.size;
  std::vector<double> coefficients(3 * inputs + 1, 0.1);
  std::vector<double> y(100);
  std::vector<double> received(inputs);
  std::vector<double> jacobian(100);
  std::vector<double> state(subsystem.rewindable()->state_size());
  const double* u = coefficients.data();
  const long before = allocations;
  for (int i = 0; i < 50; ++i) {
    subsystem.rewindable()->save(state.data());
    subsystem.step(0.0, 1e-3, InputView{u, inputs, i % 3});
    subsystem.rewindable()->restore(state.data());
    subsystem.step(0.0, 1e-3, InputView{u, inputs, i % 3});
    subsystem.outputs(0.0, u, y.data());
    if (subsystem.differentiable() != nullptr)
      subsystem.differentiable()->output_jacobian(0.0, u, jacobian.data());
    if (const EnergyAccount* account = subsystem.energy_account()) {
      account->energy(0.0, u);
      account->received_J(0.0, u, received);
    }
    double mass_kg = 0.0;
    double acceleration_m_s2 = 0.0;
    if (const EffectiveInertia* inertia = subsystem.effective_inertia()) {
      inertia->effective_inertia(0.0, inputs - 1, mass_kg, acceleration_m_s2);
    }
  }
  return allocations - before;
}

TEST(Allocation, SteppingAllocatesNothing) {
  for (const ModelInfo& info : models()) {
    std::vector<Example> settings = info.examples;
    settings.emplace_back();
    for (const Example& example : settings) {
      for (const IntegratorInfo& integrator : integrators()) {
        ProblemList problems;
        const auto subsystem =
            make_model(info.name, example.parameters, example.initial, {.method = integrator.name}, problems);
        ASSERT_NE(subsystem, nullptr) << text_of(problems);
        subsystem->initialize(0.0);
        EXPECT_EQ(allocations_of(*subsystem), 0)
            << info.name << ' ' << example.name << ' ' << integrator.name;
      }
    }
  }
}

}  // namespace
}  // namespace ergon

#endif
