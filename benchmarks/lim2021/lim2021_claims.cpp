#include "benchmarks/framework/papers.hpp"

namespace ergon::bench {
namespace {

Case lim_case(const char* arrangement, double H1_s, double H2_s) {
  return {{"case", 1.0}, {"arrangement", arrangement}, {"scheme", "jacobi"}, {"H1", H1_s}, {"H2", H2_s}};
}

FigureOf lim_energy(const char* arrangement, double H1_s, double H2_s, const char* extrapolation = nullptr) {
  FigureOf figure{"max_energy_error", lim_case(arrangement, H1_s, H2_s)};
  if (extrapolation != nullptr) figure.where.emplace_back("extrapolation", extrapolation);
  return figure;
}

}  // namespace

/// The text defines a problem and prints no results: four sentences about the arrangements are all that it claims.
Paper lim2021_claims() {
  constexpr double H_s = 1e-3;
  Paper paper{"lim2021", "linear oscillator, a problem for co-simulation", {}};
  const auto add = [&](Claim claim) { paper.claims.push_back(std::move(claim)); };
  add({"Sect. 2.3",
       "In single-rate schemes displacement/displacement and force/force coupling are equivalent",
       "equivalent", "text; taken as: the same energy error", "lim-oscillator",
       ratio("energy error, f-f by s-s", lim_energy("f-f", H_s, H_s), lim_energy("s-s", H_s, H_s)),
       Expectation{.value = 1.0, .abs = 1e-12}});
  add({"Sect. 2.3", "In multi-rate schemes extrapolation makes them differ", "differences",
       "text; taken as: energy errors that differ by more than a tenth", "lim-oscillator",
       ratio("energy error, f-f by s-s", lim_energy("f-f", H_s, 1e-4, "hold"),
             lim_energy("s-s", H_s, 1e-4, "hold")),
       Expectation{.min = 1.1}});
  add({"Sect. 2.2", "Displacement/displacement coupling needs no extrapolation at a single rate",
       "not necessary", "text; taken as: no more error than the swing of the integrator, 2 % of 10 kJ",
       "lim-oscillator", figure("max_energy_error", lim_case("s-s", H_s, H_s)), Expectation{.max = 200.0}});
  Case refreshed = lim_case("f-s", H_s, H_s);
  refreshed.emplace_back("feedthrough", "refresh");
  add({"Sect. 3",
       "The energy of case 1 should remain constant (force/displacement coupling, refreshed force)",
       "constant", "text; taken as: an error below 2 % of 10 kJ with steps of 1 ms", "lim-oscillator",
       figure("max_energy_error", refreshed), Expectation{.max = 200.0}});
  return paper;
}

}  // namespace ergon::bench
