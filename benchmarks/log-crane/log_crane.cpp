#include "benchmarks/log-crane/log_crane.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <map>

#include "benchmarks/framework/run_changes.hpp"
#include "ergon/models/multibody/nonsmooth_machine.hpp"
#include "ergon/run/simulation.hpp"
#include "ergon/scenario/file/machine_file.hpp"
#include "ergon/scenario/sources/model_source.hpp"

namespace ergon::bench {
namespace {

constexpr double reference_step_s = 0.4e-3;
constexpr double errors_from_s = 3.0;

/// The machine with its log moved along by 0.12 m and turned by 5 degrees.
class AsymmetricMachine final : public ModelSource {
 public:
  [[nodiscard]] std::string_view key() const override { return native().key(); }
  [[nodiscard]] std::shared_ptr<const ModelInfo> find(const std::string& name,
                                                      const std::string& base_directory,
                                                      const SourceLocation& where,
                                                      ProblemList& problems) const override {
    const auto found = native().find(name, base_directory, where, problems);
    if (!found || !found->takes_description) return found;
    auto changed = std::make_shared<ModelInfo>(*found);
    changed->make = [found](const ModelRequest& request, ProblemList& list) {
      ModelRequest moved = request;
      auto machine = std::make_shared<MachineDescription>(*request.machine);
      for (BodyDescription& body : machine->bodies) {
        if (body.name != "log") continue;
        constexpr double turn_rad = 5.0 * M_PI / 180.0;
        body.position_m[1] += 0.12;
        body.orientation = Eigen::AngleAxisd(turn_rad, Eigen::Vector3d::UnitZ()) * body.orientation;
      }
      moved.machine = machine;
      return found->make(moved, list);
    };
    return changed;
  }

 private:
  static const ModelSource& native() { return *native_sources().front(); }
};

/// One point of the machine.
struct Sample {
  double t_s = 0.0;
  double s1_m = 0.0;
};

struct CraneRun {
  std::vector<Sample> samples;
  bool ended = false;
  double fastest_m_s = 0.0;
  std::array<double, 3> rms_m_s{};    ///< of √(w₁² + w₂²) in the windows of `settled`
  double peak_w1_m_s = 0.0;           ///< while the claws close
  std::array<double, 2> force_1_N{};  ///< least and largest in that time
  std::array<double, 2> holding_N{};
  double s1_m = 0.0, s2_m = 0.0, log_m = 0.0;
  double cpu_s = 0.0;
  std::string verdict = "failed";
  // For the pictures, at points of the machine:
  PictureCurve length_m, rate_m_s, force_N, spool, desired_m_s;

