#include "benchmarks/interface-model/interface_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "benchmarks/framework/run_changes.hpp"
#include "benchmarks/interface-model/two_body_map.hpp"
#include "ergon/run/simulation.hpp"

namespace ergon::bench {
namespace {

const std::vector<std::string> predictors_tried = {"hold", "linear", "interface-model"};

/// The largest n up to which all that are tried are stable: from `first` on it grows by a tenth until one is not, and the limit is
/// then looked for in between.
int largest_stable(const std::function<bool(int)>& is_stable, int first, int most) {
  int stable = 0;
  int next = first;
  while (next <= most && is_stable(next)) {
    stable = next;
    next += std::max(1, next / 10);
  }
  int unstable = next;
  while (unstable - stable > 1) {
    const int middle = (stable + unstable) / 2;
    (is_stable(middle) ? stable : unstable) = middle;
  }
  return stable;
}

// ── Two bodies ──────────────────────────────────────────────────────────────────────────────────────────────

/// Whether the motion of the slow body grows: its largest elongation in the last quarter against the quarter before.
bool two_bodies_are_stable(const std::filesystem::path& file, const std::string& predictor, int n) {
  const TwoBodies bodies;
  const double H = n * bodies.h_s;
  // Several periods in a quarter, and many macro steps.
  const double macro_steps = std::ceil(std::max(6.0 / H, 200.0));
  Simulation simulation(file,
                        with_changes(file, {fmt::format("simulation.stop_time={:.10g}", macro_steps * H),
                                            fmt::format("slow.step_size={:.10g}", H),
                                            fmt::format("bond.coupling.extrapolation={}", predictor)}));
  const Index position = simulation.output("slow.position");
  double before = 0.0;
  double last = 0.0;
  const auto failure = simulation.for_each_point([&](const StepRecord& record) {
    const double share = record.time_s() / (macro_steps * H);
    if (share < 0.5) return;
    double& largest = share < 0.75 ? before : last;
    largest = std::max(largest, std::abs(record.output(position)));
  });
  return !failure && last <= before;
}

void add_two_bodies(const std::filesystem::path& folder, std::vector<Row>& rows) {
  const TwoBodies bodies;
  constexpr int finest = 10;  // 1 ms, where all are stable
  constexpr int most = 2000;
  for (const std::string& predictor : predictors_tried) {
    const auto map_is_stable = [&](int n) { return spectral_radius(bodies, predictor, n) <= 1.0; };
    const auto engine_is_stable = [&](int n) {
      return two_bodies_are_stable(folder / "two-bodies.toml", predictor, n);
    };
    const double by_map = largest_stable(map_is_stable, finest, most) * bodies.h_s;
    const double ours = largest_stable(engine_is_stable, finest, most) * bodies.h_s;
    // At the limit itself nothing grows or shrinks in the time that is run.
    rows.push_back({{{"system", "two-bodies"}, {"predictor", predictor}},
                    "largest_stable_step",
                    "s",
                    {},
                    Expectation{.value = by_map, .abs = std::max(bodies.h_s, 0.02 * by_map)},
                    ours});
  }
}

// ── The hydraulic crane of rodriguez2022 ────────────────────────────────────────────────────────────────────

constexpr double crane_step_s = 0.25e-3;
constexpr double manoeuvre_s = 10.0;
/// A rate of the actuator that is so many times the largest one of the manoeuvre is not of the manoeuvre.
constexpr double wild = 2.0;

/// The largest rate of the actuator; nothing where the run breaks off.
std::optional<double> largest_rate_m_s(const std::filesystem::path& file, const std::string& predictor,
                                       int n) {
  const double H = n * crane_step_s;
  const double steps = std::floor(manoeuvre_s / H + 1e-9);  // whole steps only
  Simulation simulation(file, with_changes(file, {fmt::format("simulation.stop_time={:.10g}", steps * H),
                                                  fmt::format("mechanics.step_size={:.10g}", H),
                                                  fmt::format("bond.actuator.extrapolation={}", predictor)}));
  const Index rate = simulation.output("mechanics.velocity");
  double largest = 0.0;
  if (simulation.for_each_point(
          [&](const StepRecord& record) { largest = std::max(largest, std::abs(record.output(rate))); }))
    return std::nullopt;
  return largest;
}

void add_crane(const std::filesystem::path& file, std::vector<Row>& rows) {
  constexpr int finest = 4;  // 1 ms, where all are stable
  constexpr int most = 2000;
  const double usual = largest_rate_m_s(file, "linear", finest).value();
  for (const std::string& predictor : predictors_tried) {
    const auto is_stable = [&](int n) {
      const auto largest = largest_rate_m_s(file, predictor, n);
      return largest && *largest <= wild * usual;
    };
    // [rodriguez2022, Figs. 35, 36]: with linear extrapolation 10 ms are fine, 11.5 ms are not.
    std::optional<Expectation> published;
    if (predictor == "linear") published = Expectation{.min = 10e-3, .max = 11.5e-3};
    rows.push_back({{{"system", "hydraulic-crane"}, {"predictor", predictor}},
                    "largest_stable_step",
                    "s",
                    {},
                    published,
                    largest_stable(is_stable, finest, most) * crane_step_s});
  }
}

}  // namespace

std::vector<Row> interface_model(const std::filesystem::path& folder) {
  std::vector<Row> rows;
  add_two_bodies(folder, rows);
  add_crane(folder.parent_path() / "hydraulic-crane" / "crane.toml", rows);
  return rows;
}

}  // namespace ergon::bench
