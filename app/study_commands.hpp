#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commands.hpp"
#include "ergon/study/study.hpp"

namespace ergon::app {

/// What studies of both kinds are told about how they are worked through.
struct StudyArguments {
  RunArguments run;  ///< scenario, settings, folder, progress
  unsigned jobs = 0;
  std::string workers = "auto";
  bool restart = false;
  bool report = true;
  bool json = false;
};

struct SweepArguments : StudyArguments {
  std::optional<std::string> file;  ///< study file
  std::vector<std::string> vary;
  std::vector<std::string> measures;
  std::vector<std::string> bands;
  std::optional<std::string> plan;
  std::size_t samples = 0;
  std::uint64_t seed = 1;
  std::string check = "auto";
  std::optional<double> timeout_s;
  bool keep = false;
  std::optional<std::string> part;  ///< "2/4"
  std::vector<std::string> merged;  ///< folders of parts
};

struct ConvergeArguments : StudyArguments {
  std::size_t levels = 5;
  std::vector<std::string> variables;
  bool no_subsystems = false;
  std::string accuracy = "1%";
};

int sweep_command(const SweepArguments& arguments);
int converge_command(const ConvergeArguments& arguments);

/// The page of a folder that one of both has written; nothing where it is of something else. Returns the file.
std::optional<std::filesystem::path> write_study_report(const std::filesystem::path& folder,
                                                        const std::optional<std::string>& file);
/// What is printed to the user where pages cannot be made.
void report_study(const std::filesystem::path& folder, bool wanted, bool quiet);

/// As ExecuteOptions, of arguments that both have; Ctrl-C stops.
study::ExecuteOptions execute_options(const StudyArguments& arguments, const std::filesystem::path& folder);

}  // namespace ergon::app
