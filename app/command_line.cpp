// The `ergon` command: reads the command line, calls one of the commands, turns its outcome into an exit code.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <map>
#include <new>
#include <tuple>

#include "commands.hpp"
#include "emit.hpp"
#include "ergon/fmi/worker/worker.hpp"
#include "ergon/plugin/load_plugin.hpp"
#include "ergon/run/command_line.hpp"
#include "ergon/run/version.hpp"
#include "exit_of_fmus.hpp"
#include "study_options.hpp"

namespace ergon::app {

void print_problems(const ProblemList& problems, bool notes) {
  // Entries with `count` have one place for all of their mistakes.
  constexpr std::size_t most_of_one_place = 10;
  std::map<std::tuple<std::string, int, int>, std::size_t> of_place;
  for (const Problem& p : problems.all()) {
    if (p.severity == Severity::note && !notes) continue;
    const bool has_place = p.where.line > 0;
    std::size_t& count = of_place[{p.where.file, p.where.line, p.where.column}];
    if (!has_place || ++count <= most_of_one_place) emit(stderr, "{}\n", to_string(p));
  }
  for (const auto& [place, count] : of_place) {
    const auto& [file, line, column] = place;
    if (count > most_of_one_place)
      emit(stderr, "{}:{}:{}: {} more messages about this place\n", file, line, column,
           count - most_of_one_place);
  }
}

ProblemList relocated(const ProblemList& problems, const std::string& file, const std::string& other) {
  ProblemList result;
  for (const Problem& p : problems.all()) {
    const SourceLocation where = p.where.file == file ? SourceLocation{other, 0, 0} : p.where;
    if (p.severity == Severity::error) result.error(where, p.what, p.remedy);
    if (p.severity == Severity::warning) result.warning(where, p.what, p.remedy);
    if (p.severity == Severity::note) result.note(where, p.what);
  }
  return result;
}

int version_command() {
  emit("ergon {}\n", version());
  return exit_done;
}

namespace {

constexpr const char* footer = R"(
First steps:
  ergon models                          what can be coupled
  ergon models oscillator.mass          its ports and parameters
  ergon check my.toml                   report every problem of a scenario, before running it
  ergon run my.toml --out results/my    run it
  ergon run my.toml --set left.m=3 --set coupling.extrapolation=linear
  ergon report results/my               see it: one page with verdict, plots, energy and animation
  ergon compare results/my results/other
  ergon bench --list                    the published experiments
  ergon export oscillator.mass --fmi 3 -o mass.fmu     an FMU for other tools

Every run ends with a verdict on its results: reliable (the motion agrees with a check run at another step size), consistent
(unchecked, but the energy balance closes), doubtful, unreliable, or not monitored (no evidence available).

Exit codes: 0 done; 1 the run failed (partial results are kept); 2 bad usage or bad input; 3 the results are unreliable
(with --strict, or stopped for it); 130 interrupted.)";

void add_plugin_option(CLI::App& command, std::vector<std::string>& plugins) {
  one_each(command.add_option("--plugin", plugins,
                              "load models and methods from this shared object (may be repeated)"));
}

}  // namespace

/// Each occurrence of the option takes one value: what follows it is the next argument.
void one_each(CLI::Option* option) {
  option->allow_extra_args(false);
}

