#include "benchmarks/residual-multiple/residual_multiple.hpp"

#include <fmt/format.h>

#include "benchmarks/rodriguez2022/residual_rows.hpp"
#include "benchmarks/rodriguez2022/residual_run.hpp"

namespace ergon::bench {
namespace {

constexpr double published_limit = 0.25;  // captions of Figs. 25, 26

struct ResidualMultipleKnown {
  Expectation uncorrected;
  Expectation corrected;  // ν = 0 and the published limit
};

std::optional<ResidualMultipleKnown> known_figures(int number) {
  if (number == 1) return ResidualMultipleKnown{{.value = 2.864, .rel = 0.02}, {.max = 0.065}};
  if (number == 3) return ResidualMultipleKnown{{.value = 16.63, .rel = 0.02}, {.max = 0.18}};
  return std::nullopt;
}

}  // namespace

std::vector<Row> residual_multiple(const std::filesystem::path& folder) {
  std::vector<Row> rows;
  for (const int number : {1, 2, 3, 4}) {
    ResidualRun run{multiple_oscillator(number), residual_schedules().front()};
    const auto scenario = folder / fmt::format("multiple-{}.toml", run.problem.size());
    const ReferenceMotion reference = analytic_motion(run.problem);
    const auto known = known_figures(number);
    rows.push_back({{{"case", static_cast<double>(number)}, {"n", static_cast<double>(run.problem.size())}},
                    "paid_by_made",
                    "",
                    {},
                    {},
                    velocity_products(reference).paid_by_made});
    const auto add = [&](const ResidualKnown& expected) {
      Case settings = {{"case", static_cast<double>(number)}, {"n", static_cast<double>(run.problem.size())}};
      add_correction_settings(run, settings);
      const ResidualErrors errors = residual_errors(scenario, run, reference);
      add_error_rows(settings, errors, expected, rows);
      return errors.max_energy;
    };
    ResidualKnown expected;
    if (known) expected.max_energy = known->uncorrected;
    const double uncorrected = add(expected);
    for (const double limit : {published_limit, 1.0}) {
      run.correction = {ResidualMethod::published, published_mu(run.schedule), 0.0, limit};
      expected.max_energy = Expectation{.max = uncorrected};
      if (known && limit == published_limit) expected.max_energy = known->corrected;
      add(expected);
    }
    run.correction = {ResidualMethod::bounded, published_mu(run.schedule), 0.0, published_limit};
    add({.max_energy = Expectation{.max = uncorrected}});
    run.correction = {ResidualMethod::banked};
    add({.max_energy = Expectation{.max = uncorrected}});
    run.correction = {};
    run.feedthrough = "refresh";
    add({});
  }
  return rows;
}

}  // namespace ergon::bench
