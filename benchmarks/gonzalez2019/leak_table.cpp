#include "benchmarks/gonzalez2019/leak_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "benchmarks/gonzalez2019/leak_run.hpp"

namespace ergon::bench {
namespace {

using Samples = std::vector<std::array<double, 4>>;

Case oscillator_settings(const TwoMassOscillator& problem) {
  return {{"m2", problem.m2}, {"k2", problem.k2}};
}

void add_analytic_rows(const LeakTableLine& line, const Samples& every_ms, std::vector<Row>& rows) {
  constexpr std::size_t output_points = 10;  // the published maxima are those of samples every 10 ms
  double T1 = 0.0;
  double T2 = 0.0;
  for (std::size_t i = 0; i < every_ms.size(); i += output_points) {
    const auto& [x1, x2, v1, v2] = every_ms[i];
    T1 = std::max(T1, 0.5 * line.problem.m1 * v1 * v1);
    T2 = std::max(T2, 0.5 * line.problem.m2 * v2 * v2);
  }
  const NaturalFrequencies omega = natural_frequencies(line.problem);
  const auto add = [&](const char* quantity, const char* unit, double paper, double tolerance, double ours) {
    rows.push_back({oscillator_settings(line.problem), quantity, unit, paper,
                    Expectation{.value = paper, .abs = tolerance}, ours});
  };
  add("omega1", "rad/s", line.omega1_rad_s, 0.01, omega.omega1_rad_s);
  add("omega2", "rad/s", line.omega2_rad_s, 0.01, omega.omega2_rad_s);
  add("T1max", "J", line.T1_max_J, 0.05, T1);
  add("T2max", "J", line.T2_max_J, 0.05, T2);
}

/// What is known of a method's reported energy error.
std::optional<Expectation> known_energy_error(const LeakTableLine& line, const LeakRun& run) {
  const bool corrected = run.method == LeakMethod::energy_leak;
  if (!corrected && run.method != LeakMethod::none) return std::nullopt;
  if (corrected && line.corrected_range) return line.corrected_range;
  if (!run.paper_clock) {
    const double value = corrected ? line.corrected_exact_clock_J : line.uncorrected_exact_clock_J;
    return Expectation{.value = value, .rel = 1e-3};
  }
  const Printed& printed = corrected ? line.corrected_J : line.uncorrected_J;
  return printed_figure(printed.value, printed.last_digit);
}

/// What is known of the true energy error: that of the published correction for m2 = 1, k2 = 1000 is about 97 J, five
/// times what it reports.
std::optional<Expectation> known_true_error(const LeakRun& run) {
  const bool basic = run.problem.m2 == 1.0 && run.problem.k2 == 1000.0;
  if (!basic || run.method != LeakMethod::energy_leak) return std::nullopt;
  return Expectation{.value = 97.0, .rel = 0.02};
}

/// `published`: the errors of the published correction with the published clock, which `improved` has to beat.
void add_error_rows(const LeakTableLine& line, const LeakRun& run, const OscillatorErrors& errors,
                    const std::optional<OscillatorErrors>& published, std::vector<Row>& rows) {
  Case settings = oscillator_settings(line.problem);
  settings.emplace_back("method", name_of(run.method));
  settings.emplace_back("clock", run.paper_clock ? "paper" : "exact");
  const auto add = [&](const char* quantity, const char* unit, double (OscillatorErrors::*figure)() const,
                       std::optional<double> paper, std::optional<Expectation> known) {
    if (run.method == LeakMethod::improved && published) known = Expectation{.max = ((*published).*figure)()};
    rows.push_back({settings, quantity, unit, paper, known, (errors.*figure)()});
  };
  std::optional<double> paper;
  if (run.paper_clock)
    paper = run.method == LeakMethod::none ? line.uncorrected_J.value : line.corrected_J.value;
  add("max_energy_error", "J", &OscillatorErrors::max_energy_error_J, paper, known_energy_error(line, run));
  add("true_energy_error", "J", &OscillatorErrors::true_energy_error_J, {}, known_true_error(run));
  add("rms_x1_error", "m", &OscillatorErrors::rms_x1_m, {}, {});
  add("rms_x2_error", "m", &OscillatorErrors::rms_x2_m, {}, {});
}

}  // namespace

NaturalFrequencies natural_frequencies(const TwoMassOscillator& problem) {
  const TwoMassOscillator& p = problem;
  // Eigenvalues ω² of M⁻¹K, K = [k1+kc, −kc; −kc, k2+kc].
  const double alone1 = (p.k1 + p.kc) / p.m1;
  const double alone2 = (p.k2 + p.kc) / p.m2;
  const double mean = 0.5 * (alone1 + alone2);
  const double half_gap = std::hypot(0.5 * (alone1 - alone2), p.kc / std::sqrt(p.m1 * p.m2));
  const double larger = std::sqrt(mean + half_gap);
  const double smaller = std::sqrt(mean - half_gap);
  if (alone1 >= alone2) return {larger, smaller};
  return {smaller, larger};
}

std::vector<Row> leak_table_rows(const std::filesystem::path& scenario,
                                 const std::vector<LeakTableLine>& lines, Pictures* pictures) {
  struct Kind {
    LeakMethod method;
    bool paper_clock;
  };
  constexpr std::array<Kind, 6> kinds = {{{LeakMethod::none, true},
                                          {LeakMethod::none, false},
                                          {LeakMethod::energy_leak, true},
                                          {LeakMethod::energy_leak, false},
                                          {LeakMethod::improved, false},
                                          {LeakMethod::refresh, false}}};
  std::vector<Row> rows;
  const auto accumulated = [](const char* figure, const char* title) {
    return Picture{"gonzalez2019", figure, title, {"time", "s"}, {"accumulated energy error", "J"}};
  };
  Picture uncorrected =
      accumulated("Fig. 15, uncorrected", "Energy error for several masses m₂, without correction");
  Picture corrected =
      accumulated("Fig. 15, corrected", "Energy error for several masses m₂, with correction");
  for (const LeakTableLine& line : lines) {
    const Samples exact = line.problem.sample_solution(LeakRun::duration_s, LeakRun{}.H1_s);
    add_analytic_rows(line, exact, rows);
    std::optional<OscillatorErrors> published;  // corrected, with the paper's clock
    for (const Kind& kind : kinds) {
      LeakRun run;
      run.problem = line.problem;
      run.method = kind.method;
      run.paper_clock = kind.paper_clock;
      // The error of m2 = 0.01 kg without correction, 1e45 J, would hide all others.
      const bool drawn = pictures != nullptr && kind.paper_clock &&
                         (kind.method == LeakMethod::energy_leak || line.uncorrected_J.value < 1e5);
      PictureCurve error{fmt::format("m₂ = {:g} kg", line.problem.m2)};
      const OscillatorErrors errors = errors_of(scenario, run, exact, [&](const LeakRunPoint& now) {
        if (drawn) error.add(static_cast<double>(now.j) * run.H1_s, now.balance_J);
      });
      if (drawn)
        (kind.method == LeakMethod::none ? uncorrected : corrected).curves.push_back(std::move(error));
      if (kind.method == LeakMethod::energy_leak && kind.paper_clock) published.emplace(errors);
      add_error_rows(line, run, errors, published, rows);
    }
  }
  if (pictures != nullptr) {
    pictures->add(std::move(uncorrected));
    pictures->add(std::move(corrected));
  }
  return rows;
}

}  // namespace ergon::bench
