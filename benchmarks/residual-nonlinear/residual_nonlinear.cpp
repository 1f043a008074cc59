#include "benchmarks/residual-nonlinear/residual_nonlinear.hpp"

#include <fmt/format.h>

#include <array>
#include <map>

#include "benchmarks/rodriguez2022/residual_pictures.hpp"
#include "benchmarks/rodriguez2022/residual_rows.hpp"
#include "benchmarks/rodriguez2022/residual_run.hpp"

namespace ergon::bench {
namespace {

constexpr double mu_single_rate = 0.5;
constexpr double published_nu = 0.25;  // caption of Fig. 28

class ResidualNonlinearTable {
 public:
  ResidualNonlinearTable(const std::filesystem::path& folder, int number, Pictures* pictures)
      : scenario_(folder / "nonlinear.toml"),
        run_{nonlinear_oscillator(number), residual_schedules().front()},
        reference_(monolithic_motion(run_.problem, folder / "monolithic.toml")),
        pictures_(pictures) {}

  /// `label`: under this name the run can be shown.
  void add(const ResidualCorrection& correction, const ResidualKnown& known, std::vector<Row>& rows,
           const std::string& label = {}) {
    run_.correction = correction;
    Case settings = {{"case", static_cast<double>(run_.problem.number)}};
    add_correction_settings(run_, settings);
    const bool show = !label.empty() && pictures_ != nullptr;
    const ResidualErrors errors =
        residual_errors(scenario_, run_, reference_, show ? &histories_[label] : nullptr);
    add_error_rows(settings, errors, known, rows);
    if (label == uncorrected)
      rows.push_back({settings, "mean_residual_power", "W", {}, {}, errors.mean_residual_power_W});
  }
  void show_energy(const char* figure, const std::string& title,
                   const std::vector<std::string>& labels) const {
    if (pictures_ != nullptr) pictures_->add(energy_picture(figure, title, shown(labels), reference_));
  }
  void show_displacement(const char* figure, const std::string& title,
                         const std::vector<std::string>& labels) const {
    if (pictures_ != nullptr)
      pictures_->add(displacement_picture(figure, title, "η₂", shown(labels), reference_));
  }
  void show_residual_power(const char* figure, const std::string& title) const {
    if (pictures_ != nullptr)
      pictures_->add(residual_power_picture(figure, title, shown({uncorrected}).front()));
  }
  static constexpr const char* uncorrected = "uncorrected";
  void refresh() { run_.feedthrough = "refresh"; }

 private:
  [[nodiscard]] std::vector<ShownHistory> shown(const std::vector<std::string>& labels) const {
    std::vector<ShownHistory> runs;
    for (const std::string& label : labels) runs.push_back({label, histories_.at(label)});
    return runs;
  }

  std::filesystem::path scenario_;
  ResidualRun run_;
  ReferenceMotion reference_;
  Pictures* pictures_;
  std::map<std::string, ResidualHistory> histories_;
};

/// Case 1, Figs. 27 to 29.
void add_square_root_springs(const std::filesystem::path& folder, Pictures* pictures,
                             std::vector<Row>& rows) {
  ResidualNonlinearTable table(folder, 1, pictures);
  table.add(
      {},
      {.max_energy = Expectation{.value = 0.101, .rel = 0.02}, .final_energy_ratio = Expectation{.min = 1.0}},
      rows, ResidualNonlinearTable::uncorrected);
  constexpr std::array<double, 8> mus = {0.1, 0.2, 0.3, 0.4, mu_single_rate, 0.6, 0.75, 1.0};
  for (const double mu : mus) {
    ResidualKnown known;
    if (mu == mu_single_rate) known.max_energy = Expectation{.value = 0.042, .abs = 0.004};
    // Published: μ = 0.5 lets the energy grow, more takes too much.
    if (mu <= mu_single_rate) known.final_energy_ratio = Expectation{.min = 1.0};
    if (mu >= 0.75) known.final_energy_ratio = Expectation{.max = 1.0};
    table.add({ResidualMethod::published, mu}, known, rows, fmt::format("μ = {:g}", mu));
  }
  for (const double nu : {0.1, published_nu, 0.5, 1.0}) {
    ResidualKnown known;
    if (nu == published_nu) known.max_energy = Expectation{.max = 0.030};
    table.add({ResidualMethod::published, mu_single_rate, nu}, known, rows,
              nu == published_nu ? "corrected" : std::string());
  }
  const std::string setup = "Square-root springs, case 1, single rate";
  table.show_energy("Fig. 27", setup + ", ν = 0: the factor μ",
                    {"uncorrected", "μ = 0.3", "μ = 0.5", "μ = 0.75", "μ = 1"});
  table.show_energy("Fig. 28", setup + ", μ = 0.5, ν = 0.25", {"uncorrected", "corrected"});
  table.show_displacement("Fig. 29", setup + ", μ = 0.5, ν = 0.25", {"uncorrected", "corrected"});
  table.show_residual_power("Fig. 31", setup + ", without correction");
  for (const double nu : {0.0, published_nu})
    table.add({ResidualMethod::bounded, mu_single_rate, nu}, {}, rows);
  table.add({ResidualMethod::banked}, {}, rows);
  table.refresh();
  table.add({}, {}, rows);
}

/// Case 2, Fig. 30.
void add_quadratic_dampers(const std::filesystem::path& folder, Pictures* pictures, std::vector<Row>& rows) {
  ResidualNonlinearTable table(folder, 2, pictures);
  table.add({}, {.max_energy = Expectation{.value = 0.122, .rel = 0.02}}, rows,
            ResidualNonlinearTable::uncorrected);
  table.add({ResidualMethod::published, mu_single_rate}, {.max_energy = Expectation{.max = 0.015}}, rows,
            "corrected");
  table.show_energy("Fig. 30", "Quadratic dampers, case 2, single rate, μ = 0.5, ν = 0",
                    {"uncorrected", "corrected"});
  table.add({ResidualMethod::published, mu_single_rate, published_nu}, {}, rows);
  for (const double nu : {0.0, published_nu})
    table.add({ResidualMethod::bounded, mu_single_rate, nu}, {}, rows);
  table.add({ResidualMethod::banked}, {}, rows);
  table.refresh();
  table.add({}, {}, rows);
}

}  // namespace

std::vector<Row> residual_nonlinear(const std::filesystem::path& folder, Pictures* pictures) {
  std::vector<Row> rows;
  add_square_root_springs(folder, pictures, rows);
  add_quadratic_dampers(folder, pictures, rows);
  return rows;
}

}  // namespace ergon::bench
