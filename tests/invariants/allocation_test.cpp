#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <new>
#include <numeric>

#include "ergon/coupling/schemes/implicit/update_rule.hpp"
#include "ergon/run/record/bonds_recorder.hpp"
#include "ergon/run/record/results_recorder.hpp"
#include "ergon/run/summary/summary_observer.hpp"
#include "ergon/run/summary/verdict_observer.hpp"
#include "ergon/scenario/sources/model_source.hpp"
#include "support/coupled_subsystems.hpp"
#include "support/foreign_simulator.hpp"
#include "support/scratch_directory.hpp"

/// Every way to ask for memory in C++ ends here and is counted.
namespace {
thread_local long allocations = 0;  // of the stepping thread: writing happens on another

void* counted(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
void* counted(std::size_t size, std::align_val_t alignment) {
  ++allocations;
  const auto a = static_cast<std::size_t>(alignment);
  if (void* memory = std::aligned_alloc(a, (size + a - 1) / a * a)) return memory;
  throw std::bad_alloc();
}
}  // namespace

void* operator new(std::size_t size) {
  return counted(size);
}
void* operator new[](std::size_t size) {
  return counted(size);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return counted(size, alignment);
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return counted(size, alignment);
}
void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  ++allocations;
  return std::malloc(size > 0 ? size : 1);
}
void* operator new[](std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  ++allocations;
  return std::malloc(size > 0 ? size : 1);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t /*size*/) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t /*size*/) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t /*size*/, std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t /*size*/, std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}

