#include "benchmarks/residual-oscillator/residual_oscillator.hpp"

#include <algorithm>
#include <array>

#include "benchmarks/rodriguez2022/residual_pictures.hpp"
#include "benchmarks/rodriguez2022/residual_rows.hpp"
#include "benchmarks/rodriguez2022/residual_run.hpp"

namespace ergon::bench {
namespace {

constexpr int cases = 8;

bool one_of(int number, std::initializer_list<int> numbers) {
  return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
}

/// Where v1 and v2 run against each other most of the time, the law takes out more than the interface has made.
bool is_overpaid(int number) {
  return one_of(number, {3, 4, 8});
}

Expectation within_2_percent(double value) {
  return {.value = value, .rel = 0.02};
}
Expectation at_most(double value) {
  return {.max = value};
}
Expectation to_digits(double value, double last_digit) {
  return {.value = value, .abs = 0.5 * last_digit};
}

/// What a right implementation reaches, uncorrected and corrected with ν = 0 and a limit of 100 %.
struct KnownPair {
  double uncorrected;
  double corrected_at_most;
};

std::optional<KnownPair> known_pair(int number, std::size_t schedule) {
  constexpr std::array<KnownPair, 5> case1 = {
      {{1.034, 0.025}, {2.020, 0.016}, {1.018, 0.017}, {1.090, 0.020}, {0.0747, 0.013}}};
  if (number == 1) return case1.at(schedule);
  return std::nullopt;
}

class ResidualOscillatorTable {
 public:
  ResidualOscillatorTable(std::filesystem::path scenario, Pictures* pictures)
      : scenario_(std::move(scenario)), pictures_(pictures) {}

  void add_case(int number) {
    const ResidualProblem problem = double_oscillator(number);
    reference_ = analytic_motion(problem);
    add_velocity_rows(number);
    for (std::size_t s = 0; s < residual_schedules().size(); ++s) {
      run_ = {problem, residual_schedules()[s], {}, "stale"};
      add_stale(s);
      if (pictures_ != nullptr) add_pictures();
      add_refreshed();
    }
  }

  [[nodiscard]] std::vector<Row> take_rows() { return std::move(rows_); }

 private:
  /// Of the analytic solution: why the law works in one case and not in another.
  void add_velocity_rows(int number) {
    const VelocityProducts products = velocity_products(reference_);
    const Case settings = {{"case", static_cast<double>(number)}};
    const Expectation opposed = {.max = -0.5};
    const Expectation unrelated = {.value = 0.0, .abs = 0.1};
    rows_.push_back({settings,
                     "velocity_correlation",
                     "",
                     {},
                     is_overpaid(number) ? opposed : unrelated,
                     products.correlation});
    rows_.push_back({settings, "paid_by_made", "", {}, {}, products.paid_by_made});
  }

  double add(const ResidualKnown& known, const char* label = nullptr) {
    const bool show = label != nullptr && pictures_ != nullptr;
    if (show) shown_.push_back({label, {}});
    const ResidualErrors errors =
        residual_errors(scenario_, run_, reference_, show ? &shown_.back().history : nullptr);
    Case settings = {{"case", static_cast<double>(run_.problem.number)}, {"schedule", run_.schedule.name}};
    add_correction_settings(run_, settings);
    add_error_rows(settings, errors, known, rows_);
    return errors.max_energy;
  }

  void add_stale(std::size_t schedule) {
    const int number = run_.problem.number;
    const bool single = run_.schedule.name == "single";
    const auto pair = known_pair(number, schedule);
    ResidualKnown known;
    if (pair) known.max_energy = within_2_percent(pair->uncorrected);
    if (number == 7 && single) known.max_energy = within_2_percent(0.1916);
    shown_.clear();
    add(known, "uncorrected");

    run_.correction = {ResidualMethod::published, published_mu(run_.schedule)};
    known = {};
    if (pair) known.max_energy = at_most(pair->corrected_at_most);
    if (number == 7 && single) known.max_energy = Expectation{.value = 0.0187, .abs = 0.001};
    // The published claim is that the excess energy is removed almost exactly; three of the eight lose far too much.
    if (single)
      known.final_energy_ratio = is_overpaid(number) ? at_most(0.95) : Expectation{.value = 1.0, .abs = 0.02};
    add(known, "corrected");
    if (number == 7 && single) {
      run_.correction.nu = 0.25;
      add({.max_energy = at_most(0.008), .final_energy_ratio = Expectation{.value = 1.0, .abs = 0.02}});
      run_.correction.nu = 0.0;
    }
    run_.correction.method = ResidualMethod::bounded;
    add({});
  }

