#pragma once

#include <gtest/gtest.h>

#include <limits>

#include "ergon/core/freeze.hpp"
#include "ergon/core/system_graph.hpp"
#include "support/stub_subsystem.hpp"

/// What the tests of freezing share: a pair of subsystems with a right bond, and looks at what is reported.
namespace ergon::freeze_testing {

using testing::port;
using testing::stub;

inline const Rational step(1, 1000);

/// A spring-like side that takes a motion and gives a force, and a mass that does the opposite.
inline void add_pair(SystemGraph& graph) {
  graph.add(
      "left",
      stub({port("position_in", "m"), port("velocity_in", "m/s")}, {port("force", "N")}, {{0, 0}, {0, 1}}),
      step);
  graph.add("right", stub({port("force_in", "N")}, {port("position", "m"), port("velocity", "m/s")}), step);
}

inline BondSpec good_bond() {
  BondSpec spec;
  spec.name = "coupling";
  spec.a = {{"left.force"}, {"left.velocity_in"}, {"left.position_in"}};
  spec.b = {{"right.force_in"}, {"right.velocity"}, {"right.position"}};
  return spec;
}

inline std::vector<Problem> of_severity(const ProblemList& problems, Severity severity) {
  std::vector<Problem> found;
  for (const Problem& p : problems.all()) {
    if (p.severity == severity) found.push_back(p);
  }
  return found;
}

/// Expects exactly one error, which says `what` and proposes `remedy`.
inline void expect_single_error(SystemGraph graph, const std::string& what, const std::string& remedy) {
  ProblemList problems;
  EXPECT_EQ(graph.freeze(problems), nullptr);
  const auto errors = of_severity(problems, Severity::error);
  ASSERT_EQ(errors.size(), 1U) << InputError(problems).what();
  EXPECT_NE(errors[0].what.find(what), std::string::npos) << errors[0].what;
  EXPECT_NE(errors[0].remedy.find(remedy), std::string::npos) << errors[0].remedy;
}

inline std::unique_ptr<CoupledSystem> freeze(SystemGraph graph) {
  ProblemList problems;
  auto system = graph.freeze(problems);
  EXPECT_NE(system, nullptr) << InputError(problems).what();
  return system;
}

/// a.y, b.y → c.u, in newtons; c also has a vector input and d a vector output.
inline SystemGraph small_graph() {
  SystemGraph graph;
  graph.add("a", stub({}, {port("y", "N")}), step);
  graph.add("b", stub({}, {port("y", "kN")}), step);
  graph.add("c", stub({port("u", "N"), port("w", "N", 3)}, {}), step);
  graph.add("d", stub({}, {port("z", "N", 3), port("speed", "m/s")}), step);
  return graph;
}

inline ConnectionSpec connection(std::vector<std::string> from, std::string to, double gain = 1.0,
                                 double offset = 0.0) {
  ConnectionSpec spec;
  spec.from = std::move(from);
  spec.to = std::move(to);
  spec.gain = gain;
  spec.offset = offset;
  return spec;
}

inline SystemGraph small_graph_with(ConnectionSpec spec) {
  SystemGraph graph = small_graph();
  graph.connect(std::move(spec));
  return graph;
}

}  // namespace ergon::freeze_testing
