#include "ergon/scenario/file/overrides.hpp"

#include <gtest/gtest.h>

#include "support/scenario_opening.hpp"

namespace ergon::test {
namespace {

TEST(Overrides, ReachEverySetting) {
  const Opened o = open_text(
      two_masses,
      {"left.m=2.5", "left.v=-1", "left.initial.external_force=7", "left.integrator.method=rk4",
       "left.integrator.step=1e-5", "right.step_size=1/7000", "subsystem.right.parameters.k=[]", "right.k=5",
       "coupling.scheme=gauss-seidel", "coupling.order=[right,left]", "bond.spring.feedthrough=stale",
       "bond.spring.extrapolation=cubic", "simulation.stop_time=3", "output.interval=0.01",
       "output.variables=[\"left.*\"]", "left.initial_history.force=[1, 2]", "right.spring=square-root"});
  ASSERT_TRUE(o.built) << o.all();
  const SubsystemEntry& left = o.scenario.subsystems[0];
  const SubsystemEntry& right = o.scenario.subsystems[1];
  EXPECT_EQ(std::get<double>(left.parameters.at("m").value), 2.5);
  EXPECT_EQ(std::get<double>(left.initial.at("v").value), -1.0);
  EXPECT_EQ(std::get<double>(left.initial.at("external_force").value), 7.0);
  EXPECT_EQ(left.integrator.method, "rk4");
  EXPECT_EQ(left.integrator.step_s, 1e-5);
  EXPECT_EQ(left.initial_history.at("force").value, (std::vector<double>{1.0, 2.0}));
  EXPECT_EQ(right.step_size_s->value, Rational(1, 7000));
  EXPECT_EQ(std::get<double>(right.parameters.at("k").value), 5.0);
  EXPECT_EQ(std::get<std::string>(right.parameters.at("spring").value), "square-root");
  EXPECT_EQ(o.built->coupling.scheme, "gauss-seidel");
  EXPECT_EQ(o.built->coupling.order, (std::vector<std::string>{"right", "left"}));
  EXPECT_EQ(o.scenario.bonds[0].spec.feedthrough, FeedthroughMode::stale);
  EXPECT_EQ(o.scenario.bonds[0].spec.degree, 3);
  EXPECT_EQ(o.scenario.simulation.stop_time_s->value, Rational(3, 1));
  EXPECT_EQ(o.scenario.output.interval_s->value, Rational(1, 100));
}

TEST(Overrides, WithoutAValueAKeyIsRemoved) {
  const Opened said =
      open_text(two_masses, {"left.m=2.5", "bond.spring.correction={method=\"residual-power\"}"});
  ASSERT_TRUE(said.built) << said.all();
  ASSERT_EQ(said.built->coupling.corrections.size(), 1U);
  const Opened removed =
      open_text(two_masses, {"left.m=2.5", "left.m=", "bond.spring.correction={method=\"residual-power\"}",
                             "bond.spring.correction="});
  ASSERT_TRUE(removed.built) << removed.all();
  EXPECT_TRUE(removed.built->coupling.corrections.empty());
  EXPECT_FALSE(removed.scenario.subsystems[0].parameters.contains("m")) << "the default of the model is back";
}

TEST(Overrides, WhatIsNotThereCannotBeRemoved) {
  const Opened o = open_text(two_masses, {"bond.spring.corection="});
  EXPECT_NE(o.all().find("There is no 'corection' to be removed."), std::string::npos) << o.all();
}

TEST(Overrides, TimesOfTheCommandLineWin) {
  ScenarioOverrides overrides;
  overrides.settings = {"simulation.stop_time=5"};
  overrides.start_time = "1";
  overrides.stop_time = "2.5";
  overrides.step_size = "1/600";
  const Opened o = open_text(two_masses, overrides);
  ASSERT_TRUE(o.built) << o.all();
  EXPECT_EQ(o.built->grid.time_s(0), 1.0);
  EXPECT_EQ(o.built->grid.time_s(o.built->grid.end()), 2.5);
  EXPECT_EQ(o.scenario.simulation.step_size_s->value, Rational(1, 600));
  ASSERT_EQ(o.problems.all().size(), 1U) << "a note that 'right' keeps its own step";
  EXPECT_EQ(o.problems.all()[0].severity, Severity::note);
}

TEST(Overrides, DurationCountsFromTheStart) {
  ScenarioOverrides overrides;
  overrides.start_time = "1";
  overrides.duration = "1/3";
  const Opened o = open_text(two_masses, overrides);
  ASSERT_TRUE(o.built) << o.all();
  EXPECT_EQ(o.scenario.simulation.stop_time_s->value, Rational(4, 3));
  overrides.stop_time = "2";
  EXPECT_EQ(open_text(two_masses, overrides).problems.all().size(), 1U);
  overrides.stop_time.reset();
  overrides.duration = "0";
  EXPECT_EQ(open_text(two_masses, overrides).problems.all().size(), 1U);
}

TEST(Overrides, AStepSizeThatNobodyTakesIsAnError) {
  ScenarioOverrides overrides;
  overrides.step_size = "1e-2";
  const Opened o =
      open_text(with(two_masses, "name = \"left\"", "name = \"left\"\nstep_size = 1e-3"), overrides);
  ASSERT_EQ(o.problems.all().size(), 1U) << o.all();
  EXPECT_NE(o.all().find("--set left.step_size=1e-2"), std::string::npos) << o.all();
}

struct BadSetting {
  const char* setting;
  const char* message;
};
std::ostream& operator<<(std::ostream& stream, const BadSetting& b) {
  return stream << b.setting;
}

class BadOverride : public testing::TestWithParam<BadSetting> {};

TEST_P(BadOverride, IsReportedOnceAsSaid) {
  const Opened o = open_text(two_masses, {GetParam().setting});
  ASSERT_EQ(o.problems.all().size(), 1U) << o.all();
  EXPECT_TRUE(o.problems.all()[0].where.file.starts_with(std::string("--set ") + GetParam().setting))
      << o.all();
  EXPECT_NE(o.all().find(GetParam().message), std::string::npos) << o.all();
}

INSTANTIATE_TEST_SUITE_P(
    Each, BadOverride,
    testing::Values(
        BadSetting{"lefft.m=2", "Did you mean 'left'?"}, BadSetting{"left.kk=2", "Did you mean 'k'?"},
        BadSetting{"left.m=heavy", "Give a number"}, BadSetting{"left.m=-1", "must be greater than 0"},
        BadSetting{"left.m", "Write --set instance.parameter=value"},
        BadSetting{"=3", "This is not a setting"}, BadSetting{"left..m=3", "This is not a setting"},
        BadSetting{"left=3", "Write left.KEY=value"},
        BadSetting{"bond.spring=3", "Write bond.NAME.KEY=value"},
        BadSetting{"bond.sprin.feedthrough=stale", "Did you mean 'spring'?"},
        BadSetting{"bond.spring.feedthrough=fresh", "Did you mean 'refresh'?"},
        BadSetting{"bond.spring.feed=stale", "Did you mean 'feedthrough'?"},
        BadSetting{"coupling.schema=jacobi", "Did you mean 'scheme'?"},
        BadSetting{"coupling.scheme=implict", "Did you mean 'implicit'?"},
        BadSetting{"coupling.scheme.x=implicit", "'scheme' is the string \"jacobi\", so it has no 'x'"},
        BadSetting{"left.integrator.methd=rk4", "Did you mean 'method'?"},
        BadSetting{"left.integrator.method=rk44", "Did you mean 'rk4'?"},
        BadSetting{"simulation.step_size=0", "is not positive"},
        BadSetting{"left.model=oscillator.masss", "Did you mean 'oscillator.mass'?"},
        BadSetting{"step_control.rtol=1e-3", "[step_control] has no 'method'"}));

TEST(ParseSetting, KnowsNumbersFlagsListsAndTexts) {
  const auto kind = [](const char* text) { return parse_setting(text, {}).kind; };
  EXPECT_EQ(kind("1e-3"), Value::Kind::number);
  EXPECT_EQ(kind(".5"), Value::Kind::number);
  EXPECT_EQ(kind("-3"), Value::Kind::integer);
  EXPECT_EQ(kind("true"), Value::Kind::boolean);
  EXPECT_EQ(kind("[1, 2]"), Value::Kind::list);
  EXPECT_EQ(kind("{ method = \"rk4\" }"), Value::Kind::table);
  EXPECT_EQ(kind("gauss-seidel"), Value::Kind::text);
  EXPECT_EQ(kind("2024-01-01"), Value::Kind::text);
  EXPECT_EQ(kind(""), Value::Kind::text);
  EXPECT_EQ(kind("1\nb = 2"), Value::Kind::text);
  EXPECT_EQ(parse_setting("[a, b c,3]", {}).items.at(1).text, "b c");
  EXPECT_EQ(parse_setting("\"1.0\"", {}).text, "1.0");
}

}  // namespace
}  // namespace ergon::test
