// What elements promise under every coupling scheme of the registry, whether anybody reads them or not.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ergon/coupling/schemes/scheme.hpp"
#include "ergon/run/simulation.hpp"
#include "support/scenario_opening.hpp"

namespace ergon::contract {
namespace {

using test::TemporaryFolder;

/// A damped mass on its own, and a chain of two gains that nobody but recorders reads.
std::string watched_mass(const std::string& scheme, const std::string& first, const std::string& second,
                         const std::string& step_control) {
  return fmt::format(R"(simulation = {{ stop_time = 1.0, step_size = 0.02 }}
coupling = {{ scheme = "{}" }}
{}
[[subsystem]]
name = "mass"
model = "oscillator.mass"
parameters = {{ k = 10.0, c = 0.5 }}
initial = {{ x = 0.1 }}
[[subsystem]]
name = "other"
model = "oscillator.mass"
parameters = {{ k = 20.0 }}
initial = {{ v = 1.0 }}
[[element]]
name = "twice"
law = "gain"
evaluate = "{}"
parameters = {{ gain = 2.0 }}
[[element]]
name = "shifted"
law = "gain"
evaluate = "{}"
parameters = {{ gain = -3.0, offset = 0.25 }}
[[connection]]
from = "mass.position"
to = "twice.in"
[[connection]]
from = "twice.out"
to = "shifted.in"
)",
                     scheme, step_control, first, second);
}

struct Row {
  double x, twice, shifted;
};
std::vector<Row> rows_of(const std::string& text, const std::vector<std::string>& settings = {}) {
  const TemporaryFolder folder;
  Simulation simulation(folder.write("scenario.toml", text), settings);
  const Index x = simulation.output("mass.position");
  const Index twice = simulation.output("twice.out");
  const Index shifted = simulation.output("shifted.out");
  std::vector<Row> rows;
  EXPECT_FALSE(simulation.for_each_point([&](const StepRecord& record) {
    rows.push_back({record.output(x), record.output(twice), record.output(shifted)});
  }));
  return rows;
}

class ElementContract : public ::testing::TestWithParam<std::string> {};

// With `evaluate = "receiver"` the value of t₀ stayed in all rows: without a receiver there seemed to be nothing to do.
TEST_P(ElementContract, WhatOnlyRecordersReadIsRecordedAtEveryPoint) {
  for (const char* first : {"sources", "receiver"}) {
    for (const char* second : {"sources", "receiver"}) {
      SCOPED_TRACE(fmt::format("{}, {}", first, second));
      const auto rows = rows_of(watched_mass(GetParam(), first, second, ""));
      ASSERT_EQ(rows.size(), 51U);
      EXPECT_GT(std::abs(rows.back().x - rows.front().x), 0.01) << "there is something to see";
      for (const Row& row : rows) {
        EXPECT_EQ(row.twice, 2.0 * row.x);
        EXPECT_EQ(row.shifted, -3.0 * row.twice + 0.25);
      }
    }
  }
}

// Sources at steps of their own: the element is as new as its source.
TEST_P(ElementContract, WhatOnlyRecordersReadFollowsASourceWithItsOwnStep) {
  if (find_scheme(GetParam())->solves_for_coupling_variables()) return;  // one step for all
  for (const char* evaluate : {"sources", "receiver"}) {
    const auto rows = rows_of(watched_mass(GetParam(), evaluate, evaluate, ""),
                              {"other.step_size=0.005", "mass.step_size=0.03"});
    for (const Row& row : rows) {
      EXPECT_EQ(row.twice, 2.0 * row.x);
      EXPECT_EQ(row.shifted, -3.0 * row.twice + 0.25);
    }
  }
}

/// Three masses in a ring of springs and dampers, all of them elements.
constexpr const char* ring = R"(simulation = { stop_time = 10.0, step_size = 1e-3 }
[[subsystem]]
name = "m1"
model = "oscillator.mass"
parameters = { force_ports = 2, c = 0.02 }
initial = { x = 0.5, v = 1.0 }
[[subsystem]]
name = "m2"
model = "oscillator.mass"
parameters = { force_ports = 2 }
initial = { v = -2.0 }
[[subsystem]]
name = "m3"
model = "oscillator.mass"
parameters = { force_ports = 2 }
initial = { x = -0.3, v = 1.0 }
[[element]]
name = "k12"
law = "spring-damper"
ends = ["m1:force1", "m2:force1"]
parameters = { k = 20.0, c = 0.4 }
[[element]]
name = "k23"
law = "spring-damper"
ends = ["m2:force2", "m3:force1"]
parameters = { k = 30.0, c = 0.2 }
[[element]]
name = "k31"
law = "spring-damper"
ends = ["m3:force2", "m1:force2"]
parameters = { k = 10.0, c = 0.3 }
)";

