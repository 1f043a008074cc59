// Native models and the same models as FMUs, exported and imported again: the same trajectories, here and in workers.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <sstream>

#include "cli/command.hpp"

namespace ergon::cli {
namespace {

using Columns = std::map<std::string, std::vector<std::string>>;

Columns read_csv(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::vector<std::string> names;
  Columns columns;
  while (std::getline(stream, line)) {
    std::istringstream cells(line);
    std::string cell;
    for (std::size_t i = 0; std::getline(cells, cell, ','); ++i) {
      if (columns.size() < 2 && names.size() == i) {
        names.push_back(cell);
      } else if (i < names.size()) {
        columns[names[i]].push_back(cell);
      }
    }
  }
  return columns;
}

class ExportedAndImported : public testing::TestWithParam<int> {
 protected:
  /// The system of `scenario` with both subsystems as FMUs. `keys` are further keys of each.
  std::string as_fmus(const std::string& scenario, const std::map<std::string, std::string>& keys = {}) {
    std::ifstream stream(scenario);
    std::string text;
    std::string name;
    bool in_subsystem = false;
    for (std::string line; std::getline(stream, line);) {
      if (line.rfind('[', 0) == 0) in_subsystem = line == "[[subsystem]]";
      if (line.rfind("name = \"", 0) == 0) name = line.substr(8, line.find('"', 8) - 8);
      if (line.rfind("model = ", 0) == 0) {
        const std::string file = (folder_ / (name + ".fmu")).string();
        const Outcome outcome = ergon("export " + scenario + " --subsystem " + name + " --fmi " +
                                      std::to_string(GetParam()) + " -o " + file);
        EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
        const Outcome valid = ergon("validate " + file);
        EXPECT_EQ(valid.exit_code, 0) << valid.output;
        line = "fmu = \"" + file + "\"";
        if (const auto more = keys.find(name); more != keys.end()) line += "\n" + more->second;
      }
      // Parameters and initial values are in the FMU.
      if (in_subsystem && (line.rfind("parameters = ", 0) == 0 || line.rfind("initial = ", 0) == 0 ||
                           line.rfind("integrator", 0) == 0))
        continue;
      text += line + "\n";
    }
    return folder_.write("fmus.toml", text);
  }
  Columns run(const std::string& scenario, const std::string& arguments) {
    const std::string out = (folder_ / "out").string();
    const Outcome outcome = ergon("run " + scenario + " --quiet --out " + out + " " + arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    return read_csv(out + "/results.csv");
  }
  static void expect_equal(const Columns& native, const Columns& fmus) {
    ASSERT_GE(native.size(), 3U);
    for (const auto& [name, values] : native) {
      ASSERT_TRUE(fmus.contains(name)) << name;
      EXPECT_EQ(fmus.at(name), values) << name;
    }
  }
  TemporaryDirectory folder_;
};
INSTANTIATE_TEST_SUITE_P(Fmi, ExportedAndImported, testing::Values(2, 3));

TEST_P(ExportedAndImported, TheLinearOscillatorHasTheSameBits) {
  const std::string native = std::string(ERGON_SOURCE_DIR) + "/benchmarks/lim-oscillator/f-s.toml";
  const std::string fmus = as_fmus(native);
  for (const char* feedthrough : {"stale", "refresh"}) {
    const std::string arguments = "--stop-time 1 --set bond.coupling.feedthrough=" + std::string(feedthrough);
    const Columns expected = run(native, arguments);
    expect_equal(expected, run(fmus, arguments));
    expect_equal(expected, run(fmus, arguments + " --isolate"));
  }
}

double last(const Columns& columns, const std::string& name) {
  return std::stod(columns.at(name).back());
}

TEST_P(ExportedAndImported, EnergyLeakIsCorrectedThroughMappedAccounts) {
  const std::string native = std::string(ERGON_SOURCE_DIR) + "/benchmarks/leak-table2/f-s.toml";
  const std::string account =
      "energy = { stored = \"energy.stored\", dissipated = \"energy.dissipated\", through = ";
  const std::string fmus =
      as_fmus(native, {{"left", account + "\"position_in\" }"}, {"right", account + "\"force\" }"}});
  const Columns expected = run(native, "--stop-time 1");
  const Columns found = run(fmus, "--stop-time 1");
  for (const char* name : {"left.position", "right.position"})
    EXPECT_NEAR(last(found, name), last(expected, name), 1e-6 * std::abs(last(expected, name))) << name;
}

TEST_P(ExportedAndImported, SemiImplicitCouplingGivesTheNativeRun) {
  for (const char* arrangement : {"f-f", "f-d", "d-d"}) {
    const std::string native =
        std::string(ERGON_SOURCE_DIR) + "/benchmarks/semi-convergence/" + arrangement + ".toml";
    const std::string fmus = as_fmus(native);
    // FMI 3 has no derivatives of inputs: held there, and so for the comparison.
    const std::string arguments = GetParam() == 2 ? "" : "--set coupling.degree=0";
    const Columns expected = run(native, arguments);
    const Columns found = run(fmus, arguments);
    for (const auto& [name, values] : expected) {
      double largest = 0.0;
      double difference = 0.0;
      for (std::size_t i = 0; i < values.size(); ++i) {
        largest = std::max(largest, std::abs(std::stod(values[i])));
        difference = std::max(difference, std::abs(std::stod(found.at(name)[i]) - std::stod(values[i])));
      }
      EXPECT_LE(difference, 1e-9 * largest) << arrangement << " " << name;
    }
  }
}

}  // namespace
}  // namespace ergon::cli
