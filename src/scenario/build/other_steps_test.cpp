#include "ergon/scenario/build/other_steps.hpp"

#include <gtest/gtest.h>

#include "support/scenario_opening.hpp"

namespace ergon::test {
namespace {

// A digital controller is another one at another sample time; everything else has all its steps scaled.
TEST(OtherSteps, WhatIsSampledKeepsItsStep) {
  const Opened o = open_text(
      "simulation = { stop_time = 1.0, step_size = 1e-3 }\n"
      "[[subsystem]]\nname = \"plant\"\nmodel = \"oscillator.mass\"\n"
      "[[subsystem]]\nname = \"own\"\nmodel = \"oscillator.mass\"\nstep_size = 2e-3\n"
      "[[subsystem]]\nname = \"digital\"\nmodel = \"oscillator.mass\"\nsampled = true\n"
      "[[subsystem]]\nname = \"slow\"\nmodel = \"oscillator.mass\"\nsampled = true\nstep_size = 4e-3\n");
  ASSERT_TRUE(o.built) << o.all();
  ProblemList problems;
  const auto other = build_graph(with_other_steps(o.scenario, Rational(1, 2)), problems);
  ASSERT_TRUE(other);
  const auto step_s = [&](const char* name) {
    const CoupledSystem& system = *other->system;
    return system.nodes[*system.find_node(name)].step_s;
  };
  EXPECT_EQ(step_s("plant"), Rational(1, 2000));
  EXPECT_EQ(step_s("own"), Rational(1, 1000));
  EXPECT_EQ(step_s("digital"), Rational(1, 1000));
  EXPECT_EQ(step_s("slow"), Rational(1, 250));
  EXPECT_TRUE(other->system->nodes[*other->system->find_node("slow")].sampled);
}

}  // namespace
}  // namespace ergon::test
