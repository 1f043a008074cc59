#include "benchmarks/macro-steps/macro_steps.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "benchmarks/framework/convergence.hpp"
#include "benchmarks/lim2021/oscillator_reference.hpp"
#include "benchmarks/schweizer2014/five_mass_chain.hpp"

namespace ergon::bench {
namespace {

/// A system with its analytic solution, outputs in the order of its states.
struct MacroStepsProblem {
  const char* name;
  const char* scenario;
  std::vector<std::string> outputs;
  numerics::LinearSolution solution;

  [[nodiscard]] ComparedRun run(const std::filesystem::path& folder,
                                const std::vector<std::string>& settings) const {
    return compare(folder / scenario, settings, outputs,
                   [this](double t, std::span<double> z) { solution.at(t, z); });
  }
};

std::vector<MacroStepsProblem> problems() {
  TwoMassOscillator two;
  two.m2 = 2.0;
  two.k1 = two.kc = two.k2 = 1000.0;
  two.c1 = two.cc = two.c2 = 10.0;
  std::vector<MacroStepsProblem> all;
  all.push_back({"two-masses",
                 "two-masses.toml",
                 {"left.position", "right.position", "left.velocity", "right.velocity"},
                 numerics::LinearSolution(two.matrix(), two.z0)});
  std::vector<std::string> chain;
  for (const char* quantity : {"position", "velocity"}) {
    for (std::size_t i = 1; i <= five_masses; ++i) chain.push_back(fmt::format("mass{}.{}", i, quantity));
  }
  all.push_back({"chain", "chain.toml", chain, five_mass_chain()});
  return all;
}

struct MacroStepsMethod {
  const char* name;
  const char* scheme;
  int k;
};
constexpr MacroStepsMethod macro_steps_methods[] = {{"milne", "semi-implicit", 0},
                                                    {"milne", "semi-implicit", 1},
                                                    {"milne", "semi-implicit", 2},
                                                    {"richardson", "explicit", 1},
                                                    {"richardson", "explicit", 2}};

/// How many fixed steps have this error: a straight line in logarithms through some runs.
class FixedSteps {
 public:
  FixedSteps(const MacroStepsProblem& problem, const std::filesystem::path& folder,
             const MacroStepsMethod& method) {
    for (const double H : {4e-3, 2e-3, 1e-3, 5e-4}) {
      const ComparedRun run = problem.run(folder, scheme_settings(method.scheme, method.k, H));
      steps_s_.push_back(H);
      errors_.push_back(run.max_relative_error);
    }
  }
  [[nodiscard]] double of_equal_error(double error, double duration_s) const {
    const double order = numerics::fitted_order(steps_s_, errors_);
    double constant = 0.0;
    for (std::size_t i = 0; i < errors_.size(); ++i) {
      constant +=
          (std::log(errors_[i]) - order * std::log(steps_s_[i])) / static_cast<double>(errors_.size());
    }
    return duration_s / std::exp((std::log(error) - constant) / order);
  }

 private:
  std::vector<double> steps_s_;
  std::vector<double> errors_;
};

std::vector<std::string> control_settings(const char* method, double rtol) {
  return {fmt::format("step_control.method={}", method), fmt::format("step_control.rtol={}", rtol),
          "step_control.min_step=1e-6"};
}

std::optional<Expectation> within_ten_times(double rtol) {
  return Expectation{.max = 10.0 * rtol};
}

}  // namespace

std::vector<Row> macro_steps(const std::filesystem::path& folder) {
  constexpr double duration_s = 1.0;
  std::vector<Row> rows;
  for (const MacroStepsProblem& problem : problems()) {
    for (const MacroStepsMethod& method : macro_steps_methods) {
      const FixedSteps fixed(problem, folder, method);
      for (const double rtol : {1e-2, 1e-3, 1e-4, 1e-5}) {
        if (method.k == 0 && rtol < 1e-3) continue;  // hundred thousands of steps
        auto settings = scheme_settings(method.scheme, method.k, 1e-3);
        for (const auto& setting : control_settings(method.name, rtol)) settings.push_back(setting);
        const ComparedRun run = problem.run(folder, settings);
        const Case of_run = {{"problem", problem.name},
                             {"method", method.name},
                             {"scheme", method.scheme},
                             {"k", static_cast<double>(method.k)},
                             {"rtol", rtol}};
        // Of Richardson's windows each is two steps.
        const double steps =
            static_cast<double>(run.steps) * (method.name == std::string("richardson") ? 2.0 : 1.0);
        const double equal = fixed.of_equal_error(run.max_relative_error, duration_s);
        rows.push_back(
            {of_run, "max_relative_error", "", {}, within_ten_times(rtol), run.max_relative_error});
        rows.push_back({of_run, "steps", "", {}, {}, steps});
        rows.push_back({of_run, "fixed_steps_of_equal_error", "", {}, {}, equal});
        rows.push_back({of_run, "steps_relative", "", {}, {}, steps / equal});
      }
    }
  }
  return rows;
}

}  // namespace ergon::bench
