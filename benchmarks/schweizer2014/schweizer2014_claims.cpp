#include <fmt/format.h>

#include <algorithm>

#include "benchmarks/framework/papers.hpp"

namespace ergon::bench {
namespace {

Case stability_map(const char* scheme, int k) {
  return {{"decomposition", "F/F"}, {"scheme", scheme}, {"k", static_cast<double>(k)}};
}

double setting(const Row& row, const char* key) {
  for (const auto& [name, value] : row.settings)
    if (name == key) return std::get<double>(value);
  return 0.0;
}

/// Unstable points of k = 2 inside or outside of c > 1e4, d < 50.
double unstable_points(const std::vector<Row>& rows, bool inside) {
  double count = 0.0;
  for (const Row* row : rows_of(rows, {"stable", stability_map("semi-implicit", 2)})) {
    const bool in_region = setting(*row, "c") > 1e4 * (1.0 + 1e-9) && setting(*row, "d") < 50.0;
    if (row->ours == 0.0 && in_region == inside) count += 1.0;
  }
  return count;
}

void add_convergence(std::vector<Claim>& claims) {
  claims.push_back(
      {"Fig. 8", "x₁ approaches the reference for smaller macro steps (F/F, k = 0)", "approaches",
       "figure as described; error at 0.25 ms by that at 2 ms", "semi-convergence",
       ratio(
           "error, 0.25 ms by 2 ms",
           {"max_error", {{"decomposition", "F/F"}, {"scheme", "semi-implicit"}, {"k", 0.0}, {"H", 2.5e-4}}},
           {"max_error", {{"decomposition", "F/F"}, {"scheme", "semi-implicit"}, {"k", 0.0}, {"H", 2e-3}}}),
       Expectation{.max = 0.25}});
  const char* panels[] = {"F/F", "F/D", "D/D"};
  for (int panel = 0; panel < 3; ++panel) {
    for (int k = 0; k <= 2; ++k)
      claims.push_back({fmt::format("Fig. 9 {}", static_cast<char>('a' + panel)),
                        fmt::format("{} with k = {} converges with order {}", panels[panel], k, k + 1),
                        fmt::format("{}", k + 1),
                        "auxiliary lines of the figure; fitted to 2, 1, 0.5, 0.25 ms, within 0.1",
                        "semi-convergence",
                        figure("order", {{"decomposition", panels[panel]},
                                         {"scheme", "semi-implicit"},
                                         {"k", static_cast<double>(k)}}),
                        Expectation{.value = k + 1.0, .abs = 0.1}});
  }
}

/// All ways to the coupling variables, k = 1, 1 ms.
FigureOf one_step(const char* scheme, const char* jacobian) {
  return {"max_error",
          {{"decomposition", "F/F"}, {"scheme", scheme}, {"k", 1.0}, {"H", 1e-3}, {"jacobian", jacobian}}};
}

void add_variants(std::vector<Claim>& claims) {
  claims.push_back({"Sect. 5", "A complete iteration may improve the accuracy", "may be improved",
                    "text; taken as: an error at least 1 % smaller, F/F, k = 1, 1 ms", "semi-convergence",
                    ratio("error, implicit by semi-implicit", one_step("implicit", "finite-difference"),
                          one_step("semi-implicit", "finite-difference")),
                    Expectation{.max = 0.99},
                    "The oscillator is linear: the first Newton step is the solution already."});
  claims.push_back({"App. A", "The approximation formulas (90) serve as Jacobian", "serve",
                    "text; taken as: the same error as with finite differences within 2 %, F/F, k = 1, 1 ms",
                    "semi-convergence",
                    ratio("error, by formulas by differences", one_step("semi-implicit", "effective-inertia"),
                          one_step("semi-implicit", "finite-difference")),
                    Expectation{.value = 1.0, .abs = 0.02}});
}

void add_stability(std::vector<Claim>& claims) {
  for (int k = 0; k <= 2; ++k) {
    claims.push_back({fmt::format("Fig. 10 {}", static_cast<char>('a' + k)),
                      fmt::format("The explicit scheme is unstable for larger c and d, k = {}", k),
                      "unstable", "text; taken as: at most half of 49 points are stable", "semi-stability",
                      figure("stable_points", stability_map("explicit", k)), Expectation{.max = 24.5}});
    if (k < 2)
      claims.push_back({fmt::format("Fig. 10 {}", static_cast<char>('a' + k)),
                        fmt::format("The semi-implicit scheme is stable in the whole range, k = {}", k),
                        "stable", "text; all 49 points", "semi-stability",
                        figure("stable_points", stability_map("semi-implicit", k)),
                        Expectation{.value = 49.0, .abs = 0.0}});
  }
  claims.push_back({"Sect. 5", "The semi-implicit scheme is more stable than the explicit one", "better",
                    "text; stable points, least ratio of k = 0, 1, 2", "semi-stability",
                    computed("stable points, semi-implicit by explicit", "",
                             [](const std::vector<Row>& rows) {
                               double least = 1e9;
                               for (int k = 0; k <= 2; ++k)
                                 least = std::min(
                                     least,
                                     figure_of(rows, {"stable_points", stability_map("semi-implicit", k)}) /
                                         figure_of(rows, {"stable_points", stability_map("explicit", k)}));
                               return least;
                             }),
                    Expectation{.min = 1.0}});
  claims.push_back({"Fig. 10 c", "With k = 2 the semi-implicit scheme gets unstable for c > 1e4 and d < 5e1",
                    "unstable", "text; unstable points in that region", "semi-stability",
                    computed("unstable points in the region", "",
                             [](const std::vector<Row>& rows) { return unstable_points(rows, true); }),
                    Expectation{.min = 1.0}});
  claims.push_back({"Fig. 10 c", "With k = 2 it is stable everywhere else", "only",
                    "text; unstable points outside of that region", "semi-stability",
                    computed("unstable points outside of the region", "",
                             [](const std::vector<Row>& rows) { return unstable_points(rows, false); }),
                    Expectation{.max = 0.0}});
}

FigureOf loss(double H_s) {
  return {"energy_change", {{"decomposition", "F/F"}, {"k", 0.0}, {"H", H_s}}};
}

void add_links(std::vector<Claim>& claims) {
  claims.push_back({"Fig. 12", "Even with k = 0 the double pendulum is close to the reference (1 ms)",
                    "close", "text; taken as: both angles within 1 mrad", "double-pendulum",
                    figure("max_error", {{"decomposition", "F/F"}, {"k", 0.0}, {"H", 1e-3}}),
                    Expectation{.max = 1e-3}});
  for (const double k : {1.0, 2.0})
    claims.push_back(
        {"Fig. 12", fmt::format("The double pendulum is close to the reference, k = {:g} (1 ms)", k), "close",
         "text; taken as: both angles within 1 mrad", "double-pendulum",
         figure("max_error", {{"decomposition", "F/F"}, {"k", k}, {"H", 1e-3}}), Expectation{.max = 1e-3}});
  claims.push_back(
      {"Fig. 12", "Fluctuations of the coupling force at the start decay rapidly", "rapidly decaying",
       "text; taken as: after 0.2 s the force changes from point to point by at most a tenth of "
       "what it does before, k = 1",
       "double-pendulum", figure("force_changes_late_by_early", {{"decomposition", "F/F"}, {"k", 1.0}}),
       Expectation{.max = 0.1}});
  claims.push_back({"Fig. 14", "The slider-crank mechanism converges to the reference", "converges",
                    "text; taken as: order 1 within 0.1, k = 0", "slider-crank",
                    figure("order", {{"decomposition", "F/F"}, {"k", 0.0}}),
                    Expectation{.value = 1.0, .abs = 0.1}});
  claims.push_back({"Fig. 14", "Numerical damping is reduced for smaller macro steps (0.5 against 1 ms)",
                    "reduced", "text; energy lost in 5 s", "slider-crank",
                    ratio("energy lost, 0.5 ms by 1 ms", loss(5e-4), loss(1e-3)), Expectation{.max = 1.0}});
  claims.push_back({"Fig. 14", "Numerical damping is reduced for smaller macro steps (0.1 against 0.5 ms)",
                    "reduced", "text; energy lost in 5 s", "slider-crank",
                    ratio("energy lost, 0.1 ms by 0.5 ms", loss(1e-4), loss(5e-4)), Expectation{.max = 1.0}});
}

}  // namespace

Paper schweizer2014_claims() {
  Paper paper{"schweizer2014", "semi-implicit coupling", {}};
  add_convergence(paper.claims);
  add_variants(paper.claims);
  add_stability(paper.claims);
  add_links(paper.claims);
  return paper;
}

}  // namespace ergon::bench
