#include "ergon/scenario/tables/tables.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "support/scenario_opening.hpp"

namespace ergon::test {
namespace {

std::vector<std::string> lines_of(const std::string& page) {
  std::ifstream stream(fmt::format("{}/docs/{}", ERGON_SOURCE_DIR, page));
  EXPECT_TRUE(stream) << page;
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// `a`, `b` → a, b
std::vector<std::string> quoted_words(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t at = text.find('`'); at != std::string::npos;) {
    const std::size_t end = text.find('`', at + 1);
    if (end == std::string::npos) break;
    words.push_back(text.substr(at + 1, end - at - 1));
    at = text.find('`', end + 1);
  }
  return words;
}

/// The first column of all tables with the heading "key" between two headings of a page.
std::set<std::string> documented_keys(const std::string& page, const std::string& from) {
  std::set<std::string> keys;
  bool inside = false;
  bool in_table = false;
  for (const std::string& line : lines_of(page)) {
    const bool is_heading = line.starts_with("## ") || line.starts_with("**`");
    if (is_heading) inside = line == from;
    if (line.starts_with("| key ")) in_table = true;
    if (!line.starts_with("|")) in_table = false;
    if (!inside || !in_table) continue;
    for (const std::string& word : quoted_words(line.substr(0, line.find('|', 1)))) keys.insert(word);
  }
  return keys;
}

const TableInfo& table(const std::string& name) {
  for (const TableInfo& info : scenario_tables()) {
    if (info.name == name) return info;
  }
  throw std::logic_error(name);
}

std::set<std::string> declared(const std::string& name) {
  return {table(name).keys.begin(), table(name).keys.end()};
}

TEST(ScenarioTables, EveryKeyIsDocumentedAndEveryDocumentedKeyIsThere) {
  for (const char* name : {"simulation", "element", "connection", "coupling", "initialization",
                           "step_control", "output", "change"}) {
    EXPECT_EQ(documented_keys("scenario.md", fmt::format("## {}", name)), declared(name)) << name;
  }
  EXPECT_EQ(documented_keys("scenario.md", "**`integrator`**"), declared("integrator"));
}

TEST(ScenarioTables, KeysOfFmusHaveAPageOfTheirOwn) {
  std::set<std::string> documented = documented_keys("scenario.md", "## subsystem");
  for (const std::string& key : documented_keys("fmus.md", "## Keys of an FMU in `[[subsystem]]`"))
    documented.insert(key);
  EXPECT_EQ(documented, declared("subsystem"));
}

TEST(ScenarioTables, AnOldNameOfAKeyIsNotInTheTable) {
  std::set<std::string> keys = declared("bond");
  ASSERT_EQ(keys.erase("reaction"), 1U);
  EXPECT_EQ(documented_keys("scenario.md", "## bond"), keys);
}

TEST(ScenarioTables, NoTableHasAKeyTwice) {
  for (const TableInfo& info : scenario_tables())
    EXPECT_EQ(std::set<std::string>(info.keys.begin(), info.keys.end()).size(), info.keys.size())
        << info.name;
}

TEST(ScenarioTables, WhatIsReadIsWrittenAndReadAgain) {
  const auto read = [](const std::string& text) {
    ProblemList problems;
    const auto document = parse_document(text, "scenario.toml", problems);
    EXPECT_TRUE(document);
    Scenario scenario;
    read_tables(*document, native_sources(), scenario, problems);
    for (const Problem& problem : problems.all())
      EXPECT_NE(problem.severity, Severity::error) << problem.what;
    return scenario;
  };
  const Scenario first = read(R"(
simulation = { start_time = "1/3", stop_time = 2.0, step_size = "1/700", threads = 2, on_unreliable = "stop", check = "half" }
coupling = { scheme = "implicit", degree = 2, interpolation = "hermite", acceleration = "anderson", tolerance = 1e-5, max_iterations = 7, final_evaluation = true, accept_unstable = true, feedthrough = "stale", starter = "repeat" }
step_control = { method = "milne", rtol = 1e-2, atol = 0.5, min_step = 1e-6, max_step = 0.1 }
output = { variables = [], bonds = ["b*"], interval = 0.25, accuracy = { default = "2 %", "left.position" = "1 mm" } }
initialization = { mode = "static", free = ["left.x"], hold = "right.x" }

[[subsystem]]
name = "left"
model = "oscillator.mass"
sampled = true
integrator = { method = "cvode-bdf", step = 0.125, rtol = 1e-3, atol = 1e-4 }
parameters = { m = 2.0 }
initial = { x = 0.5 }
initial_history = { position = [0.1] }

[[subsystem]]
name = "right"
model = "oscillator.mass"
values = { m = 3.0, x = 0.25 }

[[element]]
name = "spring"
law = "spring-damper"
ends = ["left", "right"]
parameters = { k = 5.0 }
evaluate = "receiver"

[[bond]]
name = "b"
a = { effort = "left.force", flow = ["left.velocity"], displacement = "left.position" }
b = { effort = ["right.force", "right.force1"], flow = "right.velocity" }
scale = 2.0
kind = "gyrator"
ratio = "0.05 V.s/rad"
effort_sign = -1
correction = { method = "nepce", alpha = 0.5 }

[[connection]]
from = ["left.position", "right.position"]
to = "left.external_force"
gain = 2.0
offset = -1.0

[[change]]
time = 1.5
until = 1.75
parameter = "left.external_force"
bias = 3.0

[[shape]]
name = "rod"
kind = "line"
size = [0.1]
position = ["left.position", 0.0]
end = ["right.position", 1.0]
)");
  const std::string once = written_tables(first);
  const std::string twice = written_tables(read(once));
  EXPECT_EQ(once, twice);
  // Nothing was lost on the way, whatever the second reading makes of it.
  for (const char* wanted : {"\"1/3\"",
                             "\"1/700\"",
                             "threads = 2",
                             "\"half\"",
                             "\"anderson\"",
                             "degree = 2",
                             "max_iterations = 7",
                             "\"hermite\"",
                             "accept_unstable = true",
                             "variables = []",
                             "\"1 mm\"",
                             "\"static\"",
                             "sampled = true",
                             "\"cvode-bdf\"",
                             "atol = 1e-04",
                             "m = 3.0",
                             "x = 0.25",
                             "position = [ 0.1 ]",
                             "\"receiver\"",
                             "scale = 2.0",
                             "\"gyrator\"",
                             "\"0.05 V.s/rad\"",
                             "effort_sign = -1",
                             "alpha = 0.5",
                             "offset = -1.0",
                             "bias = 3.0",
                             "until = 1.75",
                             "\"line\"",
                             "max_step = 0.1"})
    EXPECT_NE(once.find(wanted), std::string::npos) << wanted << "\n" << once;
}

// docs/compatibility.md promises it.
TEST(ScenarioTables, TheOldNameOfAKeyWorksWithANoteThatNamesTheNewOne) {
  const auto bond_of = [](const std::string& line) {
    return open_text(with(two_masses, "name = \"spring\"\n", "name = \"spring\"\n" + line + "\n"));
  };
  const Opened old = bond_of("reaction = true");
  ASSERT_EQ(old.problems.all().size(), 1U) << old.all();
  EXPECT_EQ(old.problems.all()[0].severity, Severity::note);
  EXPECT_EQ(old.problems.all()[0].where.line, 20);
  EXPECT_NE(old.all().find("effort_sign = -1"), std::string::npos) << old.all();
  const Opened now = bond_of("effort_sign = -1");
  EXPECT_TRUE(now.problems.all().empty()) << now.all();
  EXPECT_EQ(old.scenario.bonds.at(0).spec.effort_gain, std::vector<double>{-1.0});
  EXPECT_EQ(now.scenario.bonds.at(0).spec.effort_gain, std::vector<double>{-1.0});
}

}  // namespace
}  // namespace ergon::test
