#include "ergon/scenario/edition.hpp"

#include <gtest/gtest.h>

#include "ergon/coupling/correctors/corrector.hpp"
#include "ergon/coupling/predictors/registry.hpp"
#include "ergon/coupling/schemes/implicit/update_rule.hpp"
#include "ergon/coupling/schemes/scheme.hpp"
#include "ergon/scenario/file/machine_file.hpp"
#include "ergon/scenario/tables/tables.hpp"
#include "ergon/scenario/write/resolved_scenario.hpp"
#include "support/scenario_opening.hpp"

namespace ergon::test {
namespace {

const std::string bare_masses = R"([simulation]
stop_time = 1
step_size = 1e-3

[[subsystem]]
name = "cart"
model = "oscillator.force_output"

[[subsystem]]
name = "load"
model = "oscillator.mass"

[[bond]]
name = "spring"
a = { effort = "cart.force", flow = "cart.velocity_in", displacement = "cart.position_in" }
b = { effort = "load.force", flow = "load.velocity", displacement = "load.position" }
)";

/// With every default other than that of any released edition.
Edition other_edition() {
  return {.name = "other",
          .scheme = "gauss-seidel",
          .extrapolation = "quadratic",
          .feedthrough = FeedthroughMode::stale,
          .starter = Starter::repeat,
          .update = "broyden",
          .correction = "nepce",
          .accuracy = 0.01,
          .friction_law = FrictionLaw::box,
          .turning = TurningRule::end};
}

TEST(Edition, NamesWhatTheRegistriesHave) {
  for (const Edition& edition : editions()) {
    EXPECT_EQ(find_edition(edition.name), &edition);
    EXPECT_NE(find_scheme(edition.scheme), nullptr);
    EXPECT_NE(find_update_rule(std::string(edition.update)), nullptr);
    EXPECT_TRUE(edition.correction == "none" || find_corrector(edition.correction) != nullptr);
    const auto words = run_extrapolations();
    EXPECT_NE(std::find(words.begin(), words.end(), edition.extrapolation), words.end());
  }
  EXPECT_EQ(&newest_edition(), find_edition("2026.1"));
  EXPECT_EQ(find_edition("1"), nullptr);
}

/// docs/compatibility.md promises that this does not change.
TEST(Edition, TheFirstHasTheDefaultsThatItWasReleasedWith) {
  const Edition* first = find_edition("2026.1");
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->scheme, "jacobi");
  EXPECT_EQ(first->extrapolation, "hold");
  EXPECT_FALSE(first->feedthrough);
  EXPECT_EQ(first->starter, Starter::none);
  EXPECT_EQ(first->update, "finite-difference");
  EXPECT_EQ(first->correction, "none");
  EXPECT_DOUBLE_EQ(first->accuracy, 0.05);
  EXPECT_EQ(first->friction_law, FrictionLaw::cone);
  EXPECT_EQ(first->turning, TurningRule::mean);
}

TEST(Edition, AResolvedScenarioNamesTheNewestWhereTheFileNamesNone) {
  Opened o = open_text(bare_masses);
  EXPECT_EQ(o.scenario.simulation.edition, &newest_edition());
  const std::string line = "edition = \"" + std::string(newest_edition().name) + "\"";
  EXPECT_NE(resolved_toml(o.scenario, "0").find(line), std::string::npos);
}

TEST(Edition, AScenarioKeepsTheOneThatItNames) {
  for (const Edition& edition : editions()) {
    const Opened o = open_text(bare_masses, {"simulation.edition=" + std::string(edition.name)});
    EXPECT_TRUE(o.built) << o.all();
    EXPECT_EQ(o.scenario.simulation.edition, &edition);
    const std::string line = "edition = \"" + std::string(edition.name) + "\"";
    EXPECT_NE(resolved_toml(o.scenario, "0").find(line), std::string::npos);
  }
}

TEST(Edition, AnUnknownOneIsRefusedWithItsLine) {
  const Opened o = open_text(with(bare_masses, "stop_time = 1", "edition = \"1999.9\"\nstop_time = 1"));
  const std::string all = o.all();
  EXPECT_NE(all.find(":2:"), std::string::npos) << all;
  EXPECT_NE(all.find("There is no edition '1999.9'"), std::string::npos) << all;
  EXPECT_NE(all.find("Available: 2026.1"), std::string::npos) << all;
  EXPECT_FALSE(o.built);
}

TEST(Edition, EveryDefaultOfItReachesTheSettings) {
  const Edition edition = other_edition();
  ProblemList problems;
  CouplingSettings coupling;
  read_coupling(table_value({}), edition, coupling, problems);
  EXPECT_EQ(coupling.scheme.value, "gauss-seidel");
  EXPECT_EQ(coupling.degree, 2);
  EXPECT_EQ(coupling.feedthrough, FeedthroughMode::stale);
  EXPECT_EQ(coupling.starter, Starter::repeat);
  EXPECT_EQ(coupling.implicit.update, "broyden");

  const auto document = parse_document(bare_masses, "two.toml", problems);
  ASSERT_TRUE(document);
  const Value& bond = document->find("bond")->value.items.at(0);
  EXPECT_EQ(read_bond(bond, 1, edition, problems).correction->method, "nepce");
  EXPECT_FALSE(read_bond(bond, 1, *find_edition("2026.1"), problems).correction);

  const std::string machine = "[[body]]\nname = \"log\"\nmass = 1\ninertia = [1, 1, 1]\n";
  const auto read = read_machine(machine, "log.toml", problems, nullptr, edition);
  ASSERT_NE(read, nullptr);
  EXPECT_EQ(read->solver.friction_law, FrictionLaw::box);
  EXPECT_EQ(read->solver.turning, TurningRule::end);

  Opened o = open_text(bare_masses);
  o.scenario.simulation.edition = &edition;
  const auto built = build_graph(o.scenario, problems);
  ASSERT_TRUE(built);
  for (const Accuracy& accuracy : built->accuracies) EXPECT_DOUBLE_EQ(accuracy.value, 0.01);
  EXPECT_FALSE(problems.has_errors());
}

TEST(Edition, WhatAFileSaysItselfTakesPrecedence) {
  ProblemList problems;
  const auto document = parse_document(
      "scheme = \"jacobi\"\nextrapolation = \"hold\"\nfeedthrough = \"refresh\"\nstarter = \"none\"\n",
      "c.toml", problems);
  ASSERT_TRUE(document);
  CouplingSettings coupling;
  read_coupling(*document, other_edition(), coupling, problems);
  EXPECT_EQ(coupling.scheme.value, "jacobi");
  EXPECT_EQ(coupling.degree, 0);
  EXPECT_EQ(coupling.feedthrough, FeedthroughMode::refresh);
  EXPECT_EQ(coupling.starter, Starter::none);

  const auto bond = parse_document(
      with(bare_masses, "name = \"spring\"\n", "name = \"spring\"\ncorrection = { method = \"none\" }\n"),
      "two.toml", problems);
  ASSERT_TRUE(bond);
  EXPECT_EQ(read_bond(bond->find("bond")->value.items.at(0), 1, other_edition(), problems).correction->method,
            "none");
  EXPECT_FALSE(problems.has_errors());
}

}  // namespace
}  // namespace ergon::test
