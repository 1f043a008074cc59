#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ergon/core/port_type.hpp"
#include "ergon/core/problem.hpp"
#include "ergon/core/rational.hpp"
#include "ergon/report/page.hpp"
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

/// How checkpoints of a run are kept.
struct CheckpointArguments {
  std::optional<double> every_s{};  ///< of wall time; nothing: every minute, where the system allows it
  std::vector<std::string> at_s{};  ///< times whose checkpoints stay
  bool off = false;
};

struct RunArguments {
  std::string scenario;
  std::string
      made_for;  ///< the file that the scenario was made for, by no hand: findings about the one are said of the other
  std::optional<std::string> output_directory;
  ScenarioOverrides overrides;
  std::string progress = "auto";
  bool quiet = false;
  bool verbose = false;  ///< list the error of every variable
  bool report = false;   ///< write report.html when it is over
  bool strict = false;   ///< warnings before t₀ are errors, and so is an unreliable result
  CheckpointArguments checkpoints{};
  std::vector<std::pair<std::string, TypedValue>>
      from_here{};  ///< parameters of a run that goes on in a branch
};

struct ResumeArguments {
  std::string folder;
  RunArguments run{};  ///< what is said anew: stop time, threads, progress …
};

struct BranchArguments {
  std::string folder;
  std::string at_s;
  std::string into;
  std::vector<std::string> settings{};  ///< tunable parameters
  RunArguments run{};
};

struct StateArguments {
  std::string folder;
  std::optional<std::string> at_s{};  ///< nothing: the last checkpoint
  std::string file;
};

struct BenchArguments {
  std::vector<std::string> names;
  bool list = false;
  std::optional<std::string> json;
  std::vector<std::string> where;       ///< "key=value": only rows whose case says so
  bool plain = false;                   ///< the table alone
  bool families = false;                ///< of `verdict`: random runs of many kinds, by their motion
  std::string seeds_from;               ///< of those: what their seeds are drawn from
  unsigned runs = 200;                  ///< of each kind, with drawn seeds
  std::vector<std::string> kinds;       ///< only these
  std::optional<std::string> report{};  ///< a page of all of them goes to this file
  bool summary = false;                 ///< the claims of the papers instead of tables
  std::optional<std::string> series{};  ///< the series of the papers' figures go to this folder
  std::vector<std::string> settings{};  ///< "path=value" of every run
  std::optional<std::string> method{};  ///< words for how every run is coupled
  bool scores = false;                  ///< a table of problems and methods …
  std::vector<std::string> methods{};   ///< … these beside the usual ones
};

struct ConvertArguments {
  std::string from;
  std::string to;
};

struct ReportArguments {
  std::string folder;
  std::optional<std::string> file{};  ///< nothing: report.html in the folder
  bool exact = false;                 ///< all bits of all numbers
  report::TimeWindow window{};        ///< only this part of the run
};

struct CompareArguments {
  std::vector<std::string> runs;         ///< folders or CSV files
  std::optional<std::string> reference;  ///< nothing: the last of them
  std::optional<std::string> file;       ///< of the page; nothing: none
  std::optional<std::string> title;
  report::CompareOptions options;
  bool exact = false;
};

struct InspectArguments {
  std::string file;
  bool json = false;
  bool all = false;      ///< every variable
  bool try_out = false;  ///< runs code of the FMU
};

struct RunSingleArguments {
  std::string file;
  std::optional<std::string> start_time;
  std::optional<std::string> stop_time;
  std::optional<std::string> step_size;
  std::optional<std::string> input;
  std::optional<std::string> time_column;  ///< of the file with inputs
  std::optional<std::string> options;      ///< file with times and step, as the FMI cross-check has it
  std::vector<std::string> record;         ///< patterns of variables beside the outputs
  std::optional<std::string> check;
  std::optional<std::string> feedthrough;  ///< with which inputs outputs are read
  std::optional<std::string> interface;    ///< cs or me
  std::optional<double> tolerance;         ///< relative, of its solver
  bool keep_environment = false;
  std::optional<std::string> output_directory;
  std::vector<std::string> settings;
  bool isolate = false;
  bool sandbox = false;
  bool quiet = false;
};

struct ExportArguments {
  std::string model;  ///< a native model, or a scenario file
  std::optional<std::string> subsystem;
  int fmi = 3;
  std::string file;
  std::vector<std::string> settings;
};

int run_command(const RunArguments& arguments);
int resume_command(const ResumeArguments& arguments);
int branch_command(const BranchArguments& arguments);
int state_command(const StateArguments& arguments);
/// Of --checkpoint-at; throws InputError where it is not a time.
Rational time_of_checkpoint(const std::string& text);
int check_command(const RunArguments& arguments);
int models_command(const std::optional<std::string>& name);
int bench_command(const BenchArguments& arguments);
int report_command(const ReportArguments& arguments);
int compare_command(const CompareArguments& arguments);
int inspect_command(const InspectArguments& arguments);
int validate_command(const std::string& file);
int run_single_command(const RunSingleArguments& arguments);
int export_command(const ExportArguments& arguments);
/// The structure of a scenario or system, without running it.
int inspect_system(const InspectArguments& arguments);
int variables_command(const RunArguments& arguments);
/// Whether it names results of a run, and what there is in them.
bool names_results(const std::string& path);
int list_results(const std::string& path);
int convert_command(const ConvertArguments& arguments);
int version_command();

/// The page of one run; returns the file.
std::filesystem::path write_report(const ReportArguments& arguments);
/// In one go; throws where the file cannot be written.
void write_page(const std::filesystem::path& file, const report::Page& page);
/// Throws where this build has no pages.
void require_pages();

/// Prints findings to standard error, errors and warnings alike; notes only where `notes`.
void print_problems(const ProblemList& problems, bool notes = false);
/// The same findings, those about `file` said of another one as a whole.
[[nodiscard]] ProblemList relocated(const ProblemList& problems, const std::string& file,
                                    const std::string& other);

}  // namespace ergon::app
