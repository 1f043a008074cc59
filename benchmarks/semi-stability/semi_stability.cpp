#include "benchmarks/semi-stability/semi_stability.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "benchmarks/framework/convergence.hpp"
#include "benchmarks/framework/run_changes.hpp"
#include "benchmarks/reference/dense_functions.hpp"
#include "benchmarks/semi-stability/linear_step_map.hpp"
#include "ergon/run/simulation.hpp"

namespace ergon::bench {
namespace {

constexpr double semi_stability_H_s = 5e-3;
constexpr int points_per_axis = 7;
constexpr double smallest_c = 1e2;
constexpr double smallest_d = 1.0;

double half_decades(double smallest, int n) {
  return smallest * std::pow(10.0, 0.5 * n);
}

/// Stiffness and damping of all three springs. In displacement/displacement form both masses hold the one in the middle.
std::vector<std::string> settings_of(const std::string& scheme, int k, double c, double d, bool hermite) {
  auto settings = scheme_settings(scheme, k, semi_stability_H_s);
  if (scheme == "explicit")
    settings.back() = "coupling.starter=none";  // it may not converge where it is unstable
  if (hermite) settings.emplace_back("coupling.interpolation=hermite");
  for (const char* mass : {"left", "right"}) {
    settings.push_back(fmt::format("subsystem.{}.parameters.k={}", mass, c));
    settings.push_back(fmt::format("subsystem.{}.parameters.c={}", mass, d));
    if (!hermite) continue;
    settings.push_back(fmt::format("subsystem.{}.parameters.kc={}", mass, c));
    settings.push_back(fmt::format("subsystem.{}.parameters.cc={}", mass, d));
  }
  if (hermite) return settings;
  settings.push_back(fmt::format("element.coupling.parameters.k={}", c));
  settings.push_back(fmt::format("element.coupling.parameters.c={}", d));
  return settings;
}

/// A one-step scheme maps states to states: each column is one step of the engine from a unit vector.
double radius_of_one_step(const std::filesystem::path& scenario, const std::vector<std::string>& settings) {
  Eigen::Matrix4d map;
  const std::vector<std::string> states = {"left.x", "left.v", "right.x", "right.v"};
  const std::vector<std::string> outputs = {"left.position", "left.velocity", "right.position",
                                            "right.velocity"};
  for (int column = 0; column < 4; ++column) {
    auto with_start = settings;
    for (int i = 0; i < 4; ++i) {
      const std::string& state = states[static_cast<std::size_t>(i)];
      with_start.push_back(fmt::format("subsystem.{}.initial.{}={}", state.substr(0, state.find('.')),
                                       state.back(), i == column ? "1.0" : "0.0"));
    }
    Simulation simulation(scenario, with_changes(scenario, with_start));
    if (const auto& failure = simulation.start()) throw std::runtime_error(failure->what);
    Engine& engine = simulation.engine();
    if (const auto failure = engine.advance()) throw std::runtime_error(failure->what);
    for (int i = 0; i < 4; ++i) {
      map(i, column) = engine.record().output(simulation.output(outputs[static_cast<std::size_t>(i)]));
    }
  }
  return numerics::spectral_radius(map);
}

/// 4000 steps without exceeding 1e3 times the largest amplitude of the first 50. Half as many are too few where a mode grows
/// by 0.3 % per step (explicit, k = 0, c = 1000 N/m, d = 1 N s/m).
bool stable_in_time(const std::filesystem::path& scenario, std::vector<std::string> settings) {
  constexpr int steps = 4000;
  constexpr int first_steps = 50;
  constexpr double growth = 1e3;
  settings.push_back(fmt::format("simulation.stop_time={}", steps * semi_stability_H_s));
  Simulation simulation(scenario, with_changes(scenario, settings));
  const Index left = simulation.output("left.position");
  const Index right = simulation.output("right.position");
  if (const auto& failure = simulation.start()) throw std::runtime_error(failure->what);
  Engine& engine = simulation.engine();
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

/// One map, and how many of its 49 points are stable.
struct Map {
  const char* decomposition;
  const char* scheme;
  int k;
  double stable_points;
};
constexpr Map maps[] = {{"F/F", "explicit", 0, 20},
                        {"F/F", "explicit", 1, 24},
                        {"F/F", "explicit", 2, 21},
                        {"F/F", "semi-implicit", 0, 49},
                        {"F/F", "semi-implicit", 1, 49},
                        {"F/F", "semi-implicit", 2, 44},
                        {"D/D-hermite", "semi-implicit", 3, 49}};

std::optional<Expectation> exactly(double value) {
  return Expectation{.value = value, .abs = 0.0};
}

void add_map(const std::filesystem::path& folder, const Map& map, std::vector<Row>& rows) {
  const bool hermite = std::string(map.decomposition) == "D/D-hermite";
  const std::filesystem::path scenario = folder / (hermite ? "d-d.toml" : "f-f.toml");
  const Case of_map = {{"decomposition", map.decomposition},
                       {"scheme", map.scheme},
                       {"k", static_cast<double>(map.k)},
                       {"H", semi_stability_H_s}};
  double stable_points = 0.0;
  double agreeing_points = 0.0;
  for (int i = 0; i < points_per_axis; ++i) {
    for (int j = 0; j < points_per_axis; ++j) {
      const double c = half_decades(smallest_c, i);
      const double d = half_decades(smallest_d, j);
      const auto settings = settings_of(map.scheme, std::min(map.k, 2), c, d, hermite);
      const CoupledMasses masses{.stiffness_N_m = c, .damping_Ns_m = d, .H_s = semi_stability_H_s};
      const double radius = hermite
                                ? radius_of_one_step(scenario, settings)
                                : spectral_radius(masses, map.k, std::string(map.scheme) == "semi-implicit");
      const bool stable = radius < 1.0 + 1e-9;
      const bool stable_time = stable_in_time(scenario, settings);
      stable_points += stable ? 1.0 : 0.0;
      agreeing_points += stable == stable_time ? 1.0 : 0.0;
      Case at_point = of_map;
      at_point.emplace_back("c", c);
      at_point.emplace_back("d", d);
      rows.push_back({at_point, "stable", "", {}, {}, stable ? 1.0 : 0.0});
      rows.push_back({at_point, "stable_time", "", {}, {}, stable_time ? 1.0 : 0.0});
      rows.push_back({at_point, "spectral_radius", "", {}, {}, radius});
    }
  }
  rows.push_back({of_map, "stable_points", "", {}, exactly(map.stable_points), stable_points});
  rows.push_back({of_map, "points_where_both_agree", "", {}, exactly(49.0), agreeing_points});
}

/// Panels a, b, c: which of both schemes is stable where, for constant, linear and quadratic polynomials.
void add_pictures(const std::vector<Row>& rows, Pictures& pictures) {
  for (int k = 0; k <= 2; ++k) {
    std::map<std::pair<double, double>, std::pair<bool, bool>> stable;  // by c and d: explicit, semi-implicit
    for (const Row& row : rows) {
      const auto number = [&](std::size_t i) { return std::get<double>(row.settings[i].second); };
      if (row.quantity != "stable" || std::get<std::string>(row.settings[0].second) != "F/F" ||
          number(2) != k)
        continue;
      auto& [by_explicit, by_semi_implicit] = stable[{number(4), number(5)}];
      (std::get<std::string>(row.settings[1].second) == "explicit" ? by_explicit : by_semi_implicit) =
          row.ours > 0.5;
    }
    // Marks in one place would hide each other: each point is in one of these.
    PictureCurve kinds[] = {{"both stable"}, {"semi-implicit alone"}, {"neither"}, {"explicit alone"}};
    for (const auto& [at, schemes] : stable) {
      const auto [by_explicit, by_semi_implicit] = schemes;
      const std::size_t kind = by_explicit ? (by_semi_implicit ? 0 : 3) : (by_semi_implicit ? 1 : 2);
      kinds[kind].add(at.first, at.second);
    }
    Picture picture{"schweizer2014",
                    fmt::format("Fig. 10 {}", static_cast<char>('a' + k)),
                    fmt::format("Stable schemes, force/force coupling, 5 ms, k = {}", k),
                    {"stiffness c", "N/m"},
                    {"damping d", "N.s/m"}};
    for (PictureCurve& curve : kinds) {
      curve.points_only = true;
      if (!curve.x.empty()) picture.curves.push_back(std::move(curve));
    }
    pictures.add(std::move(picture));
  }
}

}  // namespace

std::vector<Row> semi_stability(const std::filesystem::path& folder, Pictures* pictures) {
  std::vector<Row> rows;
  for (const Map& map : maps) add_map(folder, map, rows);
  if (pictures != nullptr) add_pictures(rows, *pictures);
  return rows;
}

std::string draw_stability_maps(const std::vector<Row>& rows) {
  struct Drawing {
    std::string title;
    std::map<std::pair<double, double>, bool> stable;  // by d and c
  };
  std::vector<Drawing> drawings;
  for (const Row& row : rows) {
    if (row.quantity != "stable") continue;
    const auto number = [&](std::size_t i) { return std::get<double>(row.settings[i].second); };
    const std::string title = fmt::format("{}, {}, k = {}", std::get<std::string>(row.settings[0].second),
                                          std::get<std::string>(row.settings[1].second), number(2));
    if (drawings.empty() || drawings.back().title != title) drawings.push_back({title, {}});
    drawings.back().stable[{number(5), number(4)}] = row.ours > 0.5;
  }
  std::string text = "# stable, . unstable; c = 1e2 … 1e5 N/m to the right, d = 1 … 1e3 N s/m upwards\n";
  for (const Drawing& drawing : drawings) {
    text += fmt::format("\n{}\n", drawing.title);
    double d = NAN;
    std::string line;
    std::vector<std::string> lines;
    for (const auto& [at, stable] : drawing.stable) {
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
