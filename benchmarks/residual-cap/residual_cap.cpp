#include "benchmarks/residual-cap/residual_cap.hpp"

#include <fmt/format.h>

#include <array>

#include "benchmarks/rodriguez2022/residual_pictures.hpp"
#include "benchmarks/rodriguez2022/residual_rows.hpp"
#include "benchmarks/rodriguez2022/residual_run.hpp"

namespace ergon::bench {

std::vector<Row> residual_cap(const std::filesystem::path& folder, Pictures* pictures) {
  const std::filesystem::path scenario = folder / "double.toml";
  ResidualRun run{double_oscillator(7), residual_schedules().front()};
  const ReferenceMotion reference = analytic_motion(run.problem);
  std::vector<Row> rows;
  std::vector<ShownHistory> shown;
  const auto add = [&](const ResidualKnown& known, const std::string& label = {}) {
    if (!label.empty() && pictures != nullptr) shown.push_back({label, {}});
    const bool show = !label.empty() && pictures != nullptr;
    const ResidualErrors errors =
        residual_errors(scenario, run, reference, show ? &shown.back().history : nullptr);
    Case settings;
    add_correction_settings(run, settings);
    add_error_rows(settings, errors, known, rows);
    return errors;
  };
  const ResidualErrors uncorrected =
      add({.max_energy = Expectation{.value = 0.1916, .rel = 0.02}}, "uncorrected");

  constexpr double too_little = 0.001;
  constexpr double published = 1.0;
  constexpr double too_much = 5.0;
  constexpr std::array<double, 13> limits = {too_little, 0.002, 0.005,     0.01, 0.02, 0.05,    0.1,
                                             0.25,       0.5,   published, 1.5,  2.0,  too_much};
  for (const double nu : {0.25, 0.0}) {
    for (const double limit : limits) {
      run.correction = {ResidualMethod::published, published_mu(run.schedule), nu, limit};
      ResidualKnown known;
      if (limit == published && nu > 0.0) known.max_energy = Expectation{.max = 0.008};
      if (limit == published && nu == 0.0) known.max_energy = Expectation{.value = 0.0187, .abs = 0.001};
      // Not published: with ν = 0.25 and 100 % the motion is worse than without any correction.
      if (limit == published && nu > 0.0) known.rms_x = Expectation{.min = uncorrected.rms_x};
      // Published: a small limit cannot remove the error, a large one does harm of its own.
      if (limit == too_little) known.max_energy = Expectation{.min = 0.5 * uncorrected.max_energy};
      if (limit == too_much && nu > 0.0) known.max_energy = Expectation{.min = uncorrected.max_energy};
      // What Fig. 24 is about: too little, enough, and too much.
      const bool shows =
          nu > 0.0 && (limit == 0.01 || limit == 0.1 || limit == published || limit == too_much);
      add(known, shows ? fmt::format("limit {:g} %", 100.0 * limit) : std::string());
    }
  }
  if (pictures != nullptr)
    pictures->add(energy_picture("Fig. 24",
                                 "Limit of the correction force, case 7, single rate, μ = 0.5, ν = 0.25",
                                 shown, reference));
  for (const double nu : {0.25, 0.0}) {
    for (const double limit : {0.01, published, too_much}) {
      run.correction = {ResidualMethod::bounded, published_mu(run.schedule), nu, limit};
      add({});
    }
  }
  for (const ResidualMethod without_parameters : {ResidualMethod::banked, ResidualMethod::by_parts}) {
    run.correction = {without_parameters};
    add({});
  }
  run.correction = {};
  run.feedthrough = "refresh";
  add({});
  return rows;
}

}  // namespace ergon::bench
