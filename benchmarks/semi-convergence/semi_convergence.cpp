#include "benchmarks/semi-convergence/semi_convergence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "benchmarks/framework/convergence.hpp"
#include "benchmarks/lim2021/oscillator_reference.hpp"
#include "ergon/coupling/schemes/implicit/update_rule.hpp"

namespace ergon::bench {
namespace {

constexpr double semi_convergence_duration_s = 1.0;
const std::vector<std::string> positions = {"left.position", "right.position"};

struct Decomposition {
  const char* name;
  const char* scenario;
  std::array<double, 3> error_m;  // at H = 1 ms, for k = 0, 1, 2
};
constexpr Decomposition decompositions[] = {{"F/F", "f-f.toml", {2.75e-2, 3.00e-4, 9.39e-6}},
                                            {"F/D", "f-d.toml", {2.39e-2, 2.85e-4, 9.58e-6}},
                                            {"D/D", "d-d.toml", {3.42e-2, 1.58e-4, 3.89e-6}}};

bool is_hermite(const Decomposition& d) {
  return std::string_view(d.name) == "D/D-hermite";
}

std::optional<Expectation> known_error(const Decomposition& d, int k, double H_s) {
  if (is_hermite(d)) return H_s == 5e-3 ? std::optional(Expectation{.max = 5e-6}) : std::nullopt;
  if (H_s != 1e-3) return std::nullopt;
  return Expectation{.value = d.error_m[static_cast<std::size_t>(k)], .rel = 0.02};
}

std::optional<Expectation> known_order(const Decomposition& d, int k) {
  if (is_hermite(d)) return Expectation{.min = 3.8};
  constexpr double from[] = {0.9, 1.95, 2.9};
  constexpr double to[] = {1.1, 2.05, 3.1};
  return Expectation{.min = from[k], .max = to[k]};
}

TwoMassOscillator oscillator() {
  TwoMassOscillator problem;
  problem.m2 = 2.0;
  problem.k1 = problem.kc = problem.k2 = 1000.0;
  problem.c1 = problem.cc = problem.c2 = 10.0;
  return problem;
}

class Convergence {
 public:
  explicit Convergence(std::filesystem::path folder) : folder_(std::move(folder)) {
    for (const auto& z : oscillator().sample_solution(semi_convergence_duration_s, finest_s))
      exact_.push_back({z[0], z[1]});
    reference_ = SampledTrajectory(finest_s, exact_);
  }

  [[nodiscard]] ComparedRun run(const char* scenario, const std::vector<std::string>& settings,
                                PictureCurve* x1 = nullptr) const {
    PointHook hook;
    if (x1 != nullptr) hook.see = [x1](double t_s, std::span<const double> x) { x1->add(t_s, x[0]); };
    return compare(folder_ / scenario, settings, positions, reference_, hook);
  }

  [[nodiscard]] PictureCurve exact_x1() const {
    PictureCurve curve{"reference", {}, {}, true};
    for (std::size_t i = 0; i < exact_.size(); ++i)
      curve.add(static_cast<double>(i) * finest_s, exact_[i][0]);
    return curve;
  }

  /// Errors at these steps, and the order that they show.
  void add_rows(const Decomposition& d, const std::string& scheme, int k, std::span<const double> steps_s,
                bool known, std::vector<Row>& rows, Picture* motion = nullptr) const {
    const bool hermite = is_hermite(d);
    std::vector<double> errors;
    Case settings = {{"decomposition", d.name}, {"scheme", scheme}};
    if (!hermite) settings.emplace_back("k", static_cast<double>(k));
    for (const double H : steps_s) {
      auto overrides = scheme_settings(scheme, k, H);
      if (hermite) overrides.emplace_back("coupling.interpolation=hermite");
      if (motion != nullptr) motion->curves.push_back({fmt::format("H = {:g} ms", 1e3 * H)});
      const ComparedRun result =
          run(d.scenario, overrides, motion != nullptr ? &motion->curves.back() : nullptr);
      errors.push_back(result.max_error);
      Case at_step = settings;
      at_step.emplace_back("H", H);
      rows.push_back(
          {at_step, "max_error", "m", {}, known ? known_error(d, k, H) : std::nullopt, result.max_error});
    }
    rows.push_back({settings,
                    "order",
                    "",
                    {},
                    known ? known_order(d, k) : std::nullopt,
                    numerics::fitted_order(steps_s, errors)});
  }