  /// Unstable runs are mostly limit cycles of a valve that goes from end to end: they end, and shake.
  [[nodiscard]] bool stable() const {
    return ended && fastest_m_s <= 20.0 && rms_m_s[0] < 1e-3 && rms_m_s[1] < 1e-2 && rms_m_s[2] < 5e-3;
  }
};

/// Before the grasp, in it, and after the lift.
std::optional<std::size_t> window_of(double t) {
  if (t > 1.0 && t <= 3.0) return 0;
  if (t > 3.0 && t <= 5.0) return 1;
  if (t > 11.0) return 2;
  return std::nullopt;
}

CraneRun simulate(const std::filesystem::path& folder, const CraneCase& c, bool with_series = false) {
  std::vector<std::string> settings = {
      fmt::format("crane.step_size={:g}", c.H_mechanics_s),
      fmt::format("coupling.extrapolation={}", c.extrapolation),
      fmt::format("coupling.feedthrough={}", c.refresh ? "refresh" : "stale")};
  if (c.corrected) {
    for (const char* bond : {"actuator1", "actuator2"})
      settings.push_back(fmt::format("bond.{}.correction={{method=\"residual-power\"}}", bond));
  }
  ScenarioOverrides overrides;
  overrides.settings = with_changes(folder / "crane.toml", settings);
  const ModelSources sources =
      c.asymmetric ? ModelSources{std::make_shared<AsymmetricMachine>()} : native_sources();
  Simulation simulation(folder / "crane.toml", overrides, sources);
  const Index w1 = simulation.output("crane.cylinder1_rate"), w2 = simulation.output("crane.cylinder2_rate");
  const Index s1 = simulation.output("crane.cylinder1_length");
  const Index s2 = simulation.output("crane.cylinder2_length");
  const Index height = simulation.output("crane.log_position[2]");
  const Index f1 = simulation.output("cylinder1.force"), f2 = simulation.output("cylinder2.force");

  const Index spool = simulation.output("control1.spool");
  const Index desired = simulation.output("control1.desired_velocity");

  CraneRun run;
  std::array<double, 3> squares{};
  std::array<long, 3> counts{};
  const std::clock_t start = std::clock();
  const auto failure = simulation.for_each_point([&](const StepRecord& record) {
    const double t = record.time_s();
    if (record.tick() == 0) run.holding_N = {record.output(f1), record.output(f2)};
    if (t >= 3.0 && t <= 5.0) {
      const double force = record.output(f1);
      if (run.force_1_N[0] == 0.0) run.force_1_N = {force, force};
      run.force_1_N = {std::min(run.force_1_N[0], force), std::max(run.force_1_N[1], force)};
    }
    if (record.bonds().front().last_point != record.tick()) return;  // the machine is still on its way
    run.s1_m = record.output(s1);
    run.s2_m = record.output(s2);
    run.log_m = record.output(height);
    run.samples.push_back({t, run.s1_m});
    if (with_series) {
      run.length_m.add(t, run.s1_m);
      run.rate_m_s.add(t, record.output(w1));
      run.force_N.add(t, record.output(f1));
      run.spool.add(t, record.output(spool));
      run.desired_m_s.add(t, record.output(desired));
    }
    const double speed = std::hypot(record.output(w1), record.output(w2));
    run.fastest_m_s = std::max(run.fastest_m_s, speed);
    if (const auto window = window_of(t)) {
      squares[*window] += speed * speed;
      ++counts[*window];
      if (*window == 1) run.peak_w1_m_s = std::max(run.peak_w1_m_s, std::abs(record.output(w1)));
    }
  });
  run.cpu_s = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  run.ended = !failure;
  if (run.ended) run.verdict = name_of(simulation.verdict().value);
  for (std::size_t i = 0; i < squares.size(); ++i)
    run.rms_m_s[i] = std::sqrt(squares[i] / static_cast<double>(std::max(counts[i], 1L)));
  return run;
}

/// s₁ at a time, linear between the points.
double s1_at_m(const std::vector<Sample>& samples, double t_s) {
  const auto after = std::lower_bound(samples.begin() + 1, samples.end() - 1, t_s,
                                      [](const Sample& s, double t) { return s.t_s < t; });
  const Sample& b = *after;
  const Sample& a = *(after - 1);
  return a.s1_m + (t_s - a.t_s) / (b.t_s - a.t_s) * (b.s1_m - a.s1_m);
}

/// Largest |s₁ − reference| from 3 s on, at the points of the machine; the reference is linear between its own.
double largest_error_m(const CraneRun& run, const std::vector<Sample>& reference) {
  double largest = 0.0;
  for (const Sample& sample : run.samples) {
    if (sample.t_s < errors_from_s) continue;
    largest = std::max(largest, std::abs(sample.s1_m - s1_at_m(reference, sample.t_s)));
  }
  return largest;
}

/// What errors are measured against: the finest run with hold, as published, and hold extrapolated to steps of length 0,
///   s(0) ≈ 2 s(h) − s(2h),   own error ≈ |2 s(h) − s(2h) − (2 s(2h) − s(4h))|/3
/// since the error of a coupling of first order halves with the step.
struct CraneReference {
  CraneRun finest;
  std::vector<Sample> extrapolated{};  ///< empty: not asked for
  double own_error_m = 0.0;
};

CraneReference reference_of(const std::filesystem::path& folder, bool asymmetric) {
  const auto with = [&](double factor) {
    return simulate(folder, {factor * reference_step_s, "hold", asymmetric});
  };
  CraneReference reference{with(1.0)};
  if (asymmetric) return reference;
  const CraneRun twice = with(2.0), four_times = with(4.0);
  for (const Sample& sample : four_times.samples) {
    const double h = s1_at_m(reference.finest.samples, sample.t_s), h2 = s1_at_m(twice.samples, sample.t_s);
    reference.extrapolated.push_back({sample.t_s, 2.0 * h - h2});
    if (sample.t_s < errors_from_s) continue;
    const double before = 2.0 * h2 - sample.s1_m;
    reference.own_error_m =
        std::max(reference.own_error_m, std::abs(reference.extrapolated.back().s1_m - before) / 3.0);
  }
  return reference;
}

Case settings_of(const CraneCase& c) {
  return {{"H_mechanics", c.H_mechanics_s},
          {"extrapolation", c.extrapolation},
          {"setup", c.asymmetric ? "asymmetric" : "symmetric"},
          {"feedthrough", c.refresh ? "refresh" : "stale"}};
}

bool is_step(const CraneCase& c, double H_ms) {
  return std::abs(c.H_mechanics_s - 1e-3 * H_ms) < 1e-9;
}

/// Of two independent programs; nothing where a run is on the edge.
std::optional<Expectation> expected_stable(const CraneCase& c) {
  const double H_ms = 1e3 * c.H_mechanics_s + 1e-9;
  const auto known = [](bool stable) { return Expectation{.value = stable ? 1.0 : 0.0, .abs = 0.0}; };
  if (c.refresh) {
    if (c.extrapolation != "interface-model") return H_ms <= 12.1 ? std::optional(known(true)) : std::nullopt;
    return is_step(c, 32.0) ? std::optional(known(false)) : std::nullopt;
  }
  if (c.extrapolation == "interface-model") return known(H_ms <= 125.1);
  const bool hold = c.extrapolation == "hold";
  if (H_ms <= (hold ? 8.1 : 7.1)) return known(true);
  if (H_ms >= (hold ? 11.9 : 9.9)) return known(false);
  return std::nullopt;
}

std::optional<Expectation> expected_error(const CraneCase& c) {
  struct Known {
    const char* extrapolation;
    double H_ms, error_mm, within_mm;
  };
  // As many digits as both programs were compared with.
  static constexpr Known all[] = {{"hold", 1.0, 0.034, 0.005},
                                  {"hold", 4.0, 0.21, 0.01},
                                  {"hold", 8.0, 0.43, 0.01},
                                  {"linear", 1.0, 0.015, 0.001},
                                  {"linear", 4.0, 0.11, 0.005},
                                  {"interface-model", 1.0, 0.13, 0.005},
                                  {"interface-model", 4.0, 0.35, 0.01},
                                  {"interface-model", 8.0, 0.84, 0.01},
                                  {"interface-model", 16.0, 2.3, 0.05},
                                  {"interface-model", 32.0, 8.2, 0.1}};
  if (c.refresh || c.asymmetric) return std::nullopt;
  for (const Known& known : all)
    if (c.extrapolation == known.extrapolation && is_step(c, known.H_ms))
      return Expectation{.value = 1e-3 * known.error_mm, .abs = 1e-3 * known.within_mm};
  return std::nullopt;
}

/// s₁, s₂ and the height of the log at the end.
std::array<std::optional<Expectation>, 3> expected_end(const CraneCase& c) {
  if (c.extrapolation != "interface-model" || c.refresh || c.H_mechanics_s > 16.1e-3) return {};
  if (c.asymmetric) {
    if (!is_step(c, 16.0)) return {};
    return {Expectation{.value = 1.3867, .abs = 5e-4}, Expectation{.value = 1.5925, .abs = 5e-4},
            Expectation{.value = 1.3463, .abs = 1e-3}};
  }
  return {Expectation{.value = 1.388, .abs = 4e-3}, Expectation{.value = 1.592, .abs = 3e-3},
          Expectation{.value = 1.347, .abs = 10e-3}};
}

std::size_t constraint_rank(const std::filesystem::path& folder) {
  ProblemList problems;
  const auto description = load_machine((folder / "machine.toml").string(), {}, problems);
  const auto ready = description ? make_ready(*description, problems) : std::nullopt;
  if (!ready) throw InputError(problems);
  return ready->constraints.rank;
}

void add(const CraneCase& c, const CraneRun& run, const CraneReference& reference, std::vector<Row>& rows) {
  const Case settings = settings_of(c);
  const auto row = [&](const std::string& quantity, const char* unit, std::optional<Expectation> expected,
                       double ours) {
    rows.push_back({settings, quantity, unit, {}, expected, ours});
  };
  if (c.corrected) {
    // Under names of their own, since the case is the same.
    row("corrected_stable", "", {}, run.stable() ? 1.0 : 0.0);
    if (run.ended) row("corrected_max_s1_error", "m", {}, largest_error_m(run, reference.finest.samples));
    return;
  }
  row("stable", "", expected_stable(c), run.stable() ? 1.0 : 0.0);
  row("called_doubtful", "", {}, run.verdict == "doubtful" ? 1.0 : 0.0);
  row("called_unreliable", "", {}, run.verdict == "unreliable" ? 1.0 : 0.0);
  row("real_time_factor", "", {}, run.samples.back().t_s / run.cpu_s);
  if (!run.ended) return;  // it broke off, and has no figures
  row("max_s1_error", "m", expected_error(c), largest_error_m(run, reference.finest.samples));
  if (!reference.extrapolated.empty())
    row("max_s1_error_extrapolated", "m", {}, largest_error_m(run, reference.extrapolated));
  const auto end = expected_end(c);
  row("final_s1", "m", end[0], run.s1_m);
  row("final_s2", "m", end[1], run.s2_m);
  row("final_log_height", "m", end[2], run.log_m);
  row("rms_velocity_1_3s", "m/s", {}, run.rms_m_s[0]);
  row("rms_velocity_3_5s", "m/s", {}, run.rms_m_s[1]);
  row("rms_velocity_11_15s", "m/s", {}, run.rms_m_s[2]);
  row("peak_velocity_1_3_5s", "m/s", {}, run.peak_w1_m_s);
  row("force_range_1_3_5s", "N", {}, run.force_1_N[1] - run.force_1_N[0]);
}

/// The largest step of the list up to which all are stable.
void add_largest_stable_steps(std::vector<Row>& rows) {
  struct Limit {
    Case settings;
    double H_s = 0.0;
    bool broken = false;
  };
  std::map<std::array<std::string, 3>, Limit> limits;
  for (const Row& row : rows) {
    if (row.quantity != "stable") continue;
    std::array<std::string, 3> key;
    for (std::size_t i = 0; i < 3; ++i) key[i] = std::get<std::string>(row.settings[i + 1].second);
    Limit& limit = limits[key];
    limit.broken = limit.broken || row.ours == 0.0;
    if (limit.broken) continue;
    limit.settings = row.settings;
    limit.H_s = std::get<double>(row.settings[0].second);
  }
  for (const auto& [key, limit] : limits)
    if (limit.H_s > 0.0) rows.push_back({limit.settings, "largest_stable_step", "s", {}, {}, limit.H_s});
}

/// Figs. 7 to 9: control of the interface model with 16 ms; length, rate and force of actuator 1 with an interface model (a, c, e)
/// and with hold (b, d, f) for several steps.
class CranePictures {
 public:
  CranePictures() {
    const PictureAxis time{"time", "s"};
    const auto panel = [&](const char* figure, const std::string& title, const PictureAxis& y) {
      panels_.push_back({"peiret2019", figure, title, time, y});
    };
    panel("Fig. 7 (a)", "Desired velocity of actuator 1", {"desired velocity", "m/s"});
    panel("Fig. 7 (b)", "Valve displacement, interface model, 16 ms", {"valve displacement κ", ""});
    for (const bool held : {false, true}) {
      const std::string with = held ? ", hold" : ", interface model";
      panel(held ? "Fig. 8 (b)" : "Fig. 8 (a)", "Displacement of actuator 1" + with,
            {"displacement s₁", "m"});
      panel(held ? "Fig. 9 (b)" : "Fig. 9 (a)", "Velocity of actuator 1" + with, {"velocity w₁", "m/s"});
      panel(held ? "Fig. 9 (d)" : "Fig. 9 (c)", "Velocity of actuator 1 during the grasp" + with,
            {"velocity w₁", "m/s"});
      panel(held ? "Fig. 9 (f)" : "Fig. 9 (e)", "Force of actuator 1" + with, {"force", "N"});
    }
  }
  /// Which runs are drawn: three steps either way, 10 ms among them.
  static bool draws(const CraneCase& c) {
    if (c.asymmetric || c.refresh || c.corrected) return false;
    if (c.extrapolation == "hold") return is_step(c, 4.0) || is_step(c, 8.0) || is_step(c, 10.0);
    return c.extrapolation == "interface-model" && (is_step(c, 4.0) || is_step(c, 10.0) || is_step(c, 16.0));
  }
  void add(const CraneCase& c, CraneRun run) {
    const bool held = c.extrapolation == "hold";
    if (!held && is_step(c, 16.0)) {
      add_to(0, run.desired_m_s, "desired");
      add_to(1, run.spool, "interface model, 16 ms");
    }
    const std::string label = fmt::format("H = {:g} ms", 1e3 * c.H_mechanics_s);
    const std::size_t first = held ? 6 : 2;
    PictureCurve grasp{label};
    for (std::size_t i = 0; i < run.rate_m_s.x.size(); ++i)
      if (run.rate_m_s.x[i] >= 3.0 && run.rate_m_s.x[i] <= 5.0)
        grasp.add(run.rate_m_s.x[i], run.rate_m_s.y[i]);
    add_to(first, run.length_m, label);
    add_to(first + 1, run.rate_m_s, label);
    add_to(first + 2, grasp, label);
    add_to(first + 3, run.force_N, label);
  }
  void give_to(Pictures& pictures, const CraneRun& finest) {
    for (const std::size_t panel : {2UL, 6UL}) {
      PictureCurve reference{"reference, hold, 0.4 ms", {}, {}, true};
      for (std::size_t i = 0; i < finest.samples.size(); i += 25)
        reference.add(finest.samples[i].t_s, finest.samples[i].s1_m);
      panels_[panel].curves.push_back(std::move(reference));
    }
    for (Picture& panel : panels_) pictures.add(std::move(panel));
  }

