// Runs with integers, booleans, enumerations and texts, and with parameters that change.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <fstream>
#include <sstream>

#include "ergon/run/record/csv_writer.hpp"
#include "ergon/run/record/memory_recorder.hpp"
#include "ergon/run/simulation.hpp"
#include "support/fake_step_record.hpp"
#include "support/foreign_simulator.hpp"

namespace ergon {
namespace {

using testing::ForeignHabits;
using testing::ForeignSimulator;

TEST(CsvWriter, WritesEveryTypeAsItself) {
  const ScratchDirectory directory;
  const std::vector<EnumerationItem> items = {{"off", 0}, {"on, more or less", 7}};
  CsvWriter writer(directory / "a.csv", std::vector<RowColumn>{{"says", PortType::text},
                                                               {"n", PortType::integer},
                                                               {"x", PortType::real},
                                                               {"b", PortType::boolean},
                                                               {"e", PortType::enumeration, items},
                                                               {"raw", PortType::binary}});
  const auto add = [&](double t, const std::string& says, std::int64_t n, double x, bool b, std::int64_t e,
                       const std::string& raw) {
    const Row row = writer.next_row();
    row.values[0] = t;
    row.texts[0] = says;
    row.set_integer(2, n);
    row.values[3] = x;
    row.set_integer(4, b ? 1 : 0);
    row.set_integer(5, e);
    row.texts[1] = raw;
    writer.commit();
  };
  add(0.0, "plain", 9007199254740993, 0.1, true, 0, std::string("\x00\xff\x0a", 3));
  add(0.5, "a \"quoted\", one\nand two", INT64_MIN, -2.0, false, 7, "");
  add(1.0, std::string(200000, 'x'), 0, 0.0, false, 3, "");  // longer than any buffer; 3 is not an item
  EXPECT_EQ(writer.close(), std::nullopt);
  EXPECT_EQ(content_of(directory / "a.csv"),
            "time,says,n,x,b,e,raw\n"
            "0,plain,9007199254740993,0.1,true,off,00ff0a\n"
            "0.5,\"a \"\"quoted\"\", one\nand two\",-9223372036854775808,-2,false,\"on, more or less\",\n"
            "1," +
                std::string(200000, 'x') + ",0,0,false,3,\n");
}

SystemGraph clock_and_counter() {
  const Rational step(1, 10);
  SystemGraph graph;
  graph.add("clock", make_native("logic.clock", {{"period_s", 0.3}}), step);
  graph.add("counter", make_native("logic.counter"), step);
  graph.add("machine",
            make_native("logic.state_machine",
                        {{"states", std::string("calm, busy")},
                         {"transitions", std::string("calm -> busy: go, busy -> calm: not go")}}),
            step);
  graph.add("level", make_native("source.constant", {{"value", 2.0}}), step);
  const auto connect = [&](const char* from, const char* to) {
    ConnectionSpec spec;
    spec.from = {from};
    spec.to = to;
    graph.connect(spec);
  };
  connect("clock.tick", "counter.in");
  connect("clock.tick", "machine.go");
  return graph;
}

SimulationOptions options(std::vector<ParameterChange> changes = {}) {
  SimulationOptions options;
  options.recorded = {"counter.*", "machine.*", "level.value"};
  options.coupling.changes = std::move(changes);
  return options;
}

// Ticks at 0, 0.3, 0.6, 0.9; what they cause is seen one step later.
TEST(TypedRun, ResultsAreWrittenAndRemembered) {
  const ScratchDirectory directory;
  Simulation simulation(clock_and_counter, options({{0.45, "level.value", 3.5, {}}}));
  MemoryRecorder memory(
      {{simulation.output("machine.name"), simulation.output("counter.count")}, false, false, {}});
  simulation.observe(memory);
  simulation.write_to(directory / "out");
  simulation.run();
  std::istringstream lines(content_of(directory / "out/results.csv"));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line,
            "time,counter.count,machine.state,machine.taken,machine.in_calm,machine.in_busy,"
            "machine.name,level.value");
  for (int k = 0; k <= 10; ++k) {
    ASSERT_TRUE(std::getline(lines, line));
    const bool busy = k > 0 && k % 3 == 1;
    const int count = k == 0 ? 0 : (k - 1) / 3 + 1;
    const int taken = k == 0 ? 0 : 2 * ((k - 1) / 3) + ((k - 1) % 3 == 0 ? 1 : 2);
    const std::string expected =
        fmt::format("{},{},{},{},{},{},{},{}", k / 10.0, count, busy ? "busy" : "calm", taken, !busy, busy,
                    busy ? "busy" : "calm", k <= 5 ? 2.0 : 3.5);
    EXPECT_EQ(line, expected);
    EXPECT_EQ(memory.text(static_cast<std::size_t>(k), 0), busy ? "busy" : "calm");
    EXPECT_EQ(memory.integer(static_cast<std::size_t>(k), 1), count);
  }
  EXPECT_EQ(simulation.text("machine.name"), "busy");
  EXPECT_EQ(simulation.integer("counter.count"), 4);
  ASSERT_EQ(simulation.summary().parameter_changes.size(), 1U);
  const ParameterChanged& change = simulation.summary().parameter_changes[0];
  EXPECT_EQ(change.time_s, 0.5);  // the first point that is not before
  EXPECT_EQ(change.parameter, "level.value");
  EXPECT_EQ(std::get<double>(change.before), 2.0);
  EXPECT_EQ(std::get<double>(change.value), 3.5);
  const std::string summary = content_of(directory / "out/summary.json");
  EXPECT_NE(summary.find("\"parameter_changes\""), std::string::npos);
}

TEST(TypedRun, ParametersThatChangedAreInSnapshots) {
  Simulation one(clock_and_counter, options({{0.3, "level.value", 5.0, {}}}));
  for (int k = 0; k < 6; ++k) one.advance();
  one.set_parameter("level.value", 6.0);
  one.advance();
  const SimulationSnapshot snapshot = one.save();
  EXPECT_EQ(one.value("level.value"), 6.0);
  one.set_parameter("level.value", 7.0);
  one.run();
  EXPECT_EQ(one.value("level.value"), 7.0);
  EXPECT_EQ(one.summary().parameter_changes.size(), 3U);
  one.restore(snapshot);
  one.run();
  EXPECT_EQ(one.value("level.value"), 6.0);
  EXPECT_EQ(one.summary().parameter_changes.size(), 2U);
  Simulation other(clock_and_counter, options({{0.3, "level.value", 5.0, {}}}));
  other.start();
  other.restore(other.from_bytes(one.to_bytes(snapshot)));
  other.run();
  EXPECT_EQ(other.value("level.value"), 6.0);
  EXPECT_EQ(other.text("machine.name"), one.text("machine.name"));
  EXPECT_EQ(other.summary().parameter_changes.size(), 2U);
}

TEST(TypedRun, ChangesThatCannotBeAreRefused) {
  const auto refusal = [](ParameterChange change) -> std::string {
    try {
      const Simulation simulation(clock_and_counter, options({std::move(change)}));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal({0.5, "level.value", 1.0, {}}), "");
  EXPECT_EQ(refusal({0.5, "level.value", std::int64_t{1}, {}}), "");
  EXPECT_NE(refusal({0.5, "level.valeu", 1.0, {}}).find("offers: value"), std::string::npos);
  EXPECT_NE(refusal({0.5, "counter.first", 1.0, {}}).find("neither a parameter that may change"),
            std::string::npos);
  EXPECT_NE(refusal({0.5, "level.value", std::string("high"), {}}).find("is not a number"),
            std::string::npos);
  EXPECT_NE(refusal({-0.5, "level.value", 1.0, {}}).find("the run starts at 0 s"), std::string::npos);
  // After the end it is not a mistake, but told.
  const Simulation shorter(clock_and_counter, options({{1.0, "level.value", 1.0, {}}}));
  EXPECT_TRUE(shorter.problems().has_warnings());
  Simulation simulation(clock_and_counter, options());
  EXPECT_THROW(simulation.set_parameter("level.valve", 1.0), InputError);
}

/// A run of one foreign simulator: outcome and results.csv.
RunOutcome run_foreign(const ForeignHabits& habits, unsigned threads, const std::filesystem::path& out) {
  SimulationOptions options;
  options.coupling.threads = threads;
  Simulation simulation(
      [&] {
        SystemGraph graph;
        for (const char* name : {"a", "b", "c", "d"})
          graph.add(name, std::make_unique<ForeignSimulator>(habits), Rational(1, 10));
        graph.set_input_start("b.u", {2.0});
        return graph;
      },
      options);
  simulation.write_to(out);
  return simulation.run();
}

TEST(TypedRun, AForeignSimulatorThatThrowsLeavesPartialResultsOnAnyNumberOfThreads) {
  const ScratchDirectory directory;
  for (const unsigned threads : {1U, 4U}) {
    ForeignHabits habits;
    habits.events_s = {0.05};
    habits.works = std::chrono::microseconds(threads > 1 ? 200 : 0);
    habits.throws_in_step = 4;  // its third communication step: one ended early
    const auto out = directory / fmt::format("{}", threads);
    const RunOutcome outcome = run_foreign(habits, threads, out);
    EXPECT_EQ(outcome.status, RunStatus::failed);
    ASSERT_TRUE(outcome.failure);
    EXPECT_EQ(outcome.failure->subsystem, "a");
    EXPECT_EQ(outcome.failure->time_s, 0.2);
    EXPECT_EQ(outcome.failure->what, "licence lost");
    const std::string results = content_of(out / "results.csv");
    EXPECT_EQ(results.substr(0, results.find('\n')),
              "time,a.x,a.count,a.says,b.x,b.count,b.says,c.x,c.count,c.says,d.x,d.count,d.says");
    EXPECT_NE(results.find("0.2,0,9007199254740994,step 2,0.4,9007199254740994,step 2,"), std::string::npos)
        << results;
  }
  EXPECT_EQ(content_of(directory / "1/results.csv"), content_of(directory / "4/results.csv"));
}

TEST(TypedRun, AnAccountThatThrowsEndsTheRunAsAFailure) {
  const ScratchDirectory directory;
  ForeignHabits habits;
  habits.throws_in_account = true;
  const RunOutcome outcome = run_foreign(habits, 1, directory / "out");
  EXPECT_EQ(outcome.status, RunStatus::failed);
  ASSERT_TRUE(outcome.failure);
  EXPECT_EQ(outcome.failure->subsystem, "a");
  EXPECT_EQ(outcome.failure->what, "the books are lost");
}

}  // namespace
}  // namespace ergon
