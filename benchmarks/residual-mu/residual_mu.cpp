#include "benchmarks/residual-mu/residual_mu.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "benchmarks/rodriguez2022/residual_run.hpp"
#include "ergon/coupling/correctors/interface_lag.hpp"

namespace ergon::bench {
namespace {

int degree_of(const std::string& extrapolation) {
  if (extrapolation == "quadratic") return 2;
  return extrapolation == "linear" ? 1 : 0;
}

/// As the engine derives it from the delays of the interface.
double mu_of_delays(const ResidualSchedule& schedule) {
  InterfaceTiming timing;
  timing.sender_step_s = schedule.sender_step_s;
  timing.receiver_step_s = schedule.receiver_step_s;
  timing.effort_degree = timing.flow_degree = degree_of(schedule.extrapolation);
  return interface_lag(timing).mu();
}

/// As a run without `mu` applies it: from the first correction, f_c·v₁ = −μ dP          [rodriguez2022, (11), (14)]
/// The record has the size of f_c with the sign of its power, hence |v₁|.
double mu_applied(const std::filesystem::path& scenario, ResidualRun run) {
  run.correction = {ResidualMethod::published};
  double dP = 0.0;
  double v = 0.0;
  double mu = std::numeric_limits<double>::quiet_NaN();
  follow_residual_run(scenario, run, [&](const ResidualPoint& now) {
    const BondRecord& bond = now.record->bonds()[0];
    if (now.j == 2) mu = -bond.correction * std::abs(v) / dP;
    dP = bond.residual_power_W;
    v = now.v_m_s.back();
  });
  return mu;
}

struct BestMu {
  double mu = 0.0;
  double energy_error = std::numeric_limits<double>::infinity();
};

/// Sweeps all of 0 … 1, then twice about the best so far, down to 0.005: the error is a V with a rounded tip.
BestMu search_best_mu(const std::filesystem::path& scenario, ResidualRun run,
                      const ReferenceMotion& reference) {
  struct Sweep {
    double reach, step;
  };
  constexpr std::array<Sweep, 3> sweeps = {{{0.5, 0.1}, {0.1, 0.02}, {0.02, 0.005}}};
  BestMu best{0.5};
  for (const Sweep& sweep : sweeps) {
    const double centre = best.mu;
    const auto steps = static_cast<int>(std::lround(sweep.reach / sweep.step));
    for (int i = -steps; i <= steps; ++i) {
      const double mu =
          std::round(1e3 * (centre + i * sweep.step)) / 1e3;  // no more digits than the steps have
      if (mu < 0.0 || mu > 1.0) continue;
      run.correction = {ResidualMethod::published, mu};
      const double error = residual_errors(scenario, run, reference).max_energy;
      if (error < best.energy_error) best = {mu, error};
    }
  }
  return best;
}

}  // namespace

std::vector<Row> residual_mu_rows(const std::filesystem::path& folder, std::span<const double> ratios) {
  const std::filesystem::path scenario = folder / "double.toml";
  ResidualRun run{double_oscillator(1), residual_schedules().front()};
  const ReferenceMotion reference = analytic_motion(run.problem);
  // The floor of the error is the swing of the integrator: it hides some hundredths of μ.
  constexpr double mu_hidden = 0.02;
  constexpr double macro_s = ResidualProblem::macro_step_s;
  std::vector<Row> rows;
  for (const double R : ratios) {
    for (const char* extrapolation : {"hold", "linear", "quadratic"}) {
      // At single rate a receiver that samples at the start of its step never looks beyond the newest sample.
      if (R == 1.0 && std::string(extrapolation) != "hold") continue;
      run.schedule = {"", R >= 1.0 ? macro_s : R * macro_s, R >= 1.0 ? macro_s / R : macro_s, extrapolation};
      const double formula = published_mu(run.schedule);
      const Case settings = {{"R", R}, {"extrapolation", extrapolation}};
      const auto add = [&](const char* quantity, double ours) {
        rows.push_back({settings, quantity, "", {}, {}, ours});
      };
      const auto add_mu = [&](const char* quantity, double tolerance, double ours) {
        rows.push_back(
            {settings, quantity, "", formula, Expectation{.value = formula, .abs = tolerance}, ours});
      };
      add_mu("mu_of_delays", 1e-12, mu_of_delays(run.schedule));
      add_mu("mu_applied", 1e-9, mu_applied(scenario, run));
      const BestMu best = search_best_mu(scenario, run, reference);
      add_mu("best_mu", mu_hidden, best.mu);
      add("best_mu_energy_error_relative", best.energy_error);
      run.correction = {ResidualMethod::published, formula};
      add("max_energy_error_relative", residual_errors(scenario, run, reference).max_energy);
      run.correction.method = ResidualMethod::bounded;
      add("bounded_energy_error_relative", residual_errors(scenario, run, reference).max_energy);
      run.correction = {};
      add("uncorrected_energy_error_relative", residual_errors(scenario, run, reference).max_energy);
    }
  }
  return rows;
}

namespace {

/// μ over R by the formulas and as found, hold and linear; R = 1 belongs to both figures and to both extrapolations.
Picture factor_picture(const std::vector<Row>& rows, bool larger) {
  Picture picture{"rodriguez2022",
                  larger ? "Fig. 11" : "Fig. 12",
                  larger ? "Factor μ where the larger step has the feed-through"
                         : "Factor μ where the smaller step has the feed-through",
                  {"step-size ratio R"},
                  {"factor μ"}};
  for (const char* extrapolation : {"hold", "linear"}) {
    PictureCurve formula{std::string("formula, ") + extrapolation, {}, {}, true};
    PictureCurve best{std::string("smallest energy error, ") + extrapolation, {}, {}, false, true};
    std::vector<std::array<double, 3>> points;
    for (const Row& row : rows) {
      if (row.quantity != "best_mu") continue;
      const double R = std::get<double>(row.settings[0].second);
      const bool shared = R == 1.0;
      if (!shared && ((R > 1.0) != larger || std::get<std::string>(row.settings[1].second) != extrapolation))
        continue;
      points.push_back({R, row.paper.value(), row.ours});
    }
    std::sort(points.begin(), points.end());
    for (const auto& [R, printed, ours] : points) {
      formula.add(R, printed);
      best.add(R, ours);
    }
    picture.curves.push_back(std::move(formula));
    picture.curves.push_back(std::move(best));
  }
  return picture;
}

}  // namespace

std::vector<Row> residual_mu(const std::filesystem::path& folder, Pictures* pictures) {
  constexpr std::array<double, 9> ratios = {1.0, 2.0, 5.0, 10.0, 20.0, 0.5, 0.2, 0.1, 0.05};
  std::vector<Row> rows = residual_mu_rows(folder, ratios);
  if (pictures != nullptr)
    for (const bool larger : {true, false}) pictures->add(factor_picture(rows, larger));
  return rows;
}

}  // namespace ergon::bench
