#include "benchmarks/slider-crank/slider_crank.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "benchmarks/framework/convergence.hpp"
#include "benchmarks/schweizer2014/planar_links.hpp"

namespace ergon::bench {
namespace {

const std::vector<std::string> motion = {"crank.angle", "crank.angular_velocity", "slider.angle",
                                         "slider.angular_velocity"};

std::optional<Expectation> known_error(int k, double H_s) {
  constexpr double most_rad[] = {8e-3, 6e-5, 2e-6};
  if (H_s != 1e-3) return std::nullopt;
  return Expectation{.max = most_rad[k]};
}

/// [φ1, φ2]; velocities are not compared.
ComparedRun run(const std::filesystem::path& folder, int k, double H_s, const SampledTrajectory& reference) {
  const Trajectory angles = [&](double t, std::span<double> values) {
    std::array<double, 4> z{};
    reference(t, z);
    values[0] = z[0];
    values[1] = z[2];
  };
  return compare(folder / "slider-crank.toml", scheme_settings("semi-implicit", k, H_s),
                 {"crank.angle", "slider.angle"}, angles);
}

std::optional<Expectation> known_change(double change_J) {
  return Expectation{.value = change_J, .rel = 0.02};
}

/// E(5 s) − E(0): what the held coupling force takes out.
double energy_change_J(const std::filesystem::path& folder, int k, double H_s, const PointHook& hook) {
  const SliderCrank mechanism;
  auto settings = scheme_settings("semi-implicit", k, H_s);
  settings.emplace_back("simulation.stop_time=5.0");
  const Trajectory nothing = [](double, std::span<double>) {};
  const ComparedRun result = compare(folder / "slider-crank.toml", settings, motion, nothing, hook);
  return mechanism.energy_J(result.last.data()) - mechanism.energy_J(result.first.data());
}

/// Fig. 14: angles, centres of mass and energy with force/force coupling, k = 0, for several macro steps.
class SliderPictures {
 public:
  SliderPictures() {
    const auto panel = [&](const char* what, const PictureAxis& y) {
      panels_.push_back({"schweizer2014",
                         std::string("Fig. 14, ") + what,
                         "Slider-crank mechanism, force/force coupling, k = 0: " + y.label,
                         {"time", "s"},
                         y});
    };
    panel("φ₁", {"angle φ₁", "rad"});
    panel("φ₂", {"angle φ₂", "rad"});
    panel("x of S₁", {"horizontal displacement of S₁", "m"});
    panel("y of S₁", {"vertical displacement of S₁", "m"});
    panel("x of S₂", {"horizontal displacement of S₂", "m"});
    panel("y of S₂", {"vertical displacement of S₂", "m"});
    panel("energy", {"total energy", "J"});
  }
  [[nodiscard]] PointHook hook(double H_s) {
    begin(fmt::format("H = {:g} ms", 1e3 * H_s), false);
    return {{}, [this](double t, std::span<const double> z) { add(t, z.data()); }};
  }
  void give_to(Pictures& pictures, double duration_s) {
    constexpr double step_s = 5e-5;
    constexpr int keep_every = 20;
    const auto reference =
        integrate_monolithic([this](double, const double* z, double* z_dot) { mechanism_.rates(z, z_dot); },
                             mechanism_.start(), duration_s, step_s, keep_every);
    begin("reference", true);
    for (int i = 0; i <= std::lround(duration_s / (keep_every * step_s)); ++i) {
      std::array<double, 4> z{};
      const double t = i * keep_every * step_s;
      reference(t, z);
      add(t, z.data());
    }
    for (Picture& panel : panels_) pictures.add(std::move(panel));
  }

 private:
  void begin(const std::string& label, bool reference) {
    for (Picture& panel : panels_) panel.curves.push_back({label, {}, {}, reference});
  }
  void add(double t, const double* z) {
    const double half_1 = 0.5 * mechanism_.length_1_m, half_2 = 0.5 * mechanism_.length_2_m;
    const double values[] = {z[0],
                             z[2],
                             half_1 * std::cos(z[0]),
                             half_1 * std::sin(z[0]),
                             mechanism_.pin_2_m + half_2 * std::cos(z[2]),
                             half_2 * std::sin(z[2]),
                             mechanism_.energy_J(z)};
    for (std::size_t i = 0; i < panels_.size(); ++i) panels_[i].curves.back().add(t, values[i]);
  }

  SliderCrank mechanism_;
  std::vector<Picture> panels_;
};

}  // namespace

std::vector<Row> slider_crank(const std::filesystem::path& folder, Pictures* pictures) {
  constexpr double duration_s = 2.0;
  constexpr std::array steps_s = {1e-3, 5e-4, 2.5e-4};
  const SliderCrank mechanism;
  const auto reference =
      integrate_monolithic([&](double, const double* z, double* z_dot) { mechanism.rates(z, z_dot); },
                           mechanism.start(), duration_s, 5e-5, 5);
  std::vector<Row> rows;
  for (int k = 0; k <= 2; ++k) {
    Case settings = {{"decomposition", "F/F"}, {"scheme", "semi-implicit"}, {"k", static_cast<double>(k)}};
    std::vector<double> errors;
    for (const double H : steps_s) {
      const ComparedRun result = run(folder, k, H, reference);
      errors.push_back(result.max_error);
      Case at_step = settings;
      at_step.emplace_back("H", H);
      rows.push_back({at_step, "max_error", "rad", {}, known_error(k, H), result.max_error});
    }
    rows.push_back({settings, "order", "", {}, {}, numerics::fitted_order(steps_s, errors)});
  }
  struct Loss {
    double H_s;
    double change_J;
  };
  SliderPictures drawn;
  for (const Loss loss : {Loss{1e-3, -0.252}, {5e-4, -0.167}, {1e-4, -0.056}}) {
    for (int k = 0; k <= 2; ++k) {
      rows.push_back({{{"decomposition", "F/F"},
                       {"scheme", "semi-implicit"},
                       {"k", static_cast<double>(k)},
                       {"H", loss.H_s}},
                      "energy_change",
                      "J",
                      {},
                      k == 0 ? known_change(loss.change_J) : std::nullopt,
                      energy_change_J(folder, k, loss.H_s,
                                      pictures != nullptr && k == 0 ? drawn.hook(loss.H_s) : PointHook{})});
    }
  }
  if (pictures != nullptr) drawn.give_to(*pictures, 5.0);
  return rows;
}

}  // namespace ergon::bench
