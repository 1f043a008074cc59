// Does a correction ever do harm? 200 random two-mass oscillators × schemes × schedules × integrators × feed-through
// modes × correctors, each against the same run without corrector.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>

#include "benchmarks/lim2021/oscillator_reference.hpp"
#include "benchmarks/verdict/random_oscillators.hpp"
#include "ergon/core/system_graph.hpp"
#include "ergon/coupling/correctors/corrector.hpp"
#include "ergon/coupling/engine.hpp"
#include "ergon/models/registry.hpp"

namespace ergon::bench {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr unsigned systems = 10;  // the same code, many times slower
#else
constexpr unsigned systems = 200;
#endif
/// As in the published experiments: errors of an interface add up, and a law that dissipates too much may look worse than
/// nothing before they do.
constexpr int duration_s = 10;
/// Energies are compared every so many macro steps.
constexpr Tick looked_at = 4;
constexpr double matrix_H_s = 1e-3;
/// Of the energy at the start: how much worse than without corrector a run may be.
constexpr double harm = 0.1;

struct Schedule {
  std::string name;
  Rational right_step;
  int degree;
};
struct Correction {
  std::string name;
  std::string method;  ///< empty: none
  std::map<std::string, CorrectionSetting> settings;
};

std::unique_ptr<Subsystem> mass(const char* model, const std::map<std::string, double>& parameters,
                                double v_m_s, const std::string& integrator, ProblemList& problems) {
  const ModelInfo* info = find_model(model);
  GivenParameters given;
  for (const auto& [name, value] : parameters) given[name] = {value, {}};
  GivenParameters initial;
  initial["v"] = {v_m_s, {}};
  IntegratorOptions options;
  options.method = integrator;
  const ModelRequest request{"mass",
                             ParameterSet(info->parameters, given, "mass", problems),
                             ParameterSet(info->initial, initial, "mass", problems),
                             options,
                             "",
                             {}};
  return info->make(request, problems);
}

struct Outcome {
  bool corrected = false;
  double error = 0.0;  ///< max |E − E_exact|/E₀ at macro points, with velocities of the same instant
};

Outcome simulate(const TwoMassOscillator& o, const std::vector<std::array<double, 4>>& exact,
                 const std::string& integrator, const std::string& scheme, const Schedule& schedule,
                 FeedthroughMode mode, const Correction& correction) {
  ProblemList problems;
  SystemGraph graph;
  const Rational H(1, 1000);
  graph.add(
      "left",
      mass("oscillator.force_output", {{"m", o.m1}, {"k", o.k1}, {"kc", o.kc}, {"c", o.c1}, {"cc", o.cc}},
           o.z0[2], integrator, problems),
      H);
  graph.add("right",
            mass("oscillator.mass", {{"m", o.m2}, {"k", o.k2}, {"c", o.c2}}, o.z0[3], integrator, problems),
            schedule.right_step);
  BondSpec bond;
  bond.name = "coupling";
  bond.a = {{"left.force"}, {"left.velocity_in"}, {"left.position_in"}};
  bond.b = {{"right.force"}, {"right.velocity"}, {"right.position"}};
  bond.feedthrough = mode;
  bond.degree = schedule.degree;
  graph.bond(std::move(bond));
  const auto system = graph.freeze(problems);
  CouplingOptions options;
  options.scheme = scheme;
  options.degree = schedule.degree;
  if (!correction.method.empty()) {
    options.corrections = {{"coupling", correction.method, correction.settings, {}}};
  }
  const Rational steps[] = {H, schedule.right_step};
  const auto made =
      Engine::make(*system, TimeGrid(Rational{}, Rational(duration_s, 1), steps), options, problems);
  if (!made) throw InputError(problems);
  Engine& engine = *made;
  Outcome outcome;
  outcome.corrected = engine.corrected_bonds()[0];
  if (!correction.method.empty() && !outcome.corrected) return outcome;  // switched off
  EXPECT_FALSE(engine.initialize(problems));
  std::vector<EnergyRecord> energies(system->nodes.size());
  const Tick macro = engine.period(*system->find_node("left"));
  const double E0 = o.energy_J(exact.front());
  while (!engine.done()) {
    if (engine.advance()) return {true, std::numeric_limits<double>::infinity()};
    const StepRecord& record = engine.record();
    if (record.tick() % (looked_at * macro) != 0) continue;
    record.energies(energies);
    double E = 0.0;
    for (const EnergyRecord& energy : energies) E += energy.synchronised_J;
    const double error =
        std::abs(E - o.energy_J(exact[static_cast<std::size_t>(record.tick() / macro)])) / E0;
    if (!(error <= outcome.error)) outcome.error = error;
  }
  return outcome;
}

const std::vector<Schedule>& schedules() {
  static const std::vector<Schedule> all = {
      {"single", {1, 1000}, 0}, {"R10-hold", {1, 10000}, 0}, {"R10-linear", {1, 10000}, 1}};
  return all;
}

std::vector<Correction> corrections() {
  const auto word = [](const char* text) { return CorrectionSetting{std::string(text), {}}; };
  std::vector<Correction> all;
  for (const CorrectorInfo& info : correctors())
    all.push_back({std::string(info.name), std::string(info.name), {}});
  all.push_back({"by-parts", "residual-power", {{"variant", word("by-parts")}}});
  all.push_back({"published", "residual-power", {{"variant", word("published")}}});
  all.push_back({"passivity-predicted", "passivity", {{"prediction", {true, {}}}}});
  return all;
}

class CorrectionMatrix : public ::testing::TestWithParam<std::string> {};

/// One cell of the matrix for one oscillator: every correction against none.
void expect_no_harm(const TwoMassOscillator& oscillator, const std::vector<std::array<double, 4>>& exact,
                    const std::string& integrator, const std::string& scheme, const Schedule& schedule,
                    FeedthroughMode mode) {
  const double plain =
      simulate(oscillator, exact, integrator, scheme, schedule, mode, {"none", "", {}}).error;
  for (const Correction& correction : corrections()) {
    const Outcome outcome = simulate(oscillator, exact, integrator, scheme, schedule, mode, correction);
    if (!outcome.corrected) continue;
    // A run that has gained many times the energy it had is lost; what a correction makes of it is not harm.
    const double lost = correction.name == "by-parts" ? 1.0 : 10.0;
    if (plain > lost) continue;
    EXPECT_LE(outcome.error, plain + harm)
        << scheme << ", " << schedule.name << ", mode " << static_cast<int>(mode) << ", " << correction.name
        << ": " << plain << " without";
  }
}

TEST_P(CorrectionMatrix, NoCorrectionDoesHarm) {
  const std::string integrator = GetParam();
  // The whole matrix takes many minutes. Each oscillator gets one cell in turn, and every other one a cell of a sweep,
  // unless all is asked for.
  const bool whole = std::getenv("ERGON_WHOLE_MATRIX") != nullptr;
  const std::pair<std::string, unsigned> schemes[] = {{"jacobi", 9}, {"gauss-seidel", 18}};
  for (unsigned seed = 1; seed <= systems; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const TwoMassOscillator oscillator = random_oscillator(seed);
    const auto exact = oscillator.sample_solution(duration_s, matrix_H_s);
    for (const auto& [scheme, turn] : schemes) {
      unsigned cell = 0;
      for (const Schedule& schedule : schedules()) {
        for (const FeedthroughMode mode :
             {FeedthroughMode::stale, FeedthroughMode::predict, FeedthroughMode::refresh}) {
          if (!whole && (cell++ + seed) % turn != 0) continue;
          expect_no_harm(oscillator, exact, integrator, scheme, schedule, mode);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, CorrectionMatrix, ::testing::Values("semi-implicit-euler", "rk4"),
                         [](const auto& param) {
                           return param.param == "rk4" ? "rk4" : "semi_implicit_euler";
                         });

}  // namespace
}  // namespace ergon::bench
