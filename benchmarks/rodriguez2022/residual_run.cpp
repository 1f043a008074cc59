#include "benchmarks/rodriguez2022/residual_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "benchmarks/framework/run_changes.hpp"
#include "ergon/run/simulation.hpp"

namespace ergon::bench {

const std::vector<ResidualSchedule>& residual_schedules() {
  static const std::vector<ResidualSchedule> all = {
      {"single", 1e-3, 1e-3, "hold"},        //
      {"R10-hold", 1e-3, 1e-4, "hold"},      //
      {"R10-linear", 1e-3, 1e-4, "linear"},  //
      {"R0.1-hold", 1e-4, 1e-3, "hold"},     //
      {"R0.1-linear", 1e-4, 1e-3, "linear"},
  };
  return all;
}

double published_mu(const ResidualSchedule& schedule) {
  constexpr double mu_single_rate = 0.5;
  const double R = schedule.ratio();
  const bool hold = schedule.extrapolation == "hold";
  if (R >= 1.0) return hold ? mu_single_rate * (1.5 - 0.5 / R) : mu_single_rate;  // (20)
  return hold ? mu_single_rate : mu_single_rate * R;                              // (21)
}

std::string name_of(ResidualMethod method) {
  switch (method) {
    case ResidualMethod::published:
      return "published";
    case ResidualMethod::bounded:
      return "bounded";
    case ResidualMethod::banked:
      return "banked";
    case ResidualMethod::by_parts:
      return "by-parts";
    case ResidualMethod::direct_gains:
      return "direct-gains";
    case ResidualMethod::direct_gains_start:
      return "direct-gains of the start";
    case ResidualMethod::energy_leak:
      return "energy-leak";
    default:
      return "none";
  }
}

std::string ResidualCorrection::text() const {
  if (method == ResidualMethod::none) return "{method=\"none\"}";
  if (method == ResidualMethod::energy_leak) return "{method=\"energy-leak\"}";
  if (method == ResidualMethod::direct_gains_start)
    return "{method=\"residual-power\",variant=\"direct-gains\",gains=\"start\"}";
  std::string text = fmt::format("{{method=\"residual-power\",variant=\"{}\"", name_of(method));
  if (takes_numbers()) text += fmt::format(",nu={},limit={}", nu, limit);
  if (mu) text += fmt::format(",mu={}", *mu);
  if (accept_harm) text += ",accept_harm=true";
  return text + "}";
}

std::vector<std::string> ResidualRun::overrides() const {
  std::vector<std::string> set = problem.overrides();
  const std::size_t n = problem.size();
  for (std::size_t i = 1; i <= n; ++i) {
    set.push_back(
        fmt::format("m{}.step_size={}", i, i < n ? schedule.sender_step_s : schedule.receiver_step_s));
  }
  for (std::size_t i = 1; i < n; ++i) {
    set.push_back(fmt::format("bond.bond{}.feedthrough={}", i, feedthrough));
    set.push_back(fmt::format("bond.bond{}.correction={}", i, correction.text()));
  }
  set.push_back(fmt::format("coupling.extrapolation={}", schedule.extrapolation));
  return set;
}

bool follow_residual_run(const std::filesystem::path& scenario, const ResidualRun& run,
                         const std::function<void(const ResidualPoint&)>& at_macro_point) {
  Simulation simulation(scenario, with_changes(scenario, run.overrides()));
  const std::size_t n = run.problem.size();
  std::vector<Index> positions, velocities;
  for (std::size_t i = 1; i <= n; ++i) {
    positions.push_back(simulation.output(fmt::format("m{}.position", i)));
    velocities.push_back(simulation.output(fmt::format("m{}.velocity", i)));
  }
  // The points of the run are those of its smallest step.
  const auto points_per_macro_step = static_cast<std::size_t>(std::lround(
      ResidualProblem::macro_step_s / std::min(run.schedule.sender_step_s, run.schedule.receiver_step_s)));
  const MassChain masses(run.problem.masses);
  std::vector<double> x(n), v(n);
  std::size_t point = 0;
  const auto failure = simulation.for_each_point([&](const StepRecord& record) {
    const std::size_t k = point++;
    if (k % points_per_macro_step != 0) return;
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = record.output(positions[i]);
      v[i] = record.output(velocities[i]);
    }
    at_macro_point({k / points_per_macro_step, x, v, masses.stored_J(nullptr, x.data(), v.data()), &record});
  });
  return !failure;
}

ResidualErrors residual_errors(const std::filesystem::path& scenario, const ResidualRun& run,
                               const ReferenceMotion& reference, ResidualHistory* history) {
  const std::size_t n = reference.masses;
  const double start_J = reference.energy_J.front();
  ResidualErrors errors;
  double square_error = 0.0;
  double square_reference = 0.0;
  double sum_of_powers_W = 0.0;
  std::size_t points = 0;
  const bool finished = follow_residual_run(scenario, run, [&](const ResidualPoint& now) {
    const double exact_J = reference.energy_J[now.j];
    errors.max_energy = std::max(errors.max_energy, std::abs(now.energy_J - exact_J) / start_J);
    errors.final_energy_ratio = now.energy_J / exact_J;
    for (std::size_t i = 0; i < n; ++i) {
      const double exact = reference.x_m[now.j * n + i];
      square_error += (now.x_m[i] - exact) * (now.x_m[i] - exact);
      square_reference += exact * exact;
    }
    double power_W = 0.0;
    for (std::size_t bond = 0; bond + 1 < n; ++bond) power_W += now.record->bonds()[bond].residual_power_W;
    sum_of_powers_W += power_W;
    ++points;
    if (history == nullptr) return;
    history->t_s.push_back(static_cast<double>(now.j) * ResidualProblem::macro_step_s);
    history->energy_J.push_back(now.energy_J);
    history->x_m.push_back(now.x_m.back());
    history->residual_power_W.push_back(power_W);
    const double before_J = history->residual_energy_J.empty() ? 0.0 : history->residual_energy_J.back();
    history->residual_energy_J.push_back(before_J + power_W * ResidualProblem::macro_step_s);
  });
  errors.mean_residual_power_W = sum_of_powers_W / static_cast<double>(std::max<std::size_t>(points, 1));
  errors.rms_x = std::sqrt(square_error / square_reference);
  constexpr double infinite = std::numeric_limits<double>::infinity();
  if (!finished) errors = {infinite, infinite, infinite, infinite};
  return errors;
}

}  // namespace ergon::bench
