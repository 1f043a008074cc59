#include <gtest/gtest.h>

#include "support/coupled_subsystems.hpp"
#include "support/stub_subsystem.hpp"

namespace ergon {
namespace {

using namespace testing;

/// A spring that reads a displacement in this unit, and a body that answers its effort.
bool is_refused(const std::string& unit, const std::string& effort) {
  Simulation sim;
  sim.graph.add("spring", stub({port("x_in", unit)}, {port("f", effort)}), milliseconds(1));
  sim.graph.add("body", stub({port("f_in", effort)}, {port("x", unit)}), milliseconds(1));
  sim.connect("spring.f", "body.f_in");
  sim.connect("body.x", "spring.x_in");
  sim.options.scheme = "semi-implicit";
  sim.options.degree = 0;
  static_cast<void>(sim.build("1"));
  for (const Problem& problem : sim.problems.all()) {
    if (problem.what.find("negative damping") != std::string::npos) return true;
  }
  return false;
}

// Held at its value of the end of the step a displacement leads by half a step, in whatever unit it is told.
TEST(HeldDisplacements, AreRefusedInEveryUnit) {
  for (const char* unit : {"m", "mm"}) EXPECT_TRUE(is_refused(unit, "N")) << unit;
  for (const char* unit : {"rad", "mrad", "deg", "rev"}) EXPECT_TRUE(is_refused(unit, "N*m")) << unit;
  for (const char* unit : {"m/s", "rpm", "1"}) EXPECT_FALSE(is_refused(unit, "N")) << unit;
}

}  // namespace
}  // namespace ergon
