#include "ergon/run/simulation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "ergon/run/blueprint.hpp"
#include "support/fake_step_record.hpp"
#include "support/scenario_opening.hpp"

namespace ergon {
namespace {

using test::TemporaryFolder;
using test::two_masses;

/// All outputs at all points.
std::vector<double> everything_of(Simulation& simulation) {
  std::vector<double> values;
  simulation.observe([&](const StepRecord& record) {
    for (Index i = 0; i < simulation.system().outputs.size(); ++i) values.push_back(record.output(i));
  });
  EXPECT_EQ(simulation.run().status, RunStatus::finished);
  return values;
}

/// A mass on a spring, as the registry makes it.
SystemGraph one_mass() {
  SystemGraph graph;
  graph.add("mass", make_native("oscillator.mass", {{"k", 100.0}}, {{"v", 1.0}}), Rational(1, 1000));
  return graph;
}

TEST(Simulation, StepsTakenOneByOneAreTheRun) {
  const TemporaryFolder folder;
  const std::string file = folder.write("two.toml", two_masses);
  const std::vector<std::string> short_run = {"simulation.stop_time=0.1"};
  Simulation whole(file, short_run);
  const std::vector<double> expected = everything_of(whole);

  Simulation stepped(file, short_run);
  std::vector<double> values;
  const auto keep = [&] {
    for (Index i = 0; i < stepped.system().outputs.size(); ++i) values.push_back(stepped.record().output(i));
  };
  ASSERT_FALSE(stepped.start());
  keep();
  EXPECT_THROW(static_cast<void>(stepped.summary()), std::logic_error);
  while (stepped.advance()) keep();
  EXPECT_TRUE(stepped.over());
  EXPECT_FALSE(stepped.advance());
  EXPECT_EQ(values, expected);
  EXPECT_EQ(stepped.summary().points, whole.summary().points);
  EXPECT_EQ(stepped.verdict().value, whole.verdict().value);
  EXPECT_EQ(stepped.value("right.position"), whole.value("right.position"));
}

// Every state is in the instances: were any of them shared, the runs would disturb each other.
TEST(Simulation, TwoRunsSideBySideGiveTheBitsOfOneAlone) {
  const TemporaryFolder folder;
  const std::string file = folder.write("two.toml", two_masses);
  const std::vector<std::string> short_run = {"simulation.stop_time=0.1"};
  Simulation alone(file, short_run);
  const std::vector<double> expected = everything_of(alone);

  Simulation first(file, short_run);
  std::optional<Simulation> second;
  std::vector<double> of_first;
  std::vector<double> of_second;
  const auto keep = [](Simulation& simulation, std::vector<double>& values) {
    simulation.observe([&simulation, &values](const StepRecord& record) {
      for (Index i = 0; i < simulation.system().outputs.size(); ++i) values.push_back(record.output(i));
    });
  };
  keep(first, of_first);
  for (int i = 0; i < 7; ++i) ASSERT_TRUE(first.advance());
  second.emplace(first.another());
  keep(*second, of_second);
  bool any = true;
  while (any) {
    const bool first_went_on = first.advance();
    const bool second_went_on = second->advance();
    any = first_went_on || second_went_on;
  }
  EXPECT_EQ(of_first, expected);
  EXPECT_EQ(of_second, expected);
}

TEST(Simulation, AGraphBuiltInCodeRunsAsOften) {
  SimulationOptions options;
  options.stop_time_s = Rational(1, 10);
  Simulation simulation(one_mass, options);
  Simulation again = simulation.another();
  const std::vector<double> values = everything_of(simulation);
  EXPECT_EQ(everything_of(again), values);
  // v = v₀ cos ωt, ω = 10 rad/s; semi-implicit Euler is of first order.
  EXPECT_NEAR(simulation.value("mass.velocity"), std::cos(1.0), 0.01);
}

/// heavy = "oscillator.mass": the native model of that name, found and counted.
class CountingSource final : public ModelSource {
 public:
  [[nodiscard]] std::string_view key() const override { return "heavy"; }
  [[nodiscard]] std::shared_ptr<const ModelInfo> find(const std::string& name, const std::string& /*base*/,
                                                      const SourceLocation& where,
                                                      ProblemList& problems) const override {
    const auto native = native_sources().front()->find(name, {}, where, problems);
    if (!native) return nullptr;
    auto info = std::make_shared<ModelInfo>(*native);
    info->make = [this, native](const ModelRequest& request, ProblemList& found) {
      ++made;
      return native->make(request, found);
    };
    return info;
  }
  mutable int made = 0;
};

TEST(Simulation, ModelsOfOtherSourcesAreMadeOncePerRun) {
  const TemporaryFolder folder;
  const std::string file = folder.write("heavy.toml", R"([simulation]
stop_time = 0.1
step_size = 0.01
[[subsystem]]
name = "m"
heavy = "oscillator.mass"
parameters = { k = 100.0 }
initial = { v = 1.0 }
)");
  EXPECT_THROW(Simulation{file}, InputError);  // the native source does not know this key
  const auto source = std::make_shared<const CountingSource>();
  ModelSources sources = native_sources();
  sources.push_back(source);
  ScenarioOverrides overrides;
  overrides.settings = {"m.k=50"};
  Simulation simulation(file, overrides, sources);
  EXPECT_EQ(source->made, 1);
  simulation.write_to(folder.file("results"));
  EXPECT_EQ(source->made, 1) << "scenario.toml is written from what is known of the model";
  EXPECT_NE(content_of(folder.file("results/scenario.toml")).find("heavy = \"oscillator.mass\""),
            std::string::npos);
  Simulation another = simulation.another();
  EXPECT_EQ(source->made, 2);
  EXPECT_EQ(everything_of(another), everything_of(simulation));

  folder.write("wrong.toml",
               "[simulation]\nstop_time = 1\nstep_size = 1\n[[subsystem]]\nname = \"m\"\n"
               "heavy = \"oscillator.mass\"\nmodel = \"oscillator.mass\"\n");
  EXPECT_THROW(Simulation(folder.file("wrong.toml"), ScenarioOverrides{}, sources), InputError);
}

// A body that evaluates the law of a joint is made when the joint is known, and not before.
TEST(Simulation, BodiesWithJointsAreMadeOnce) {
  const TemporaryFolder folder;
  const std::string file = folder.write("links.toml", R"([simulation]
stop_time = 0.01
step_size = 1e-3
[[subsystem]]
name = "first"
heavy = "multibody.planar_link"
parameters = { pinned = true }
[[subsystem]]
name = "second"
heavy = "multibody.planar_link"
initial = { position = [1.5, 0.0] }
[[element]]
name = "hinge"
joint = "revolute"
i = "first.end"
j = "second.start"
form = "displacement/force"
stiffness = 1e3
)");
  const auto source = std::make_shared<const CountingSource>();
  Simulation simulation(file, ScenarioOverrides{}, {source});
  EXPECT_EQ(source->made, 2);
  EXPECT_EQ(simulation.run().status, RunStatus::finished);
}

TEST(Simulation, WritesTheFilesOfARun) {
  const TemporaryFolder folder;
  Simulation simulation(folder.write("two.toml", two_masses), {"simulation.stop_time=0.1"});
  simulation.write_to(folder.file("results"));
  simulation.run();
  EXPECT_TRUE(simulation.write_errors().empty());
  for (const char* name : {"results.csv", "bonds.csv", "scenario.toml", "summary.json"}) {
    EXPECT_FALSE(content_of(folder.file(std::string("results/") + name)).empty()) << name;
  }
}

// The masses step every 1 ms and 0.3 ms, so both are at multiples of 3 ms only.
TEST(Simulation, TheDriftOfEnergyDoesNotDependOnWhatIsRecorded) {
  const TemporaryFolder folder;
  const std::string file = folder.write("two.toml", two_masses);
  const auto drift_J = [&](const std::string& interval) {
    Simulation simulation(
        file, {"simulation.stop_time=1.5", "right.step_size=3e-4", "output.interval=" + interval});
    simulation.run();
    return simulation.summary().energy->max_drift_J;
  };
  const double every_point_J = drift_J("1e-4");
  EXPECT_GT(every_point_J, 0.0);
  EXPECT_EQ(drift_J("1e-3"), every_point_J);
  EXPECT_EQ(drift_J("0.0137"), every_point_J);
}

TEST(Simulation, TellsEverythingThatIsWrong) {
  const TemporaryFolder folder;
  EXPECT_THROW(Simulation(folder.file("missing.toml")), InputError);
  EXPECT_THROW(Simulation(folder.write("two.toml", two_masses), {"left.mm=1"}), InputError);
  const auto refused = [](const SimulationOptions& options) {
    EXPECT_THROW(Simulation(one_mass, options), InputError);
  };
  SimulationOptions options;
  options.stop_time_s = Rational(0, 1);
  refused(options);
  options = {};
  options.recorded = {"mass.colour"};
  refused(options);
  options = {};
  options.output_interval_s = Rational(0, 1);
  refused(options);
  options.output_interval_s = Rational(std::numeric_limits<std::int64_t>::max(), 1);
  refused(options);

  Simulation simulation(one_mass, {});
  EXPECT_THROW(static_cast<void>(simulation.output("mass.positon")), InputError);
  ASSERT_TRUE(simulation.advance());
  EXPECT_THROW(simulation.observe([](const StepRecord&) {}), std::logic_error);
  EXPECT_THROW(simulation.write_to(folder.file("late")), std::logic_error);
}

TEST(Simulation, RefusesWarningsWhereAsked) {
  const TemporaryFolder folder;
  // A mass whose force nobody gives.
  const Simulation simulation(folder.write("lone.toml", R"([simulation]
stop_time = 1
step_size = 0.1
[[subsystem]]
name = "m"
model = "oscillator.force_output"
)"));
  ASSERT_TRUE(simulation.problems().has_warnings());
  EXPECT_THROW(simulation.refuse_warnings(), InputError);
}

// Steps that follow from a tolerance would be the same again.
TEST(Blueprint, ACompanionOfAControlledRunHasAnotherTolerance) {
  GraphBlueprint graph{one_mass, {}};
  graph.options.coupling.step_control.emplace();
  graph.options.coupling.step_control->rtol = 1e-3;
  const auto rtol = [&](const Rational& factor) {
    return std::get<GraphBlueprint>(with_other_steps(Blueprint(graph), factor))
        .options.coupling.step_control->rtol;
  };
  EXPECT_DOUBLE_EQ(rtol(Rational(2, 1)), 1e-2);
  EXPECT_DOUBLE_EQ(rtol(Rational(1, 2)), 1e-4);
}

}  // namespace
}  // namespace ergon
