#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "ergon/scenario/build/build_graph.hpp"
#include "ergon/scenario/scenario.hpp"

namespace ergon::test {

/// A folder that goes away with the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "ergon-scenario-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(file(name), std::ios::binary) << text;
    return file(name);
  }

 private:
  std::string path_;
};

struct Opened {
  Scenario scenario;
  std::optional<BuiltScenario> built;
  ProblemList problems;

  [[nodiscard]] std::string all() const {
    std::string text;
    for (const Problem& p : problems.all()) text += to_string(p) + "\n";
    return text;
  }
};

inline Opened open_file(const std::string& path, const ScenarioOverrides& overrides = {}) {
  Opened opened;
  opened.scenario = load_scenario(path, overrides, opened.problems);
  opened.built = build_graph(opened.scenario, opened.problems);
  return opened;
}

inline Opened open_text(const std::string& text, const ScenarioOverrides& overrides = {}) {
  const TemporaryFolder folder;
  return open_file(folder.write("scenario.toml", text), overrides);
}

inline Opened open_text(const std::string& text, std::vector<std::string> settings) {
  ScenarioOverrides overrides;
  overrides.settings = std::move(settings);
  return open_text(text, overrides);
}

/// `text` with its only `from` replaced: one mistake in a good file.
inline std::string with(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  EXPECT_EQ(text.find(from, at + 1), std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

/// One mistake in a good file, the line that is to blame, and what is said about it.
struct FileMistake {
  const char* name;
  const char* from;
  const char* to;
  int line;
  const char* message;
};

inline void expect_found_in_its_line(const std::string& good, const FileMistake& mistake) {
  const Opened o = open_text(with(good, mistake.from, mistake.to));
  EXPECT_FALSE(o.built);
  ASSERT_EQ(o.problems.all().size(), 1U) << o.all();
  EXPECT_EQ(o.problems.all()[0].where.line, mistake.line) << o.all();
  EXPECT_NE(o.all().find(mistake.message), std::string::npos) << o.all();
}

/// Two masses, one of which holds the coupling spring. The line numbers are part of the tests.
inline const std::string two_masses = R"([simulation]
stop_time = 10.0
step_size = 1e-3

[[subsystem]]
name = "left"
model = "oscillator.force_output"
parameters = { m = 1.0, k = 10.0, kc = 100.0 }
initial = { v = 100.0 }

[[subsystem]]
name = "right"
model = "oscillator.mass"
step_size = 1e-4
parameters = { m = 1.0, k = 1000.0 }
initial = { v = -100.0 }

[[bond]]
name = "spring"
a = { effort = "left.force", flow = "left.velocity_in", displacement = "left.position_in" }
b = { effort = "right.force", flow = "right.velocity", displacement = "right.position" }

[coupling]
scheme = "jacobi"
extrapolation = "linear"

[output]
variables = ["right.position", "left.*"]
)";

}  // namespace ergon::test
