#include "benchmarks/semi-stability/semi_stability.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "benchmarks/framework/convergence.hpp"
#include "benchmarks/framework/simulation.hpp"
#include "benchmarks/semi-stability/linear_step_map.hpp"

namespace ergon::bench {
namespace {

constexpr double H_s = 5e-3;
constexpr int points_per_axis = 7;
constexpr double smallest_c = 1e2;
constexpr double smallest_d = 1.0;

double half_decades(double smallest, int n) {
  return smallest * std::pow(10.0, 0.5 * n);
}

/// 4000 steps without exceeding 1e3 times the largest amplitude of the first 50. Half as many are too few where a mode grows
/// by 0.3 % per step (explicit, k = 0, c = 1000 N/m, d = 1 N s/m).
bool stable_in_time(const std::filesystem::path& scenario, const std::string& scheme, int k, double c,
                    double d) {
  constexpr int steps = 4000;
  constexpr int first_steps = 50;
  constexpr double growth = 1e3;
  auto settings = scheme_settings(scheme, k, H_s);
  if (scheme == "explicit")
    settings.back() = "coupling.starter=none";  // it may not converge where it is unstable
  settings.push_back(fmt::format("simulation.stop_time={}", steps * H_s));
  for (const char* mass : {"left", "right"}) {
    settings.push_back(fmt::format("subsystem.{}.parameters.k={}", mass, c));
    settings.push_back(fmt::format("subsystem.{}.parameters.c={}", mass, d));
  }
  settings.push_back(fmt::format("element.coupling.parameters.k={}", c));
  settings.push_back(fmt::format("element.coupling.parameters.c={}", d));
  Simulation simulation(scenario, settings);
  const Index left = simulation.output("left.position");
  const Index right = simulation.output("right.position");
  Engine& engine = simulation.start();
  double reference = 0.0;
  for (int n = 1; !engine.done(); ++n) {
    if (engine.advance()) return false;
    const StepRecord& record = engine.record();
    const double amplitude = std::max(std::abs(record.output(left)), std::abs(record.output(right)));
    if (n <= first_steps) reference = std::max(reference, amplitude);
    if (!(amplitude <= growth * reference)) return false;
  }
  return true;
}

/// Of 49 points: so many are stable.
struct Known {
  int k;
  int semi_implicit;
  int is_explicit;
};
constexpr Known known_counts[] = {{0, 49, 20}, {1, 49, 24}, {2, 44, 21}};

}  // namespace

std::vector<Row> semi_stability(const std::filesystem::path& folder) {
  std::vector<Row> rows;
  for (const char* scheme : {"explicit", "semi-implicit"}) {
    const bool semi_implicit = std::string(scheme) == "semi-implicit";
    for (const Known& known : known_counts) {
      const Case of_map = {{"scheme", scheme}, {"k", static_cast<double>(known.k)}, {"H", H_s}};
      double stable_points = 0.0;
      double agreeing_points = 0.0;
      for (int i = 0; i < points_per_axis; ++i) {
        for (int j = 0; j < points_per_axis; ++j) {
          const double c = half_decades(smallest_c, i);
          const double d = half_decades(smallest_d, j);
          const CoupledMasses masses{.stiffness_N_m = c, .damping_Ns_m = d, .H_s = H_s};
          const double radius = spectral_radius(masses, known.k, semi_implicit);
          const bool stable = radius < 1.0 + 1e-9;
          const bool stable_time = stable_in_time(folder / "f-f.toml", scheme, known.k, c, d);
          stable_points += stable ? 1.0 : 0.0;
          agreeing_points += stable == stable_time ? 1.0 : 0.0;
          Case settings = of_map;
          settings.emplace_back("c", c);
          settings.emplace_back("d", d);
          rows.push_back({settings, "stable", "", {}, {}, stable ? 1.0 : 0.0});
          rows.push_back({settings, "stable_time", "", {}, {}, stable_time ? 1.0 : 0.0});
          rows.push_back({settings, "spectral_radius", "", {}, {}, radius});
        }
      }
      const double expected = semi_implicit ? known.semi_implicit : known.is_explicit;
      rows.push_back(
          {of_map, "stable_points", "", {}, Expectation{.value = expected, .abs = 0.0}, stable_points});
      rows.push_back({of_map,
                      "points_where_both_agree",
                      "",
                      {},
                      Expectation{.value = 49.0, .abs = 0.0},
                      agreeing_points});
    }
  }
  return rows;
}

std::string draw_stability_maps(const std::vector<Row>& rows) {
  struct Map {
    std::map<std::pair<double, double>, bool> stable;  // by d and c
  };
  std::vector<std::pair<std::string, Map>> maps;
  for (const Row& row : rows) {
    if (row.quantity != "stable") continue;
    const auto number = [&](std::size_t i) { return std::get<double>(row.settings[i].second); };
    const std::string title =
        fmt::format("{}, k = {}", std::get<std::string>(row.settings[0].second), number(1));
    if (maps.empty() || maps.back().first != title) maps.push_back({title, {}});
    maps.back().second.stable[{number(4), number(3)}] = row.ours > 0.5;
  }
  std::string text = "# stable, . unstable; c = 1e2 … 1e5 N/m to the right, d = 1 … 1e3 N s/m upwards\n";
  for (const auto& [title, map] : maps) {
    text += fmt::format("\n{}\n", title);
    double d = NAN;
    std::string line;
    std::vector<std::string> lines;
    for (const auto& [at, stable] : map.stable) {
      if (at.first != d) {
        if (!line.empty()) lines.push_back(line);
        line.clear();
        d = at.first;
      }
      line += stable ? " #" : " .";
    }
    lines.push_back(line);
    for (auto l = lines.rbegin(); l != lines.rend(); ++l) text += "  " + *l + "\n";
  }
  return text;
}

}  // namespace ergon::bench
