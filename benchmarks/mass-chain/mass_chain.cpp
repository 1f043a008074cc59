#include "benchmarks/mass-chain/mass_chain.hpp"

#include <fmt/format.h>

#include <array>

#include "benchmarks/framework/convergence.hpp"
#include "benchmarks/schweizer2014/five_mass_chain.hpp"

namespace ergon::bench {
namespace {

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
  constexpr std::size_t masses = five_masses;
  constexpr std::array steps_s = {1e-3, 5e-4, 2.5e-4};
  const numerics::LinearSolution solution = five_mass_chain();
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
      rows.push_back({settings,
                      "order",
                      "",
                      {},
                      known ? known_order(k) : std::nullopt,
                      numerics::fitted_order(steps_s, errors)});
    }
  }
  return rows;
}

}  // namespace ergon::bench
