#include "benchmarks/verdict/random_oscillators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "benchmarks/framework/run_changes.hpp"
#include "benchmarks/reference/linear_solution.hpp"
#include "ergon/run/simulation.hpp"

namespace ergon::bench {
namespace {

constexpr double random_oscillators_duration_s = 3.0;
constexpr double drawn_damping_Ns_m = 0.1;
/// Below that the small steps would take most of the time.
constexpr double smallest_multi_rate_step_s = 5e-4;
/// Enough to meet the largest error, few enough for matrix exponentials.
constexpr long truth_samples = 500;
/// A run this far off needs no more digits, and E − E(0) has none left.
constexpr double hopeless = 1e12;

/// RK4 with this step leaves 1e-9 of the energy per step at the largest frequency, 140 rad/s.
constexpr const char* accurate_step = "5e-4";

std::vector<std::string> overrides_of(const OscillatorSetup& s, const TwoMassOscillator& data) {
  std::vector<std::string> set = {
      fmt::format("simulation.stop_time={}", random_oscillators_duration_s),
      fmt::format("left.step_size={}", s.H_s),
      fmt::format("right.step_size={}/{}", s.H_s, s.rate_ratio),
      fmt::format("bond.coupling.feedthrough={}", s.feedthrough),
      fmt::format("coupling.extrapolation={}", s.extrapolation),
      fmt::format("coupling.scheme={}", s.scheme),
  };
  const std::vector<std::string> oscillator = settings_of(data);
  set.insert(set.end(), oscillator.begin(), oscillator.end());
  if (s.integration == Integration::accurate) {
    for (const char* side : {"left", "right"}) {
      set.push_back(fmt::format("{}.integrator.method=rk4", side));
      set.push_back(fmt::format("{}.integrator.step={}", side, accurate_step));
    }
  }
  return set;
}

/// Positions are of one instant. The velocities of semi-implicit Euler are those half a step earlier: v + ½h·a.
double synchronised_energy_J(const TwoMassOscillator& d, const OscillatorSetup& s, std::array<double, 4> z,
                             bool stepped) {
  if (stepped && s.integration == Integration::semi_implicit_euler) {
    const auto [x1, x2, v1, v2] = z;
    const double force = d.kc * (x1 - x2) + d.cc * (v1 - v2);
    z[2] += 0.5 * s.H_s * (-d.k1 * x1 - d.c1 * v1 - force) / d.m1;
    z[3] += 0.5 * s.H_s / s.rate_ratio * (-d.k2 * x2 - d.c2 * v2 + force) / d.m2;
  }
  return d.energy_J(z);
}

double ratio_of(const Verdict& verdict, std::initializer_list<ReasonKind> kinds) {
  for (const VerdictReason& reason : verdict.reasons) {
    if (std::find(kinds.begin(), kinds.end(), reason.kind) != kinds.end()) return reason.ratio.value_or(0.0);
  }
  return 0.0;
}

}  // namespace

std::vector<std::string> settings_of(const TwoMassOscillator& data) {
  return {
      fmt::format("left.m={}", data.m1),    fmt::format("right.m={}", data.m2),
      fmt::format("left.k={}", data.k1),    fmt::format("left.kc={}", data.kc),
      fmt::format("right.k={}", data.k2),   fmt::format("left.c={}", data.c1),
      fmt::format("left.cc={}", data.cc),   fmt::format("right.c={}", data.c2),
      fmt::format("left.v={}", data.z0[2]), fmt::format("right.v={}", data.z0[3]),
  };
}

TwoMassOscillator random_oscillator(unsigned seed) {
  std::mt19937_64 generator(seed);
  const auto log_uniform = [&](double low, double high) {
    const double u = static_cast<double>(generator() >> 11U) * 0x1p-53;
    return low * std::pow(high / low, u);
  };
  const auto sign = [&] { return (generator() & 1U) != 0 ? 1.0 : -1.0; };
  TwoMassOscillator d;
  d.m1 = log_uniform(0.1, 10.0);
  d.m2 = log_uniform(0.1, 10.0);
  d.k1 = log_uniform(10.0, 1000.0);
  d.kc = log_uniform(10.0, 1000.0);
  d.k2 = log_uniform(10.0, 1000.0);
  const double v1 = sign() * log_uniform(30.0, 300.0);
  const double v2 = sign() * log_uniform(30.0, 300.0);
  d.z0 = {0.0, 0.0, v1, v2};
  d.c1 = d.cc = d.c2 = seed % 2 == 1 ? drawn_damping_Ns_m : 0.0;
  return d;
}

std::vector<OscillatorSetup> oscillator_setups(unsigned seed) {
  std::vector<OscillatorSetup> setups;
  for (const double H_s : {1e-4, 5e-4, 1e-3, 2e-3, 5e-3}) {
    for (const char* feedthrough : {"stale", "refresh", "predict"}) {
      if (feedthrough[0] == 'p' && seed % 4 != 1) continue;
      OscillatorSetup s;
      s.seed = seed;
      s.H_s = H_s;
      s.feedthrough = feedthrough;
      setups.push_back(s);
      s.integration = Integration::accurate;
      s.extrapolation = seed % 3 == 0 ? "linear" : "hold";
      setups.push_back(s);
      if (seed % 4 != 0 || H_s < smallest_multi_rate_step_s) continue;
      s.integration = Integration::semi_implicit_euler;
      s.rate_ratio = 10;
      s.extrapolation = seed % 8 == 0 ? "linear" : "hold";
      setups.push_back(s);
    }
  }
  return setups;
}

JudgedRun judge_run(const std::filesystem::path& scenario, const OscillatorSetup& setup) {
  const TwoMassOscillator data = random_oscillator(setup.seed);
  const auto matrix = data.matrix();
  const numerics::LinearSolution exact(matrix, data.z0);
  const double start_J = data.energy_J(data.z0);
  Simulation simulation(scenario, with_changes(scenario, overrides_of(setup, data)));
  const Index outputs[] = {simulation.output("left.position"), simulation.output("right.position"),
                           simulation.output("left.velocity"), simulation.output("right.velocity")};
  const bool sequential = setup.scheme == "gauss-seidel";
  const auto stale = simulation.engine().bonds_with_stale_efforts();
  VerdictMonitor by_accounts(simulation.system(), {.sequential = sequential, .stale_bonds = stale});
  VerdictMonitor blind(simulation.system(),
                       {.sequential = sequential, .ignore_accounts = true, .stale_bonds = stale});

  const long steps = std::lround(random_oscillators_duration_s / setup.H_s);
  const long stride = std::max(1L, steps / truth_samples);
  JudgedRun run;
  const auto failure = simulation.for_each_point([&](const StepRecord& record) {
    by_accounts.inspect(record);
    blind.inspect(record);
    const long step = static_cast<long>(record.tick()) / setup.rate_ratio;
    if (record.tick() % setup.rate_ratio != 0 || step % stride != 0 || run.true_error > hopeless) return;
    std::array<double, 4> z{};
    for (std::size_t i = 0; i < z.size(); ++i) z[i] = record.output(outputs[i]);
    double exact_J = start_J;
    if (data.c1 > 0.0) {
      std::array<double, 4> z_exact{};
      exact.at(record.time_s(), z_exact);
      exact_J = data.energy_J(z_exact);
    }
    const double error_J = std::abs(synchronised_energy_J(data, setup, z, step > 0) - exact_J);
    run.true_error = std::max(run.true_error, error_J / start_J);
  });
  if (failure) run.true_error = std::numeric_limits<double>::infinity();
  for (VerdictMonitor* monitor : {&by_accounts, &blind})
    monitor->finish(simulation.engine().record(), !failure);
  const Verdict told = by_accounts.verdict(failure);
  run.by_accounts = told.value;
  run.by_accounts_ratio = ratio_of(told, {ReasonKind::energy_balance});
  const Verdict guessed = blind.verdict(failure);
  run.blind = guessed.value;
  run.blind_ratio = ratio_of(
      guessed, {ReasonKind::interface_energy, ReasonKind::stale_efforts, ReasonKind::black_box_estimate});
  return run;
}

}  // namespace ergon::bench
