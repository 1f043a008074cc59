#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "benchmarks/framework/papers.hpp"

namespace ergon::bench {
namespace {

constexpr const char* energy = "max_energy_error_relative";
constexpr const char* motion = "rms_x_error_relative";
constexpr const char* final_energy = "final_energy_ratio";

Case stale(Case where) {
  where.emplace_back("feedthrough", "stale");
  return where;
}
Case uncorrected(Case where) {
  where.emplace_back("method", "none");
  return stale(std::move(where));
}
Case corrected(Case where, double nu = 0.0) {
  where.emplace_back("variant", "published");
  where.emplace_back("nu", nu);
  return stale(std::move(where));
}
Case table_1(int number, const char* schedule = "single") {
  return {{"case", static_cast<double>(number)}, {"schedule", schedule}};
}

void add_factor(std::vector<Claim>& claims) {
  const auto curve = [&](const char* place, const char* extrapolation, bool larger) {
    claims.push_back(
        {place,
         fmt::format("μ of {} is the factor that corrects the energy, {}", larger ? "(20)" : "(21)",
                     extrapolation),
         "curve over R",
         "formula; the μ with the smallest energy error of case 1, within 0.02, over all R of the figure",
         "residual-mu",
         computed("largest distance of the best factor", "",
                  [extrapolation, larger](const std::vector<Row>& rows) {
                    double distance = 0.0;
                    for (const Row* row : rows_of(rows, {"best_mu", {{"extrapolation", extrapolation}}})) {
                      const double R = std::get<double>(row->settings.front().second);
                      if ((R > 1.0) == larger && R != 1.0)
                        distance = std::max(distance, std::abs(row->ours - row->paper.value()));
                    }
                    return distance;
                  }),
         Expectation{.max = 0.02}});
  };
  claims.push_back({"Sect. 3.3", "μ equals 0.5 in single-rate schemes with feed-through", "0.5",
                    "text; the μ with the smallest energy error of case 1, within 0.02", "residual-mu",
                    figure("best_mu", {{"R", 1.0}, {"extrapolation", "hold"}}),
                    Expectation{.value = 0.5, .abs = 0.02}});
  claims.push_back(
      {"Sect. 3.3", "Where neither subsystem has feed-through nothing is to be corrected", "0",
       "text; taken as: displacement/displacement coupling at a single rate has no more energy "
       "error than the swing of the integrator, 2 % of 10 kJ",
       "lim-oscillator",
       figure("max_energy_error",
              {{"case", 1.0}, {"arrangement", "s-s"}, {"scheme", "jacobi"}, {"H1", 1e-3}, {"H2", 1e-3}}),
       Expectation{.max = 200.0}});
  for (const char* extrapolation : {"hold", "linear", "quadratic"}) curve("Fig. 11", extrapolation, true);
  for (const char* extrapolation : {"hold", "linear", "quadratic"}) curve("Fig. 12", extrapolation, false);
}

void add_double_oscillator(std::vector<Claim>& claims) {
  claims.push_back({"Fig. 9", "The residual power shows that the energy of the conservative system increases",
                    "increases", "text; taken as: more than a tenth in 10 s", "residual-oscillator",
                    figure(final_energy, uncorrected(table_1(1))), Expectation{.min = 1.1}});
  claims.push_back({"Fig. 10", "With damping the run is stable and not accurate", "not accurate",
                    "text; taken as: more than 5 % above the reference at the end", "residual-oscillator",
                    figure(final_energy, uncorrected(table_1(2))), Expectation{.min = 1.05}});
  claims.push_back({"Fig. 10",
                    "Damping brings the energy closer to the reference than in the conservative case",
                    "decreases", "text", "residual-oscillator",
                    ratio("energy error, case 2 by case 1", {energy, uncorrected(table_1(2))},
                          {energy, uncorrected(table_1(1))}),
                    Expectation{.max = 1.0}});
  claims.push_back({"Fig. 20",
                    "An almost exact removal of the excess energy is possible (case 1, R = 10, hold)",
                    "almost exact", "text; taken as: within 2 % of E₀", "residual-oscillator",
                    figure(energy, corrected(table_1(1, "R10-hold"))), Expectation{.max = 0.02}});
  claims.push_back({"Fig. 20", "Without correction the energy grows", "grows",
                    "figure as described; taken as: by more than a tenth", "residual-oscillator",
                    figure(final_energy, uncorrected(table_1(1, "R10-hold"))), Expectation{.min = 1.1}});
  claims.push_back(
      {"Fig. 21", "The corrected displacement matches the reference with a small delay", "matches",
       "text; taken as: at most a third of the RMS error of the uncorrected run", "residual-oscillator",
       ratio("RMS error of x, corrected by uncorrected", {motion, corrected(table_1(1, "R10-hold"))},
             {motion, uncorrected(table_1(1, "R10-hold"))}),
       Expectation{.max = 1.0 / 3.0}});
  for (int number = 1; number <= 8; ++number) {
    const bool opposed = number == 3 || number == 4 || number == 8;
    claims.push_back({fmt::format("Table 1, case {}", number),
                      "The correction with μ = 0.5 removes the energy error", "removed",
                      "Sect. 5: the factors of case 1 were used for the other cases; taken as: energy at the "
                      "end within 5 % of the "
                      "reference, single rate, ν = 0",
                      "residual-oscillator", figure(final_energy, corrected(table_1(number))),
                      Expectation{.value = 1.0, .abs = 0.05},
                      opposed ? "v₁ and v₂ are opposed most of the time: the law takes out k_c H (v₂² − "
                                "v₁v₂) where the interface "
                                "makes k_c H v₂²."
                              : ""});
  }
  claims.push_back({"Fig. 22", "In case 7 the amplitude of the corrected motion matches the reference",
                    "matches", "text; taken as: a smaller RMS error than without correction",
                    "residual-oscillator",
                    ratio("RMS error of x, corrected by uncorrected", {motion, corrected(table_1(7))},
                          {motion, uncorrected(table_1(7))}),
                    Expectation{.max = 1.0}});
  claims.push_back({"Fig. 23", "A light receiver makes the correction less effective (case 7 against case 1)",
                    "affects negatively",
                    "text; taken as: a larger part of the uncorrected energy error is left",
                    "residual-oscillator",
                    computed("part left, case 7 by case 1", "",
                             [](const std::vector<Row>& rows) {
                               const auto left = [&](int number) {
                                 return figure_of(rows, {energy, corrected(table_1(number))}) /
                                        figure_of(rows, {energy, uncorrected(table_1(number))});
                               };
                               return left(7) / left(1);
                             }),
                    Expectation{.min = 1.0}});
  claims.push_back({"Fig. 23", "The integral term removes the excess energy more effectively",
                    "more effective", "text; taken as: a smaller energy error with ν = 0.25 than with 0",
                    "residual-oscillator",
                    ratio("energy error, nu = 0.25 by 0", {energy, corrected(table_1(7), 0.25)},
                          {energy, corrected(table_1(7))}),
                    Expectation{.max = 1.0}});
}

FigureOf with_limit(double limit) {
  Case where = corrected({}, 0.25);
  where.emplace_back("limit", limit);
  return {energy, where};
}

void add_limit(std::vector<Claim>& claims) {
  claims.push_back({"Fig. 24", "Large corrections are detrimental", "detrimental",
                    "text; taken as: a larger energy error with 500 % than with 100 %", "residual-cap",
                    ratio("energy error, limit 5 by 1", with_limit(5.0), with_limit(1.0)),
                    Expectation{.min = 1.0}});
  claims.push_back(
      {"Fig. 24", "Insufficient corrections fail to remove the energy error", "fail",
       "text; taken as: more than half of the uncorrected error with 0.1 %", "residual-cap",
       ratio("energy error, limit 0.001 by uncorrected", with_limit(0.001), {energy, uncorrected({})}),
       Expectation{.min = 0.5}});
  const auto motion_with = [](double limit) { return FigureOf{motion, with_limit(limit).where}; };
  claims.push_back({"Sect. 5", "A lower limit of the force may improve the results", "improved",
                    "text; taken as: a smaller RMS error of x with 10 % than with 100 %", "residual-cap",
                    ratio("RMS error of x, limit 0.1 by 1", motion_with(0.1), motion_with(1.0)),
                    Expectation{.max = 1.0}});
}

void add_multiple(std::vector<Claim>& claims) {
  for (const double number : {1.0, 3.0}) {
    Case limited = corrected({{"case", number}});
    limited.emplace_back("limit", 0.25);
    const std::string of = number == 1.0 ? ", n = 3" : ", n = 5";
    claims.push_back({number == 1.0 ? "Fig. 25" : "Sect. 5",
                      "The correction works with more than two subsystems" + of, "possible",
                      "text; taken as: at most a tenth of the uncorrected energy error", "residual-multiple",
                      ratio("energy error, corrected by uncorrected", {energy, limited},
                            {energy, uncorrected({{"case", number}})}),
                      Expectation{.max = 0.1}});
    if (number == 1.0)
      claims.push_back({"Fig. 26", "The displacement η₃ is corrected, n = 3", "corrected",
                        "figure as described; taken as: half the RMS error of the motion or less",
                        "residual-multiple",
                        ratio("RMS error of x, corrected by uncorrected", {motion, limited},
                              {motion, uncorrected({{"case", number}})}),
                        Expectation{.max = 0.5}});
  }
}

Case nonlinear(double number, double mu, double nu) {
  Case where = corrected({{"case", number}}, nu);
  where.emplace_back("mu", mu);
  return where;
}

void add_nonlinear(std::vector<Claim>& claims) {
  const auto add = [&](const char* place, std::string says, const char* printed, const char* read,
                       Measure measure, Expectation asks, const char* reason = "") {
    claims.push_back(
        {place, std::move(says), printed, read, "residual-nonlinear", std::move(measure), asks, reason});
  };
  const FigureOf none_1{energy, uncorrected({{"case", 1.0}})};
  const FigureOf none_2{energy, uncorrected({{"case", 2.0}})};
  add("Fig. 27", "Without correction the energy grows consistently", "grows",
      "text; taken as: more than 5 % at the end", figure(final_energy, none_1.where),
      Expectation{.min = 1.05});
  add("Fig. 27", "With μ = 0.5 and ν = 0 the energy is not controlled to the end", "not able",
      "text; taken as: more than 2 % of E₀", figure(energy, nonlinear(1.0, 0.5, 0.0)),
      Expectation{.min = 0.02});
  for (const double mu : {0.6, 0.75, 1.0})
    add("Fig. 27", fmt::format("Raising μ above 0.5 dissipates too much energy, μ = {:g}", mu),
        "over-corrections", "text; taken as: less energy at the end than the reference",
        figure(final_energy, nonlinear(1.0, mu, 0.0)), Expectation{.max = 1.0},
        "At 0.6 the energy ends 0.7 % above that of the reference; from 0.75 on too much is taken.");
  add("Fig. 28", "The integral term removes the energy deviations", "removed",
      "text; taken as: a smaller energy error with ν = 0.25 than with 0",
      ratio("energy error, nu = 0.25 by 0", {energy, nonlinear(1.0, 0.5, 0.25)},
            {energy, nonlinear(1.0, 0.5, 0.0)}),
      Expectation{.max = 1.0});
  add("Fig. 28", "ν = 0.25 is the optimal value", "0.25",
      "text; the ν with the smallest energy error of 0, 0.1, 0.25, 0.5, 1",
      place_of_smallest("nu", {energy, stale({{"case", 1.0}, {"variant", "published"}, {"mu", 0.5}})}),
      Expectation{.value = 0.25, .abs = 0.0},
      "In this list the energy error falls with every step of ν; ν = 1 leaves 0.024 of E₀, 0.25 leaves "
      "0.027.");
  add("Fig. 29", "The displacement η₂ is corrected with this configuration", "corrected",
      "figure as described; taken as: a smaller RMS error of the motion than without correction",
      ratio("RMS error of x, corrected by uncorrected", {motion, nonlinear(1.0, 0.5, 0.25)},
            {motion, none_1.where}),
      Expectation{.max = 1.0});
  add("Fig. 30", "Nonlinear damping reduces the severity of the energy deviations", "reduced",
      "text; taken as: a smaller uncorrected error than in case 1, by E₀",
      ratio("energy error, case 2 by case 1", none_2, none_1), Expectation{.max = 1.0},
      "By E₀ the largest deviation is 0.122, that of case 1 0.101: the uncorrected run loses its energy more "
      "slowly than the "
      "reference does.");
  add("Fig. 30", "In case 2 the energy can be corrected without integral term", "possible",
      "text; taken as: at most a fifth of the uncorrected error",
      ratio("energy error, corrected by uncorrected", {energy, nonlinear(2.0, 0.5, 0.0)}, none_2),
      Expectation{.max = 0.2});
  add("Fig. 31", "The residual power of the uncorrected run is above zero in the mean", "above zero",
      "text; W", figure("mean_residual_power", none_1.where), Expectation{.min = 0.0});
}

void add_pendula(std::vector<Claim>& claims) {
  const auto pendulum = [](const char* quantity, const char* method) {
    return FigureOf{quantity, {{"case", 1.0}, {"formulation", "acceleration"}, {"method", method}}};
  };
  const auto add = [&](const char* place, const char* says, const char* printed, const char* read,
                       Measure measure, Expectation asks, const char* reason = "") {
    claims.push_back({place, says, printed, read, "pendula", std::move(measure), asks, reason});
  };
  const FigureOf none = pendulum(energy, "none"), paid = pendulum(energy, "residual-power");
  add("Fig. 32", "The correction brings x₂ closer to the reference", "closer",
      "text; taken as: a smaller largest error",
      ratio("largest error of x2, corrected by uncorrected", pendulum("max_x2_error", "residual-power"),
            pendulum("max_x2_error", "none")),
      Expectation{.max = 1.0});
  add("Sect. 4.3", "Relaxed at the start, with angles from the negative y axis, the spring is 8.756 m long",
      "8.756 m", "text; the distance of the tips by the angles as printed",
      computed("length by angles from the negative y axis", "m",
               [](const std::vector<Row>&) {
                 constexpr double l1_m = 2.5, l2_m = 3.5, pivots_m = 7.0;
                 constexpr double angle1_rad = std::numbers::pi / 4.0, angle2_rad = std::numbers::pi / 18.0;
                 return std::hypot(pivots_m + l2_m * std::sin(angle2_rad) - l1_m * std::sin(angle1_rad),
                                   l1_m * std::cos(angle1_rad) - l2_m * std::cos(angle2_rad));
               }),
      Expectation{.value = 8.756, .abs = 5e-4},
      "Angles from the horizontal, rods below it, give 8.75624 m; these are used here.");
  add("Fig. 32", "The deviation of the uncorrected run is relatively small", "relatively small",
      "text; taken as: an error of x₂ below a tenth of the rod's length of 3.5 m",
      figure("max_x2_error", pendulum("", "none").where), Expectation{.max = 0.35});
  add("Fig. 33", "The spurious energy is small", "small", "text; taken as: below 5 % at the end",
      figure(final_energy, pendulum("", "none").where), Expectation{.max = 1.05});
  add("Fig. 33", "Without correction spurious energy accumulates steadily", "accumulates",
      "text; taken as: more than 0.5 % at the end", figure(final_energy, pendulum("", "none").where),
      Expectation{.min = 1.005});
  add("Fig. 33", "The correction removes this excess energy", "removed",
      "text; taken as: at most a fifth of the uncorrected error is left",
      ratio("energy error, corrected by uncorrected", paid, none), Expectation{.max = 0.2},
      "The velocities of the two tips are not uncorrelated, which the factor μ = 0.5 presumes; 40 % of the "
      "error is left.");
  add("Fig. 33", "An integral term is necessary for adequate results", "necessary",
      "text; taken as: the energy error with ν = 1 is at most four fifths of that with ν = 0",
      ratio("energy error, nu = 1 by 0", paid, pendulum(energy, "residual-power-nu0")),
      Expectation{.max = 0.8},
      "ν changes the energy error by at most 3 %, in both cases and both formulations.");
  add("Fig. 34", "The residual power is above zero in the mean of the motion", "above zero",
      "text; taken as: its mean, W", figure("mean_residual_power", pendulum("", "none").where),
      Expectation{.min = 0.0});
  add("Fig. 34", "The residual power never falls below zero", "remains above zero",
      "text, by the letter; its least value, W", figure("least_residual_power", pendulum("", "none").where),
      Expectation{.min = 0.0}, "It falls below zero for a part of every swing; in the mean it is above.");
}

Case crane(double H_ms, double h_ms, const char* method) {
  return {{"H_mechanics", 1e-3 * H_ms}, {"H_hydraulics", 1e-3 * h_ms}, {"method", method}};
}

void add_crane(std::vector<Claim>& claims) {
  const auto add = [&](const char* place, const char* says, const char* printed, const char* read,
                       Measure measure, Expectation asks, const char* reason = "") {
    claims.push_back({place, says, printed, read, "hydraulic-crane", std::move(measure), asks, reason});
  };
  add("Sect. 4.4", "The spool is in equilibrium at γ₀ ≈ 0.45435", "0.45435", "text",
      figure("gamma0", crane(1.0, 0.1, "none")), Expectation{.value = 0.45435, .abs = 5e-6});
  add("Sect. 5", "With small macro steps the uncorrected deviations are small", "relatively small",
      "text; taken as: below 1 mm with 1 ms and 0.1 ms",
      figure("max_displacement_error", crane(1.0, 0.1, "none")), Expectation{.max = 1e-3});
  add("Fig. 35", "Uncorrected, the actuator follows the reference within 2 mm", "2 mm", "text",
      figure("max_displacement_error", crane(10.0, 0.25, "none")), Expectation{.max = 2e-3});
  add("Fig. 35", "The correction improves the accuracy", "improves",
      "text; taken as: a smaller largest error of the length",
      ratio("largest error, corrected by uncorrected",
            {"max_displacement_error", crane(10.0, 0.25, "residual-power-published")},
            {"max_displacement_error", crane(10.0, 0.25, "none")}),
      Expectation{.max = 1.0},
      "The error is that of the integrator with 10 ms: with the mechanics integrated finely 0.05 mm are "
      "left, and a correction of "
      "either sign makes that worse. The opposite sign happens to work against the integrator and more than "
      "halves the error.");
  Case program = crane(10.0, 0.25, "none");
  program.emplace_back("mechanics", "semi-implicit-euler");
  program.emplace_back("program", "independent");
  add("Sect. 5", "The coupling errors remove energy from the system", "removed",
      "text; the work that the mechanics received less the work that the hydraulics gave, J",
      figure("interface_energy", program), Expectation{.max = 0.0},
      "The interface makes energy. What is removed, 35 J, is removed by the integrator of the mechanics with "
      "steps of 10 ms; with the mechanics integrated finely the interface makes 16 J, and nothing is "
      "removed.");
  add("Fig. 36", "With 11.5 ms the solution shows an oscillation between 3 and 5 s", "oscillation",
      "text; taken as: an error above 5 mm in that time",
      figure("max_displacement_error_3_5s", crane(11.5, 0.1, "none")), Expectation{.min = 5e-3});
  add("Fig. 36", "The run recovers from the oscillation", "recovers",
      "text; taken as: within 5 mm of the reference at the end",
      figure("final_displacement_error", crane(11.5, 0.1, "none")), Expectation{.max = 5e-3},
      "The oscillation dies out, the position does not come back: the crane is 101 mm off at the end.");
  add("Fig. 37", "The residual power has a clear spike at the time of the oscillation", "clear spike",
      "text; taken as: ten times the largest value between 6 and 9 s",
      figure("peak_ratio", crane(11.5, 0.1, "none")), Expectation{.min = 10.0});
}

}  // namespace

Paper rodriguez2022_claims() {
  Paper paper{"rodriguez2022", "residual power, monitored and corrected", {}};
  add_factor(paper.claims);
  add_double_oscillator(paper.claims);
  add_limit(paper.claims);
  add_multiple(paper.claims);
  add_nonlinear(paper.claims);
  add_pendula(paper.claims);
  add_crane(paper.claims);
  return paper;
}

}  // namespace ergon::bench
