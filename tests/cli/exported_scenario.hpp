#pragma once

#include <gtest/gtest.h>

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

/// Exports every subsystem of a scenario beside a copy of it in which they are FMUs; values and integrators are in those now.
/// `added` is written into each [[subsystem]]. Each key stands in a line of its own.
inline std::string with_fmus(const std::string& scenario, int fmi, const TemporaryDirectory& folder,
                             const std::map<std::string, std::string>& added = {}) {
  std::istringstream lines(read_file(scenario));
  std::string text;
  bool in_subsystem = false;
  std::string name;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("[")) in_subsystem = line == "[[subsystem]]";
    if (in_subsystem && line.starts_with("name = ")) name = line.substr(8, line.size() - 9);
    if (in_subsystem && line.starts_with("model = ")) {
      const std::string file = (folder / (name + ".fmu")).string();
      const Outcome exported = ergon("export " + scenario + " --subsystem " + name + " --fmi " +
                                     std::to_string(fmi) + " -o " + file);
      EXPECT_EQ(exported.exit_code, 0) << exported.output;
      text += "fmu = \"" + name + ".fmu\"\n";
      const auto more = added.find(name);
      if (more != added.end()) text += more->second + "\n";
      continue;
    }
    const bool inside = line.starts_with("parameters = ") || line.starts_with("initial = ") ||
                        line.starts_with("integrator = ");
    if (!(in_subsystem && inside)) text += line + "\n";
  }
  return folder.write("fmus.toml", text);
}

/// results.csv of a run that ends well or is unreliable; both are results.
inline std::map<std::string, std::vector<double>> results_of(const std::string& scenario,
                                                             const std::string& options,
                                                             const std::filesystem::path& directory) {
  const Outcome run = ergon("run " + scenario + " -q " + options + " -o " + directory.string());
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
