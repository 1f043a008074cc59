#include "benchmarks/haptic/haptic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "benchmarks/framework/run_changes.hpp"
#include "benchmarks/lim2021/oscillator_reference.hpp"
#include "ergon/run/simulation.hpp"

namespace ergon::bench {
namespace {

constexpr double haptic_duration_s = 2.0;
constexpr double sampling_s = 4e-3;

/// Mass 1 is the virtual one, M; mass 2 the device, m. Nothing holds them to the ground.
TwoMassOscillator haptic_device() {
  TwoMassOscillator problem;
  problem.m1 = problem.m2 = 0.1;
  problem.k1 = problem.k2 = 0.0;
  problem.kc = 100.0;
  problem.z0 = {0.1, 0.0, 0.0, 0.0};
  return problem;
}

struct HapticSetup {
  std::string feedthrough;  // when the force is sampled: stale, refresh
  std::string method;       // none, passivity
  std::string limit;        // |f_PC| ≤ limit · |f|; "none": whatever Eq. (4b) asks for
  bool prediction = false;  // one step ahead
};

struct HapticFigures {
  double max_energy_J = 0.0;
  double final_energy_J = 0.0;
  double max_force_N = 0.0;
  double rms_stretch_m = 0.0;
};

HapticFigures simulate(const std::filesystem::path& scenario, const HapticSetup& s,
                       const std::vector<std::array<double, 4>>& exact, PictureCurve* forces) {
  std::string correction = fmt::format("method=\"{}\"", s.method);
  if (s.method == "passivity") {
    correction += s.limit == "none" ? ",limit=\"none\"" : ",limit=" + s.limit;
    if (s.prediction) correction += ",prediction=true";
  }
  Simulation simulation(scenario,
                        with_changes(scenario, {fmt::format("bond.grip.feedthrough={}", s.feedthrough),
                                                fmt::format("bond.grip.correction={{{}}}", correction)}));
  const std::array<Index, 4> outputs = {
      simulation.output("virtual.position"), simulation.output("device.position"),
      simulation.output("virtual.velocity"), simulation.output("device.velocity")};
  const Index force = simulation.system().find_input("device.force").value();
  const TwoMassOscillator problem = haptic_device();
  HapticFigures figures;
  double square = 0.0;
  std::size_t point = 0;
  const auto failure = simulation.for_each_point([&](const StepRecord& record) {
    std::array<double, 4> z{};
    for (std::size_t i = 0; i < outputs.size(); ++i) z[i] = record.output(outputs[i]);
    figures.final_energy_J = problem.energy_J(z);
    figures.max_energy_J = std::max(figures.max_energy_J, figures.final_energy_J);
    if (forces != nullptr) forces->add(record.time_s(), record.applied_input(force));
    figures.max_force_N = std::max(figures.max_force_N, std::abs(record.applied_input(force)));
    const auto& truth = exact.at(point++);
    const double stretch_error = (z[0] - z[1]) - (truth[0] - truth[1]);
    square += stretch_error * stretch_error;
  });
  if (failure) throw std::runtime_error(failure->what);
  figures.rms_stretch_m = std::sqrt(square / static_cast<double>(point));
  return figures;
}

/// What a right implementation reaches.
struct HapticKnown {
  std::optional<Expectation> max_energy{};
  std::optional<Expectation> final_energy{};
};

HapticKnown known_figures(const HapticSetup& s) {
  const bool stale = s.feedthrough == "stale";
  if (s.method == "none") {
    const double reached_J = stale ? 1026.0 : 26.2;
    return {Expectation{.min = reached_J}, Expectation{.value = reached_J, .abs = stale ? 0.5 : 0.05}};
  }
  if (s.prediction) return {};
  // Eqs. (4) as printed hold the fresh case; the stale one only with |f_PC| ≤ |f|.
  if (!stale && s.limit == "none") return {Expectation{.max = 0.52}};
  if (stale && s.limit == "1") return {Expectation{.max = 0.58}};
  return {};
}

}  // namespace

std::vector<Row> haptic(const std::filesystem::path& folder, Pictures* pictures) {
  const auto exact = haptic_device().sample_solution(haptic_duration_s, sampling_s);
  Picture picture{"gonzalez2019",
                  "Fig. 3",
                  "Force at the interface of the haptic device, sampled every 4 ms",
                  {"time", "s"},
                  {"coupling force", "N"}};
  std::vector<Row> rows;
  for (const char* feedthrough : {"refresh", "stale"}) {
    std::vector<HapticSetup> setups = {{feedthrough, "none", "", false}};
    for (const bool prediction : {false, true}) {
      for (const char* limit : {"none", "1"}) setups.push_back({feedthrough, "passivity", limit, prediction});
    }
    for (const HapticSetup& s : setups) {
      // Without control as sampled, and with the control that holds it.
      const bool shows = pictures != nullptr && !s.prediction && (s.method == "none" || s.limit == "1");
      PictureCurve forces{s.method == "none" ? "held, force " + s.feedthrough
                                             : "controlled, force " + s.feedthrough};
      const HapticFigures ours = simulate(folder / "haptic.toml", s, exact, shows ? &forces : nullptr);
      if (shows && s.feedthrough == std::string("refresh")) picture.curves.push_back(std::move(forces));
      Case settings = {{"feedthrough", s.feedthrough}, {"method", s.method}};
      if (s.method == "passivity") {
        if (s.limit == "none") {
          settings.emplace_back("limit", "none");
        } else {
          settings.emplace_back("limit", std::stod(s.limit));
        }
        settings.emplace_back("prediction", s.prediction ? "true" : "false");
      }
      const HapticKnown known = known_figures(s);
      rows.push_back({settings, "max_energy", "J", {}, known.max_energy, ours.max_energy_J});
      rows.push_back({settings, "final_energy", "J", {}, known.final_energy, ours.final_energy_J});
      rows.push_back({settings, "max_force", "N", {}, {}, ours.max_force_N});
      rows.push_back({settings, "rms_stretch_error", "m", {}, {}, ours.rms_stretch_m});
    }
  }
  if (pictures != nullptr) {
    PictureCurve continuous{"reference, continuous", {}, {}, true};
    const double stiffness = haptic_device().kc;
    for (std::size_t i = 0; i < exact.size(); ++i)
      continuous.add(static_cast<double>(i) * sampling_s, stiffness * (exact[i][0] - exact[i][1]));
    picture.curves.push_back(std::move(continuous));
    pictures->add(std::move(picture));
  }
  return rows;
}

}  // namespace ergon::bench
