// The long form of a scenario: constants and formulas, entries with `count`, files that are included, systems that are used.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "ergon/scenario/expand/constants.hpp"
#include "ergon/scenario/file/document.hpp"
#include "ergon/scenario/write/resolved_scenario.hpp"
#include "support/scenario_opening.hpp"

namespace ergon::test {
namespace {

double value_of(const std::string& formula, const Constants* constants = nullptr) {
  const auto number = evaluate_number(formula, constants);
  const auto* found = std::get_if<Number>(&number);
  EXPECT_NE(found, nullptr) << formula;
  return found == nullptr ? 0.0 : found->value;
}

std::optional<Rational> exact_value_of(const std::string& formula, const Constants* constants = nullptr) {
  const auto number = evaluate_number(formula, constants);
  return std::get<Number>(number).exact;
}

TEST(NumberFormulas, DecimalsAreExactAsTheyAreWritten) {
  EXPECT_EQ(exact_value_of("0.1 + 0.2"), Rational(3, 10));
  EXPECT_EQ(value_of("0.1 + 0.2"), 0.3);
  EXPECT_EQ(exact_value_of("-(1/3 - 1)*3^2"), Rational(6, 1));
  EXPECT_EQ(exact_value_of("1e-3/7"), Rational(1, 7000));
  EXPECT_EQ(exact_value_of("pi/4"), std::nullopt);
  EXPECT_EQ(value_of("pi/4"), std::acos(-1.0) / 4.0);
  EXPECT_EQ(value_of("2^0.5"), std::pow(2.0, 0.5));
  // Digits that no 64-bit fraction of 2⁵³ holds stay what they are.
  EXPECT_EQ(value_of("3.14159265358979312"), 3.14159265358979312);
  EXPECT_EQ(value_of("mod(7, 3)"), 1.0);
  EXPECT_EQ(value_of("mod(-1, 30)"), 29.0);
}

TEST(NumberFormulas, ConstantsMayStandInAnyOrder) {
  ProblemList problems;
  const auto document = parse_document("a = \"2*b\"\nb = \"c + 0.5\"\nc = 1\n", "f.toml", problems);
  const auto constants = read_constants(*document, nullptr, problems);
  EXPECT_FALSE(problems.has_errors());
  EXPECT_EQ(exact_value_of("a", constants.get()), Rational(3, 1));
}

const std::string ring = R"(simulation = { stop_time = "n/100", step_size = "T/60" }
constants = { n = 3, T = 0.1, k = "10*n" }
[[subsystem]]
count = "n"
name = "m{i}"
model = "oscillator.mass"
parameters = { m = "1 + 0.1*i", force_ports = 2 }
[[element]]
count = "n"
name = "k{i}"
law = "spring-damper"
ends = ["m{i}:force2", "m{mod(i, n) + 1}:force1"]
parameters = { k = "k/i" }
)";

double number_at(const Opened& o, const std::string& name, const std::string& parameter) {
  for (const SubsystemEntry& entry : o.scenario.subsystems) {
    if (entry.name.value == name) return std::get<double>(entry.parameters.at(parameter).value);
  }
  for (const ElementEntry& entry : o.scenario.elements) {
    if (entry.name.value == name) return std::get<double>(entry.parameters.at(parameter).value);
  }
  ADD_FAILURE() << name;
  return 0.0;
}

TEST(CountedEntries, MakeARing) {
  const Opened o = open_text(ring);
  ASSERT_TRUE(o.built) << o.all();
  EXPECT_EQ(o.scenario.subsystems.size(), 3U);
  EXPECT_EQ(number_at(o, "m3", "m"), 1.3);
  EXPECT_EQ(number_at(o, "k2", "k"), 15.0);
  EXPECT_EQ(o.scenario.elements[2].ends[1].value, "m1:force1");
  EXPECT_EQ(o.scenario.simulation.step_size_s->value, Rational(1, 600));
  EXPECT_EQ(o.scenario.simulation.stop_time_s->value, Rational(3, 100));
}

TEST(CountedEntries, TheResolvedScenarioSaysTheSameInLongForm) {
  const Opened o = open_text(ring);
  const std::string resolved = resolved_toml(o.scenario, "test");
  EXPECT_EQ(resolved.find("count"), std::string::npos);
  const Opened again = open_text(resolved);
  ASSERT_TRUE(again.built) << again.all();
  const auto body = [](const std::string& text) { return text.substr(0, text.find("[provenance]")); };
  EXPECT_EQ(body(resolved_toml(again.scenario, "test")), body(resolved));
}

TEST(CountedEntries, SettingsReachConstantsAndSingleEntries) {
  ScenarioOverrides overrides;
  overrides.settings = {"constants.n=4", "m2.m=\"7*T\"", "k*.c=0.5"};
  const Opened o = open_text(ring, overrides);
  ASSERT_TRUE(o.built) << o.all();
  EXPECT_EQ(o.scenario.subsystems.size(), 4U);
  EXPECT_EQ(number_at(o, "m2", "m"), 0.7);
  EXPECT_EQ(number_at(o, "k4", "c"), 0.5);
}

struct Mistake {
  std::string line, by, message;
};

TEST(CountedEntries, MistakesAreToldOnceWithTheirPlace) {
  const std::vector<Mistake> mistakes = {
      {"count = \"n\"\nname = \"m{i}\"", "count = \"nn\"\nname = \"m{i}\"",
       ":4:9: error: 'count' in [[subsystem]] cannot be read: 'nn' is not defined. Did you mean 'n'?"},
      {"count = \"n\"\nname = \"m{i}\"", "count = 2.5\nname = \"m{i}\"",
       ":4:9: error: 'count' in [[subsystem]] is 2.5."},
      {"name = \"m{i}\"", "name = \"m\"",
       ":5:8: error: All 3 entries of this [[subsystem]] would be called 'm'."},
      {"name = \"m{i}\"", "name = \"m{j}\"", ":5:11: error: [[subsystem]] with 'count': 'j' is not defined."},
      {"name = \"m{i}\"", "name = \"m{i\"", "The '}' of this '{' is missing."},
      {"name = \"m{i}\"", "name = \"m{i/2}\"", "This is 0.5, not a whole number."},
      {"m = \"1 + 0.1*i\"", "m = \"1 + 0.1*\"",
       ":7:29: error: 'm' in [[subsystem]] 'm1' must be a number, but is the string \"1 + 0.1*\"."},
      {"k = \"10*n\"", "k = \"10*q\"", ":2:39: error: 'k' in [constants]: 'q' is not defined."},
      {"k = \"10*n\"", "i = 2", "A constant cannot be called 'i'."},
      {"T = 0.1", "T = true", "'T' in [constants] must be a number, but is true."},
      {"\"T/60\"", "\"T/0\"",
       "is not a time in seconds (as a formula: The value of this formula is not finite.)"},
      {"count = \"n\"\nname = \"m{i}\"", "cont = 3\nname = \"m1\"",
       "Unknown key 'cont' in [[subsystem]] 'm1'. Did you mean 'count'?"}};
  for (const Mistake& mistake : mistakes) {
    std::string text = ring;
    const auto at = text.find(mistake.line);
    ASSERT_NE(at, std::string::npos) << mistake.line;
    text.replace(at, mistake.line.size(), mistake.by);
    const Opened o = open_text(text);
    EXPECT_FALSE(o.built) << mistake.by;
    EXPECT_NE(o.all().find(mistake.message), std::string::npos) << mistake.by << "\n" << o.all();
  }
}

const std::string wheel = R"(constants = { mass = 2.0, step = 1e-3 }
[[subsystem]]
name = "hub"
model = "oscillator.mass"
step_size = "step"
parameters = { m = "mass" }
[[subsystem]]
name = "tyre"
model = "oscillator.force_output"
step_size = "step/2"
parameters = { kc = "100*mass" }
[[bond]]
name = "carcass"
a = { effort = "tyre.force", flow = "tyre.velocity_in", displacement = "tyre.position_in" }
b = { effort = "hub.force", flow = "hub.velocity", displacement = "hub.position" }
)";
const std::string car = R"(constants = { mass = 1.0 }
[[subsystem]]
count = 2
name = "wheel{i}"
system = "parts/wheel.toml"
constants = { mass = "mass*i" }
[[element]]
name = "axle"
law = "spring-damper"
ends = ["wheel1/hub:external_force", "wheel2/hub:external_force"]
)";

