#include "benchmarks/lim-oscillator/lim_oscillator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "benchmarks/framework/run_changes.hpp"
#include "benchmarks/lim2021/oscillator_reference.hpp"
#include "ergon/run/simulation.hpp"

namespace ergon::bench {
namespace {

constexpr double lim_oscillator_duration_s = 10.0;
/// Finest communication step of all rows: the analytic solution is sampled here once and used by every row.
constexpr double grid_s = 1e-4;

/// One set-up of the table.
struct LimOscillatorSetup {
  int problem = 1;
  std::string arrangement;
  std::string scheme;
  std::string order;   // Gauss–Seidel: who comes first
  double H1_s = 1e-3;  // left mass
  double H2_s = 1e-3;  // right mass
  std::string
      extrapolation;        // multi-rate only: single-rate start samplers never look beyond the newest sample
  std::string feedthrough;  // f-s only
  // ── Of what goes beyond the text: other integrators, schemes and corrections ──
  std::string integrator{};    // empty: semi-implicit Euler
  std::string degree{};        // of semi-implicit and implicit schemes
  std::string acceleration{};  // likewise
  std::string correction{};
  bool position_only = false;  // the flow is made from samples of the displacement
};

struct LimOscillatorFigures {
  double energy = 0.0;
  double x1 = 0.0;
  double x2 = 0.0;
};

TwoMassOscillator problem_data(int problem) {
  TwoMassOscillator data;  // case 1 [lim2021, Table 1]
  if (problem == 2) data.c1 = data.cc = data.c2 = 0.01;
  return data;
}

std::vector<std::string> overrides_of(const LimOscillatorSetup& s, const TwoMassOscillator& data) {
  std::vector<std::string> set = {fmt::format("left.step_size={}", s.H1_s),
                                  fmt::format("right.step_size={}", s.H2_s),
                                  fmt::format("left.c={}", data.c1), fmt::format("right.c={}", data.c2),
                                  fmt::format("coupling.scheme={}", s.scheme)};
  if (s.arrangement == "f-f") {
    set.push_back(fmt::format("spring.c={}", data.cc));
  } else {
    set.push_back(fmt::format("left.cc={}", data.cc));
    if (s.arrangement == "s-s") set.push_back(fmt::format("right.cc={}", data.cc));
  }
  if (!s.order.empty()) set.push_back(fmt::format("coupling.order=[\"{}\"]", s.order));
  if (!s.extrapolation.empty()) set.push_back(fmt::format("coupling.extrapolation={}", s.extrapolation));
  if (!s.feedthrough.empty()) set.push_back(fmt::format("bond.coupling.feedthrough={}", s.feedthrough));
  if (!s.integrator.empty()) {
    set.push_back(fmt::format("left.integrator.method={}", s.integrator));
    set.push_back(fmt::format("right.integrator.method={}", s.integrator));
  }
  if (!s.degree.empty()) set.push_back(fmt::format("coupling.degree={}", s.degree));
  if (!s.acceleration.empty()) set.push_back(fmt::format("coupling.acceleration={}", s.acceleration));
  if (!s.correction.empty())
    set.push_back(fmt::format("bond.coupling.correction={{method=\"{}\"}}", s.correction));
  if (s.position_only) set.emplace_back("bond.coupling.b.flow=");
  return set;
}

LimOscillatorFigures simulate(const std::filesystem::path& folder, const LimOscillatorSetup& s,
                              const TwoMassOscillator& data,
                              const std::vector<std::array<double, 4>>& reference) {
  Simulation simulation(folder / (s.arrangement + ".toml"),
                        with_changes(folder / (s.arrangement + ".toml"), overrides_of(s, data)));
  const Index x1 = simulation.output("left.position");
  const Index v1 = simulation.output("left.velocity");
  const Index x2 = simulation.output("right.position");
  const Index v2 = simulation.output("right.velocity");
  const double macro_s = std::max(s.H1_s, s.H2_s);
  LimOscillatorFigures worst;
  simulation.for_each_point([&](const StepRecord& record) {
    // Errors at macro points: where both masses have a sample.
    const double macro = record.time_s() / macro_s;
    if (std::abs(macro - std::round(macro)) > 1e-6) return;
    const auto& exact = reference[static_cast<std::size_t>(std::lround(record.time_s() / grid_s))];
    const std::array<double, 4> z = {record.output(x1), record.output(x2), record.output(v1),
                                     record.output(v2)};
    worst.energy = std::max(worst.energy, std::abs(data.energy_J(z) - data.energy_J(exact)));
    worst.x1 = std::max(worst.x1, std::abs(z[0] - exact[0]));
    worst.x2 = std::max(worst.x2, std::abs(z[1] - exact[1]));
  });
  return worst;
}

/// What a right implementation reaches in case 1 with H1 = 1 ms, to the digits known: half a unit of the last one.
struct LimOscillatorKnown {
  std::optional<Expectation> energy{};
  std::optional<Expectation> x2{};
};

Expectation to_digits(double value, double last_digit) {
  return {.value = value, .abs = 0.5 * last_digit};
}

LimOscillatorKnown known_figures(const LimOscillatorSetup& s) {
  const bool multirate = s.H1_s != s.H2_s;
  if (s.problem != 1 || s.H1_s != 1e-3 || !s.integrator.empty() || !s.correction.empty() || s.position_only ||
      s.extrapolation == "quadratic")
    return {};
  if (!multirate) {
    if (s.scheme == "gauss-seidel") {
      if (s.order == "left") return {to_digits(261.2, 0.1), to_digits(0.197, 1e-3)};
      return {};
    }
    if (s.feedthrough == "stale") return {to_digits(10340, 10), to_digits(2.08, 0.01)};
    if (s.feedthrough == "predict") return {};
    return {to_digits(121.4, 0.1), to_digits(0.0501, 1e-4)};
  }
  if (s.scheme != "jacobi") return {};
  const bool hold = s.extrapolation == "hold";
  if (s.feedthrough == "stale") {
    return hold ? LimOscillatorKnown{to_digits(20200, 100), to_digits(3.57, 0.01)}
                : LimOscillatorKnown{to_digits(10180, 10), to_digits(2.08, 0.01)};
  }
  if (s.arrangement == "f-f") {
    return hold ? LimOscillatorKnown{to_digits(3626, 1), to_digits(0.916, 1e-3)}
                : LimOscillatorKnown{to_digits(43.19, 0.01), to_digits(0.0226, 1e-4)};
  }
  if (s.arrangement == "s-s") {
    return hold ? LimOscillatorKnown{to_digits(138.5, 0.1), to_digits(0.0885, 1e-4)}
                : LimOscillatorKnown{to_digits(41.15, 0.01), to_digits(0.00311, 1e-5)};
  }
  return {};
}

std::vector<LimOscillatorSetup> all_setups() {
  std::vector<LimOscillatorSetup> setups;
  for (const int problem : {1, 2}) {
    for (const bool multirate : {false, true}) {
      for (const double H1 : {1e-4, 5e-4, 1e-3, 2e-3}) {
        if (multirate && H1 == grid_s) continue;
        for (const std::string extrapolation : {"hold", "linear"}) {
          if (!multirate && extrapolation == "linear") continue;
          for (const std::string arrangement : {"f-s", "s-s", "f-f"}) {
            LimOscillatorSetup s;
            s.problem = problem;
            s.arrangement = arrangement;
            s.H1_s = H1;
            s.H2_s = multirate ? grid_s : H1;
            s.extrapolation = multirate ? extrapolation : "";
            s.scheme = "jacobi";
            for (const std::string mode : {"stale", "predict", "refresh"}) {
              s.feedthrough = arrangement == "f-s" ? mode : "";
              setups.push_back(s);
              if (arrangement != "f-s") break;
            }
            s.scheme = "gauss-seidel";
            s.feedthrough = arrangement == "f-s" ? "stale" : "";
            for (const std::string first : {"left", "right"}) {
              s.order = first;
              setups.push_back(s);
            }
          }
        }
      }
    }
  }
  return setups;
}

/// The schemes and means that other papers offer, on this problem. Integrators that follow their inputs show what the interface
/// leaves: semi-implicit Euler swings by 121 J at 1 ms whatever the coupling.
std::vector<LimOscillatorSetup> further_setups() {
  std::vector<LimOscillatorSetup> setups;
  const auto at = [](const char* arrangement, const char* scheme, double H1_s, double H2_s) {
    LimOscillatorSetup s;
    s.arrangement = arrangement;
    s.scheme = scheme;
    s.H1_s = H1_s;
    s.H2_s = H2_s;
    return s;
  };
  for (const double H2_s : {1e-3, grid_s}) {
    for (const char* arrangement : {"f-s", "s-s", "f-f"}) {
      for (const char* extrapolation : {"hold", "linear", "quadratic"}) {
        LimOscillatorSetup s = at(arrangement, "jacobi", 1e-3, H2_s);
        s.integrator = "rk4";
        s.extrapolation = extrapolation;
        if (s.arrangement == "f-s") s.feedthrough = "refresh";
        setups.push_back(s);
      }
    }
    for (const char* correction : {"energy-leak", "residual-power", "passivity", "nepce"}) {
      LimOscillatorSetup s = at("f-s", "jacobi", 1e-3, H2_s);
      s.extrapolation = "linear";
      s.feedthrough = "stale";
      s.correction = correction;
      s.integrator = "semi-implicit-euler";
      setups.push_back(s);
    }
    for (const char* feedthrough : {"stale", "refresh"}) {
      LimOscillatorSetup s = at("f-s", "jacobi", 1e-3, H2_s);
      s.problem = 2;  // the damper needs the flow
      s.extrapolation = "linear";
      s.feedthrough = feedthrough;
      s.position_only = true;
      s.integrator = "semi-implicit-euler";
      setups.push_back(s);
    }
  }
  for (const char* scheme : {"semi-implicit", "implicit"}) {
    for (const char* arrangement : {"f-s", "s-s", "f-f"}) {
      for (const char* degree : {"1", "2"}) {
        LimOscillatorSetup s = at(arrangement, scheme, 1e-3, 1e-3);
        s.integrator = "rk4";
        s.degree = degree;
        setups.push_back(s);
        s.H2_s = grid_s;
        setups.push_back(s);
      }
    }
  }
  for (const char* arrangement : {"f-s", "s-s", "f-f"}) {
    for (const double H1_s : {2e-4, 5e-4}) {
      LimOscillatorSetup s = at(arrangement, "implicit", H1_s, grid_s);
      s.integrator = "rk4";
      s.degree = "1";
      setups.push_back(s);
    }
  }
  for (const double H2_s : {1e-3, grid_s}) {
    for (const char* first : {"left", "right"}) {
      LimOscillatorSetup s = at("f-s", "implicit", 1e-3, H2_s);
      s.integrator = "rk4";
      s.degree = "1";
      s.acceleration = "gauss-seidel";
      s.order = first;
      setups.push_back(s);
    }
  }
  return setups;
}

}  // namespace

std::vector<Row> lim_oscillator(const std::filesystem::path& folder) {
  std::vector<Row> rows;
  std::array<std::vector<std::array<double, 4>>, 2> reference;
  for (const int problem : {1, 2}) {
    reference[static_cast<std::size_t>(problem - 1)] =
        problem_data(problem).sample_solution(lim_oscillator_duration_s, grid_s);
  }
  std::vector<LimOscillatorSetup> setups = all_setups();
  for (LimOscillatorSetup& s : further_setups()) setups.push_back(std::move(s));
  for (const LimOscillatorSetup& s : setups) {
    const TwoMassOscillator data = problem_data(s.problem);
    const LimOscillatorFigures ours =
        simulate(folder, s, data, reference[static_cast<std::size_t>(s.problem - 1)]);
    const LimOscillatorKnown known = known_figures(s);
    Case settings = {
        {"case", static_cast<double>(s.problem)}, {"arrangement", s.arrangement}, {"scheme", s.scheme}};
    if (!s.order.empty()) settings.emplace_back("order", s.order + (s.order == "left" ? ",right" : ",left"));
    settings.emplace_back("H1", s.H1_s);
    settings.emplace_back("H2", s.H2_s);
    if (!s.extrapolation.empty()) settings.emplace_back("extrapolation", s.extrapolation);
    if (!s.feedthrough.empty()) settings.emplace_back("feedthrough", s.feedthrough);
    if (!s.integrator.empty()) settings.emplace_back("integrator", s.integrator);
    if (!s.degree.empty()) settings.emplace_back("degree", s.degree);
    if (!s.acceleration.empty()) settings.emplace_back("acceleration", s.acceleration);
    if (!s.correction.empty()) settings.emplace_back("correction", s.correction);
    if (s.position_only) settings.emplace_back("exchanged", "position");
    rows.push_back({settings, "max_energy_error", "J", std::nullopt, known.energy, ours.energy});
    rows.push_back({settings, "max_x1_error", "m", std::nullopt, std::nullopt, ours.x1});
    rows.push_back({settings, "max_x2_error", "m", std::nullopt, known.x2, ours.x2});
  }
  return rows;
}

}  // namespace ergon::bench
