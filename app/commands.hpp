#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ergon/core/problem.hpp"
#include "ergon/scenario/scenario.hpp"

namespace ergon::app {

/// What the shell sees.
enum ExitCode : int {
  exit_done = 0,
  exit_run_failed = 1,
  exit_bad_input = 2,
  exit_unreliable = 3,  ///< the verdict, where --strict or on_unreliable = "stop" ask for it
  exit_interrupted = 130,
};

struct RunArguments {
  std::string scenario;
  std::optional<std::string> output_directory;
  ScenarioOverrides overrides;
  std::string progress = "auto";
  bool quiet = false;
  bool strict = false;  ///< warnings before t₀ are errors, and so is an unreliable result
};

struct BenchArguments {
  std::vector<std::string> names;
  bool list = false;
  std::optional<std::string> json;
  std::vector<std::string> where;  ///< "key=value": only rows whose case says so
  bool plain = false;              ///< the table alone
  bool families = false;           ///< of `verdict`: random runs of many kinds, by their motion
};

int run_command(const RunArguments& arguments);
int check_command(const RunArguments& arguments);
int models_command(const std::optional<std::string>& name);
int bench_command(const BenchArguments& arguments);
int version_command();

/// Prints findings to standard error, errors and warnings alike; notes only where `notes`.
void print_problems(const ProblemList& problems, bool notes = false);

}  // namespace ergon::app