 private:
  static constexpr double finest_s = 2.5e-4;
  std::filesystem::path folder_;
  std::vector<std::vector<double>> exact_;
  SampledTrajectory reference_{finest_s, {}};
};

/// Error over H of one decomposition, k = 0, 1, 2: a panel of Fig. 9.
Picture convergence_picture(const std::vector<Row>& rows, const Decomposition& d, char panel) {
  Picture picture{"schweizer2014",
                  fmt::format("Fig. 9 {}", panel),
                  fmt::format("Error over the step size, {}", d.name),
                  {"macro-step size H", "s"},
                  {"largest error", "m"}};
  for (int k = 0; k <= 2; ++k) {
    PictureCurve errors{fmt::format("k = {}", k)}, line{fmt::format("order {}", k + 1), {}, {}, true};
    const Case wanted = {
        {"decomposition", d.name}, {"scheme", "semi-implicit"}, {"k", static_cast<double>(k)}};
    for (const Row& row : rows) {
      const bool own = row.quantity == "max_error" && row.settings.size() == 4 &&
                       std::equal(wanted.begin(), wanted.end(), row.settings.begin());
      if (own) errors.add(std::get<double>(row.settings[3].second), row.ours);
    }
    for (const double H : errors.x) line.add(H, errors.y.back() * std::pow(H / errors.x.back(), k + 1));
    picture.curves.push_back(std::move(errors));
    picture.curves.push_back(std::move(line));
  }
  return picture;
}

}  // namespace

std::vector<Row> semi_convergence(const std::filesystem::path& folder, Pictures* pictures) {
  const Convergence convergence(folder);
  std::vector<Row> rows;
  constexpr std::array steps_s = {2e-3, 1e-3, 5e-4, 2.5e-4};
  Picture motion{"schweizer2014",
                 "Fig. 8",
                 "Displacement x₁, force/force coupling, k = 0",
                 {"time", "s"},
                 {"displacement x₁", "m"}};
  std::vector<Picture> panels;
  for (const Decomposition& d : decompositions) {
    for (int k = 0; k <= 2; ++k) {
      const bool draws = pictures != nullptr && k == 0 && d.name == std::string_view("F/F");
      convergence.add_rows(d, "semi-implicit", k, steps_s, true, rows, draws ? &motion : nullptr);
    }
    if (pictures != nullptr)
      panels.push_back(convergence_picture(rows, d, static_cast<char>('a' + panels.size())));
  }
  if (pictures != nullptr) {
    motion.curves.push_back(convergence.exact_x1());
    pictures->add(std::move(motion));
    for (Picture& panel : panels) pictures->add(std::move(panel));
  }
  for (int k = 0; k <= 2; ++k) {
    convergence.add_rows(decompositions[0], "explicit", k, steps_s, false, rows);
  }
  constexpr std::array hermite_steps_s = {1e-2, 5e-3, 2.5e-3};
  const Decomposition hermite{"D/D-hermite", "d-d.toml", {}};
  convergence.add_rows(hermite, "semi-implicit", 1, hermite_steps_s, true, rows);

  // Every way to the coupling variables, and what it costs: the errors are those of finite differences.
  for (const Decomposition& d : decompositions) {
    for (const char* scheme : {"semi-implicit", "implicit"}) {
      for (const UpdateRuleInfo& rule : update_rules()) {
        if (!rule.is_jacobian && scheme == std::string("semi-implicit")) continue;
        const std::string name(rule.name);
        auto overrides = scheme_settings(scheme, 1, 1e-3);
        overrides.push_back(
            fmt::format("coupling.{}={}", rule.is_jacobian ? "jacobian" : "acceleration", name));
        const ComparedRun result = convergence.run(d.scenario, overrides);
        const Case settings = {{"decomposition", d.name},
                               {"scheme", scheme},
                               {"k", 1.0},
                               {"H", 1e-3},
                               {rule.is_jacobian ? "jacobian" : "acceleration", name}};
        rows.push_back({settings,
                        "max_error",
                        "m",
                        {},
                        Expectation{.value = d.error_m[1], .rel = 0.02},
                        result.max_error});
        rows.push_back({settings, "integrations_per_step", "", {}, {}, result.integrations_per_step});
      }
    }
  }
  return rows;
}

}  // namespace ergon::bench
