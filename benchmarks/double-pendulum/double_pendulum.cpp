#include "benchmarks/double-pendulum/double_pendulum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

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

/// Fig. 12: angles, centres of mass and coupling force with force/force coupling and 1 ms.
class PendulumPictures {
 public:
  PendulumPictures() {
    const auto panel = [&](const char* what, const PictureAxis& y) {
      panels_.push_back({"schweizer2014",
                         std::string("Fig. 12, ") + what,
                         "Double pendulum, force/force coupling, 1 ms: " + y.label,
                         {"time", "s"},
                         y});
    };
    panel("φ₁", {"angle φ₁", "rad"});
    panel("φ₂", {"angle φ₂", "rad"});
    panel("x of S₁", {"horizontal displacement of S₁", "m"});
    panel("y of S₁", {"vertical displacement of S₁", "m"});
    panel("x of S₂", {"horizontal displacement of S₂", "m"});
    panel("y of S₂", {"vertical displacement of S₂", "m"});
    panel("λx", {"horizontal coupling force", "N"});
    panel("λy", {"vertical coupling force", "N"});
  }
  [[nodiscard]] PointHook hook(int k) {
    begin(fmt::format("k = {}", k), false);
    return {{"lower.position[0]", "lower.position[1]", "elbow.force_i[0]", "elbow.force_i[1]"},
            [this](double t, std::span<const double> v) { add(t, v[0], v[1], v[2], v[3], v[4], v[5]); }};
  }
  void give_to(Pictures& pictures, const DoublePendulum& pendulum, const SampledTrajectory& reference,
               double duration_s) {
    begin("reference", true);
    constexpr double step_s = 2.5e-4;
    for (int i = 0; i <= std::lround(duration_s / step_s); ++i) {
      std::array<double, 8> z{}, rate{};
      reference(i * step_s, z);
      pendulum.rates(z.data(), rate.data());
      // The second link hangs by the coupling force and its weight alone: −λ = m (r̈ − g).
      add(i * step_s, z[0], z[2], z[4], z[5], -pendulum.mass_kg * rate[6],
          -pendulum.mass_kg * (rate[7] + gravity_m_s2));
    }
    for (Picture& panel : panels_) pictures.add(std::move(panel));
  }

 private:
  void begin(const std::string& label, bool reference) {
    for (Picture& panel : panels_) panel.curves.push_back({label, {}, {}, reference});
  }
  void add(double t, double phi1, double phi2, double x2, double y2, double fx, double fy) {
    const double values[] = {phi1, phi2, 0.5 * std::cos(phi1), 0.5 * std::sin(phi1), x2, y2, fx, fy};
    for (std::size_t i = 0; i < panels_.size(); ++i) panels_[i].curves.back().add(t, values[i]);
  }

  std::vector<Picture> panels_;
};

/// How much the coupling force changes from point to point, before and after the joint has come to rest.
struct ForceChanges {
  static constexpr double settled_s = 0.2;
  double before[2] = {0.0, 0.0};
  double early = 0.0;
  double late = 0.0;
  bool begun = false;

  void see(double t_s, double fx, double fy) {
    if (begun) {
      double& most = t_s <= settled_s ? early : late;
      most = std::max(most, std::hypot(fx - before[0], fy - before[1]));
    }
    begun = true;
    before[0] = fx;
    before[1] = fy;
  }
};

}  // namespace

std::vector<Row> double_pendulum(const std::filesystem::path& folder, Pictures* pictures) {
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
  PendulumPictures drawn;
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
        const bool shown = d.name == std::string_view("F/F") && H == 1e-3;
        ForceChanges changes;
        PointHook hook;
        if (shown) {
          hook = drawn.hook(k);
          hook.see = [&changes, draw = hook.see](double t, std::span<const double> v) {
            changes.see(t, v[4], v[5]);
            draw(t, v);
          };
        }
        const ComparedRun run =
            compare(folder / "double-pendulum.toml", overrides, {"upper.angle", "lower.angle"}, angles, hook);
        errors.push_back(run.max_error);
        Case at_step = settings;
        at_step.emplace_back("H", H);
        rows.push_back({at_step, "max_error", "rad", {}, known_error(d, k, H), run.max_error});
        rows.push_back({at_step, "integrations_per_step", "", {}, {}, run.integrations_per_step});
        if (shown)
          rows.push_back({at_step, "force_changes_late_by_early", "", {}, {}, changes.late / changes.early});
      }
      rows.push_back({settings, "order", "", {}, {}, numerics::fitted_order(steps_s, errors)});
    }
  }
  if (pictures != nullptr) drawn.give_to(*pictures, pendulum, reference, duration_s);
  return rows;
}

}  // namespace ergon::bench
