#include "benchmarks/gonzalez2019/leak_run.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "benchmarks/framework/run_changes.hpp"
#include "benchmarks/gonzalez2019/energy_leak_program.hpp"
#include "ergon/run/simulation.hpp"

namespace ergon::bench {
namespace {

void follow_program(const LeakRun& run, const std::function<void(const LeakRunPoint&)>& at_point) {
  if (run.method != LeakMethod::none && run.method != LeakMethod::energy_leak)
    throw std::logic_error("the published program knows one method only");
  EnergyLeakSettings settings;
  settings.problem = run.problem;
  settings.H1_s = run.H1_s;
  settings.H2_s = run.H2_s;
  settings.linear = run.extrapolation == "linear";
  settings.limit = run.method == LeakMethod::energy_leak ? run.limit.value_or(LeakRun::published_limit) : 0.0;
  settings.clock = ProgramClock::floating_point;
  const auto steps_of_mass2 = static_cast<std::size_t>(std::lround(run.H1_s / run.H2_s));
  double initial_J = 0.0;
  run_energy_leak_program(settings, LeakRun::duration_s, [&](std::size_t j, const EnergyLeakPoint& now) {
    if (j == 0) initial_J = now.stored_J;
    const std::size_t arrived = j * steps_of_mass2 + (now.ahead ? 1 : 0);
    at_point({j, now.z, now.stored_J, now.dissipated_J, now.stored_J + now.dissipated_J - initial_J,
              now.force_N, arrived > 0 ? arrived - 1 : 0});
  });
}

void follow_engine(const std::filesystem::path& scenario, const LeakRun& run,
                   const std::function<void(const LeakRunPoint&)>& at_point) {
  Simulation simulation(scenario, with_changes(scenario, overrides_of(run)));
  const std::array<Index, 4> outputs = {
      simulation.output("left.position"), simulation.output("right.position"),
      simulation.output("left.velocity"), simulation.output("right.velocity")};
  const Index force = simulation.system().find_input("right.force").value();
  const auto steps_of_mass2 = static_cast<std::size_t>(std::lround(run.H1_s / run.H2_s));
  std::vector<EnergyRecord> energies(simulation.system().nodes.size());
  std::size_t micro = 0;  // communication points are those of mass 2: its step is the smaller one
  double initial_J = 0.0;
  const auto failure = simulation.for_each_point([&](const StepRecord& record) {
    const std::size_t k = micro++;
    if (k % steps_of_mass2 != 0) return;
    LeakRunPoint now;
    now.j = k / steps_of_mass2;
    for (std::size_t i = 0; i < outputs.size(); ++i) now.z[i] = record.output(outputs[i]);
    record.energies(energies);
    for (const EnergyRecord& energy : energies) {
      now.stored_J += energy.stored_J;
      now.dissipated_J += energy.dissipated_J;
    }
    if (now.j == 0) initial_J = now.stored_J;
    const BondRecord& bond = record.bonds()[0];
    now.balance_J = bond.has_leaks ? bond.group_leak_J : now.stored_J + now.dissipated_J - initial_J;
    now.force_N = record.applied_input(force);
    now.force_micro = k > 0 ? k - 1 : 0;
    at_point(now);
  });
  if (failure) throw std::runtime_error(failure->what);
}

}  // namespace

std::string name_of(LeakMethod method) {
  switch (method) {
    case LeakMethod::energy_leak:
      return "energy-leak";
    case LeakMethod::improved:
      return "improved";
    case LeakMethod::refresh:
      return "refresh";
    default:
      return "none";
  }
}

std::vector<std::string> overrides_of(const LeakRun& run) {
  const TwoMassOscillator& p = run.problem;
  std::vector<std::string> set;
  const auto add = [&](const char* key, double value) { set.push_back(fmt::format("{}={}", key, value)); };
  add("left.step_size", run.H1_s);
  add("right.step_size", run.H2_s);
  add("left.m", p.m1);
  add("left.k", p.k1);
  add("left.c", p.c1);
  add("left.kc", p.kc);
  add("left.cc", p.cc);
  add("right.m", p.m2);
  add("right.k", p.k2);
  add("right.c", p.c2);
  add("left.x", p.z0[0]);
  add("right.x", p.z0[1]);
  add("left.v", p.z0[2]);
  add("right.v", p.z0[3]);
  set.push_back(fmt::format("bond.coupling.extrapolation={}", run.extrapolation));
  const char* feedthrough = "stale";
  if (run.method == LeakMethod::improved) feedthrough = "predict";
  if (run.method == LeakMethod::refresh) feedthrough = "refresh";
  set.push_back(fmt::format("bond.coupling.feedthrough={}", feedthrough));
  std::string correction = "method=\"none\"";
  if (run.method == LeakMethod::energy_leak) {
    correction = fmt::format("method=\"energy-leak\",limit={}", run.limit.value_or(LeakRun::published_limit));
  } else if (run.method == LeakMethod::improved) {
    correction = "method=\"energy-leak\"";
    if (run.limit) correction += fmt::format(",limit={}", *run.limit);
  }
  set.push_back(fmt::format("bond.coupling.correction={{{}}}", correction));
  return set;
}

void follow_leak_run(const std::filesystem::path& scenario, const LeakRun& run,
                     const std::function<void(const LeakRunPoint&)>& at_point) {
  if (run.paper_clock) {
    follow_program(run, at_point);
  } else {
    follow_engine(scenario, run, at_point);
  }
}

OscillatorErrors errors_of(const std::filesystem::path& scenario, const LeakRun& run,
                           const std::vector<std::array<double, 4>>& exact,
                           const std::function<void(const LeakRunPoint&)>& also_at_point) {
  OscillatorErrors errors(run.problem, run.H1_s, run.H2_s, exact);
  follow_leak_run(scenario, run, [&](const LeakRunPoint& now) {
    errors.add(now.j, now.z, now.balance_J, now.dissipated_J);
    if (also_at_point) also_at_point(now);
  });
  return errors;
}

Expectation printed_figure(double value, double last_digit) {
  return {.value = value, .abs = 0.5 * last_digit};
}

}  // namespace ergon::bench
