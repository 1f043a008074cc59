#include "ergon/scenario/build/output_accuracy.hpp"

#include <gtest/gtest.h>

#include "support/scenario_opening.hpp"

namespace ergon::test {
namespace {

TEST(AccuracyText, IsAPercentageOrAnAmountOrAny) {
  EXPECT_DOUBLE_EQ(Accuracy::parse("5 %")->value, 0.05);
  EXPECT_DOUBLE_EQ(Accuracy::parse("1%")->value, 0.01);
  EXPECT_EQ(Accuracy::parse(" 0.5 mm ")->kind, Accuracy::Kind::absolute);
  EXPECT_EQ(Accuracy::parse("0.5 mm")->unit.text, "mm");
  EXPECT_EQ(Accuracy::parse("any")->kind, Accuracy::Kind::any);
  for (const char* bad : {"", "5", "-1 %", "0 %", "nan %", "inf K", "some", "1 parsec", "% 5"})
    EXPECT_FALSE(Accuracy::parse(bad)) << bad;
  for (const char* text : {"5 %", "0.1 K", "any"}) EXPECT_EQ(Accuracy::parse(text)->text(), text);
}

std::string scenario(const std::string& accuracy) {
  return "simulation = { stop_time = 1.0, step_size = 1e-3 }\n"
         "[[subsystem]]\nname = \"left\"\nmodel = \"oscillator.mass\"\n"
         "[[subsystem]]\nname = \"right\"\nmodel = \"oscillator.mass\"\n"
         "[output]\naccuracy = " +
         accuracy + "\n";
}

TEST(OutputAccuracy, TheMostSpecificPatternCounts) {
  const Opened o = open_text(
      scenario("{ default = \"2 %\", \"*\" = \"3 %\", \"left.position\" = \"1 mm\", \"left.*\" = \"any\" }"));
  ASSERT_TRUE(o.built) << o.all();
  const CoupledSystem& system = *o.built->system;
  const auto accuracy = [&](const char* name) { return o.built->accuracies[*system.find_output(name)]; };
  EXPECT_EQ(accuracy("left.position").kind, Accuracy::Kind::absolute);
  EXPECT_DOUBLE_EQ(accuracy("left.position").value, 1e-3) << "in the unit of the output";
  EXPECT_EQ(accuracy("left.velocity").kind, Accuracy::Kind::any);
  EXPECT_DOUBLE_EQ(accuracy("right.position").value, 0.03);
}

TEST(OutputAccuracy, WhatIsWrongIsRefused) {
  for (const auto& [accuracy, words] : {std::pair("{ \"left.position\" = 5 }", "must be an accuracy"),
                                        std::pair("{ \"left.position\" = \"5\" }", "must be an accuracy"),
                                        std::pair("{ default = \"1 K\" }", "has a unit"),
                                        std::pair("{ \"left.position\" = \"1 K\" }", "but its unit is 'm'"),
                                        std::pair("{ \"left.posit\" = \"1 %\" }", "fits no output")}) {
    const Opened o = open_text(scenario(accuracy));
    EXPECT_FALSE(o.built) << accuracy;
    EXPECT_NE(o.all().find(words), std::string::npos) << accuracy << '\n' << o.all();
    EXPECT_NE(o.all().find(":9:"), std::string::npos) << o.all();
  }
}

}  // namespace
}  // namespace ergon::test