CLI::Option* add_scenario_options(CLI::App& command, RunArguments& arguments) {
  CLI::Option* const scenario =
      command
          .add_option(
              "SCENARIO", arguments.scenario,
              "scenario (.toml) or system (.ssp, .ssd, OspSystemStructure.xml, or a folder with one of them)")
          ->required();
  one_each(command.add_option(
      "-s,--set", arguments.overrides.settings,
      "change a setting for this run: instance.parameter=value, 'm*.parameter=value', constants.NAME=value, "
      "bond.NAME.feedthrough=stale, coupling.scheme=gauss-seidel, simulation.stop_time=2 ... (may be "
      "repeated)"));
  one_each(
      command.add_option("--parameters", arguments.overrides.parameter_files,
                         "TOML file with such settings: [instance] parameter = value (may be repeated)"));
  add_plugin_option(command, arguments.overrides.plugins);
  one_each(command.add_option(
      "--trust", arguments.overrides.trusted,
      "folder from which the scenario may load the plug-ins that it lists itself (may be repeated; "
      "ERGON_TRUST lists such folders, too)"));
  command.add_option("-b,--begin-time", arguments.overrides.start_time, "start time in s");
  command.add_option("-e,--end-time,--stop-time", arguments.overrides.stop_time, "end time in s");
  command.add_option("-d,--duration", arguments.overrides.duration,
                     "length of the run in s, instead of an end time");
  command.add_option("--step-size", arguments.overrides.step_size,
                     "default communication step in s (0.001, 1e-3 or 1/60)");
  command.add_option(
      "--scenario", arguments.overrides.events,
      "events of libcosim (JSON or YAML): override, bias and reset of variables during the run");
  command.add_flag(
      "--bonds", arguments.overrides.bonds,
      "make the power bonds that units and port groups of FMUs suggest ('ergon check' lists them)");
  command.add_flag(
      "--strict", arguments.strict,
      "treat warnings (an unconnected input, for example) as errors, and end with exit code 3 if the "
      "results are unreliable");
  return scenario;
}

