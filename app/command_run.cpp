#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "commands.hpp"
#include "emit.hpp"
#include "ergon/fmi/instance/call_guard.hpp"
#include "ergon/fmi/instance/fmu_log.hpp"
#include "ergon/run/motion/accuracy_runs.hpp"
#include "ergon/run/motion/motion_checker.hpp"
#include "ergon/run/record/output_directory.hpp"
#include "ergon/run/simulation.hpp"
#include "ergon/run/terminal/interrupt.hpp"
#include "ergon/run/terminal/progress.hpp"
#include "ergon/scenario/systems/propose_bonds.hpp"
#include "line_mender.hpp"
#include "run_to_end.hpp"

namespace ergon::app {
namespace {

void print_verdict(std::FILE* stream, const Verdict& verdict) {
  emit(stream, "verdict: {}\n", name_of(verdict.value));
  for (const VerdictReason& reason : verdict.reasons) emit(stream, "  {}\n", reason.what);
  if (!verdict.advice.empty()) emit(stream, "  try {}\n", verdict.advice);
}

/// The estimated error of every variable, the one that exceeds its accuracy most first.
void print_errors(const Motion& motion) {
  if (!motion.checked) return;
  std::vector<const VariableMotion*> variables;
  std::size_t width = 0;
  for (const VariableMotion& v : motion.variables) {
    variables.push_back(&v);
    width = std::max(width, v.name.size());
  }
  std::stable_sort(variables.begin(), variables.end(), [](const VariableMotion* a, const VariableMotion* b) {
    return a->excess.value_or(-1.0) > b->excess.value_or(-1.0);
  });
  emit("error per variable (largest, of half the range, accuracy, when):\n");
  for (const VariableMotion* v : variables) {
    const std::string ratio = v->ratio ? fmt::format("{:.2g} %", 100.0 * *v->ratio) : "at rest";
    emit("  {:<{}}  {:>10.3g} {:<6} {:>10}  {:>8}  {:.4g} s\n", v->name, width, v->largest_error, v->unit,
         ratio, v->judged ? v->accuracy.text() : "any", v->at_s);
  }
}

constexpr std::size_t most_bonds_shown = 10;

/// Above this share of what was exchanged a bond has a line of its own.
constexpr double shown_share = 0.01;

double made_or_lost_J(const BondSummary& bond) {
  return std::abs(bond.imbalance_energy_J.value_or(bond.interface_energy_J));
}

/// Bonds that a reason of the verdict names, or that have made or lost energy worth a line; the worst first.
std::vector<BondSummary> noteworthy(const Summary& summary) {
  std::vector<BondSummary> bonds;
  for (const BondSummary& bond : summary.bonds) {
    const std::vector<VerdictReason>& reasons = summary.verdict->reasons;
    const bool is_named = std::any_of(reasons.begin(), reasons.end(), [&](const VerdictReason& reason) {
      return reason.bond == bond.name &&
             (reason.says == VerdictValue::doubtful || reason.says == VerdictValue::unreliable);
    });
    if (is_named || made_or_lost_J(bond) > shown_share * bond.exchanged_energy_J) bonds.push_back(bond);
  }
  std::stable_sort(bonds.begin(), bonds.end(), [](const BondSummary& a, const BondSummary& b) {
    return made_or_lost_J(a) > made_or_lost_J(b);
  });
  return bonds;
}

/// Rounding of sums that are so much larger is zero.
std::string joules(double energy_J, double scale_J) {
  constexpr double rounding = 1e-12;
  return fmt::format("{:.6g} J", std::abs(energy_J) <= rounding * std::abs(scale_J) ? 0.0 : energy_J);
}

std::string counted(std::size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string size_text(double bytes) {
  const char* const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  for (; bytes >= 1000.0 && unit + 1 < std::size(units); ++unit) bytes /= 1000.0;
  return fmt::format("about {:.2g} {}", bytes, units[unit]);
}

void print_bonds(const Summary& summary, bool all) {
  const std::vector<BondSummary> bonds = all ? summary.bonds : noteworthy(summary);
  const std::size_t shown = all ? bonds.size() : std::min(bonds.size(), most_bonds_shown);
  for (std::size_t i = 0; i < shown; ++i) {
    const BondSummary& b = bonds[i];
    emit("bond {}: exchanged {:.6g} J, interface energy {}{}\n", b.name, b.exchanged_energy_J,
         joules(b.interface_energy_J, b.exchanged_energy_J),
         b.imbalance_energy_J
             ? fmt::format(", exact imbalance {}", joules(*b.imbalance_energy_J, b.exchanged_energy_J))
             : "");
  }
  if (shown < bonds.size()) emit("and {} (all: --verbose)\n", counted(bonds.size() - shown, "more bond"));
  const std::size_t others = summary.bonds.size() - bonds.size();
  if (others > 0)
    emit("{} made or lost at most {:.0f} % of the exchanged energy (all: --verbose)\n",
         counted(others, bonds.empty() ? "bond" : "other bond"), 100.0 * shown_share);
}

void print_summary(const Summary& summary, const std::filesystem::path& directory, bool all_bonds) {
  emit("{} s simulated in {:.3g} s, {} communication points.\n",
       summary.reached_time_s - summary.start_time_s, summary.wall_time_s, summary.points);
  if (summary.last_step_clamped) emit("The last step of some subsystem was shortened to end with the run.\n");
  print_bonds(summary, all_bonds);
  if (summary.step_control) {
    const StepControlRecord& c = *summary.step_control;
    emit("steps: {} windows from {:.3g} s to {:.3g} s, {} repeated, {} beyond the tolerance\n", c.accepted,
         c.shortest_s, c.longest_s, c.rejected, c.forced);
  }
  if (summary.implicit && summary.implicit->steps > 0) {
    const ImplicitRecord& i = *summary.implicit;
    emit(
        "coupling variables: {}; {:.3g} integrations of subsystems per step, at most {} iterations, "
        "residual at most {:.2g} of their size\n",
        i.unknowns, static_cast<double>(i.integrations) / static_cast<double>(i.steps), i.most_iterations,
        i.largest_residual);
  }
  if (summary.energy) {
    const auto& energy = *summary.energy;
    const double scale_J = std::max({std::abs(energy.initial_stored_J), std::abs(energy.final_stored_J),
                                     std::abs(energy.dissipated_J), std::abs(energy.supplied_J)});
    emit("energy: stored {} at the start, {} at the end, {} dissipated",
         joules(energy.initial_stored_J, scale_J), joules(energy.final_stored_J, scale_J),
         joules(energy.dissipated_J, scale_J));
    if (energy.supplied_J != 0.0) emit(", {} supplied", joules(energy.supplied_J, scale_J));
    emit("\n");
  }
  emit("results in {}\n", directory.string());
}

int exit_code(const Summary& summary, bool strict) {
  switch (summary.status) {
    case RunStatus::finished:
    case RunStatus::ended:
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

/// Of a run that is repeated with smaller steps until it is as accurate as was asked for: which of them this is.
struct RepeatedRuns {
  int run = 1;
  bool wants_accuracy = false;
};

/// As checkpoints keep it.
std::string text_of(const RepeatedRuns& runs) {
  return fmt::format("{}{}", runs.run, runs.wants_accuracy ? " accuracy" : "");
}

RepeatedRuns repeated_runs(const std::string& text) {
  return {std::max(1, std::atoi(text.c_str())), text.find("accuracy") != std::string::npos};
}

/// As asked for; by default where they can be had.
void keep_checkpoints(Simulation& simulation, const RunArguments& arguments, const RepeatedRuns& runs,
                      bool says_why_not) {
  const CheckpointArguments& wanted = arguments.checkpoints;
  if (wanted.off) return;
  CheckpointOptions options;
  options.caller = text_of(runs);
  if (wanted.every_s) options.every = std::chrono::duration<double>(*wanted.every_s);
  for (const std::string& time : wanted.at_s) options.at_s.emplace_back(time, time_of_checkpoint(time));
  const bool asked_for = wanted.every_s || !wanted.at_s.empty();
  if (const auto why_not = simulation.why_no_checkpoints(); why_not && !asked_for) {
    if (says_why_not && !arguments.quiet) emit("no checkpoints: {}\n", *why_not);
    return;
  }
  simulation.keep_checkpoints(std::move(options));
}

}  // namespace

Rational time_of_checkpoint(const std::string& text) {
  if (const auto time_s = Rational::parse(text)) return *time_s;
  throw InputError({}, fmt::format("'{}' is not a time in s.", text),
                   "Write --checkpoint-at 2.5,5 for example.");
}

int run_command(const RunArguments& arguments) {
  const auto shown_directory = arguments.output_directory ? std::filesystem::path(*arguments.output_directory)
                                                          : default_output_directory(arguments.scenario);
  // From the start: an FMU may change the working folder.
  const auto directory = std::filesystem::absolute(shown_directory);
  if (arguments.report) require_pages();
  // A process is best forked before there are threads: those of a scenario are started with its engine.
  const LineMender mender(directory, LineMender::result_files());
  Simulation simulation(arguments.scenario, arguments.overrides);
  if (arguments.strict) simulation.refuse_warnings();
  simulation.start();
  if (arguments.strict) simulation.refuse_warnings();
  print_problems(arguments.made_for.empty()
                     ? simulation.problems()
                     : relocated(simulation.problems(), arguments.scenario, arguments.made_for));
  // What somebody has asked for by name is told where it is had, too.
  for (const Problem& p : simulation.problems().all()) {
    if (!arguments.quiet && p.severity == Severity::note && p.what.rfind("Sandbox of", 0) == 0)
      emit(stderr, "{}\n", p.what);
  }
  return run_to_end(simulation, arguments, mender, directory, shown_directory, nullptr);
}

int run_to_end(Simulation& simulation, const RunArguments& arguments, const LineMender& mender,
               const std::filesystem::path& directory, const std::filesystem::path& shown_directory,
               const Checkpoint* from) {
  const InterruptGuard guard;
  const RepeatedRuns before = from != nullptr ? repeated_runs(from->caller) : RepeatedRuns{};
  const bool wants_accuracy = arguments.overrides.accuracy || before.wants_accuracy;
  for (int run = before.run;; ++run) {
    const bool goes_on = from != nullptr && run == before.run;
    simulation.check_motion(MotionCheck::automatic);
    simulation.write_to(directory, goes_on ? Results::continued : Results::anew);
    if (run == before.run) mender.take_over();
    fmi::FmuLog::instance().write_to(directory / "fmu.log");
    Progress progress(arguments.quiet ? ProgressMode::off : *progress_mode(arguments.progress));
    simulation.observe(progress);
    keep_checkpoints(simulation, arguments, {run, wants_accuracy}, run == before.run);
    if (goes_on) simulation.go_on(*from);
    for (const auto& [parameter, value] : arguments.from_here) simulation.set_parameter(parameter, value);
    simulation.run([] { return interrupted() ? std::optional(StopReason::interrupted) : std::nullopt; });
    for (const std::string& error : simulation.checkpoint_errors()) emit(stderr, "warning: {}.\n", error);
    const std::optional<Rational> factor = wants_accuracy ? wanted_step_factor(simulation) : std::nullopt;
    if (factor && run == max_accuracy_runs)
      emit(stderr, "warning: the accuracy is missed after {} runs.\n", run);
    if (!factor || run == max_accuracy_runs) break;
    if (!arguments.quiet) {
      emit("run {}: {}\n", run, motion_sentence(simulation.motion()));
      emit("run {} of at most {}: {}\n", run + 1, max_accuracy_runs,
           simulation.motion().controlled
               ? std::string("a tenth of the tolerance")
               : fmt::format("all step sizes divided by {}", factor->denominator()));
    }
    simulation = simulation.with_steps(*factor);
  }
  const RunOutcome& outcome = simulation.outcome();

  fmi::FmuLog::instance().finish();
  const Summary& summary = simulation.summary();
  if (outcome.status == RunStatus::ended) {
    emit(stderr, "ended by '{}' at t = {} s: {}.\n", outcome.failure->subsystem, outcome.reached_time_s,
         outcome.failure->what);
    if (!arguments.quiet) print_summary(summary, shown_directory, arguments.verbose);
  } else if (outcome.failure) {
    emit(stderr, "error: '{}' failed at t = {} s: {}. Results up to t = {} s are in {}.\n",
         outcome.failure->subsystem, outcome.failure->time_s, outcome.failure->what, outcome.reached_time_s,
         shown_directory.string());
  } else if (outcome.status == RunStatus::interrupted) {
    emit(stderr, "interrupted at t = {} s; results up to there are in {}.\n", outcome.reached_time_s,
         shown_directory.string());
  } else if (outcome.status == RunStatus::stopped) {
    emit(stderr, "stopped as unreliable at t = {} s; results up to there are in {}.\n",
         outcome.reached_time_s, shown_directory.string());
  } else if (!arguments.quiet) {
    print_summary(summary, shown_directory, arguments.verbose);
  }
  if (arguments.report) {
    const std::filesystem::path page = write_report({shown_directory.string()});
    if (!arguments.quiet) emit("report: {}\n", page.string());
  }
  for (const std::string& error : simulation.write_errors()) emit(stderr, "error: {}\n", error);
  // The verdict is last: what is read first in a terminal.
  if (!arguments.quiet) {
    if (arguments.verbose) print_errors(simulation.motion());
    const bool is_over = outcome.status == RunStatus::finished || outcome.status == RunStatus::ended;
    print_verdict(is_over ? stdout : stderr, simulation.verdict());
  } else if (simulation.verdict().value == VerdictValue::unreliable && outcome.status != RunStatus::failed) {
    emit(stderr, "warning: the results are unreliable: {}.\n", simulation.verdict().reasons.front().what);
  }
  return simulation.write_errors().empty() ? exit_code(summary, arguments.strict) : exit_run_failed;
}

namespace {

/// Power bonds that connections between FMUs may be, as TOML to paste.
void print_proposed_bonds(const std::string& scenario) {
  ProblemList reported_before;
  const auto system = load_document(scenario, reported_before);
  if (!system) return;
  const auto bonds = propose_bonds(*system, base_directory_of(scenario));
  if (bonds.empty()) return;
  emit(
      "\n{} may be power bonds, whose energy balance would be monitored. Check which way power is positive, "
      "then\ntake them with --bonds, or write them into a TOML scenario instead of the connections:\n\n{}",
      counted(bonds.size(), "pair") + " of connections", bonds_as_toml(bonds, *system));
}

}  // namespace

int check_command(const RunArguments& arguments) {
  Simulation simulation(arguments.scenario, arguments.overrides);
  const auto failure = simulation.start();
  if (arguments.strict) simulation.refuse_warnings();
  print_problems(simulation.problems(), true);
  if (failure) {
    emit(stderr, "error: '{}' cannot start: {}\n", failure->subsystem, failure->what);
    return exit_run_failed;
  }
  if (fmi::CallGuard::has_caught()) {  // of a trial, which decides nothing else
    emit(stderr, "error: {}.\n", fmi::CallGuard::report());
    return exit_run_failed;
  }
  const CoupledSystem& system = simulation.system();
  const TimeGrid& grid = simulation.engine().grid();
  const auto elements = static_cast<std::size_t>(std::count_if(
      system.nodes.begin(), system.nodes.end(), [](const Node& n) { return n.description->algebraic; }));
  emit("{}: {}, {}, {}, {}; {} of {} s. No problems found.\n", arguments.scenario,
       counted(system.nodes.size() - elements, "subsystem"), counted(elements, "element"),
       counted(system.outputs.size(), "output"), counted(system.bonds.size(), "bond"),
       counted(static_cast<std::size_t>(grid.end()), "tick"), grid.tick_s().text());
  const std::size_t shown = std::min(system.bonds.size(), most_bonds_shown);
  for (std::size_t i = 0; i < shown; ++i) {
    const PowerBond& bond = system.bonds[i];
    emit("  bond {}: {} gives the effort, {} the flow\n", bond.name, system.nodes[bond.effort_node].name,
         system.nodes[bond.flow_node].name);
  }
  if (shown < system.bonds.size()) emit("  and {}\n", counted(system.bonds.size() - shown, "more bond"));
  emit("results: {}\n", size_text(simulation.expected_file_bytes()));
  if (!arguments.overrides.bonds) print_proposed_bonds(arguments.scenario);
  return exit_done;
}

}  // namespace ergon::app
