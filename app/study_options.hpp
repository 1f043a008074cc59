#pragma once

#include <CLI/CLI.hpp>
#include <optional>

#include "study_commands.hpp"

namespace ergon::app {

/// Of command_line.cpp: each occurrence of the option takes one value.
void one_each(CLI::Option* option);
/// The scenario, and settings of all its runs; returns the option that names it.
CLI::Option* add_scenario_options(CLI::App& command, RunArguments& arguments);

/// `ergon sweep` and `ergon converge`.
class StudyCommands {
 public:
  void add_to(CLI::App& app);
  /// The exit code, where one of them was called.
  [[nodiscard]] std::optional<int> run() const;

 private:
  SweepArguments sweep_;
  ConvergeArguments converge_;
  CLI::App* sweep_app_ = nullptr;
  CLI::App* converge_app_ = nullptr;
};

}  // namespace ergon::app