namespace ergon {
namespace {

using namespace testing;

struct Setting {
  const char* scheme;
  int degree;
  FeedthroughMode mode;
  bool multi_rate;
  bool slow_first;
  EvaluateAt evaluate;
  unsigned threads;
};

std::string describe(const Setting& s) {
  return std::string(s.scheme) + " degree " + std::to_string(s.degree) + " mode " +
         std::to_string(static_cast<int>(s.mode)) + (s.multi_rate ? " multi-rate" : "") +
         (s.slow_first ? " slow first" : "") + (s.evaluate == EvaluateAt::sources ? "" : " at receiver") +
         " threads " + std::to_string(s.threads);
}

/// left ─bond─ middle ─law with two bonds─ right, some sampling at the start and some continuously; a relay that reads
/// the sum of two positions.
Simulation chain(const Setting& s) {
  Simulation sim;
  sim.options.scheme = s.scheme;
  sim.options.degree = s.degree;
  sim.options.feedthrough = s.mode;
  sim.options.threads = s.threads;
  if (s.slow_first) sim.options.order = {"left", "relay", "right", "middle"};
  MassParameters p;
  p.k_N_m = 10.0;
  p.kc_N_m = 100.0;
  p.v0_m_s = 1.0;
  const Rational slow = s.multi_rate ? milliseconds(3) : milliseconds(1);
  const Rational slower = s.multi_rate ? milliseconds(2) : milliseconds(1);
  sim.graph.add("left", std::make_unique<SpringMass>(p), slow);
  sim.graph.add("middle", std::make_unique<ForcedMass>(p), milliseconds(1));
  p.sampling = InputSampling::continuous;
  sim.graph.add("right", std::make_unique<ForcedMass>(p), slower);
  sim.graph.add("relay", std::make_unique<Relay>(2.0, 0.0), slow);
  sim.graph.add_element("law", std::make_unique<SpringLaw>(50.0), s.evaluate);
  const auto bond = [&](const char* name, BondEnd a, BondEnd b) {
    BondSpec spec;
    spec.name = name;
    spec.a = std::move(a);
    spec.b = std::move(b);
    sim.graph.bond(std::move(spec));
  };
  bond("b1", {{"left.force"}, {"left.velocity_in"}, {"left.position_in"}},
       {{"middle.force"}, {"middle.velocity"}, {"middle.position"}});
  bond("b2", {{"law.f1"}, {"law.v1"}, {"law.x1"}},
       {{"middle.force"}, {"middle.velocity"}, {"middle.position"}});
  bond("b3", {{"law.f2"}, {"law.v2"}, {"law.x2"}}, {{"right.force"}, {"right.velocity"}, {"right.position"}});
  ConnectionSpec spec;
  spec.from = {"left.position", "right.position"};
  spec.to = "relay.u";
  sim.graph.connect(spec);
  return sim;
}

std::vector<Setting> all_settings() {
  std::vector<Setting> settings;
  for (const char* scheme : {"jacobi", "gauss-seidel"}) {
    const bool sequential = std::string(scheme) == "gauss-seidel";
    for (int degree = 0; degree <= 3; ++degree) {
      for (const auto mode : {FeedthroughMode::stale, FeedthroughMode::predict, FeedthroughMode::refresh}) {
        for (const bool multi_rate : {false, true}) {
          for (const auto evaluate : {EvaluateAt::sources, EvaluateAt::receiver}) {
            settings.push_back({scheme, degree, mode, multi_rate, false, evaluate, 1});
            if (sequential) settings.push_back({scheme, degree, mode, multi_rate, true, evaluate, 1});
            if (!sequential) settings.push_back({scheme, degree, mode, multi_rate, false, evaluate, 2});
          }
        }
      }
    }
  }
  return settings;
}

/// Implicit schemes: the sources of Jacobians that these subsystems can serve, and the accelerations.
std::vector<std::pair<std::string, std::string>> implicit_settings() {
  std::vector<std::pair<std::string, std::string>> settings;
  for (const char* scheme : {"semi-implicit", "implicit"}) {
    for (const UpdateRuleInfo& rule : update_rules()) {
      if (rule.needs_derivatives || (!rule.is_jacobian && scheme == std::string("semi-implicit"))) continue;
      settings.emplace_back(scheme, rule.name);
    }
  }
  return settings;
}

// The counter itself must count, or everything below is empty talk.
TEST(Allocation, IsCounted) {
  const long before = allocations;
  const auto memory = std::make_unique<std::vector<double>>(100);
  EXPECT_GE(allocations - before, 2);
  EXPECT_EQ(memory->size(), 100U);
}

TEST(Allocation, SteadyStepsAllocateNothing) {
  for (const Setting& s : all_settings()) {
    Simulation sim = chain(s);
    sim.start("0.5");
    std::vector<EnergyRecord> energies(sim.system->nodes.size());
    // Recording is on, as in every run of the command.
    std::vector<Index> all_outputs(sim.system->outputs.size());
    std::iota(all_outputs.begin(), all_outputs.end(), Index{0});
    const ScratchDirectory folder;
    ResultsRecorder results(folder / "results.csv", *sim.system, all_outputs);
    BondsRecorder bonds(folder / "bonds.csv", *sim.system);
    SummaryObserver summary(*sim.system);
    VerdictObserver verdict({.sequential = std::string(s.scheme) == "gauss-seidel", .watch = true});
    Observer* const observers[] = {&results, &bonds, &summary, &verdict};
    for (Observer* o : observers) o->begin(*sim.engine);
    // The history fills up, and every branch of a multi-rate period is taken once.
    for (int k = 0; k < 30; ++k) {
      ASSERT_TRUE(sim.advance());
      for (Observer* o : observers) o->inspect(sim.engine->record());
    }

    double sum = 0.0;
    bool failed = false;
    const long before = allocations;
    for (int k = 0; k < 150; ++k) {
      failed = failed || sim.engine->advance().has_value();
      const StepRecord& record = sim.engine->record();
      for (Index o = 0; o < sim.system->outputs.size(); ++o) sum += record.output(o);
      for (Index i = 0; i < sim.system->inputs.size(); ++i) sum += record.applied_input(i);
      for (const BondRecord& bond : record.bonds()) sum += bond.residual_power_W;
      record.energies(energies);
      for (Observer* o : observers) o->inspect(record);
    }
    const long during = allocations - before;
    EXPECT_EQ(during, 0) << describe(s);
    EXPECT_FALSE(failed);
    EXPECT_FALSE(sim.engine->done()) << "the steps must have been taken";
    EXPECT_TRUE(std::isfinite(sum));
    for (Observer* o : observers) o->end(std::nullopt);
  }
}

// Steps that end early or are discarded included. (Texts that do not fit into what they had before would.)
TEST(Allocation, SteadyStepsWithIntegersAndTextsAllocateNothing) {
  for (const char* scheme : {"jacobi", "gauss-seidel", "semi-implicit"}) {
    Simulation sim;
    sim.options.scheme = scheme;
    sim.options.degree = 1;
    const Rational step(1, 100);
    testing::ForeignHabits habits;
    habits.longest_s = 0.006;
    for (int k = 0; k < 300; k += 3) habits.events_s.push_back(0.01 * k + 0.0025);
    sim.graph.add("source", std::make_unique<testing::Source>([](double t) { return t; }), step);
    sim.graph.add("foreign", std::make_unique<testing::ForeignSimulator>(habits), step);
    sim.graph.add("clock", make_native("logic.clock", {{"period_s", 0.03}}), step);
    sim.graph.add("counter", make_native("logic.counter"), step);
    sim.graph.add("machine", make_native("logic.state_machine"), step);
    sim.graph.add_element("switch", find_element("switch")->make({{}, {}, "", sim.problems}, sim.problems));
    sim.connect("clock.tick", "counter.in");
    sim.connect("clock.tick", "machine.go");
    sim.connect("machine.in_on", "switch.on");
    sim.connect("source.y", "switch.a");
    sim.connect("source.y", "foreign.u");
    sim.connect("machine.in_on", "foreign.go");
    sim.start("3");
    std::vector<Index> all_outputs(sim.system->outputs.size());
    std::iota(all_outputs.begin(), all_outputs.end(), Index{0});
    const ScratchDirectory folder;
    ResultsRecorder results(folder / "results.csv", *sim.system, all_outputs);
    results.begin(*sim.engine);
    for (int k = 0; k < 30; ++k) {
      ASSERT_TRUE(sim.advance());
      results.inspect(sim.engine->record());
    }
    bool failed = false;
    const long before = allocations;
    for (int k = 0; k < 150; ++k) {
      failed = failed || sim.engine->advance().has_value();
      results.inspect(sim.engine->record());
    }
    EXPECT_EQ(allocations - before, 0) << scheme;
    EXPECT_FALSE(failed);
    EXPECT_EQ(sim.output("counter.count"), 60.0) << scheme;
  }
}

TEST(Allocation, SteadyImplicitStepsAllocateNothing) {
  for (const auto& [scheme, rule] : implicit_settings()) {
    for (const int degree : {1, 2}) {
      Simulation sim =
          chain({scheme.c_str(), degree, FeedthroughMode::refresh, false, false, EvaluateAt::sources, 1});
      sim.options.implicit.update = rule;
      sim.start("0.5");
      for (int k = 0; k < 10; ++k) ASSERT_TRUE(sim.advance());
      bool failed = false;
      const long before = allocations;
      for (int k = 0; k < 100; ++k) failed = failed || sim.engine->advance().has_value();
      EXPECT_EQ(allocations - before, 0) << scheme << " " << rule << " " << degree;
      EXPECT_FALSE(failed);
    }
  }
}

}  // namespace
}  // namespace ergon
