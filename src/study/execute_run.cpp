#include "ergon/study/execute_run.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <new>

namespace ergon::study {
namespace {

/// Samples of some outputs at given times.
class Courses {
 public:
  Courses(const std::vector<std::string>& names, const std::vector<double>& times_s,
          const Simulation& simulation)
      : times_s_(times_s) {
    if (times_s.empty()) return;
    for (const std::string& name : names) outputs_.push_back(simulation.output(name));
    values_.assign(outputs_.size() * times_s.size(), std::numeric_limits<double>::quiet_NaN());
    before_.resize(outputs_.size());
    slack_s_ = 1e-9 * (times_s.back() - times_s.front());
  }

  void inspect(const StepRecord& record) {
    if (outputs_.empty() || next_ == times_s_.size()) return;
    const double t = record.time_s();
    for (; next_ < times_s_.size() && times_s_[next_] <= t + slack_s_; ++next_) {
      const bool is_here = !has_before_ || times_s_[next_] >= t - slack_s_;
      const double weight = is_here ? 1.0 : (times_s_[next_] - before_s_) / (t - before_s_);
      for (std::size_t i = 0; i < outputs_.size(); ++i) {
        const double now = record.output(outputs_[i]);
        values_[i * times_s_.size() + next_] = is_here ? now : before_[i] + weight * (now - before_[i]);
      }
    }
    for (std::size_t i = 0; i < outputs_.size(); ++i) before_[i] = record.output(outputs_[i]);
    before_s_ = t;
    has_before_ = true;
  }
  [[nodiscard]] bool is_whole() const { return next_ == times_s_.size(); }
  [[nodiscard]] std::vector<double> take() { return std::move(values_); }

 private:
  const std::vector<double>& times_s_;
  std::vector<Index> outputs_;
  std::vector<double> values_;
  std::vector<double> before_;
  double before_s_ = 0.0;
  bool has_before_ = false;
  double slack_s_ = 0.0;
  std::size_t next_ = 0;
};

const char* status_text(RunStatus status) {
  switch (status) {
    case RunStatus::finished:
      return "finished";
    case RunStatus::ended:
      return "ended";
    case RunStatus::stopped:
      return "stopped";
    case RunStatus::interrupted:
      return "interrupted";
    case RunStatus::failed:
      break;
  }
  return "failed";
}

/// One line: a table has no others.
std::string one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  return text;
}

void add_figures(const Summary& summary, Outcome& outcome) {
  outcome.points = summary.points;
  outcome.verdict = summary.verdict ? std::string(name_of(summary.verdict->value)) : "";
  if (summary.motion.checked) {
    outcome.error_ratio = summary.motion.ratio;
    outcome.worst = summary.motion.worst;
  }
  for (const NodeSummary& node : summary.nodes) outcome.steps += node.steps;
  if (!summary.bonds.empty()) {
    double exchanged_J = 0.0;
    double artificial_J = 0.0;
    for (const BondSummary& bond : summary.bonds) {
      exchanged_J += bond.exchanged_energy_J;
      artificial_J += std::abs(bond.imbalance_energy_J.value_or(bond.interface_energy_J));
    }
    outcome.exchanged_energy_J = exchanged_J;
    outcome.artificial_energy_J = artificial_J;
  }
  if (summary.energy) {
    outcome.stored_energy_J = summary.energy->final_stored_J;
    outcome.dissipated_energy_J = summary.energy->dissipated_J;
    outcome.energy_drift_J = summary.energy->max_drift_J;
  }
}

}  // namespace

std::string run_folder_name(std::size_t run) {
  return fmt::format("{:06}", run);
}

std::optional<Outcome> execute_run(const RunTemplate& common, std::size_t number, const RunSettings& own,
                                   const std::function<bool()>& stop) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  Outcome outcome;
  outcome.run = number;
  outcome.measures.assign(common.measures.size(), std::numeric_limits<double>::quiet_NaN());
  bool is_late = false;
  try {
    ScenarioOverrides overrides = common.overrides;
    overrides.threads = 1;  // runs are what goes on side by side
    overrides.settings.insert(overrides.settings.end(), own.settings.begin(), own.settings.end());
    Simulation simulation(common.scenario, overrides);
    if (own.step_factor) simulation = simulation.with_steps(*own.step_factor);
    simulation.check_motion(common.check);
    MeasureSet measures(common.measures, simulation.system());
    Courses courses(common.courses, common.course_times_s, simulation);
    simulation.observe([&](const StepRecord& record) {
      measures.inspect(record.time_s(), record);
      courses.inspect(record);
    });
    if (!common.keep_in.empty()) simulation.write_to(common.keep_in / run_folder_name(number));
    int points = 0;
    constexpr int look_every = 64;  // a look at the clock costs as much as a cheap step
    const RunOutcome& result = simulation.run([&]() -> std::optional<StopReason> {
      if (++points % look_every != 0) return std::nullopt;
      if (stop && stop()) return StopReason::interrupted;
      if (common.timeout_s && Clock::now() - begin > std::chrono::duration<double>(*common.timeout_s)) {
        is_late = true;
        return StopReason::interrupted;
      }
      return std::nullopt;
    });
    if (result.status == RunStatus::interrupted && !is_late) return std::nullopt;
    outcome.status = is_late ? "timeout" : status_text(result.status);
    outcome.reached_time_s = result.reached_time_s;
    if (is_late) outcome.message = fmt::format("it took more than {} s", *common.timeout_s);
    if (result.failure)
      outcome.message = one_line(fmt::format("'{}' at t = {} s: {}", result.failure->subsystem,
                                             result.failure->time_s, result.failure->what));
    add_figures(simulation.summary(), outcome);
    if (outcome.is_whole()) {
      outcome.measures = measures.values();
      if (courses.is_whole()) outcome.courses = courses.take();
    }
    for (const std::string& error : simulation.write_errors()) outcome.message += one_line(" " + error);
  } catch (const InputError& error) {
    outcome.status = "refused";
    outcome.message = one_line(error.what());
  } catch (const std::bad_alloc&) {
    outcome.status = "failed";
    outcome.message = "there is not enough memory";
  } catch (const std::exception& error) {
    outcome.status = "failed";
    outcome.message = one_line(error.what());
  }
  outcome.wall_time_s = std::chrono::duration<double>(Clock::now() - begin).count();
  return outcome;
}

}  // namespace ergon::study
