#include <fmt/format.h>

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
  add_stability(paper.claims);
  add_links(paper.claims);
  return paper;
}

}  // namespace ergon::bench
