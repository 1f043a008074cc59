// What a scenario says about corrections, and where it said it.
#include <gtest/gtest.h>

#include "ergon/coupling/correctors/corrector.hpp"
#include "support/scenario_opening.hpp"

namespace ergon::test {
namespace {

std::string corrected(const std::string& settings) {
  return with(two_masses, "name = \"spring\"\n", "name = \"spring\"\ncorrection = { " + settings + " }\n");
}

TEST(ScenarioCorrections, AreReadWithTheirTypesAndPlaces) {
  const Opened o = open_text(corrected(
      R"(method = "passivity", limit = 1, prediction = true, energies = "interface", initial_energy = 2.5)"));
  ASSERT_TRUE(o.built) << o.all();
  ASSERT_EQ(o.built->coupling.corrections.size(), 1U);
  const CorrectionRequest& request = o.built->coupling.corrections[0];
  EXPECT_EQ(request.bond, "spring");
  EXPECT_EQ(request.method, "passivity");
  EXPECT_EQ(request.where.line, 20);
  const CorrectionSettings settings(request);
  EXPECT_EQ(settings.number("limit", 0.0), 1.0);
  EXPECT_TRUE(settings.flag("prediction"));
  EXPECT_EQ(settings.word("energies", ""), "interface");
  EXPECT_EQ(settings.number("initial_energy", 0.0), 2.5);
  for (const auto& [key, setting] : request.settings) {
    EXPECT_EQ(setting.where.line, 20) << key;
    EXPECT_GT(setting.where.column, 20) << key;
  }
}

TEST(ScenarioCorrections, NoneIsNone) {
  const Opened unsaid = open_text(two_masses);
  EXPECT_TRUE(unsaid.built->coupling.corrections.empty());
  const Opened none = open_text(corrected(R"(method = "none")"));
  ASSERT_TRUE(none.built) << none.all();
}

// Every key of every method may be said: the reader learns them from the registry.
TEST(ScenarioCorrections, EveryKeyOfTheRegistryIsRead) {
  for (const CorrectorInfo& info : correctors()) {
    for (const CorrectionKey& key : info.keys) {
      const std::string value = key.takes_number ? "0.5"
                                : key.takes_flag ? "true"
                                                 : "\"" + std::string(key.words.front()) + "\"";
      const Opened o = open_text(
          corrected("method = \"" + std::string(info.name) + "\", " + std::string(key.name) + " = " + value));
      ASSERT_TRUE(o.built) << o.all();
      EXPECT_TRUE(o.built->coupling.corrections[0].settings.contains(std::string(key.name))) << key.name;
    }
  }
}

// What an element says of its correction is said of all bonds that it makes.
TEST(ScenarioCorrections, OfAnElementAreThoseOfItsBonds) {
  const std::string joined = R"(
simulation = { stop_time = 0.01, step_size = 1e-3 }
subsystem = [
  { name = "upper", model = "multibody.planar_link", parameters = { pinned = true }, initial = { phi = -1.5 } },
  { name = "lower", model = "multibody.planar_link", initial = { phi = -1.5, position = [0.0, -1.5] } } ]
[[element]]
name = "elbow"
joint = "revolute"
i = "upper.end"
j = "lower.start"
stiffness = 1e3
form = "FORM"
correction = { method = "energy-leak", limit = 0.25 }
)";
  const auto bonds_of = [&](const std::string& form) {
    const Opened o = open_text(with(joined, "FORM", form));
    EXPECT_TRUE(o.built) << o.all();
    std::vector<std::string> bonds;
    if (o.built) {
      for (const CorrectionRequest& request : o.built->coupling.corrections) {
        bonds.push_back(request.bond);
        EXPECT_EQ(request.method, "energy-leak");
        EXPECT_EQ(request.where.line, 13);
      }
    }
    return bonds;
  };
  EXPECT_EQ(bonds_of("force/displacement"), std::vector<std::string>{"elbow"});
  EXPECT_EQ(bonds_of("displacement/force"), std::vector<std::string>{"elbow"});
  EXPECT_EQ(bonds_of("force/force"), (std::vector<std::string>{"elbow.i", "elbow.j"}));
  // By --set it may be named as the bond.
  const Opened set =
      open_text(with(joined, "FORM", "force/displacement"), {"bond.elbow.correction.limit=0.5"});
  ASSERT_TRUE(set.built) << set.all();
  EXPECT_EQ(CorrectionSettings(set.built->coupling.corrections.at(0)).number("limit", 0.0), 0.5);
  // What makes no bond has none to correct.
  const Opened gain = open_text(two_masses + R"(
[[element]]
name = "half"
law = "gain"
correction = { method = "energy-leak" }
)");
  EXPECT_NE(gain.all().find("'half' has a correction, but makes no bond."), std::string::npos) << gain.all();
}

struct Slip {
  const char* settings;
  const char* says;
};

TEST(ScenarioCorrections, ASlipIsOneMessageWithPlaceAndRemedy) {
  for (const Slip& slip : {Slip{R"(method = "energy-leek")", "Did you mean 'energy-leak'?"},
                           Slip{R"(method = "energy-leak", limt = 0.1)", "Did you mean 'limit'?"},
                           Slip{R"(method = "energy-leak", limit = -1)", "a number from 0 to 100"},
                           Slip{R"(method = "energy-leak", limit = "much")", "a number from 0 to 100"},
                           Slip{R"(method = "energy-leak", limit = [0.1, 0.2])", "one value"},
                           Slip{R"(method = "energy-leak", limit = { x = 1 })", "one value"},
                           Slip{R"(method = "passivity", prediction = "yes")", "true or false"},
                           Slip{R"(method = "passivity", energies = "all")", "\"account\""},
                           Slip{R"(limit = 0.1)", "no 'method'"}}) {
    const Opened o = open_text(corrected(slip.settings));
    EXPECT_FALSE(o.built) << slip.settings;
    ASSERT_EQ(o.problems.all().size(), 1U) << o.all();
    const Problem& problem = o.problems.all()[0];
    EXPECT_EQ(problem.where.line, 20) << slip.settings;
    EXPECT_FALSE(problem.remedy.empty()) << slip.settings;
    EXPECT_NE((problem.what + problem.remedy).find(slip.says), std::string::npos) << o.all();
  }
}

TEST(ScenarioCorrections, AreOverriddenAsAWhole) {
  const Opened o = open_text(corrected(R"(method = "energy-leak", limit = 0.1)"),
                             {"bond.spring.correction={method=\"nepce\"}"});
  ASSERT_TRUE(o.built) << o.all();
  EXPECT_EQ(o.built->coupling.corrections[0].method, "nepce");
  EXPECT_TRUE(o.built->coupling.corrections[0].settings.empty());
}

}  // namespace
}  // namespace ergon::test