 private:
  void add_to(std::size_t panel, PictureCurve curve, const std::string& label) {
    curve.label = label;
    panels_[panel].curves.push_back(std::move(curve));
  }
  std::vector<Picture> panels_;
};

}  // namespace

std::vector<Row> log_crane_rows(const std::filesystem::path& folder, const std::vector<CraneCase>& cases,
                                Pictures* pictures) {
  std::vector<Row> rows;
  CranePictures drawn;
  std::map<bool, CraneReference> references;
  bool designed = false;
  for (const CraneCase& c : cases) {
    if (!references.contains(c.asymmetric))
      references.emplace(c.asymmetric, reference_of(folder, c.asymmetric));
    const bool draws = pictures != nullptr && CranePictures::draws(c);
    const CraneRun run = simulate(folder, c, draws);
    add(c, run, references.at(c.asymmetric), rows);
    if (draws) drawn.add(c, run);
    if (designed || c.asymmetric || c.corrected) continue;
    designed = true;
    const auto row = [&](const char* quantity, const char* unit, const Expectation& expected, double ours) {
      rows.push_back({settings_of(c), quantity, unit, {}, expected, ours});
    };
    row("holding_force_1", "N", {.value = -63465.5, .rel = 1e-5}, run.holding_N[0]);
    row("holding_force_2", "N", {.value = -15303.2, .rel = 1e-5}, run.holding_N[1]);
    // Much smaller than the errors that are measured with it.
    row("extrapolated_own_error", "m", {.min = 0.0, .max = 1e-5}, references.at(false).own_error_m);
    row("constraint_rank", "", {.value = 97.0, .abs = 0.0}, static_cast<double>(constraint_rank(folder)));
  }
  add_largest_stable_steps(rows);
  if (pictures != nullptr && references.contains(false))
    drawn.give_to(*pictures, references.at(false).finest);
  return rows;
}

std::vector<Row> log_crane(const std::filesystem::path& folder, Pictures* pictures) {
  std::vector<CraneCase> cases;
  for (const bool refresh : {false, true})
    for (const char* extrapolation : {"interface-model", "hold", "linear"})
      for (const double H_ms : {1.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 16.0, 32.0, 64.0, 125.0, 160.0})
        cases.push_back({1e-3 * H_ms, extrapolation, false, refresh});
  for (const char* extrapolation : {"interface-model", "hold", "linear"})
    for (const double H_ms : {1.0, 4.0, 8.0, 12.0, 16.0, 32.0, 64.0, 125.0, 160.0})
      cases.push_back({1e-3 * H_ms, extrapolation, true});
  for (const double H_ms : {4.0, 6.0, 8.0, 10.0, 12.0, 16.0})
    cases.push_back({1e-3 * H_ms, "hold", false, false, true});
  return log_crane_rows(folder, cases, pictures);
}

}  // namespace ergon::bench
