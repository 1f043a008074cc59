#include "benchmarks/mass-chain/mass_chain.hpp"

#include <fmt/format.h>

#include <array>

#include "benchmarks/framework/convergence.hpp"
#include "numerics/linear_solution.hpp"

namespace ergon::bench {
namespace {

constexpr std::size_t masses = 5;
constexpr double stiffness_N_m = 1000.0;
constexpr double damping_Ns_m = 10.0;

/// z = [x, v]: wall – 1 – 2 – 3 – 4 – 5, m_i = i kg, v = ±100 m/s.
numerics::LinearSolution chain() {
  constexpr std::size_t n = 2 * masses;
  std::vector<double> a(n * n, 0.0);
  std::vector<double> z0(n, 0.0);
  for (std::size_t i = 0; i < masses; ++i) {
    a[i * n + masses + i] = 1.0;
    z0[masses + i] = i % 2 == 0 ? 100.0 : -100.0;
    const double mass_kg = static_cast<double>(i + 1);
    const auto couple = [&](std::size_t other, double sign) {
      a[(masses + i) * n + other] += sign * stiffness_N_m / mass_kg;
      a[(masses + i) * n + masses + other] += sign * damping_Ns_m / mass_kg;
    };
    couple(i, -1.0);  // spring to the left: to the wall for the first
    if (i > 0) couple(i - 1, 1.0);
    if (i + 1 < masses) {
      couple(i, -1.0);
      couple(i + 1, 1.0);
    }
  }
  return {a, z0};
}

std::optional<Expectation> known_error(int k, double H_s) {
  constexpr double error_m[] = {9.9e-2, 4.9e-4, 1.2e-5};
  constexpr double half_a_digit_m[] = {0.05e-2, 0.05e-4, 0.05e-5};
  if (H_s != 1e-3) return std::nullopt;
  return Expectation{.value = error_m[k], .abs = half_a_digit_m[k]};
}

std::optional<Expectation> known_order(int k) {
  return Expectation{.value = k + 1.0, .abs = 0.1};
}

}  // namespace

std::vector<Row> mass_chain(const std::filesystem::path& folder) {
  constexpr std::array steps_s = {1e-3, 5e-4, 2.5e-4};
  const numerics::LinearSolution solution = chain();
  const Trajectory positions = [&](double t, std::span<double> values) {
    std::array<double, 2 * masses> z{};
    solution.at(t, z);
    for (std::size_t i = 0; i < masses; ++i) values[i] = z[i];
  };
  std::vector<std::string> outputs;
  for (std::size_t i = 1; i <= masses; ++i) outputs.push_back(fmt::format("mass{}.position", i));
  std::vector<Row> rows;
  for (const char* scheme : {"semi-implicit", "explicit"}) {
    for (int k = 0; k <= 2; ++k) {
      Case settings = {{"decomposition", "F/F"}, {"scheme", scheme}, {"k", static_cast<double>(k)}};
      const bool known = std::string(scheme) == "semi-implicit";
      std::vector<double> errors;
      for (const double H : steps_s) {
        const ComparedRun run =
            compare(folder / "chain.toml", scheme_settings(scheme, k, H), outputs, positions);
        errors.push_back(run.max_error);
        Case at_step = settings;
        at_step.emplace_back("H", H);
        rows.push_back(
            {at_step, "max_error", "m", {}, known ? known_error(k, H) : std::nullopt, run.max_error});
        if (known) rows.push_back({at_step, "integrations_per_step", "", {}, {}, run.integrations_per_step});
      }
      rows.push_back(
          {settings, "order", "", {}, known ? known_order(k) : std::nullopt, fitted_order(steps_s, errors)});
    }
  }
  return rows;
}

}  // namespace ergon::bench