namespace {

void add_checkpoint_options(CLI::App& command, CheckpointArguments& checkpoints) {
  command
      .add_option(
          "--checkpoint-every", checkpoints.every_s,
          "wall time between checkpoints in s (default: 60, where all subsystems can save their state)")
      ->check(CLI::PositiveNumber);
  command.add_flag("--no-checkpoint", checkpoints.off, "keep no checkpoints");
}

/// What can be said anew of a run that goes on.
void add_options_of_going_on(CLI::App& command, RunArguments& arguments) {
  command.add_option("-e,--end-time,--stop-time", arguments.overrides.stop_time,
                     "end time in s, instead of that of the run");
  command.add_option("--threads", arguments.overrides.threads, "upper limit for the number of threads")
      ->check(CLI::Range(1U, 1024U));
  add_checkpoint_options(command, arguments.checkpoints);
  command.add_option("--progress", arguments.progress, "auto, bar, machine or off")
      ->check(CLI::IsMember({"auto", "bar", "machine", "off"}));
  command.add_flag("--report", arguments.report,
                   "write report.html to the result folder at the end of the run");
  command.add_flag("--strict", arguments.strict, "end with exit code 3 if the results are unreliable");
  command.add_flag("-q,--quiet", arguments.quiet, "print nothing but warnings and errors");
  command.add_flag("-v,--verbose", arguments.verbose, "list the estimated error of every variable");
}

/// The parser would only tell that a command is required.
void refuse_unknown_command(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  if (std::find(names.begin(), names.end(), argv[1]) != names.end()) return;
  throw InputError({}, fmt::format("There is no command '{}'.", argv[1]), did_you_mean(argv[1], names));
}

int dispatch(int argc, char** argv) {
  CLI::App app{
      "Ergon couples FMUs and built-in models, estimates how accurate the result is, and tracks the energy "
      "balance of every coupling."};
  app.name("ergon");
  app.footer(footer);
  app.require_subcommand(1);
  app.set_version_flag("--version", fmt::format("ergon {}", version()));

  RunArguments run;
  CLI::App* run_app = app.add_subcommand("run", "run a scenario and write its results");
  add_scenario_options(*run_app, run);
  run_app->add_option("-o,--out", run.output_directory,
                      "directory of the results (default: results/<scenario>)");
  run_app
      ->add_option("--threads", run.overrides.threads,
                   "upper limit for the number of threads (results are bit-identical for any number)")
      ->check(CLI::Range(1U, 1024U));
  run_app
      ->add_option(
          "--check", run.overrides.check,
          "estimate the error by a check run at another step size: auto (twice the step size, "
          "during the run, and four times or half of it afterwards if that leaves doubts), double, half or "
          "off")
      ->check(CLI::IsMember({"auto", "double", "half", "off"}));
  run_app->add_option("--accuracy", run.overrides.accuracy,
                      "wanted accuracy of the outputs, relative to half their range, such as 1%; a run that "
                      "misses it is repeated "
                      "with smaller step sizes (at most four runs)");
  run_app->add_flag("--isolate", run.overrides.isolate, "every FMU in a process of its own");
  run_app->add_flag("--keep-environment", run.overrides.keep_environment,
                    "processes of FMUs receive all variables of the environment");
  run_app->add_flag("--sandbox", run.overrides.sandbox,
                    "as --isolate, without access to files and network as far as this kernel allows; reports "
                    "what it could restrict");
  add_checkpoint_options(*run_app, run.checkpoints);
  run_app
      ->add_option("--checkpoint-at", run.checkpoints.at_s,
                   "times in s whose checkpoints stay, such as 2.5,5, for 'ergon branch'")
      ->delimiter(',')
      ->allow_extra_args(false);
  run_app->add_option("--progress", run.progress, "auto, bar, machine or off")
      ->check(CLI::IsMember({"auto", "bar", "machine", "off"}));
  run_app->add_flag("--report", run.report, "write report.html to the result folder at the end of the run");
  run_app->add_flag("-q,--quiet", run.quiet, "print nothing but warnings and errors");
  run_app->add_flag("-v,--verbose", run.verbose, "list all bonds, and the estimated error of every variable");
  run_app->footer(
      "\nWrites results.csv (outputs), bonds.csv (energy balance of every bond), motion.csv (error bars),\n"
      "energy.csv (energy of subsystems), geometry.csv (poses of bodies), system.json (units and wiring),\n"
      "summary.json and the resolved scenario.toml. Rows are written during the run: a killed run keeps\n"
      "what it has written.");

  ResumeArguments resume;
  CLI::App* resume_app =
      app.add_subcommand("resume", "go on with a run that was interrupted or killed, or extend one");
  resume_app->add_option("DIR", resume.folder, "folder that 'ergon run' has written")->required();
  add_options_of_going_on(*resume_app, resume.run);
  resume_app->footer(
      "\nThe run goes on from its last whole checkpoint; its files become those of a run that was never "
      "interrupted.");

  BranchArguments branch;
  CLI::App* branch_app = app.add_subcommand(
      "branch", "go on from a kept checkpoint into another folder, with other parameters or another end");
  branch_app->add_option("DIR", branch.folder, "folder of a run with --checkpoint-at")->required();
  branch_app->add_option("--at", branch.at_s, "time of the checkpoint in s")->required();
  branch_app->add_option("-o,--out", branch.into, "folder of the branch")->required();
  one_each(branch_app->add_option("-s,--set", branch.settings,
                                  "instance.parameter=value, of a tunable parameter (may be repeated)"));
  add_options_of_going_on(*branch_app, branch.run);

  StateArguments state;
  CLI::App* state_app = app.add_subcommand(
      "state", "save the state of a run, to start another scenario from it ([initialization] from)");
  state_app->add_option("DIR", state.folder, "folder of a run with checkpoints")->required();
  state_app->add_option("--at", state.at_s,
                        "time in s of a checkpoint that was kept (default: the last one)");
  state_app->add_option("-o,--out", state.file, "the file to write, such as warm.ergon")->required();

  RunArguments check;
  CLI::App* check_app = app.add_subcommand("check", "report every problem of a scenario, without running it");
  add_scenario_options(*check_app, check);

  std::optional<std::string> model;
  CLI::App* models_app = app.add_subcommand("models", "list the native models, or describe one");
  models_app->add_option("NAME", model, "a model or law, such as oscillator.mass");
  std::vector<std::string> plugins;
  add_plugin_option(*models_app, plugins);

  BenchArguments bench;
  CLI::App* bench_app = app.add_subcommand("bench", "repeat published experiments: paper | expected | ours");
  bench_app->add_option("NAME", bench.names, "which (default: all)");
  add_plugin_option(*bench_app, plugins);
  bench_app->add_flag("--list", bench.list, "list them");
  bench_app->add_option("--json", bench.json,
                        "also write the rows as JSON to this file ('-': standard output)");
  one_each(bench_app->add_option("--where", bench.where,
                                 "show only rows whose case has key=value (may be repeated)"));
  bench_app->add_flag("--plain", bench.plain, "print the table alone");
  bench_app->add_flag(
      "--families", bench.families,
      "of the benchmark 'verdict': random runs of many kinds, judged by their motion (minutes)");
  bench_app->add_option("--seeds-from", bench.seeds_from,
                        "with --families: draw the seeds from this text, such as the hash of the commit that "
                        "last touched a limit");
  bench_app->add_option("--runs", bench.runs, "with --seeds-from: of each kind (default 200)");
  bench_app->add_option("--kind", bench.kinds, "with --families: only this kind (may be repeated)");
  bench_app->add_option("--report", bench.report,
                        "also write a page with all figures and plots to this file");
  bench_app->add_flag("--summary", bench.summary,
                      "per paper: how many claims hold as published, and each with our figure");
  bench_app->add_option("--series", bench.series,
                        "also write the series of the papers' figures as CSV files to this folder");
  one_each(
      bench_app->add_option("-s,--set", bench.settings,
                            "change a setting of all runs, such as coupling.extrapolation=quadratic (may "
                            "be repeated); figures are then shown without expectations and claims"));
  bench_app->add_option("--with", bench.method,
                        "couple all runs so: a scheme, extrapolation, correction or feed-through mode, or "
                        "several joined by +, such as energy-leak+predict");
  CLI::Option* score =
      bench_app
          ->add_option("--score", bench.methods,
                       "one table of problems and methods, these beside the usual ones: error of motion, "
                       "error of energy, cost; with NAME: problems of these benchmarks")
          ->option_text("[METHOD ...]")
          ->expected(0, -1);
  bench_app->footer("\nExit code 1 if a figure misses its expectation.");

  ReportArguments report;
  CLI::App* report_app = app.add_subcommand(
      "report", "make one page of the results of a run: verdict, plots, energy, animation");
  report_app->add_option("DIR", report.folder, "folder that 'ergon run' has written, or its results.h5")
      ->required();
  report_app->add_option("-o,--out", report.file, "file of the page (default: DIR/report.html)");
  report_app->add_option("--from", report.window.from_s, "show the run from this time in s on");
  report_app->add_option("--to", report.window.to_s, "show the run up to this time in s");
  report_app->add_flag("--exact", report.exact, "keep all bits of all numbers (about twice as large)");
  report_app->footer("\nThe page is one file that opens in any browser, from disk and without network.");

  CompareArguments compare;
  CLI::App* compare_app =
      app.add_subcommand("compare", "compare runs with each other, or with a table of another tool");
  compare_app
      ->add_option("DIR", compare.runs, "result folders, HDF5 or CSV files; the last one is the reference")
      ->required();
  compare_app->add_option("--reference", compare.reference, "compare with this one instead of the last");
  compare_app
      ->add_option("--tolerance", compare.options.tolerance,
                   "largest error relative to the largest value; beyond: exit code 1")
      ->check(CLI::NonNegativeNumber);
  compare_app
      ->add_option("--absolute-tolerance", compare.options.absolute_tolerance,
                   "added to it, in the unit of the variable")
      ->check(CLI::NonNegativeNumber);
  one_each(compare_app->add_option("--variables", compare.options.variables,
                                   "only these: names with * and ? (may be repeated)"));
  one_each(compare_app->add_option(
      "--rename", compare.options.renamed,
      "theirs=ours: a column of the reference that has another name (may be repeated)"));
  compare_app->add_option("-o,--out", compare.file, "also write a page that shows the runs over each other");
  compare_app->add_option("--title", compare.title, "of the page");
  compare_app->add_flag("--exact", compare.exact, "keep all bits of all numbers in the page");
  compare_app->footer(
      "\nErrors are taken at the points of the run with fewer of them; the other one is interpolated.\n"
      "Exit code 1 with a tolerance where an error is beyond it, a variable is missing, or a run ends "
      "early.");

  InspectArguments inspect;
  CLI::App* inspect_app =
      app.add_subcommand("inspect", "show what an FMU or a system contains and which features it supports");
  inspect_app
      ->add_option("FILE", inspect.file,
                   "an FMU, a system (.ssp, .ssd, OspSystemStructure.xml) or a scenario")
      ->required();
  inspect_app->add_flag("--json", inspect.json, "as JSON");
  inspect_app->add_flag("--all", inspect.all, "list every variable");
  inspect_app->add_flag("--try", inspect.try_out,
                        "run it, to find out whether outputs follow inputs without a step");
  inspect_app->footer("\nNo code of the FMU is run unless --try is given.");

  std::string validated;
  CLI::App* validate_app =
      app.add_subcommand("validate", "check the description of an FMU against the standard");
  validate_app->add_option("FILE", validated, "an FMU")->required();

  RunSingleArguments single;
  CLI::App* single_app = app.add_subcommand("run-single", "run one FMU by itself");
  single_app->add_option("FILE", single.file, "an FMU")->required();
  single_app->add_option("-b,--begin-time,--start-time", single.start_time,
                         "start time in s (default: the FMU's own, or 0)");
  single_app->add_option("-e,--end-time,--stop-time", single.stop_time,
                         "end time in s (default: the FMU's own)");
  single_app->add_option("--step-size", single.step_size,
                         "communication step in s (default: the FMU's own, or 1e-3)");
  single_app->add_option(
      "--input", single.input,
      "CSV file with a column 'time' and one per input or tunable parameter; a repeated time is a jump");
  single_app->add_option("--time-column", single.time_column,
                         "name of its column with the times (default: 'time' or 't', in any case)");
  single_app->add_option(
      "--options", single.options,
      "file with lines such as 'StopTime, 2' (StartTime, StopTime, StepSize, OutputIntervalLength), as the "
      "FMI cross-check has them; other options win");
  one_each(single_app->add_option(
      "--record", single.record,
      "also record local variables and parameters: names with * and ? (may be repeated)"));
  single_app
      ->add_option("--check", single.check,
                   "check the motion by a run at another step size: auto, double, half or off")
      ->check(CLI::IsMember({"auto", "double", "half", "off"}));
  single_app
      ->add_option("--feedthrough", single.feedthrough,
                   "with which inputs outputs are read that follow them at once: stale (those of the step "
                   "that ended, as a plain FMI loop has them; the default without event mode), predict or "
                   "refresh (those of the point; the default in event mode and in model exchange)")
      ->check(CLI::IsMember({"stale", "predict", "refresh"}));
  single_app
      ->add_option("--interface", single.interface,
                   "of an FMU that has both: cs (co-simulation, the default) or me (model exchange)")
      ->check(CLI::IsMember({"cs", "me"}));
  single_app
      ->add_option("--tolerance", single.tolerance,
                   "relative tolerance of its integration (model exchange), or of the solver inside of it")
      ->check(CLI::PositiveNumber);
  one_each(single_app->add_option("-s,--set", single.settings,
                                  "name=value: a parameter, an input or a start value (may be repeated)"));
  single_app->add_option("-o,--out", single.output_directory,
                         "directory of the results (default: results/<FMU>)");
  single_app->add_flag("--isolate", single.isolate, "in a process of its own");
  single_app->add_flag("--keep-environment", single.keep_environment,
                       "that process receives all variables of the environment");
  single_app->add_flag("--sandbox", single.sandbox,
                       "as --isolate, without access to files and network as far as this kernel allows; "
                       "reports what it could restrict");
  single_app->add_flag("-q,--quiet", single.quiet, "print nothing but warnings and errors");

  ExportArguments exported;
  CLI::App* export_app =
      app.add_subcommand("export", "pack a native model or law as an FMU for co-simulation");
  export_app
      ->add_option("MODEL", exported.model,
                   "a native model or law ('ergon models' lists them), or a scenario (.toml)")
      ->required();
  export_app->add_option("--subsystem", exported.subsystem, "which subsystem or element of the scenario");
  export_app->add_option("--fmi", exported.fmi, "version of FMI: 2 or 3 (default)")
      ->check(CLI::IsMember({2, 3}));
  export_app->add_option("-o,--out", exported.file, "the FMU to write")->required();
  one_each(export_app->add_option(
      "-s,--set", exported.settings,
      "a parameter, an initial value or a key: m=2.5, initial.force=1, integrator.method=rk4 (of a "
      "scenario: instance.m=2.5; may be repeated)"));
  export_app->footer(
      "\nNothing is compiled: the FMU holds the library that came with this command and runs on any x86-64 "
      "Linux with\n"
      "the C library of this machine or a newer one. Parameters and initial values become parameters of the "
      "FMU.");

  RunArguments variables;
  CLI::App* variables_app =
      app.add_subcommand("variables",
                         "list inputs, outputs and parameters of all subsystems of a system, or what "
                         "results hold (a folder of 'ergon run', .h5 or .csv)");
  add_scenario_options(*variables_app, variables);

  ConvertArguments convert;
  CLI::App* convert_app =
      app.add_subcommand("convert", "turn a system into a TOML scenario or an .ssp archive");
  convert_app->add_option("FROM", convert.from, "a scenario (.toml), .ssp, .ssd or OspSystemStructure.xml")
      ->required();
  convert_app->add_option("TO", convert.to, "file to write: .toml or .ssp (SSP 2.0, FMUs inside)")
      ->required();
  convert_app->footer(
      "\nWhat SSP cannot say (power bonds, corrections, schemes, native models) is listed and kept in an "
      "annotation,\nwhich comes back when Ergon reads the archive.");

  StudyCommands studies;
  studies.add_to(app);

  app.add_subcommand("version", "print the version");

  refuse_unknown_command(app, argc, argv);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // CLI11 returns 0 for --help and --version; every misuse is 2.
    return app.exit(error) == 0 ? exit_done : exit_bad_input;
  }
  for (const std::string& file : plugins) load_plugin(file, {"--plugin " + file, 0, 0});
  if (const auto study = studies.run()) return *study;
  if (run_app->parsed()) return run_command(run);
  if (resume_app->parsed()) return resume_command(resume);
  if (branch_app->parsed()) return branch_command(branch);
  if (state_app->parsed()) return state_command(state);
  if (check_app->parsed()) return check_command(check);
  if (models_app->parsed()) return models_command(model);
  bench.scores = score->count() > 0;
  if (bench_app->parsed()) return bench_command(bench);
  if (report_app->parsed()) return report_command(report);
  if (compare_app->parsed()) return compare_command(compare);
  if (inspect_app->parsed()) return inspect_command(inspect);
  if (validate_app->parsed()) return validate_command(validated);
  if (single_app->parsed()) return run_single_command(single);
  if (export_app->parsed()) return export_command(exported);
  if (variables_app->parsed()) return variables_command(variables);
  if (convert_app->parsed()) return convert_command(convert);
  return version_command();
}

