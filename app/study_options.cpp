#include "study_options.hpp"

namespace ergon::app {
namespace {

void add_common_options(CLI::App& command, StudyArguments& arguments, const char* default_folder) {
  command.add_option("-o,--out", arguments.run.output_directory,
                     std::string("directory of the results (default: ") + default_folder + ")");
  command
      .add_option("-j,--jobs", arguments.jobs, "runs at a time (default: as many as there are processors)")
      ->check(CLI::Range(1U, 1024U));
  command
      .add_option("--workers", arguments.workers,
                  "threads, processes, or auto (default): threads where all models are built in, else "
                  "processes, so that "
                  "an FMU that crashes ends one run")
      ->check(CLI::IsMember({"auto", "threads", "processes"}));
  command.add_flag("--restart", arguments.restart,
                   "forget what was done before, instead of going on from there");
  command.add_flag("!--no-report", arguments.report, "write no report.html");
  command.add_option("--progress", arguments.run.progress, "auto, bar, machine or off")
      ->check(CLI::IsMember({"auto", "bar", "machine", "off"}));
  command.add_flag("-q,--quiet", arguments.run.quiet, "print nothing but warnings and errors");
}

}  // namespace

void StudyCommands::add_to(CLI::App& app) {
  sweep_app_ =
      app.add_subcommand("sweep", "run a system many times with other settings, and tabulate the outcomes");
  CLI::Option* const scenario = add_scenario_options(*sweep_app_, sweep_.run);
  scenario->required(false);
  sweep_app_->add_option("--study", sweep_.file, "TOML file with the system, what varies and the measures")
      ->check(CLI::ExistingFile);
  one_each(sweep_app_->add_option(
      "--vary", sweep_.vary,
      "PATH=VALUES: 0.01,0.1,1 or lin(a,b,n), log(a,b,n), uniform(a,b), loguniform(a,b), "
      "normal(mean,deviation), "
      "lognormal(mean,deviation), csv(FILE,COLUMN); PATH as for --set (may be repeated)"));
  one_each(sweep_app_->add_option(
      "--measure", sweep_.measures,
      "NAME=FUNCTION(FORMULA): max min range mean rms integral initial final of a formula of outputs, "
      "value(x, t=3), first(x>1), last, duration, settling(x, band=0.02), overshoot(x) (may be repeated)"));
  one_each(sweep_app_->add_option(
      "--bands", sweep_.bands,
      "outputs whose quantiles over all runs are plotted over time; * and ? (may be repeated)"));
  sweep_app_
      ->add_option("--plan", sweep_.plan,
                   "cartesian (every value with every other), zip, random, lhs (Latin hypercube), sobol, or "
                   "saltelli (for Sobol "
                   "indices: samples x (settings + 2) runs)")
      ->check(CLI::IsMember({"cartesian", "zip", "random", "lhs", "sobol", "saltelli"}));
  sweep_app_->add_option("--samples", sweep_.samples, "how many runs a plan draws")
      ->check(CLI::PositiveNumber);
  sweep_app_->add_option("--seed", sweep_.seed, "of what is drawn (default 1)");
  sweep_app_
      ->add_option("--check", sweep_.check,
                   "estimate the error of every run by a check run: auto (default), double, half or off")
      ->check(CLI::IsMember({"auto", "double", "half", "off"}));
  sweep_app_->add_option("--timeout", sweep_.timeout_s, "longest wall time of one run in s")
      ->check(CLI::PositiveNumber);
  sweep_app_->add_flag("--keep", sweep_.keep, "keep the files and the report of every run, in runs/NUMBER");
  sweep_app_->add_option("--part", sweep_.part, "only a part of the runs, such as 2/4, for batch systems");
  sweep_app_->add_option(
      "--merge", sweep_.merged,
      "make one table of these folders of parts, with the arguments that they were made with");
  add_common_options(*sweep_app_, sweep_, "results/<scenario>-sweep");
  sweep_app_->footer(
      "\nWrites runs.csv (one row per run: settings, status, verdict, error, energies, measures), costs.csv, "
      "study.json, bands.csv "
      "and report.html.\nA run that fails is a row. A sweep that was interrupted or killed goes on when the "
      "same command is repeated.");

  converge_app_ = app.add_subcommand(
      "converge", "find the order of convergence, the error and the step size for a wanted accuracy");
  add_scenario_options(*converge_app_, converge_.run);
  converge_app_->add_option("--levels", converge_.levels, "how many step sizes: H, H/2, H/4 ... (default 5)")
      ->check(CLI::Range(3U, 20U));
  one_each(
      converge_app_->add_option("--variables", converge_.variables,
                                "only these outputs; * and ? (may be repeated; default: those recorded)"));
  converge_app_->add_flag("--no-subsystems", converge_.no_subsystems,
                          "do not halve the steps of the subsystems one by one");
  converge_app_->add_option("--accuracy", converge_.accuracy,
                            "wanted accuracy relative to half the range (default 1%)");
  converge_app_->add_flag("--json", converge_.json, "print converge.json instead of a table");
  add_common_options(*converge_app_, converge_, "results/<scenario>-converge");
  converge_app_->footer(
      "\nH are the steps of the scenario, or of --step-size. Writes converge.json and report.html.\nExit "
      "code 1 if fewer than three step "
      "sizes give a result.");
}

std::optional<int> StudyCommands::run() const {
  if (sweep_app_->parsed()) return sweep_command(sweep_);
  if (converge_app_->parsed()) return converge_command(converge_);
  return std::nullopt;
}

}  // namespace ergon::app