// Nothing comes in: all that is no longer stored is in the dampers, most of it in those of the elements. Their share used to be left out.
TEST_P(ElementContract, DampersOfElementsAreInTheBalanceOfAClosedRing) {
  const TemporaryFolder folder;
  const std::string file = folder.write("ring.toml", ring);
  for (const char* evaluate : {"sources", "receiver"}) {
    SCOPED_TRACE(evaluate);
    std::vector<std::string> settings = {"coupling.scheme=" + GetParam()};
    for (const char* law : {"k12", "k23", "k31"})
      settings.push_back(fmt::format("{}.evaluate={}", law, evaluate));
    double worst = 0.0;
    for (const double step_s : {1e-3, 2.5e-4}) {
      settings.push_back(fmt::format("simulation.step_size={}", step_s));
      Simulation simulation(file, settings);
      simulation.run();
      const TotalEnergySummary energy = simulation.summary().energy.value();
      EXPECT_GT(energy.initial_stored_J, 5.0);
      EXPECT_LT(energy.final_stored_J, 0.1 * energy.initial_stored_J);
      EXPECT_GT(energy.dissipated_J, 0.85 * energy.initial_stored_J);
      EXPECT_EQ(energy.supplied_J, 0.0);
      double by_elements_J = 0.0;
      for (const NodeSummary& node : simulation.summary().nodes) {
        if (node.element) by_elements_J += node.energy.value().dissipated_J;
      }
      EXPECT_GT(by_elements_J, 0.8 * energy.dissipated_J);
      // First order in the step: velocities are half a step behind, and efforts late.
      EXPECT_LT(energy.max_drift_J, 20.0 * step_s * energy.initial_stored_J);
      worst = step_s == 1e-3 ? energy.max_drift_J : energy.max_drift_J / worst;
    }
    EXPECT_LT(worst, 0.35) << "a quarter of the step";
  }
}

// Negative damping supplies: x, v grow, nothing is dissipated, and the balance closes all the same.
TEST_P(ElementContract, NegativeDampingIsSupplied) {
  const TemporaryFolder folder;
  Simulation simulation(folder.write("ring.toml", ring),
                        {"coupling.scheme=" + GetParam(), "k12.c=-0.4", "k23.c=0", "k31.c=0", "m1.c=0",
                         "simulation.stop_time=2"});
  simulation.run();
  const TotalEnergySummary energy = simulation.summary().energy.value();
  EXPECT_EQ(energy.dissipated_J, 0.0);
  EXPECT_GT(energy.supplied_J, 1.0);
  EXPECT_NEAR(energy.final_stored_J, energy.initial_stored_J + energy.supplied_J, 0.02 * energy.supplied_J);
  EXPECT_LT(energy.max_drift_J, 0.02 * energy.supplied_J);
}

std::vector<std::string> scheme_names() {
  std::vector<std::string> names;
  for (const Scheme* scheme : schemes()) names.emplace_back(scheme->name());
  return names;
}
INSTANTIATE_TEST_SUITE_P(All, ElementContract, ::testing::ValuesIn(scheme_names()), [](const auto& test) {
  std::string name = test.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace ergon::contract