struct CarFolder {
  TemporaryFolder folder;
  CarFolder() {
    std::filesystem::create_directory(folder.file("parts"));
    folder.write("parts/wheel.toml", wheel);
    folder.write("car.toml", car);
  }
  [[nodiscard]] Opened open(const std::string& text, const ScenarioOverrides& overrides = {}) const {
    return open_file(folder.write("scenario.toml", text), overrides);
  }
};

TEST(UsedSystems, ArePartsWithTheirNamesBeforeTheirs) {
  const CarFolder files;
  ScenarioOverrides overrides;
  overrides.settings = {"van/wheel1/hub.m=5"};
  const Opened o = files.open(R"(simulation = { stop_time = 0.01 }
subsystem = [ { name = "car", system = "car.toml" }, { name = "van", system = "car.toml", constants = { mass = 3 } } ]
)",
                              overrides);
  ASSERT_TRUE(o.built) << o.all();
  EXPECT_EQ(o.scenario.subsystems.size(), 8U);
  EXPECT_EQ(number_at(o, "car/wheel2/hub", "m"), 2.0);
  EXPECT_EQ(number_at(o, "van/wheel2/hub", "m"), 6.0);
  EXPECT_EQ(number_at(o, "van/wheel1/hub", "m"), 5.0);
  EXPECT_EQ(number_at(o, "van/wheel2/tyre", "kc"), 600.0);
  const auto& bonds = o.built->system->bonds;
  EXPECT_TRUE(std::any_of(bonds.begin(), bonds.end(),
                          [](const PowerBond& bond) { return bond.name == "van/wheel2/carcass"; }));
  EXPECT_EQ(o.scenario.inputs.size(), 3U) << "all files that were read";
}

