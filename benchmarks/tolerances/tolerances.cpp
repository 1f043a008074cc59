#include "benchmarks/tolerances/tolerances.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>

#include "benchmarks/framework/scenario_file.hpp"
#include "benchmarks/verdict/families/network.hpp"
#include "benchmarks/work-precision/measure.hpp"
#include "ergon/core/problem.hpp"
#include "ergon/run/simulation.hpp"

namespace ergon::bench {
namespace {

constexpr double endless = std::numeric_limits<double>::infinity();
constexpr unsigned drawn = 40;  ///< networks of each family
constexpr double rtols[] = {1e-2, 1e-3};
constexpr const char* methods[] = {"richardson", "milne"};
constexpr const char* published = "published";

WorkSetting setting_of(const std::string& method, double rtol) {
  WorkSetting setting;
  setting.name = method;
  setting.control = method;
  setting.control_rtol = rtol;
  setting.solves = setting.keeps_rates = method == "milne";
  setting.coupling = setting.solves
                         ? std::vector<std::string>{"scheme=semi-implicit", "degree=1", "jacobian=broyden"}
                         : std::vector<std::string>{"scheme=jacobi", "extrapolation=linear"};
  return setting;
}

Network::Mass mass(Random& r, bool at_rest) {
  Network::Mass m;
  m.m = r.log_uniform(0.1, 10.0);
  m.k = r.log_uniform(10.0, 1000.0);
  if (at_rest) return m;
  m.x = r.uniform(-1.0, 1.0);
  m.v = r.sign() * r.log_uniform(0.3, 10.0);
  return m;
}

void damp(Network& n, Random& r, double least, double most) {
  for (Network::Mass& m : n.masses) m.c = r.log_uniform(least, most) * 2.0 * std::sqrt(m.k * m.m);
  for (Network::Spring& s : n.springs)
    s.c = r.log_uniform(least, most) * 2.0 * std::sqrt(s.k * n.masses[0].m);
}

Network draw(const std::string& family, Random& r) {
  const bool at_rest = family == "pushed from rest";
  Network n;
  const int masses = family == "chain" ? 3 + static_cast<int>(r.uniform(0.0, 3.0)) : 2;
  for (int i = 0; i < masses; ++i) n.masses.push_back(mass(r, at_rest));
  const double stiffest = family == "stiff coupling" ? 1e5 : 1e3;
  for (int i = 1; i < masses; ++i)
    n.springs.push_back({r.log_uniform(family == "stiff coupling" ? 1e4 : 10.0, stiffest), 0.0, 0.0});
  if (family != "undamped") damp(n, r, 0.005, 0.2);
  if (at_rest) n.drive = {r.log_uniform(1.0, 100.0), r.uniform(0.3, 1.5) * n.slowest(), 0.0};
  return n;
}

/// Shares and medians of a group of runs.
void add_summary(const std::string& family, const std::map<std::string, std::vector<double>>& by_method,
                 std::vector<Row>& rows) {
  constexpr double allowed = 3.0;
  for (const auto& [method, unsorted] : by_method) {
    std::vector<double> ratios = unsorted;
    std::sort(ratios.begin(), ratios.end());
    const auto within =
        std::count_if(ratios.begin(), ratios.end(), [](double ratio) { return ratio <= allowed; });
    const Case of_all = {{"family", family}, {"method", method}};
    rows.push_back({of_all, "runs", "", {}, {}, static_cast<double>(ratios.size())});
    rows.push_back({of_all,
                    "within_3_rtol",
                    "%",
                    {},
                    {},
                    100.0 * static_cast<double>(within) / static_cast<double>(ratios.size())});
    rows.push_back({of_all, "median_error_by_rtol", "", {}, {}, ratios[ratios.size() / 2]});
    rows.push_back({of_all, "largest_error_by_rtol", "", {}, {}, ratios.back()});
  }
}

}  // namespace

const std::vector<std::string>& controlled_families() {
  static const std::vector<std::string> all = {"undamped", "damped", "pushed from rest", "chain",
                                               "stiff coupling"};
  return all;
}

double controlled_network_error(const std::string& family, unsigned seed, const std::string& method,
                                double rtol) {
  Random r("tolerances: " + family, seed);
  const Network network = draw(family, r);
  NetworkSetup setup;
  setup.arrangement = r.one_of({Arrangement::force_displacement, Arrangement::element, Arrangement::plain});
  const double duration_s = 2.0 * std::numbers::pi * r.uniform(1.5, 5.0) / network.slowest();
  constexpr long nominal_steps = 200;
  setup.steps = nominal_steps;
  setup.H_s = rounded(duration_s / static_cast<double>(nominal_steps));
  setup.feedthrough = "refresh";
  setup.extrapolation = "linear";
  setup.integrator = "rk4";
  setup.scheme = method == "milne" ? "semi-implicit" : "jacobi";
  setup.step_control = fmt::format("method = \"{}\"\nrtol = {}", method, rtol);
  const ScenarioFile file(scenario_text(network, setup));
  Simulation simulation(file.path());
  std::vector<Index> positions;
  for (std::size_t i = 0; i < network.masses.size(); ++i)
    positions.push_back(simulation.output(fmt::format("m{}.position", i)));
  const numerics::LinearSolution exact = network.exact();
  std::vector<double> truth(2 * positions.size() + 3);
  std::vector<double> largest(positions.size(), 0.0), least(positions.size(), endless),
      most(positions.size(), -endless);
  const auto failure = simulation.for_each_point([&](const StepRecord& record) {
    exact.at(record.time_s(), truth);
    for (std::size_t i = 0; i < positions.size(); ++i) {
      const double error = std::abs(record.output(positions[i]) - truth[i]);
      if (!(error <= largest[i])) largest[i] = std::isfinite(error) ? error : endless;
      least[i] = std::min(least[i], truth[i]);
      most[i] = std::max(most[i], truth[i]);
    }
  });
  if (failure) return endless;
  double range = 0.0;
  for (std::size_t i = 0; i < positions.size(); ++i) range = std::max(range, most[i] - least[i]);
  double error = 0.0;
  for (std::size_t i = 0; i < positions.size(); ++i)
    error = std::max(error, largest[i] / (0.5 * std::max(most[i] - least[i], 1e-2 * range)));
  return error;
}

std::vector<Row> tolerances(const std::filesystem::path& folder, const Conditions& where) {
  std::vector<std::string> families = controlled_families();
  families.insert(families.begin(), published);
  for (const auto& [key, value] : where) {
    if (key != "family") continue;
    if (std::find(families.begin(), families.end(), value) == families.end())
      throw InputError({}, fmt::format("There is no family '{}'.", value),
                       fmt::format("Available: {}.", fmt::join(families, ", ")));
    families = {value};
  }
  std::vector<Row> rows;
  std::map<std::string, std::vector<double>> of_all;
  for (const std::string& family : families) {
    std::map<std::string, std::vector<double>> of_family;
    const auto add = [&](const std::string& system, const char* method, double rtol, double error) {
      const Case settings = {{"family", family}, {"system", system}, {"method", method}, {"rtol", rtol}};
      rows.push_back({settings, "error_by_rtol", "", {}, {}, error / rtol});
      of_family[method].push_back(error / rtol);
      of_all[method].push_back(error / rtol);
    };
    if (family == published) {
      const std::string benchmarks = folder.parent_path().string();
      for (const WorkProblem& problem : work_problems()) {
        const WorkReference reference(problem, benchmarks);
        if (!reference.converged()) continue;
        for (const char* method : methods) {
          for (const double rtol : rtols) {
            if (const auto run = work_run(problem, setting_of(method, rtol), true, 1, benchmarks, reference))
              add(problem.name, method, rtol, run->error);
          }
        }
      }
    } else {
      for (unsigned seed = 1; seed <= drawn; ++seed) {
        for (const char* method : methods) {
          for (const double rtol : rtols)
            add(fmt::format("{}", seed), method, rtol, controlled_network_error(family, seed, method, rtol));
        }
      }
    }
    add_summary(family, of_family, rows);
  }
  if (families.size() > 1) add_summary("all", of_all, rows);
  return rows;
}

}  // namespace ergon::bench
