#include <gtest/gtest.h>

#include "ergon/run/function_observer.hpp"
#include "ergon/run/record/bonds_recorder.hpp"
#include "ergon/run/record/memory_recorder.hpp"
#include "ergon/run/record/results_recorder.hpp"
#include "support/fake_step_record.hpp"

namespace ergon {
namespace {

Port port(const char* name, const char* unit) {
  Port port;
  port.name = name;
  port.unit = Unit::of(unit);
  return port;
}

/// Nodes a and b, with the outputs a.x, a.v and b.f and the input a.u.
CoupledSystem three_outputs() {
  CoupledSystem system;
  Description a;
  a.outputs = {port("x", "m"), port("v", "m/s")};
  a.inputs = {port("u", "N")};
  Description b;
  b.outputs = {port("f", "N")};
  for (const Description& description : {a, b}) {
    system.nodes.emplace_back();
    system.nodes.back().description = std::make_shared<const Description>(description);
  }
  system.outputs = {{0, 0, 0, "a.x"}, {0, 1, 0, "a.v"}, {1, 0, 0, "b.f"}};
  system.inputs = {{0, 0, 0, "a.u"}};
  return system;
}

FakeStepRecord at(Tick tick) {
  FakeStepRecord record;
  record.now = tick;
  const auto t = static_cast<double>(tick);
  record.values = {t, 10.0 * t, 100.0 * t};
  return record;
}

TEST(ResultsRecorder, WritesChosenOutputsInTheOrderGiven) {
  const ScratchDirectory directory;
  ResultsRecorder recorder(directory / "results.csv", three_outputs(), {2, 0});
  for (const Tick tick : {0, 1, 3}) recorder.inspect(at(tick));
  const FakeStepRecord last = at(3);
  recorder.finish(&last);
  EXPECT_TRUE(recorder.errors().empty());
  EXPECT_EQ(content_of(directory / "results.csv"), "time,b.f,a.x\n0,0,0\n0.001,100,1\n0.003,300,3\n");
}

TEST(ResultsRecorder, AddsTheLastPointThatTheIntervalLeftOut) {
  const ScratchDirectory directory;
  ResultsRecorder recorder(directory / "results.csv", three_outputs(), {0}, IntervalGate::ticks(5));
  for (const Tick tick : {0, 2, 4, 6, 8}) recorder.inspect(at(tick));
  const FakeStepRecord last = at(8);
  recorder.finish(&last);
  EXPECT_EQ(content_of(directory / "results.csv"), "time,a.x\n0,0\n0.006,6\n0.008,8\n");
}

TEST(ResultsRecorder, DoesNotRepeatTheLastPoint) {
  const ScratchDirectory directory;
  ResultsRecorder recorder(directory / "results.csv", three_outputs(), {0}, IntervalGate::ticks(2));
  for (const Tick tick : {0, 1, 2}) recorder.inspect(at(tick));
  const FakeStepRecord last = at(2);
  recorder.finish(&last);
  EXPECT_EQ(content_of(directory / "results.csv"), "time,a.x\n0,0\n0.002,2\n");
}

TEST(ResultsRecorder, WritesInputsBehindOutputsAndUnitsInASecondLine) {
  const ScratchDirectory directory;
  ResultsRecorder recorder(directory / "results.csv", three_outputs(), RecordedSignals{{1}, {0}, {}}, {},
                           UnitLine::second);
  FakeStepRecord record = at(1);
  record.applied = {-2.5};
  recorder.inspect(record);
  recorder.finish(&record);
  EXPECT_EQ(content_of(directory / "results.csv"), "time,a.v,a.u\ns,m/s,N\n0.001,10,-2.5\n");
}

// Node 1 is in the midst of a step at 1 and 3, the last point included.
TEST(ResultsRecorder, HasRowsWhereItsSubsystemsHaveSamples) {
  const ScratchDirectory directory;
  ResultsRecorder recorder(directory / "results.csv", three_outputs(), RecordedSignals{{2}, {}, {1}},
                           IntervalGate::ticks(2));
  FakeStepRecord record;
  for (const Tick tick : {0, 1, 2, 3}) {
    record = at(tick);
    if (tick % 2 == 1) record.amid_step = 1;
    recorder.inspect(record);
  }
  recorder.finish(&record);
  EXPECT_EQ(content_of(directory / "results.csv"), "time,b.f\n0,0\n0.002,200\n");
}

// A model that fails at t₀: there is no point to record, and no record to ask.
TEST(ResultsRecorder, LeavesTheHeaderOfARunThatDidNotStart) {
  const ScratchDirectory directory;
  ResultsRecorder recorder(directory / "results.csv", three_outputs(), {0});
  const FakeStepRecord nothing = at(0);
  recorder.finish(&nothing);
  EXPECT_EQ(content_of(directory / "results.csv"), "time,a.x\n");
}

TEST(BondsRecorder, WritesTheBooksOfEveryBond) {
  const ScratchDirectory directory;
  CoupledSystem system;
  system.bonds.resize(2);
  system.bonds[0].name = "one";
  system.bonds[1].name = "two";
  FakeStepRecord record;
  record.bond_records = {{0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, true}, {0, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, false}};
  record.imbalances_J = {7.0, 7.5};
  BondsRecorder recorder(directory / "bonds.csv", system);
  recorder.inspect(record);
  recorder.finish(&record);
  EXPECT_EQ(content_of(directory / "bonds.csv"),
            "time,one.power,one.exchanged_energy,one.residual_power,one.residual_energy,one.interface_power,"
            "one.interface_energy,one.imbalance_energy,"
            "two.power,two.exchanged_energy,two.residual_power,two.residual_energy,two.interface_power,"
            "two.interface_energy,two.imbalance_energy,"
            "*.residual_power,*.residual_energy,*.interface_power,*.interface_energy\n"
            "0,1,2,3,4,5,6,7,1.5,2.5,3.5,4.5,5.5,6.5,,6.5,8.5,10.5,12.5\n");
}

TEST(BondsRecorder, CanBeNarrowedToSomeBonds) {
  const ScratchDirectory directory;
  CoupledSystem system;
  system.bonds.resize(2);
  system.bonds[0].name = "one";
  system.bonds[1].name = "two";
  FakeStepRecord record;
  record.bond_records = {{0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, true}, {0, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, false}};
  record.imbalances_J = {7.0, 7.5};
  BondsRecorderOptions options;
  options.bonds = {1};
  BondsRecorder recorder(directory / "bonds.csv", system, {}, options);
  recorder.inspect(record);
  recorder.finish(&record);
  EXPECT_EQ(content_of(directory / "bonds.csv"),
            "time,two.power,two.exchanged_energy,two.residual_power,two.residual_energy,two.interface_power,"
            "two.interface_energy,two.imbalance_energy,"
            "*.residual_power,*.residual_energy,*.interface_power,*.interface_energy\n"
            "0,1.5,2.5,3.5,4.5,5.5,6.5,,6.5,8.5,10.5,12.5\n");
}

TEST(BondsRecorder, TellsWhatWasCorrected) {
  const ScratchDirectory directory;
  CoupledSystem system = three_outputs();
  system.bonds.resize(1);
  system.bonds[0].name = "one";
  system.bonds[0].flow_node_inputs = {0};
  FakeStepRecord record;
  record.applied = {7.5};
  record.bond_records.resize(1);
  BondRecord& bond = record.bond_records[0];
  bond.correction = -3.0;
  bond.correction_energy_J = -4.0;
  bond.correction_capped = true;
  BondsRecorder recorder(directory / "bonds.csv", system, {}, {{true}, false});
  recorder.inspect(record);
  bond.has_leaks = true;
  bond.leak_a_J = 5.0;
  bond.leak_b_J = 6.0;
  bond.group_leak_J = 11.0;
  bond.correction_capped = false;
  record.now = 1;
  recorder.inspect(record);
  recorder.finish(&record);
  const std::string text = content_of(directory / "bonds.csv");
  EXPECT_NE(text.find("one.correction,one.correction_energy,one.correction_capped,one.leak_a,one.leak_b,"
                      "one.group_leak,one.corrected_effort\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(",-3,-4,1,,,,7.5\n"), std::string::npos) << text;
  EXPECT_NE(text.find(",-3,-4,0,5,6,11,7.5\n"), std::string::npos) << text;
}

TEST(BondsRecorder, ASystemWithoutBondsGetsTheStartTimeOnly) {
  const ScratchDirectory directory;
  BondsRecorder recorder(directory / "bonds.csv", CoupledSystem{});
  for (const Tick tick : {0, 1, 2}) recorder.inspect(at(tick));
  const FakeStepRecord last = at(2);
  recorder.finish(&last);
  EXPECT_EQ(content_of(directory / "bonds.csv"), "time\n0\n");
}

TEST(MemoryRecorder, KeepsOutputsBondsAndTotals) {
  MemoryRecorderOptions options;
  options.outputs = {1, 2};
  options.bonds = true;
  options.energy = true;
  options.gate = IntervalGate::ticks(2);
  MemoryRecorder recorder(options);
  recorder.reserve(3, 3, 1);
  FakeStepRecord record;
  for (const Tick tick : {0, 1, 2, 3}) {
    record = at(tick);
    const auto t = static_cast<double>(tick);
    record.bond_records.resize(1);
    record.bond_records[0].residual_energy_J = t;
    record.energy_records = {energy_record(true, 1.0 + t, 2.0), energy_record(false, 1e9, 1e9),
                             energy_record(true, 10.0, t)};
    recorder.inspect(record);
  }
  recorder.finish(&record);
  ASSERT_EQ(recorder.points(), 3U);
  EXPECT_EQ(recorder.ticks()[2], 3);
  EXPECT_EQ(recorder.times_s()[1], 0.002);
  EXPECT_EQ(recorder.value(1, 0), 20.0);
  EXPECT_EQ(recorder.column(1), (std::vector<double>{0.0, 200.0, 300.0}));
  EXPECT_EQ(recorder.bonds(2)[0].residual_energy_J, 3.0);
  EXPECT_EQ(recorder.stored_J()[1], 13.0);
  EXPECT_EQ(recorder.dissipated_J()[1], 4.0);
}

TEST(MemoryRecorder, BoundsThePointsOfAMultirateRun) {
  const std::vector<Tick> periods = {2, 3, 0, 2};
  EXPECT_EQ(most_points(periods, 600), 502U);  // 300 + 200, t₀ and the end; 401 in truth
  const std::vector<Tick> fine = {1, 2, 3};
  EXPECT_EQ(most_points(fine, 600), 601U);
}

TEST(FunctionObserver, IsCalledAtEveryPoint) {
  double sum = 0.0;
  FunctionObserver observer([&](const StepRecord& record) { sum += record.output(0); });
  for (const Tick tick : {0, 1, 2}) observer.inspect(at(tick));
  EXPECT_EQ(sum, 3.0);
}

}  // namespace
}  // namespace ergon
