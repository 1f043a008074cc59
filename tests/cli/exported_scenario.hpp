#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "cli/command.hpp"

// Scenarios of native models, run again with the same models out of FMUs.

namespace ergon::cli {

/// The columns of a CSV file, as the numbers that they are.
inline std::map<std::string, std::vector<double>> csv_columns(const std::string& text) {
  std::istringstream stream(text);
  std::string line;
  std::getline(stream, line);
  std::vector<std::string> names;
  std::istringstream heading(line);
  for (std::string name; std::getline(heading, name, ',');) names.push_back(name);
  std::map<std::string, std::vector<double>> result;
  while (std::getline(stream, line)) {
    std::istringstream row(line);
    std::string cell;
    for (const std::string& name : names) {
      std::getline(row, cell, ',');
      result[name].push_back(std::strtod(cell.c_str(), nullptr));
    }
  }
  return result;
}

/// How a scenario is changed on its way to FMUs.
struct FmuScenario {
  int fmi = 2;
  std::map<std::string, std::string> added{};  ///< a line for the [[subsystem]] of that name
  std::vector<std::string> only{};             ///< subsystems to export; empty: all
};

/// Exports subsystems of a scenario into `folder`, beside a copy of the scenario in which they are FMUs; values and integrators are
/// in those now. Each key stands in a line of its own.
inline std::string with_fmus(const std::string& scenario, const FmuScenario& wanted,
                             const TemporaryDirectory& folder) {
  std::istringstream lines(read_file(scenario));
  std::string text;
  std::string name;
  bool in_subsystem = false;
  bool exported = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("[")) {
      in_subsystem = line == "[[subsystem]]";
      exported = false;
    }
    if (in_subsystem && line.starts_with("name = ")) {
      name = line.substr(8, line.find('"', 8) - 8);
      exported =
          wanted.only.empty() || std::find(wanted.only.begin(), wanted.only.end(), name) != wanted.only.end();
    }
    if (exported && line.starts_with("model = ")) {
      const Outcome outcome =
          ergon("export " + scenario + " --subsystem " + name + " --fmi " + std::to_string(wanted.fmi) +
                " -o " + (folder / (name + ".fmu")).string());
      EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
      line = "fmu = \"" + name + ".fmu\"";
      const auto more = wanted.added.find(name);
      if (more != wanted.added.end()) line += "\n" + more->second;
    }
    const bool inside = line.starts_with("parameters = ") || line.starts_with("initial = ") ||
                        line.starts_with("integrator = ");
    if (!(exported && inside)) text += line + "\n";
  }
  return folder.write("fmus.toml", text);
}

/// A copy of a scenario without one of its sections. Machines are still found.
inline std::string without_section(const std::string& scenario, const std::string& heading,
                                   const TemporaryDirectory& folder) {
  std::istringstream lines(read_file(scenario));
  std::string text;
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("[")) inside = line == heading;
    const std::string machine = "description = \"";
    if (line.starts_with(machine))
      line.insert(machine.size(), std::filesystem::path(scenario).parent_path().string() + "/");
    if (!inside) text += line + "\n";
  }
  return folder.write("shortened.toml", text);
}

/// results.csv of a run that ends well or is unreliable; both are results.
inline std::map<std::string, std::vector<double>> results_of(const std::string& scenario,
                                                             const std::string& options,
                                                             const std::filesystem::path& directory) {
  const Outcome run = ergon("run --check=off " + scenario + " -q " + options + " -o " + directory.string());
  EXPECT_EQ(run.exit_code, 0) << run.output;
  return csv_columns(read_file(directory / "results.csv"));
}

/// Every number of `columns`, bit for bit.
inline void expect_same(std::map<std::string, std::vector<double>>& native,
                        std::map<std::string, std::vector<double>>& other,
                        const std::vector<std::string>& columns) {
  for (const std::string& name : columns) {
    ASSERT_GT(native[name].size(), 1U) << name;
    ASSERT_EQ(native[name].size(), other[name].size()) << name;
    for (std::size_t k = 0; k < native[name].size(); ++k)
      ASSERT_EQ(native[name][k], other[name][k]) << name << " at point " << k;
  }
}

}  // namespace ergon::cli
