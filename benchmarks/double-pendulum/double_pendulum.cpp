#include "benchmarks/double-pendulum/double_pendulum.hpp"

#include <fmt/format.h>

#include <array>

#include "benchmarks/framework/convergence.hpp"
#include "benchmarks/schweizer2014/planar_links.hpp"

namespace ergon::bench {
namespace {

struct Decomposition {
  const char* name;
  const char* form;
  bool hermite = false;
};
constexpr Decomposition decompositions[] = {{"F/F", "force/force"},
                                            {"F/F-multiplier", "multiplier"},
                                            {"F/D", "force/displacement"},
                                            {"D/D", "displacement/displacement"},
                                            {"D/D-hermite", "displacement/displacement", true}};

bool exchanges_forces(const Decomposition& d) {
  return d.form == std::string_view("force/force") || d.form == std::string_view("multiplier");
}

std::optional<Expectation> known_error(const Decomposition& d, int k, double H_s) {
  constexpr double most_rad[] = {1.5e-4, 1.5e-5, 3e-6};
  if (H_s != 1e-3 || d.form != std::string_view("force/force")) return std::nullopt;
  return Expectation{.max = most_rad[k]};
}

}  // namespace

std::vector<Row> double_pendulum(const std::filesystem::path& folder) {
  constexpr double duration_s = 2.0;
  constexpr std::array steps_s = {1e-3, 5e-4, 2.5e-4};
  const DoublePendulum pendulum;
  const auto reference =
      integrate_monolithic([&](double, const double* z, double* z_dot) { pendulum.rates(z, z_dot); },
                           pendulum.start(), duration_s, 2.5e-5, 10);
  const Trajectory angles = [&](double t, std::span<double> values) {
    std::array<double, 8> z{};
    reference(t, z);
    values[0] = z[0];
    values[1] = z[2];
  };
  std::vector<Row> rows;
  for (const Decomposition& d : decompositions) {
    // Held displacements lead: refused. Hermite's cubics have no degree to choose.
    for (int k = exchanges_forces(d) ? 0 : 1; k <= (d.hermite ? 1 : 2); ++k) {
      Case settings = {{"decomposition", d.name}, {"scheme", "semi-implicit"}};
      if (!d.hermite) settings.emplace_back("k", static_cast<double>(k));
      std::vector<double> errors;
      for (const double H : steps_s) {
        auto overrides = scheme_settings("semi-implicit", k, H);
        overrides.push_back(fmt::format("element.elbow.form={}", d.form));
        if (d.hermite) overrides.emplace_back("coupling.interpolation=hermite");
        const ComparedRun run =
            compare(folder / "double-pendulum.toml", overrides, {"upper.angle", "lower.angle"}, angles);
        errors.push_back(run.max_error);
        Case at_step = settings;
        at_step.emplace_back("H", H);
        rows.push_back({at_step, "max_error", "rad", {}, known_error(d, k, H), run.max_error});
        rows.push_back({at_step, "integrations_per_step", "", {}, {}, run.integrations_per_step});
      }
      rows.push_back({settings, "order", "", {}, {}, numerics::fitted_order(steps_s, errors)});
    }
  }
  return rows;
}

}  // namespace ergon::bench