  /// What the paper draws of these runs.
  void add_pictures() {
    const int number = run_.problem.number;
    const std::string& schedule = run_.schedule.name;
    if (schedule == "single" && number <= 2) {
      Picture picture =
          energy_picture(number == 1 ? "Fig. 9" : "Fig. 10",
                         number == 1 ? "Residual energy and energy, case 1 (no damping), single rate"
                                     : "Residual energy and energy, case 2 (damped), single rate",
                         {shown_.front()}, reference_);
      picture.y.label = "energy";
      picture.curves.front().label = "E, co-simulated";
      picture.curves.back().label = "E, reference";
      const ResidualHistory& history = shown_.front().history;
      picture.curves.push_back({"residual energy δE", history.t_s, history.residual_energy_J});
      pictures_->add(std::move(picture));
    }
    if (schedule == "R10-hold" && number == 1) {
      const std::string title = "Case 1, 1 ms and 0.1 ms, hold, μ = 0.725";
      pictures_->add(energy_picture("Fig. 20", title, shown_, reference_));
      pictures_->add(displacement_picture("Fig. 21", title, "η₂", shown_, reference_));
    }
    if (schedule == "single" && number == 7) {
      const std::string title = "Case 7, single rate, μ = 0.5, ν = 0";
      pictures_->add(displacement_picture("Fig. 22", title, "η₂", shown_, reference_));
      pictures_->add(energy_picture("Fig. 23", title, shown_, reference_));
    }
  }

  void add_refreshed() {
    const int number = run_.problem.number;
    const bool single = run_.schedule.name == "single";
    run_.feedthrough = "refresh";
    run_.correction = {};
    ResidualKnown known;
    if (single && number == 1) known.max_energy = to_digits(0.012, 1e-3);
    if (single && number == 3) known.max_energy = to_digits(0.023, 1e-3);
    if (single && number == 8) known.max_energy = to_digits(0.0057, 1e-4);
    if (run_.schedule.name == "R10-hold" && number == 1) known.max_energy = to_digits(0.3626, 1e-4);
    const double refreshed = add(known);

    if (run_.schedule.name == "R10-hold") {
      // What refresh leaves over: the force is held beyond its time. For this delay the engine pays by itself.
      run_.correction = {ResidualMethod::banked};
      known = {.max_energy = at_most(refreshed)};
      if (number == 1) known.max_energy = to_digits(0.0055, 1e-4);
      add(known);
    }
    if (single && one_of(number, {1, 3, 8})) {
      // The published law pays for a delay of a whole step that refreshed feed-through does not have.
      run_.correction = {ResidualMethod::published, published_mu(run_.schedule)};
      run_.correction.accept_harm = true;
      constexpr double harm = 10.0;
      add({.max_energy = Expectation{.min = harm * refreshed}});
      run_.correction.method = ResidualMethod::banked;
      known = {.max_energy = to_digits(0.37, 0.01)};
      if (number == 3) known.max_energy = to_digits(1.0, 0.1);
      if (number == 8) known.max_energy = to_digits(0.13, 0.01);
      add(known);
    }
  }

  std::filesystem::path scenario_;
  Pictures* pictures_;
  std::vector<ShownHistory> shown_;  ///< of one case and schedule: uncorrected, corrected
  ReferenceMotion reference_;
  ResidualRun run_;
  std::vector<Row> rows_;
};

}  // namespace

std::vector<Row> residual_oscillator(const std::filesystem::path& folder, Pictures* pictures) {
  ResidualOscillatorTable table(folder / "double.toml", pictures);
  for (int number = 1; number <= cases; ++number) table.add_case(number);
  return table.take_rows();
}

}  // namespace ergon::bench
