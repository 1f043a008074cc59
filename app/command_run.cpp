#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "commands.hpp"
#include "ergon/coupling/engine.hpp"
#include "ergon/coupling/schemes/scheme.hpp"
#include "ergon/run/record/bonds_recorder.hpp"
#include "ergon/run/record/line_mender.hpp"
#include "ergon/run/record/output_directory.hpp"
#include "ergon/run/record/results_recorder.hpp"
#include "ergon/run/run.hpp"
#include "ergon/run/summary/summary_observer.hpp"
#include "ergon/run/summary/verdict_observer.hpp"
#include "ergon/run/terminal/interrupt.hpp"
#include "ergon/run/terminal/progress.hpp"
#include "ergon/scenario/build/build_graph.hpp"
#include "ergon/scenario/write/resolved_scenario.hpp"

namespace ergon::app {
namespace {

/// A scenario that is ready to run: nothing is wrong with it, and nothing has been written yet.
struct Prepared {
  Scenario scenario;
  BuiltScenario built;
  std::unique_ptr<Engine> engine;
  ProblemList problems;  ///< warnings
};

Prepared prepare(const RunArguments& arguments) {
  Prepared p{{}, {nullptr, TimeGrid(0.0, Rational(1, 1), {}), {}, {}, {}}, nullptr, {}};
  p.scenario = load_scenario(arguments.system, arguments.overrides, p.problems);
  auto built = build_graph(p.scenario, p.problems);
  if (p.problems.has_errors() || !built) throw InputError(p.problems);
  p.built = std::move(*built);
  if (arguments.threads) p.built.coupling.threads = *arguments.threads;
  p.engine = std::make_unique<Engine>(*p.built.system, p.built.grid, p.built.coupling, p.problems);
  if (p.problems.has_errors()) throw InputError(p.problems);
  return p;
}

void refuse_warnings(const ProblemList& problems, bool strict) {
  if (!strict || !problems.has_warnings()) return;
  ProblemList as_errors;
  for (const Problem& p : problems.all()) {
    if (p.severity == Severity::warning) as_errors.error(p.where, p.what, p.remedy);
  }
  throw InputError(as_errors);
}

void write_text(const std::filesystem::path& file, const std::string& text) {
  std::ofstream stream(file);
  stream << text;
  if (!stream.flush()) throw std::runtime_error(fmt::format("could not write '{}'", file.string()));
}

IntervalGate make_gate(const BuiltScenario& built) {
  return built.output_interval_s ? IntervalGate::seconds(*built.output_interval_s, built.grid)
                                 : IntervalGate{};
}

VerdictOptions verdict_options(const Prepared& p) {
  return {.sequential = find_scheme(p.built.coupling.scheme)->visible_at_once,
          .watch = p.scenario.simulation.on_unreliable == OnUnreliable::stop};
}

void print_verdict(std::FILE* stream, const Verdict& verdict) {
  fmt::print(stream, "verdict: {}\n", name_of(verdict.value));
  for (const VerdictReason& reason : verdict.reasons) fmt::print(stream, "  {}\n", reason.what);
}

void print_summary(const Summary& summary, const std::filesystem::path& directory) {
  fmt::print("{} s simulated in {:.3g} s, {} communication points.\n",
             summary.reached_time_s - summary.start_time_s, summary.wall_time_s, summary.points);
  if (summary.last_step_clamped)
    fmt::print("The last step of some subsystem was shortened to end with the run.\n");
  for (const BondSummary& b : summary.bonds) {
    fmt::print("bond {}: exchanged {:.6g} J, interface energy {:.6g} J{}\n", b.name, b.exchanged_energy_J,
               b.interface_energy_J,
               b.imbalance_energy_J ? fmt::format(", exact imbalance {:.6g} J", *b.imbalance_energy_J) : "");
  }
  if (summary.step_control) {
    const StepControlRecord& c = *summary.step_control;
    fmt::print("steps: {} windows from {:.3g} s to {:.3g} s, {} repeated, {} beyond the tolerance\n",
               c.accepted, c.shortest_s, c.longest_s, c.rejected, c.forced);
  }
  if (summary.implicit && summary.implicit->steps > 0) {
    const ImplicitRecord& i = *summary.implicit;
    fmt::print(
        "coupling variables: {}; {:.3g} integrations of subsystems per step, at most {} iterations, "
        "residual at most {:.2g} of their size\n",
        i.unknowns, static_cast<double>(i.integrations) / static_cast<double>(i.steps), i.most_iterations,
        i.largest_residual);
  }
  if (summary.energy) {
    fmt::print("energy: stored {:.6g} J at the start, {:.6g} J at the end, {:.6g} J dissipated\n",
               summary.energy->initial_stored_J, summary.energy->final_stored_J,
               summary.energy->dissipated_J);
  }
  fmt::print("results in {}\n", directory.string());
}

int exit_code(const Summary& summary, bool strict) {
  switch (summary.status) {
    case RunStatus::finished:
      return strict && summary.verdict->value == VerdictValue::unreliable ? exit_unreliable : exit_done;
    case RunStatus::interrupted:
      return exit_interrupted;
    case RunStatus::stopped:
      return exit_unreliable;
    case RunStatus::failed:
      break;
  }
  return exit_run_failed;
}

}  // namespace

int run_command(const RunArguments& arguments) {
  Prepared p = prepare(arguments);
  refuse_warnings(p.problems, arguments.strict);
  const auto directory = arguments.output_directory ? std::filesystem::path(*arguments.output_directory)
                                                    : default_output_directory(arguments.system);
  // Everything that can be wrong with the start is found before the first file is written.
  ProblemList at_start;
  const auto failure = p.engine->initialize(at_start);
  if (at_start.has_errors()) throw InputError(at_start);
  refuse_warnings(at_start, arguments.strict);
  print_problems(p.problems);
  print_problems(at_start);

  prepare_output_directory(directory);
  write_text(directory / "scenario.toml", resolved_toml(p.scenario, ERGON_VERSION));
  const LineMender mender({directory / "results.csv", directory / "bonds.csv"});
  ResultsRecorder results(directory / "results.csv", *p.built.system, p.built.recorded, make_gate(p.built));
  BondsRecorder bonds(directory / "bonds.csv", *p.built.system, make_gate(p.built),
                      {p.engine->corrected_bonds(), p.built.coupling.step_control.has_value(),
                       p.engine->record().implicit_steps() != nullptr});
  SummaryObserver summary_observer(*p.built.system, make_gate(p.built));
  VerdictObserver verdict_observer(verdict_options(p));
  Progress progress(arguments.quiet ? ProgressMode::off : *progress_mode(arguments.progress));
  Observer* const observers[] = {&results, &bonds, &summary_observer, &verdict_observer, &progress};

  const InterruptGuard guard;
  RunOutcome outcome = run_from_start(*p.engine, failure, observers,
                                      [&] { return interrupted() || verdict_observer.unreliable_so_far(); });
  if (outcome.status == RunStatus::interrupted && !interrupted()) outcome.status = RunStatus::stopped;

  Summary summary = summary_observer.summary(outcome);
  summary.verdict = verdict_observer.verdict(outcome);
  summary.ergon_version = ERGON_VERSION;
  for (const ProblemList* list : {&p.problems, &at_start}) {
    for (const Problem& problem : list->all()) {
      if (problem.severity == Severity::warning) summary.warnings.push_back(to_string(problem));
    }
  }
  std::vector<std::string> write_errors;
  for (const CsvRecorder* recorder :
       {static_cast<CsvRecorder*>(&results), static_cast<CsvRecorder*>(&bonds)}) {
    if (recorder->error()) write_errors.push_back(*recorder->error());
  }
  if (const auto error = write_summary(directory / "summary.json", summary)) write_errors.push_back(*error);

  if (outcome.failure) {
    fmt::print(stderr, "error: '{}' failed at t = {} s: {}. Results up to t = {} s are in {}.\n",
               outcome.failure->subsystem, outcome.failure->time_s, outcome.failure->what,
               outcome.reached_time_s, directory.string());
  } else if (outcome.status == RunStatus::interrupted) {
    fmt::print(stderr, "interrupted at t = {} s; results up to there are in {}.\n", outcome.reached_time_s,
               directory.string());
  } else if (outcome.status == RunStatus::stopped) {
    fmt::print(stderr, "stopped as unreliable at t = {} s; results up to there are in {}.\n",
               outcome.reached_time_s, directory.string());
  } else if (!arguments.quiet) {
    print_summary(summary, directory);
  }
  if (!arguments.quiet) {
    print_verdict(outcome.status == RunStatus::finished ? stdout : stderr, *summary.verdict);
  } else if (summary.verdict->value == VerdictValue::unreliable && !outcome.failure) {
    fmt::print(stderr, "warning: the results are unreliable: {}.\n", summary.verdict->reasons.front().what);
  }
  for (const std::string& error : write_errors) fmt::print(stderr, "error: {}\n", error);
  return write_errors.empty() ? exit_code(summary, arguments.strict) : exit_run_failed;
}

int check_command(const RunArguments& arguments) {
  Prepared p = prepare(arguments);
  const auto failure = p.engine->initialize(p.problems);
  if (p.problems.has_errors()) throw InputError(p.problems);
  refuse_warnings(p.problems, arguments.strict);
  print_problems(p.problems, true);
  if (failure) {
    fmt::print(stderr, "error: '{}' cannot start: {}\n", failure->subsystem, failure->what);
    return exit_run_failed;
  }
  const CoupledSystem& system = *p.built.system;
  fmt::print("{}: {} subsystems and elements, {} outputs, {} bonds; {} ticks of {} s. Nothing is wrong.\n",
             arguments.system, system.nodes.size(), system.outputs.size(), system.bonds.size(),
             p.built.grid.end(), p.built.grid.tick_s().text());
  for (const PowerBond& bond : system.bonds) {
    fmt::print("  bond {}: {} gives the effort, {} the flow\n", bond.name,
               system.nodes[bond.effort_node].name, system.nodes[bond.flow_node].name);
  }
  return exit_done;
}

}  // namespace ergon::app