TEST(UsedSystems, MistakesNameTheFileInWhichTheyAre) {
  const CarFolder files;
  const auto told = [&](const std::string& entry) {
    return files.open("simulation = { stop_time = 0.01 }\nsubsystem = [ " + entry + " ]\n").all();
  };
  EXPECT_NE(told("{ name = \"car\", system = \"cart.toml\" }").find("scenario.toml:2:40: error: "),
            std::string::npos)
      << told("{ name = \"car\", system = \"cart.toml\" }");
  const std::string unknown = told("{ name = \"car\", system = \"car.toml\", constants = { mas = 3 } }");
  EXPECT_NE(unknown.find("There is no constant 'mas'"), std::string::npos) << unknown;
  EXPECT_NE(unknown.find("Did you mean 'mass'?"), std::string::npos) << unknown;
  const std::string step = told("{ name = \"car\", system = \"car.toml\", step_size = 1e-3 }");
  EXPECT_NE(step.find("'step_size' has no effect on a system."), std::string::npos) << step;
  files.folder.write("parts/wheel.toml", "[[subsystem]]\nname = \"w\"\nsystem = \"../car.toml\"\n");
  const std::string endless = told("{ name = \"car\", system = \"car.toml\" }");
  EXPECT_NE(endless.find("uses itself"), std::string::npos) << endless;
}

TEST(IncludedFiles, ComeFirstAndGiveWay) {
  const CarFolder files;
  files.folder.write(
      "parts/common.toml",
      "include = \"wheel.toml\"\n[coupling]\nscheme = \"jacobi\"\nextrapolation = \"linear\"\n");
  const Opened o = files.open(
      "include = [\"parts/common.toml\", \"parts/wheel.toml\"]\nsimulation = { stop_time = 0.01 }\n"
      "coupling = { scheme = \"gauss-seidel\" }\nconstants = { mass = 4 }\n");
  ASSERT_TRUE(o.built) << o.all();
  EXPECT_EQ(o.scenario.subsystems.size(), 2U) << "a file is included once";
  EXPECT_EQ(o.scenario.coupling.scheme.value, "gauss-seidel");
  EXPECT_EQ(o.scenario.coupling.degree, 1);
  EXPECT_EQ(number_at(o, "hub", "m"), 4.0);
}