int exit_code_of(int argc, char** argv) {
  try {
    return dispatch(argc, argv);
  } catch (const InputError& error) {
    print_problems(error.problems());
    return exit_bad_input;
  } catch (const std::bad_alloc&) {
    emit(stderr, "error: there is not enough memory. Record fewer outputs, or make the system smaller.\n");
    return exit_run_failed;
  } catch (const std::exception& error) {
    emit(stderr, "error: {}\n", error.what());
    return exit_run_failed;
  }
}

}  // namespace
}  // namespace ergon::app

int ergon::command_line(int argc, char** argv) {
  ergon::app::occupy_standard_descriptors();
  // FMUs in processes of their own: `ergon-worker`, or this command again where somebody has copied nothing else.
  if (argc > 1 && std::strcmp(argv[1], ergon::fmi::worker_argument) == 0) ergon::fmi::run_worker();
  ergon::fmi::set_own_worker();
  // A file beyond the limit of its size (ulimit -f) is an error of write(2) like a full disk, and so is a pipe without a reader.
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  ergon::app::catch_exits_of_fmus();
  const int exit_code = ergon::app::end_after_exits(ergon::app::exit_code_of(argc, argv));
  const std::string error = ergon::app::output_error();
  if (error.empty()) return exit_code;
  ergon::app::emit(stderr, "error: standard output cannot be written: {}\n", error);
  return exit_code == ergon::app::exit_done ? ergon::app::exit_run_failed : exit_code;
}
