// Counts what each thread takes from operator new: recording must take nothing on the stepping thread,
// whatever the writer thread does.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "ergon/run/record/bonds_recorder.hpp"
#include "ergon/run/record/memory_recorder.hpp"
#include "ergon/run/record/results_recorder.hpp"
#include "ergon/run/summary/summary_observer.hpp"
#include "ergon/run/terminal/progress.hpp"
#include "ergon/verdict/verdict_monitor.hpp"
#include "support/fake_step_record.hpp"

namespace {
thread_local long allocations = 0;
}

// Not inlined: GCC would see free() on what came from new and take it for a mistake.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new[](std::size_t size) {
  return operator new(size);
}
// These two as well (std::stable_sort uses them): address sanitizer has its own and would miss their delete.
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  ++allocations;
  return std::malloc(size);
}
[[gnu::noinline]] void* operator new[](std::size_t size, const std::nothrow_t& tag) noexcept {
  return operator new(size, tag);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete[](void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*size*/) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete[](void* memory, std::size_t /*size*/) noexcept {
  std::free(memory);
}

namespace ergon {
namespace {

constexpr Tick recorded_points = 100'000;  // several times round the ring

TEST(RecordingAllocation, TheCounterCounts) {
  const long before = allocations;
  delete new volatile int(1);
  EXPECT_GT(allocations, before);
}

TEST(RecordingAllocation, NoneOnTheSteppingThread) {
  const ScratchDirectory directory;
  CoupledSystem system;
  for (const char* name : {"a.x", "a.v", "b.f"}) system.outputs.push_back({0, 0, 0, name});
  Description description;
  description.outputs.resize(1);
  for (int node = 0; node < 2; ++node) {
    system.nodes.emplace_back();
    system.nodes.back().description = std::make_shared<const Description>(description);
  }
  system.bonds.resize(1);
  FakeStepRecord record;
  record.values = {1.0 / 3.0, 2.0 / 3.0, 4.0 / 3.0};
  record.bond_records.resize(1);
  (void)record.bond_figures();  // takes room for them, once
  record.energy_records = {energy_record(true, 1.0, 0.0), energy_record(true, 2.0, 0.0)};

  ResultsRecorder results(directory / "results.csv", system, {0, 1, 2}, IntervalGate::ticks(2));
  BondsRecorder bonds(directory / "bonds.csv", system);
  SummaryObserver summary(system);
  Progress progress(ProgressMode::off);
  MemoryRecorderOptions options;
  options.outputs = {0, 1, 2};
  options.bonds = true;
  options.energy = true;
  MemoryRecorder memory(options);
  memory.reserve(recorded_points, system.nodes.size(), system.bonds.size());

  VerdictMonitor verdict(system, {.watch = true});

  const std::array<Observer*, 5> observers = {&results, &bonds, &summary, &progress, &memory};
  const long before = allocations;
  for (Tick k = 0; k < recorded_points; ++k) {
    record.now = record.bond_records[0].last_point = k;
    record.bond_records[0].interface_energy_J += 0.1;
    for (Observer* observer : observers) observer->inspect(record);
    verdict.inspect(record);
  }
  EXPECT_EQ(allocations - before, 0);
  results.finish(&record);
  bonds.finish(&record);
  EXPECT_EQ(csv_of(directory / "bonds.csv").size(), recorded_points + 1U);
}

}  // namespace
}  // namespace ergon