TEST(IncludedFiles, NamesOfFilesStartWhereTheyStand) {
  const CarFolder files;
  files.folder.write("parts/signal.csv", "time,a\n0,1\n1,2\n");
  files.folder.write("parts/source.toml",
                     "[[subsystem]]\nname = \"s\"\nmodel = \"source.table\"\nparameters = { file = "
                     "\"signal.csv\" }\n");
  const Opened o =
      files.open("include = \"parts/source.toml\"\nsimulation = { stop_time = 0.01, step_size = 1e-3 }\n");
  EXPECT_TRUE(o.built) << o.all();
}

TEST(ParameterFiles, SetWhatTheyName) {
  const CarFolder files;
  ScenarioOverrides overrides;
  overrides.parameter_files = {files.folder.write(
      "values.toml",
      "[constants]\nmass = 3\n[\"car/wheel1/hub\"]\nm = \"2*mass\"\n[simulation]\nstop_time = 0.02\n")};
  const std::string text =
      "simulation = { stop_time = 0.01 }\nconstants = { mass = 1 }\n"
      "subsystem = [ { name = \"car\", system = \"car.toml\", constants = { mass = \"mass\" } } ]\n";
  const Opened o = files.open(text, overrides);
  ASSERT_TRUE(o.built) << o.all();
  EXPECT_EQ(number_at(o, "car/wheel2/hub", "m"), 6.0);
  EXPECT_EQ(number_at(o, "car/wheel1/hub", "m"), 6.0);
  EXPECT_EQ(o.scenario.simulation.stop_time_s->value, Rational(1, 50));
  overrides.parameter_files = {files.folder.write("values.toml", "[car]\nm = 1\n")};
  EXPECT_NE(files.open(text, overrides)
                .all()
                .find("values.toml:2:5: error: There is no subsystem or section 'car'."),
            std::string::npos)
      << files.open(text, overrides).all();
}

TEST(Settings, ReachComponentsSectionsAndPatterns) {
  const std::string text = R"(simulation = { stop_time = 0.1, step_size = 1e-3 }
[[subsystem]]
name = "row"
model = "oscillator.chain"
parameters = { m = [1.0, 2.0, 3.0], k = 100.0, kc = [50.0, 80.0] }
[[subsystem]]
name = "wave"
model = "source.sine"
parameters = { unit = "N" }
[[connection]]
name = "push"
from = "wave.value"
to = "row.external_force[0]"
)";
  ScenarioOverrides overrides;
  overrides.settings = {"row.m[1]=5", "connection.push.gain=3",
                        "step_control={ method = \"milne\", rtol = 1e-2, max_step = 0.01 }"};
  const Opened o = open_text(text, overrides);
  ASSERT_TRUE(o.built) << o.all();
  EXPECT_EQ(std::get<std::vector<double>>(o.scenario.subsystems[0].parameters.at("m").value),
            (std::vector<double>{1.0, 5.0, 3.0}));
  EXPECT_EQ(o.scenario.connections[0].spec.gain, 3.0);
  ASSERT_TRUE(o.scenario.step_control);
  EXPECT_EQ(o.scenario.step_control->rtol, 1e-2);
  const auto told = [&](const std::string& setting) {
    ScenarioOverrides wrong;
    wrong.settings = {setting};
    return open_text(text, wrong).all();
  };
  EXPECT_NE(told("row.m[3]=5").find("'m' has 3 numbers: the last is m[2]."), std::string::npos);
  EXPECT_NE(told("x*.m=5").find("Nothing has a name like 'x*'."), std::string::npos);
  EXPECT_NE(told("r*.mm=5").find("'row' has no parameter, initial value or key 'mm'"), std::string::npos);
  EXPECT_NE(told("constants.x=5").find("There is no constant 'x'"), std::string::npos);
}

}  // namespace
}  // namespace ergon::test
