// Elements that are wired by their ends, in all domains.
#include <gtest/gtest.h>

#include "support/scenario_opening.hpp"

namespace ergon {
namespace {

using test::open_text;

constexpr const char* two_bodies = R"(simulation = { stop_time = 1.0, step_size = 0.1 }
[[subsystem]]
name = "hot"
model = "thermal.capacity"
parameters = { ports = 2 }
initial = { temperature = 400.0 }
[[subsystem]]
name = "cold"
model = "thermal.capacity"
[[element]]
name = "wall"
law = "conductance"
ends = ["hot:entropy_flow2", "cold"]
)";

TEST(ElementEnds, MakeBondsOfTheQuantitiesOfTheirDomain) {
  const auto opened = open_text(two_bodies);
  EXPECT_FALSE(opened.problems.has_errors()) << opened.all();
}

TEST(ElementEnds, AreRefusedWithTheQuantitiesThatTheyNeed) {
  const auto missing = open_text(test::with(two_bodies, "\"hot:entropy_flow2\"", "\"hot\""));
  EXPECT_NE(missing.all().find("'hot' has no input 'entropy_flow' for the entropy_flow of 'wall'."),
            std::string::npos)
      << missing.all();
  EXPECT_NE(missing.all().find("\"hot:entropy_flow1\""), std::string::npos) << missing.all();
  const auto shaft = open_text(test::with(two_bodies, "law = \"conductance\"", "law = \"shaft\""));
  EXPECT_NE(shaft.all().find("'hot' has no output 'angular_velocity' for 'wall'."), std::string::npos)
      << shaft.all();
  EXPECT_NE(shaft.all().find("gives its angle and angular_velocity and takes a torque"), std::string::npos)
      << shaft.all();
  const auto none = open_text(test::with(two_bodies, "law = \"conductance\"", "law = \"convection\""));
  EXPECT_NE(none.all().find("does not act between two ends"), std::string::npos) << none.all();
}

}  // namespace
}  // namespace ergon
