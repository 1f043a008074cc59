#include "benchmarks/residual-multiple/residual_multiple.hpp"

#include <fmt/format.h>

#include "benchmarks/rodriguez2022/residual_pictures.hpp"
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

std::vector<Row> residual_multiple(const std::filesystem::path& folder, Pictures* pictures) {
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
    std::vector<ShownHistory> shown;
    const auto add = [&](const ResidualKnown& expected, const char* label = nullptr) {
      const bool show = label != nullptr && pictures != nullptr;
      if (show) shown.push_back({label, {}});
      Case settings = {{"case", static_cast<double>(number)}, {"n", static_cast<double>(run.problem.size())}};
      add_correction_settings(run, settings);
      const ResidualErrors errors =
          residual_errors(scenario, run, reference, show ? &shown.back().history : nullptr);
      add_error_rows(settings, errors, expected, rows);
      return errors.max_energy;
    };
    ResidualKnown expected;
    if (known) expected.max_energy = known->uncorrected;
    const double uncorrected = add(expected, "uncorrected");
    for (const double limit : {published_limit, 1.0}) {
      run.correction = {ResidualMethod::published, published_mu(run.schedule), 0.0, limit};
      expected.max_energy = Expectation{.max = uncorrected};
      if (known && limit == published_limit) expected.max_energy = known->corrected;
      add(expected, limit == published_limit ? "corrected" : nullptr);
    }
    if (pictures != nullptr && number == 1) {
      const std::string title = "Three masses, case 1, single rate, μ = 0.5, at most 25 % of the force";
      pictures->add(energy_picture("Fig. 25", title, shown, reference));
      pictures->add(displacement_picture("Fig. 26", title, "η₃", shown, reference));
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
